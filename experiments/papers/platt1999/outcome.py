"""What came out, for a reader who has one minute."""

from __future__ import annotations

from ...statistics import ALPHA, holm
from ..report import CLOSE
from ..rule import CLOSE_COUNTS, listed
from .published import BOTH, DAGSVM, EVALUATION_SPEEDUP, EXPONENT, MAX_WINS, NAMES, ONE_VS_REST, SINGLE_MACHINES
from .results import Results, misfit, published_ratio
from .study import SMOOTHED


def outcome(results: Results) -> str:
    """What came out, what did not, and what cannot be known."""
    return " ".join([_table1(results), _images(results), _costs(results), _law(results)])


def finding(results: Results) -> str:
    """The end of a sentence that begins with the verdicts."""
    fits = [name for data, name in NAMES.items() if _fits(*misfit(data, results.case(data)))]
    others = [name for name in NAMES.values() if name not in fits]
    evaluations = [results.count_ratio(data, "kernel_evaluations", MAX_WINS, DAGSVM).value for data in NAMES]
    return (
        f"the errors, kernel evaluations and sizes of Table 1 come out on {_and(fits)}, not on {_and(others)}, and DAGSVM "
        f"needs {min(evaluations):.1f} to {max(evaluations):.1f} times fewer kernel evaluations than Max Wins (published: "
        f"{EVALUATION_SPEEDUP[0]} to {EVALUATION_SPEEDUP[1]})"
    )


def _and(names: list[str]) -> str:
    return " and ".join(names) or "no set"


def _fits(points: float, *counts: float) -> bool:
    return points <= CLOSE and max(counts) <= CLOSE_COUNTS.value


def _table1(results: Results) -> str:
    fits, off = [], []
    for data, name in NAMES.items():
        points, *counts = misfit(data, results.case(data))
        if _fits(points, *counts):
            fits.append(name)
        else:
            off.append(f"{name} (errors up to {points:.1f} points off, counts up to {100 * max(counts):.0f} %)")
    return (
        f"With the printed parameters Table 1 comes out on {listed(fits)}, that is, errors within {CLOSE:g} points, kernel "
        f"evaluations and sizes within {100 * CLOSE_COUNTS.value:g} %; not on {listed(off)}."
    )


def _images(results: Results) -> str:
    points, *counts = misfit("usps", results.case("usps", smoothed=True))
    return (
        f"On USPS images smoothed by {SMOOTHED:g} pixels errors are within {points:.1f} points and counts within "
        f"{100 * max(counts):.0f} %, but it cannot be known whether the authors smoothed theirs, nor how they prepared "
        "Covertype in detail."
    )


def _costs(results: Results) -> str:
    evaluations = [results.count_ratio(data, "kernel_evaluations", MAX_WINS, DAGSVM).value for data in NAMES]
    training = [
        f"{name} {results.speedup(data, ONE_VS_REST, DAGSVM).value:.1f} "
        f"({published_ratio(data, 'seconds', ONE_VS_REST, DAGSVM):.1f})"
        for data, name in NAMES.items()
    ]
    return (
        f"{_accuracy(results)}; DAGSVM needs {min(evaluations):.1f} to {max(evaluations):.1f} times fewer kernel evaluations "
        f"than Max Wins (published: {EVALUATION_SPEEDUP[0]} to {EVALUATION_SPEEDUP[1]}) and, machine by machine, trains faster "
        f"than 1-v-r by factors of {', '.join(training)}, published in brackets."
    )


def _accuracy(results: Results) -> str:
    cases = [(data, rule) for data in BOTH for rule in (ONE_VS_REST, MAX_WINS)]
    tests = [results.test(data, rule, DAGSVM) for data, rule in cases]
    better = [
        f"{rule} on {NAMES[data]}"
        for (data, rule), test, p in zip(cases, tests, holm([test["p"] for test in tests]), strict=True)
        if p < ALPHA and test["only_first"] > test["only_second"]
    ]
    if better:
        return f"Significantly more accurate than DAGSVM: {listed(better)}"
    return "No other rule is significantly more accurate than DAGSVM on USPS and Letter"


def _law(results: Results) -> str:
    exponents = [results.loop_law(data, "one_machine").exponent for data in NAMES]
    single = [results.single_machines(data) for data in NAMES]
    return (
        f"The law of training time has an exponent of {min(exponents):.1f} to {max(exponents):.1f} here (published: about "
        f"{EXPONENT}), and all pairs cost {min(single):.1f} to {max(single):.1f} single 1-v-r machines (published: "
        f"{SINGLE_MACHINES})."
    )
