"""The record, as claims and tables ask for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
from scipy.stats import norm

from dagmar import McNemar

from ...statistics import ALPHA, exact_mcnemar, holm, share_interval
from ..rule import Judgement, Verdict, judge_better
from ..study import Found
from .published import METHODS, SETS

Record = Mapping[str, Found]
Interval = tuple[float, float]

RECONSTRUCTED = "c-BTS is a reconstruction"  # what qualifies verdicts on it
SMALL = ("letter", "optdigits", "pendigits")  # where trees are read in other ways
PLAIN = "Fisher tree, plain"  # BTPPSVM with hard labels, which is k = 1 of Figure 1
# The steps that count the vectors of a method.
COUNTED_BY = {
    "OAO": "OAO",
    "c-BTS": "OAO",
    PLAIN: "OAO",
    "OAA": "OAA",
    "PPSVM OAO": "PPSVM OAO",
    "BTPPSVM": "PPSVM OAO",
    "PPSVM OAA": "PPSVM OAA",
}


def of(found: Record, data: str, method: str) -> Found:
    """What was measured of a method."""
    return found[f"tables/{data}/{method}"]


def mean(found: Record, method: str, what: str) -> float:
    """Average over the four data sets."""
    return float(np.mean([of(found, data, method)[what] for data in SETS]))


# ------------------------------------------------------------------- errors


def disagreements(wrong: Sequence[int], wrong_other: Sequence[int]) -> McNemar:
    """McNemar's exact test of two methods, by the test rows that each has wrong."""
    a, b = set(wrong), set(wrong_other)
    return exact_mcnemar(len(b - a), len(a - b))


def over_all_sets(found: Record, a: str, b: str) -> McNemar:
    """The same over the answers on all test sets together."""
    tests = [disagreements(of(found, data, a)["wrong"], of(found, data, b)["wrong"]) for data in SETS]
    return exact_mcnemar(sum(test.only_a for test in tests), sum(test.only_b for test in tests))


def compared(pairs: Mapping[str, tuple[Found, Found]]) -> dict[str, tuple[float, float]]:
    """McNemar's exact tests of several comparisons, by Holm over all of them.

    Parameters
    ----------
    pairs : mapping of str to (dict, dict)
        By name: what was found of a method and of another, each with "error" and "wrong".

    Returns
    -------
    dict of str to (points, p)
        How much smaller the error of the first is, in points, and the adjusted p.
    """
    adjusted = holm([disagreements(a["wrong"], b["wrong"]).p_value for a, b in pairs.values()])
    return {
        name: (b["error"] - a["error"], float(p)) for (name, (a, b)), p in zip(pairs.items(), adjusted, strict=True)
    }


def gains(tests: Mapping[str, tuple[float, float]]) -> str:
    """What `compared` gives, as text."""
    return ", ".join(f"{name} {points:+.2f} (p = {p:.1g})" for name, (points, p) in tests.items())


def accuracy_interval(found: Record, data: str, method: str) -> Interval:
    """Wilson's interval of an accuracy, in percent."""
    here = of(found, data, method)
    low, high = share_interval(len(here["wrong"]), here["test_rows"])
    return 100 - 100 * high, 100 - 100 * low


def average_interval(found: Record, method: str) -> Interval:
    """The interval of the average accuracy of four test sets, by the normal approximation."""
    variance = 0.0
    for data in SETS:
        here = of(found, data, method)
        share = here["error"] / 100
        variance += share * (1 - share) / here["test_rows"] / len(SETS) ** 2
    return _around(100 - mean(found, method, "error"), 100 * sqrt(variance))


def gain_interval(found: Record, a: str, b: str) -> Interval:
    """The interval of the difference of two average accuracies, in points: of a less b."""
    variance, points = 0.0, mean(found, b, "error") - mean(found, a, "error")
    for data in SETS:
        test, n = (
            disagreements(of(found, data, a)["wrong"], of(found, data, b)["wrong"]),
            of(found, data, a)["test_rows"],
        )
        gain = (test.only_a - test.only_b) / n
        variance += ((test.only_a + test.only_b) / n - gain**2) / n / len(SETS) ** 2
    return _around(points, 100 * sqrt(variance))


def _around(centre: float, deviation: float) -> Interval:
    half = float(norm.isf(ALPHA / 2)) * deviation
    return centre - half, centre + half


def equation_3(found: Record, data: str, method: str = "BTPPSVM") -> tuple[float, float, float, float]:
    """The error by Equation 3 and the measured one, in percent, with its interval."""
    here = of(found, data, method)
    predicted = 100 * (1 - float(np.prod(1 - np.array(here["layers"]["errors"]) / 100)))
    low, high = share_interval(here["layers"]["wrong"], here["test_rows"])
    return predicted, 100 * here["layers"]["wrong"] / here["test_rows"], 100 * low, 100 * high


# ------------------------------------------------------------------- vectors


def copies(found: Record, data: str) -> float:
    """By how many points two ways to count the same machines differ, where rows occur more than once, as in Letter.

    With hard labels the solver keeps one of several copies of a row; with soft labels it may keep more. Soft labels of one
    neighbour are the hard labels, so the record has both counts of these machines.
    """
    if data != "letter":
        return 0.0
    apart: float = found["figure1/same C and gamma"]["1"]["OAO"]["vectors_percent"]
    return abs(apart - float(of(found, data, "OAO")["vectors_percent"]))


def with_copies(found: Record, data: str, soft: bool, shares: Sequence[float]) -> Interval:
    """The least and the largest of some counts, if copies of a row are counted once or apart."""
    by = copies(found, data)
    return (min(shares) - by, max(shares)) if soft else (min(shares), max(shares) + by)


def tolerance_spread(found: Record, data: str, method: str) -> Interval:
    """The least and the largest share of vectors of a method, over tolerances and orders of the rows."""
    counted = found[f"counts/{data}/{COUNTED_BY[method]}"]["vectors_percent"][method]
    shares = [*counted.values(), of(found, data, method)["vectors_percent"]]
    return min(shares), max(shares)


def spread(found: Record, data: str, method: str) -> Interval:
    """The same, and over both ways to count copies of a row."""
    return with_copies(found, data, COUNTED_BY[method].startswith("PPSVM"), tolerance_spread(found, data, method))


def spread_hard(found: Record, data: str, soft: str) -> Interval:
    """The same of hard labels with the C and gamma of a method with soft ones."""
    share = found[f"hard/{data}/{soft}"]["vectors_percent"]
    counted = found.get(f"counts/{data}/hard {soft}")
    if counted is None:  # not counted on the largest set: as wide as of the soft labels
        low, high = spread(found, data, soft)
        return share - (high - low), share + (high - low)
    (shares,) = counted["vectors_percent"].values()
    return with_copies(found, data, False, [share, *shares.values()])


def average_spread(found: Record, method: str) -> Interval:
    """The least and the largest average share over the four sets."""
    low, high = zip(*(spread(found, data, method) for data in SETS), strict=True)
    return float(np.mean(low)), float(np.mean(high))


def span(interval: Interval) -> str:
    """A spread as text."""
    low, high = interval
    return f"{low:.1f}" if f"{low:.1f}" == f"{high:.1f}" else f"{low:.1f} to {high:.1f}"


def judge_fewer(pairs: Mapping[str, tuple[Interval, Interval]]) -> Judgement:
    """A claim that a method stores fewer vectors than another.

    Parameters
    ----------
    pairs : mapping of str to (interval, interval)
        The spread of the counts of both, by set.

    Returns
    -------
    Judgement
        Nothing is concluded where the two spreads overlap.
    """
    judgement = judge_better(fewer(pairs))
    if judgement.verdict is Verdict.UNDECIDED:
        return replace(judgement, why="all differences are smaller than the spread of the counts")
    return judgement


def fewer(pairs: Mapping[str, tuple[Interval, Interval]]) -> dict[str, tuple[float, float]]:
    """What `judge_better` asks for: by how much a spread is below another, and 0 for a p-value where it is, else 1."""
    return {name: _fewer(*both) for name, both in pairs.items()}


def _fewer(a: Interval, b: Interval) -> tuple[float, float]:
    if a[1] < b[0]:
        return b[0] - a[1], 0.0
    return (b[1] - a[0], 0.0) if a[0] > b[1] else (0.0, 1.0)


# ------------------------------------------------------------------- convergence and Figure 1


def unconverged(found: Record, *keys: str) -> str:
    """What qualifies a verdict that rests on these steps: "" if all machines converged."""
    late = {key: found[key]["unconverged"] for key in keys if found[key].get("unconverged")}
    return "; ".join(f"{n} machines of {key} did not converge" for key, n in late.items())


def late_in_tables(found: Record) -> str:
    """The same of all of Table 2."""
    return unconverged(found, *(f"tables/{data}/{method}" for data in SETS for method in METHODS))


def neighbourhoods(found: Record, data: str) -> dict[int, dict[str, Found]]:
    """Figure 1 with C and gamma chosen for every k: the tree and one-against-one, by k.

    The ends are those of Table 2: k = 1 is the plain Fisher tree, and k = 11 is BTPPSVM.
    """
    between = {
        int(key.rsplit("/", 1)[1]): {"tree": step["tree"], "OAO": step["OAO"]}
        for key, step in found.items()
        if key.startswith(f"figure1/{data}/")
    }
    ends = {
        1: {"tree": of(found, data, PLAIN), "OAO": of(found, data, "OAO")},
        11: {"tree": of(found, data, "BTPPSVM"), "OAO": of(found, data, "PPSVM OAO")},
    }
    return dict(sorted({**between, **ends}.items()))


def noise_steps(found: Record, data: str) -> dict[float, Found]:
    """What was found at each share of wrong labels, ascending."""
    keys = {float(key.rsplit("/", 1)[1]): key for key in found if key.startswith(f"noise/{data}/")}
    return {share: found[keys[share]] for share in sorted(keys)}


LOOP, BANK, WORK = "loop_seconds", "test_seconds", "work"


def cost(found: Record, data: str, method: str, what: str) -> float:
    """Test time in a loop or in one bank; or the work of the loop, the kernel values that one sample needs.

    In the loop one-against-one asks all its machines.
    """
    here = of(found, data, method)
    if what == WORK:
        what = "summed_vectors" if method.endswith("OAO") else "support_vectors"
    value: float = here[what]
    return value


def saved(found: Record, data: str, other: str, what: str) -> float:
    """BTPPSVM's saving of time or work against another method, in percent."""
    return 100.0 * (1.0 - cost(found, data, "BTPPSVM", what) / cost(found, data, other, what))


def fastest(found: Record, data: str, what: str) -> str:
    """The method with the least time or work."""
    return min(METHODS, key=lambda method: cost(found, data, method, what))
