"""Claims about the share of decided cells: Section 4.3, Figure 10."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dagmar.base.typing import Array

from ...statistics import SAME
from ..report import Claim
from ..rule import ENOUGH_ROWS, LINEAR, STEP, Judgement, decided, judge_parts, undecided
from .published import ALL_SENSORLESS, CLASSES, STEP_OF_VOWEL
from .results import OTHER, PRINTED, Results, brief
from .study import CURVE, FIGURE_SETS, FINE
from .theta_claims import judge_ranks, ranks

AT_OTHER = f"{OTHER} % trained"
SHARES = (PRINTED, OTHER)


def indicator_claim(results: Results) -> Claim:
    """The share of decided cells as an indicator of shallow trees."""

    def found(share: int) -> tuple[list[float], list[float]]:
        apart = [float(results.curve(share, n, "separation")[FINE.index(2.0)]) for n in results.names]
        steps = [results.curve(share, n, "steps")[CURVE.index("2")] / results.most(n) for n in results.names]
        return apart, [float(of) for of in steps]

    rank, p = ranks(*found(PRINTED))
    return Claim(
        "The higher the share of decided cells, the more separation at each step, hence a shallow decision tree.",
        results.qualified(judge_ranks(rank, p), "curve/80"),
        f"Rank correlation of decided cells and steps as a part of k-1, both at θ=2 %, over {len(results.names)} sets: "
        f"{rank:+.2f}, p = {p:.2g}",
        "More decided cells, shallower trees",
        "Section 4.3",
        brief({AT_OTHER: judge_ranks(*ranks(*found(OTHER)))}),
    )


def rise_between(curve: Array, low: float, high: float) -> float:
    """The part of the rise of a separation curve that lies between two thetas, in percent."""
    first, last = FINE.index(low), FINE.index(high)
    return float(100 * (curve[last] - curve[first]) / max(curve[-1] - curve[0], 1e-9))


def straightness(curve: Array) -> float:
    """The share of the variance of a curve that a straight line explains."""
    return float(np.corrcoef(FINE, curve)[0, 1] ** 2) if np.ptp(curve) > SAME else 0.0


def separation_claims(results: Results) -> Iterator[Claim]:
    """In the paper's order."""
    yield indicator_claim(results)
    where = "Section 4.3, Figure 10"
    curves = {share: {n: results.curve(share, n, "separation") for n in FIGURE_SETS} for share in SHARES}
    grown = {
        share: judge_parts({n: bool(np.all(np.diff(c) >= -SAME) and c[-1] > c[0]) for n, c in of.items()})
        for share, of in curves.items()
    }
    yield Claim(
        "The share of separated classes (decided cells) grows with θ.",
        results.qualified(grown[PRINTED], "curve/80"),
        "From θ=0 to 5 %: " + ", ".join(f"{name} {c[0]:.1f} to {c[-1]:.1f} %" for name, c in curves[PRINTED].items()),
        "Separation grows with the threshold",
        where,
        brief({AT_OTHER: grown[OTHER]}),
    )
    lines = {share: {name: straightness(of[name]) for name in ("letter", "usps")} for share, of in curves.items()}
    judged = {share: judge_parts({n: r >= LINEAR.value for n, r in of.items()}) for share, of in lines.items()}
    yield Claim(
        "For letter and usps separation grows almost linearly.",
        results.qualified(judged[PRINTED], "curve/80/letter", "curve/80/usps"),
        "Share of the variance that a straight line explains: "
        + "; ".join(
            f"{', '.join(f'{name} {100 * r:.1f} %' for name, r in of.items())} ({share} % trained)"
            for share, of in lines.items()
        ),
        "Letter and usps grow almost linearly",
        where,
        brief({AT_OTHER: judged[OTHER]}),
    )
    yield _sensorless_claim(results, where)
    low, high = STEP_OF_VOWEL
    steps = {share: decided(rise_between(of["vowel"], low, high) >= STEP.value) for share, of in curves.items()}
    yield Claim(
        f"For vowel separation is a step: little until about θ={low} %, steep until about {high:g} %, then little again.",
        results.qualified(steps[PRINTED], "curve/80/vowel"),
        "; ".join(
            f"{share} % trained: {rise_between(of['vowel'], 0.0, low):.0f} % of the rise from 0 to 5 % lies below, "
            f"{rise_between(of['vowel'], low, high):.0f} % there, {rise_between(of['vowel'], high, 5.0):.0f} % above"
            for share, of in curves.items()
        ),
        "Vowel rises in one step",
        where,
        brief({AT_OTHER: steps[OTHER]}),
    )


def _sensorless_claim(results: Results, where: str) -> Claim:
    def judged(share: int) -> tuple[Judgement, float]:
        early = rise_between(results.curve(share, "sensorless", "separation"), 0.0, 1.0)
        least = results.found[f"curve/{share}/sensorless"]["class_rows"][0]
        fine_enough = least >= ENOUGH_ROWS.value * ALL_SENSORLESS / CLASSES["sensorless"]
        sharp = early >= STEP.value
        reason = f"one row of a class is {100 / least:.2f} % of it here, and less than that cannot be told"
        return decided(sharp) if sharp or fine_enough else undecided(reason), early

    judgement, early = judged(PRINTED)
    return Claim(
        "For sensorless separation rises sharply for small θ, then flattens.",
        results.qualified(judgement, "curve/80/sensorless"),
        f"{early:.0f} % of the rise from 0 to 5 % lies below 1 %, where an even rise would have 20 %",
        "Sensorless rises sharply, then flattens",
        where,
        brief({AT_OTHER: judged(OTHER)[0]}),
    )
