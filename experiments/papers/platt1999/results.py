"""What the steps found, as the tables, claims and pictures ask for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from scipy.stats import kendalltau

from ...growth import PowerLaw, fit_power_law
from ...statistics import exact_mcnemar, holm
from ..study import Found, Settings
from .bounds import restored
from .published import NAMES, ONE_VS_REST, RULES, TABLE1, law_ratio
from .search import unpacked
from .spans import Span
from .study import FAMILIES, SMOOTHED, TOLERANCES, search_key

SMOOTH = f"USPS, smoothed {SMOOTHED:g} px"
PAIRS = list(combinations(RULES, 2))
WAYS = ("1-v-r", "1-v-1")
SAMPLED = "checks/covertype/as stated"  # Table 1 on Covertype, on a part of the test rows
LOOP, BANK, LIBSVM, SMOOTH_LOOP = "a loop", "one bank", "a loop by LIBSVM", "a loop, USPS smoothed"


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

    def wrong(self, data: str, rule: str, smoothed: bool = False) -> tuple[int, int]:
        """Test rows answered wrongly, and all."""
        rows = int(self.case(data, smoothed)["test_rows"])
        return round(self.value(data, rule, "error", smoothed) * rows / 100), rows

    def test(self, data: str, a: str, b: str, smoothed: bool = False) -> Found:
        """McNemar's test between two rules, in either order."""
        tests = self.case(data, smoothed)["mcnemar"]
        if f"{a}, {b}" in tests:
            return exact(tests[f"{a}, {b}"])
        test = tests[f"{b}, {a}"]
        return exact({"only_first": test["only_second"], "only_second": test["only_first"]})

    def order_tests(self, data: str) -> tuple[list[float], list[float]]:
        """The p-values of DAGSVM in random orders against the natural one, and the same adjusted by Holm for their number."""
        p = [float(exact(order)["p"]) for order in self.found[f"checks/orders/{data}"]["orders"]]
        return p, holm(p).tolist()

    def checks(self, prefix: str) -> dict[str, Found]:
        """All checks whose keys begin so, by the rest of their keys."""
        return {key.removeprefix(prefix): self.found[key] for key in self.found if key.startswith(prefix)}

    # ------------------------------------------------- counts, and where the solver stops

    def counts(self, data: str, rule: str, what: str, smoothed: bool = False) -> list[float]:
        """A count of vectors: as in Table 1, and where the solver stops earlier and later."""
        cases = [self.case(data, smoothed)]
        if not (smoothed and data == "usps"):
            keys = [f"tolerance/{data}/{tol:g}" for tol in TOLERANCES]
            cases += [self.found[key] for key in ([SAMPLED] if data == "covertype" else []) + keys if key in self.found]
        return [float(case["rules"][rule][what]) for case in cases]

    def count(self, data: str, rule: str, what: str) -> Span:
        """The count of Table 1, and its range over the places where the solver stops."""
        values = self.counts(data, rule, what)
        return Span(values[0], min(values), max(values))

    def count_ratio(self, data: str, what: str, above: str, below: str, smoothed: bool = False) -> Span:
        """By which factor one rule has more vectors than another, at least and at most."""
        a, b = (self.counts(data, rule, what, smoothed) for rule in (above, below))
        return Span(a[0] / b[0], min(a) / max(b), max(a) / min(b))

    def unshared(self, data: str, rule: str, smoothed: bool = False) -> float:
        """The parameters that a rule would have if each machine stored its own vectors, over those that it has."""
        of = self.case(data, smoothed)["rules"][rule]
        per_vector = (of["parameters"] - of["summed_vectors"] - of["machines"]) / of["distinct_vectors"]
        return float((of["summed_vectors"] * (per_vector + 1) + of["machines"]) / of["parameters"])

    # ---------------------------------------------------------------- times

    def laps(self, data: str, rule: str, how: str = LOOP) -> list[float]:
        """CPU seconds of training a rule, once for each round."""
        if how == BANK:
            laps: list[float] = self.case(data)["rules"][rule]["laps"]
            return laps
        name = "usps-smoothed" if how == SMOOTH_LOOP and data == "usps" else data
        solver = "libsvm" if how == LIBSVM else "dagmar"
        laps = self.found[f"loop/{solver}/{name}"]["rules"][rule]["laps"]
        return laps

    def speedup(self, data: str, above: str, below: str, how: str = LOOP) -> Span:
        """By which factor one rule takes longer to train than another; 1 if their machines are the same."""
        if same_machines(data, above, below):
            return Span(1.0, 1.0, 1.0)
        return Span.ratio(self.laps(data, above, how), self.laps(data, below, how))

    def evaluation(self, data: str, above: str, below: str) -> tuple[float, Span]:
        """By which factor one rule has more kernel evaluations than another, and takes longer to answer."""
        a, b = (self.found[f"evaluation/{data}"]["rules"][rule] for rule in (above, below))
        return float(a["kernel_evaluations"] / b["kernel_evaluations"]), Span.ratio(a["laps"], b["laps"])

    # ----------------------------------------------------------------- laws

    def law(self, data: str, way: str, what: str = "cpu_seconds") -> PowerLaw:
        """The power law of the time of one bank, or of a count, over samples."""
        points = self.found[f"law/{data}"]["points"]
        return power_law([p["rows"] for p in points], [p[way][what] for p in points])

    def loop_law(self, data: str, what: str, solver: str = "dagmar") -> PowerLaw:
        """The same of a loop: of "one_machine" of 1-v-r, or of all of "1-v-1"."""
        points = self.found[f"law-loop/{solver}/{data}"]["points"]
        return power_law([p["rows"] for p in points], [p[what] for p in points])

    def single_machines(self, data: str, how: str = LOOP) -> float:
        """How many times as long as one machine of 1-v-r all pairs take."""
        if how == BANK:
            of = self.found[f"law/{data}"]
            last = of["points"][-1]
            return float(of["classes"] * last["1-v-1"]["cpu_seconds"] / last["1-v-r"]["cpu_seconds"])
        last = self.found[f"law-loop/{'libsvm' if how == LIBSVM else 'dagmar'}/{data}"]["points"][-1]
        return float(last["1-v-1"] / last["one_machine"])

    def foretold_ratio(self, data: str) -> float:
        """T(1-v-r) / T(1-v-1) by the law, with the exponent of one machine."""
        return law_ratio(self.found[f"law/{data}"]["classes"], self.loop_law(data, "one_machine").exponent)

    def class_exponents(self, data: str, way: str, how: str = LOOP) -> Span:
        """The exponent of training time over classes, for each draw of them."""
        return Span.mean(
            [
                power_law(
                    [p["classes"] for p in points], [p["loop" if how == LOOP else "bank"][way] for p in points]
                ).exponent
                for points in self.found[f"classes/{data}"]["draws"]
            ]
        )

    def size_exponents(self, data: str) -> list[float]:
        """The exponent of the size of all pairs over classes, for each draw of them."""
        return [
            power_law([p["classes"] for p in points], [p["size"]["parameters"] for p in points]).exponent
            for points in self.found[f"classes/{data}"]["draws"]
        ]

    # -------------------------------------------------------------- margins

    def classes_with_margins(self, data: str, hard: bool = False) -> tuple[list[float], list[float], list[float]]:
        """Of the classes whose nodes all separate: D', the error rate, and the part of all test rows that errs, in percent."""
        found = self.found[f"bounds-hard/{data}" if hard else f"bounds/{data}"]
        bound = restored(found)
        applies = bound.class_applies
        rows, wrong = (np.array(found[name], dtype=np.float64)[applies] for name in ("class_rows", "class_wrong"))
        total = sum(found["class_rows"])
        rates = 100 * np.divide(wrong, rows, out=np.zeros_like(wrong), where=rows > 0)
        return bound.class_D_prime[applies].tolist(), rates.tolist(), (100 * wrong / total).tolist()

    def margin_test(self, data: str, hard: bool = False, joint: bool = False) -> tuple[float, float, int]:
        """Kendall's rank correlation of D' and the error of classes, its p-value, and the number of classes."""
        sums, rates, shares = self.classes_with_margins(data, hard)
        if len(sums) < 2:
            return 0.0, 1.0, len(sums)
        found = kendalltau(sums, shares if joint else rates)
        tau, p = float(found.statistic), float(found.pvalue)
        return (0.0, 1.0, len(sums)) if np.isnan(tau) else (tau, p, len(sums))

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

    def best_polynomial(self, data: str, rule: str, smoothed: bool = False) -> str:
        """The better family of polynomials by the hold-out; of equals, the homogeneous one."""
        return min(FAMILIES[1:], key=lambda f: float(self.chosen(data, rule, f, smoothed)["validation_error"]))

    def family_test(self, data: str, rule: str, smoothed: bool = False) -> Found:
        """McNemar's test on the hold-out between the best Gaussian, the first, and the best polynomial."""
        families = FAMILIES[0], self.best_polynomial(data, rule, smoothed)
        best = [self.chosen(data, rule, family, smoothed) for family in families]
        a, b = (unpacked(of["right"], of["held_out"]) for of in best)
        return exact({"only_first": int(np.sum(a & ~b)), "only_second": int(np.sum(b & ~a))})


def exact(test: Found) -> Found:
    """McNemar's exact test from the counts of the record."""
    counts = test["only_first"], test["only_second"]
    return {"only_first": counts[0], "only_second": counts[1], "p": exact_mcnemar(*counts).p_value}


def same_machines(data: str, a: str, b: str) -> bool:
    """Whether two rules consult the same machines: both all pairs, with the same σ and C."""
    first, second = TABLE1[data][a], TABLE1[data][b]
    return ONE_VS_REST not in (a, b) and (first.sigma, first.C) == (second.sigma, second.C)


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


def misfit(data: str, case: Found) -> tuple[float, float, float]:
    """How far a case is from Table 1 at most: errors in points, kernel evaluations and sizes as shares."""
    rows = [(row, case["rules"][rule]) for rule, row in TABLE1[data].items()]
    return (
        max(abs(float(mine["error"]) - row.error) for row, mine in rows),
        max(abs(float(mine["kernel_evaluations"]) / row.kernel_evaluations - 1) for row, mine in rows),
        max(abs(float(mine["parameters"]) / 1000 / row.kparameters - 1) for row, mine in rows),
    )


def power_law(m: Sequence[float], T: Sequence[float]) -> PowerLaw:
    """The power law through points."""
    law = fit_power_law(m, T)
    if law is None:
        raise ValueError("a power law needs points at two sizes")
    return law
