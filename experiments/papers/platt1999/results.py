"""What the steps found, as the tables, claims and pictures ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from ...growth import PowerLaw, fit_power_law
from ...statistics import ALPHA, exact_mcnemar, holm
from ..study import Found, Settings
from .published import NAMES, RULES, TABLE1, law_ratio
from .study import FAMILIES, SMOOTHED, search_key

CASES = [  # as they stand in the tables: set, whether smoothed, name
    ("usps", False, NAMES["usps"]),
    ("usps", True, f"USPS, smoothed {SMOOTHED:g} px"),
    ("letter", False, NAMES["letter"]),
    ("covertype", False, NAMES["covertype"]),
]
PAIRS = list(combinations(RULES, 2))
WAYS = ("1-v-r", "1-v-1")


class Results:
    """The record of a run of this paper.

    Parameters
    ----------
    settings : Settings
    found : mapping of str to dict
    """

    def __init__(self, settings: Settings, found: Mapping[str, Found]) -> None:
        self.settings = settings
        self.found = found

    # ------------------------------------------------------------- Table 1

    def case(self, data: str, smoothed: bool = False) -> Found:
        """The three rules on a data set; USPS also with smoothed images."""
        if smoothed and data == "usps":
            return self.found[f"checks/usps-smoothed/{SMOOTHED:g}"]
        return self.found[f"table1/{data}"]

    def value(self, data: str, rule: str, what: str, smoothed: bool = False) -> float:
        """A number of Table 1."""
        return float(self.case(data, smoothed)["rules"][rule][what])

    def ratio(self, data: str, what: str, above: str, below: str, smoothed: bool = False) -> float:
        """By which factor one rule has more than another."""
        return self.value(data, above, what, smoothed) / self.value(data, below, what, smoothed)

    def ratios(self, what: str, above: str, below: str, smoothed: bool = False) -> dict[str, float]:
        """The same for every data set."""
        return {data: self.ratio(data, what, above, below, smoothed) for data in NAMES}

    def test(self, data: str, a: str, b: str, smoothed: bool = False) -> Found:
        """McNemar's test between two rules, in either order."""
        tests = self.case(data, smoothed)["mcnemar"]
        if f"{a}, {b}" in tests:
            return exact(tests[f"{a}, {b}"])
        test = tests[f"{b}, {a}"]
        return exact({"only_first": test["only_second"], "only_second": test["only_first"]})

    def is_better(self, data: str, a: str, b: str, smoothed: bool = False) -> bool:
        """Whether the first rule is significantly better than the second."""
        test = self.test(data, a, b, smoothed)
        return bool(test["p"] < ALPHA and test["only_first"] > test["only_second"])

    def order_tests(self, data: str) -> tuple[list[float], list[float]]:
        """The p-values of DAGSVM in random orders against the natural one, and the same adjusted by Holm for their number."""
        p = [float(exact(order)["p"]) for order in self.found[f"checks/orders/{data}"]["orders"]]
        return p, holm(p).tolist()

    def checks(self, prefix: str) -> dict[str, Found]:
        """All checks whose keys begin so, by the rest of their keys."""
        return {key.removeprefix(prefix): self.found[key] for key in self.found if key.startswith(prefix)}

    # ----------------------------------------------------------------- law

    def law(self, data: str, way: str, what: str = "cpu_seconds") -> PowerLaw:
        """The power law of a way to train, in seconds or counts."""
        points = self.found[f"law/{data}"]["points"]
        return _law([p["rows"] for p in points], [p[way][what] for p in points])

    def libsvm_law(self, data: str, what: str) -> PowerLaw:
        """The same for LIBSVM: "one_machine" of 1-v-r, or all of "1-v-1"."""
        points = self.found[f"law-libsvm/{data}"]["points"]
        return _law([p["rows"] for p in points], [p[what] for p in points])

    def exponents(self, what: str = "cpu_seconds") -> dict[str, float]:
        """The exponents of both ways on all sets."""
        return {f"{NAMES[data]} {way}": self.law(data, way, what).exponent for data in NAMES for way in WAYS}

    def measured_ratio(self, data: str, what: str = "cpu_seconds") -> float:
        """T(1-v-r) / T(1-v-1), on the largest part, in seconds or counts."""
        last = self.found[f"law/{data}"]["points"][-1]
        return float(last["1-v-r"][what] / last["1-v-1"][what])

    def predicted_ratio(self, data: str, what: str = "cpu_seconds") -> float:
        """What the law says of it, with the exponent of 1-v-r."""
        return law_ratio(self.found[f"law/{data}"]["classes"], self.law(data, "1-v-r", what).exponent)

    def in_single_machines(self, data: str) -> float:
        """How many times as long as one machine of 1-v-r all pairs take."""
        return float(self.found[f"law/{data}"]["classes"]) / self.measured_ratio(data)

    def libsvm_in_single_machines(self, data: str) -> float:
        """The same for LIBSVM."""
        last = self.found[f"law-libsvm/{data}"]["points"][-1]
        return float(last["1-v-1"] / last["one_machine"])

    # -------------------------------------------------------------- search

    @property
    def searched(self) -> bool:
        """Whether kernels were chosen anew, for every rule on every data set."""
        wanted = [search_key(data, rule, family) for data in NAMES for rule in RULES for family in FAMILIES]
        wanted += [search_key("usps", rule, family, smoothed=True) for rule in RULES for family in FAMILIES]
        return self.settings.search and all(key in self.found for key in wanted)

    def search(self, data: str, rule: str, family: str, smoothed: bool = False) -> Found:
        """What was found of a family of kernels; on USPS also with smoothed images."""
        return self.found[search_key(data, rule, family, smoothed and data == "usps")]

    def chosen(self, data: str, rule: str, family: str, smoothed: bool = False) -> Found:
        """The best cell of a family."""
        best: Found = self.search(data, rule, family, smoothed)["best"]
        return best

    def winner(self, data: str, rule: str, smoothed: bool = False) -> str:
        """The family with the least validation error; of equals, the Gaussian."""
        return min(FAMILIES, key=lambda f: float(self.chosen(data, rule, f, smoothed)["validation_error"]))


def exact(test: Found) -> Found:
    """McNemar's exact test from the counts of the record, whose p is that of another form of the test in older records."""
    counts = test["only_first"], test["only_second"]
    return {"only_first": counts[0], "only_second": counts[1], "p": exact_mcnemar(*counts).p_value}


def small(p: float) -> str:
    """A p-value, which may be too small for a number."""
    return f"{p:.2g}" if p > 1e-300 else "< 1e-300"


def published_ratio(data: str, what: str, above: str, below: str) -> float:
    """A ratio of two numbers of Table 1, as printed."""
    return float(getattr(TABLE1[data][above], what) / getattr(TABLE1[data][below], what))


def published_spread(data: str) -> float:
    """The distance between the best and the worst of the three rules on a data set, as printed, in points of error."""
    errors = [row.error for row in TABLE1[data].values()]
    return max(errors) - min(errors)


def _law(m: list[float], T: list[float]) -> PowerLaw:
    law = fit_power_law(m, T)
    if law is None:
        raise ValueError("a power law needs points at two sizes")
    return law
