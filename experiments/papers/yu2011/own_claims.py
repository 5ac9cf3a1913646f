"""What we ask ourselves of the adaptive order and of gamma by distance."""

from __future__ import annotations

from ...statistics import PairedTest
from ..report import CLOSE, Claim
from ..rule import judge_better
from .claims import adjusted
from .published import ORDERS
from .summary import Results, signed


def own_claims(results: Results) -> list[Claim]:
    """Our claims. All sets are judged over drawn splits, Vowel by speakers."""
    return [_no_worse(results), _reaches_more_often(results), _tuning_is_good(results)]


def _no_worse(results: Results) -> Claim:
    lows = [runs.test(runs.gain).low for runs in results.drawn.values()]
    shifted = {name: runs.test(runs.gain + CLOSE) for name, runs in results.drawn.items()}
    return Claim(
        f"Yu et al.'s adaptive order is at most {CLOSE:g} points less accurate than random orders are on average.",
        judge_better(adjusted({name: (test.mean, test.p) for name, test in shifted.items()})),
        f"lower ends of the 95 % intervals of adaptive less mean, by set: {signed(min(lows))} to {signed(max(lows))} points",
        name="Adaptive order is no worse than average",
    )


def _reaches_more_often(results: Results) -> Claim:
    runs = {name: of for name, of in results.drawn.items() if of.orders_matter}
    tests = {name: of.test(100 * of.reach) for name, of in runs.items()}
    shown = ", ".join(
        f"{name} {100 * of.at_least_best / len(of):.0f} % and {100 * of.control:.0f} %" for name, of in runs.items()
    )
    return Claim(
        f"Yu et al.'s adaptive order reaches the best of {ORDERS} random orders more often than one more random order does.",
        judge_better(adjusted({name: (test.mean, test.p) for name, test in tests.items()})),
        f"splits in which the adaptive order reaches it, and share of further random orders that do: {shown or 'none'}",
        name=f"Reaches the best of {ORDERS} oftener than chance",
    )


def _tuning_is_good(results: Results) -> Claim:
    gains, shifted = {}, {}
    for name, ways in results.tuning_drawn.items():
        gain = ways["protocol"].adaptive - ways["all_by_cv"].adaptive
        gains[name], shifted[name] = ways["protocol"].test(gain), ways["protocol"].test(gain + CLOSE)
    return Claim(
        f"With gamma from the distance between classes, the adaptive order is at most {CLOSE:g} points less accurate than with "
        "C and gamma of every pair cross-validated.",
        judge_better(adjusted({name: (test.mean, test.p) for name, test in shifted.items()})),
        f"by distance less cross-validated, 95 % intervals in points: {_listed(gains)}",
        name="Gamma by distance is as good as cross-validated",
    )


def _listed(tests: dict[str, PairedTest]) -> str:
    return ", ".join(f"{name} {test.low:.2f} to {test.high:.2f}" for name, test in tests.items())
