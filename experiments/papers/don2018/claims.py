"""What the paper claims, decided by the record."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import spearmanr

from ...statistics import ALPHA, SAME
from ..report import Claim
from ..rule import (
    BY_WEIGHT,
    ENOUGH_ROWS,
    LINEAR,
    STEP,
    Judgement,
    Verdict,
    decided,
    judge_better,
    judge_none,
    judge_parts,
    judge_trend,
    listed,
    undecided,
)
from . import published
from .published import ALL_SENSORLESS, STEP_OF_VOWEL, THETAS
from .results import Results, method_key
from .study import CURVE, FIGURE_SETS, FINE, SHARES

PRINTED = 80  # percent to train on, as the paper says: what decides; the other share is shown beside it
OTHER = 89


def claims(results: Results) -> list[Claim]:
    """All of them, in the paper's order."""
    return [*accuracy_claims(results), *cost_claims(results), *theta_claims(results), *separation_claims(results)]


def different(results: Results, share: int, method: str, other: str = "OvsO") -> dict[str, tuple[float, float]]:
    """Sets on which two methods differ: points and p of the corrected test, by Holm over the sets."""
    tests = results.by_holm(share, method, other)
    return {name: (test.mean, p) for name, (test, p) in tests.items() if p < ALPHA}


def _points(sets: dict[str, tuple[float, float]]) -> str:
    return listed(f"{name} ({points:+.2f} points, p = {p:.2g})" for name, (points, p) in sets.items())


def accuracy_claims(results: Results) -> Iterator[Claim]:
    """Section 4.1."""
    for method, says in (
        (method_key("0.01"), "DCSVM is as accurate as one-versus-one: no significant differences (here at θ=0.01 %)."),
        ("BI", "The built-in method differs from neither: no significant differences."),
    ):
        unlike = {share: different(results, share, method) for share in SHARES}
        yield Claim(
            says,
            judge_none(list(unlike[PRINTED])),
            f"against OvsO, by Holm over {len(results.names)} sets, {PRINTED} % trained, worse on "
            f"{_points(_signed(unlike[PRINTED], -1))}, better on {_points(_signed(unlike[PRINTED], 1))}; {OTHER} % trained, "
            f"worse on {_points(_signed(unlike[OTHER], -1))}, better on {_points(_signed(unlike[OTHER], 1))}",
        )
    tests = {share: results.paired("letter", share, "BI") for share in SHARES}
    yield Claim(
        "On letter, one-versus-one is better than the built-in method.",
        judge_better({"letter": (-tests[PRINTED].mean, tests[PRINTED].p)}),
        "; ".join(
            f"{share} % trained: OvsO {results.mean('letter', share, 'OvsO'):.2f}, BI "
            f"{results.mean('letter', share, 'BI'):.2f}, p = {test.p:.2g}"
            for share, test in tests.items()
        ),
    )


def _signed(sets: dict[str, tuple[float, float]], sign: int) -> dict[str, tuple[float, float]]:
    """The sets on which a method is better (1) or worse (-1)."""
    return {name: of for name, of in sets.items() if sign * of[0] > 0}


def cost_claims(results: Results) -> Iterator[Claim]:
    """Section 4.2, and Propositions 1 and 2."""
    divided = [method_key(theta) for theta in THETAS]
    for figure, what in (("vectors", "support vectors"), ("steps", "binary decisions")):
        ratios = {
            share: {
                name: max(results.mean(name, share, m, figure) for m in divided)
                / results.mean(name, share, "OvsO", figure)
                for name in results.names
            }
            for share in SHARES
        }
        yield Claim(
            f"DCSVM needs fewer {what} per decision than one-versus-one, on every set and at every θ.",
            judge_parts({name: ratio < 1 for name, ratio in ratios[PRINTED].items()}),
            "; ".join(f"of those of OvsO, {share} % trained: {_extremes(of)}" for share, of in ratios.items()),
        )
    for way, what in (("one_by_one", "a loop over samples and machines, as in R"), ("shared", "one bank of machines")):
        faster = {
            name: times["all"] / times["divided"]
            for name, times in ((name, results.found[f"times/{name}"][way]) for name in results.names)
        }
        least, best = min(faster, key=lambda k: faster[k]), max(faster, key=lambda k: faster[k])
        yield Claim(
            f"DCSVM predicts faster than one-versus-one ({what}).",
            judge_parts({name: ratio > 1 for name, ratio in faster.items()}),
            f"{faster[least]:.2f} times as fast on {least} to {faster[best]:.2f} times on {best}",
        )
    yield from _length_claims(results)


def _extremes(ratios: dict[str, float]) -> str:
    low, high = min(ratios, key=lambda k: ratios[k]), max(ratios, key=lambda k: ratios[k])
    return f"from {100 * ratios[low]:.0f} % ({low}) to {100 * ratios[high]:.0f} % ({high})"


def _length_claims(results: Results) -> Iterator[Claim]:
    divided = [method_key(theta) for theta in THETAS]
    most = {name: int(results.shape(name, PRINTED)["classes"]) - 1 for name in results.names}

    def full(share: int) -> list[str]:
        return [n for n in results.names if any(results.mean(n, share, m, "steps") >= most[n] for m in divided)]

    yield Claim(
        "In all cases fewer than k-1 steps on average, so fewer than DAGSVM.",
        judge_parts({name: name not in full(PRINTED) for name in results.names}),
        f"Exactly k-1 at some θ: {'; '.join(f'{listed(full(share))} ({share} % trained)' for share in SHARES)}",
    )
    beyond = [
        name
        for name in results.names
        if any(
            max(results.lists(name, share, f"{prefer} {theta}")["most_steps"]) > most[name]
            for share in SHARES
            for prefer in ("accuracy", "speed")
            for theta in THETAS
        )
    ]
    logs = {name: int(np.ceil(np.log2(most[name] + 1))) for name in results.names}
    # Of three classes ⌈log2 k⌉ is k-1, which every decision keeps to.
    telling = [name for name in results.names if logs[name] < most[name]]
    below = [name for name in telling if results.mean(name, PRINTED, method_key("0.01"), "steps") <= logs[name]]
    bounded = judge_none(beyond)
    if bounded.verdict is Verdict.HELD and not below:
        bounded = Judgement(
            Verdict.IN_PART,
            "the bound of k-1 holds; ⌈log2 k⌉ cannot be decided here, as no set with ⌈log2 k⌉ < k-1 is divided evenly",
        )
    yield Claim(
        "No decision takes more than k-1 steps; with even divisions it takes ⌈log2 k⌉.",
        bounded,
        f"More than k-1: {listed(beyond)}. On average at most ⌈log2 k⌉ at θ=0.01 %, {PRINTED} % trained, of {len(telling)} "
        f"sets where that is less than k-1: {listed(below)}",
    )


def _moved(results: Results, figure: str) -> tuple[list[str], list[str]]:
    """Sets on which a figure is smaller, and greater, at θ=2 % than at θ=0.01 %; as printed, 80 % trained."""
    change = {
        name: results.mean(name, PRINTED, method_key("2"), figure)
        - results.mean(name, PRINTED, method_key("0.01"), figure)
        for name in results.names
    }
    return [n for n, d in change.items() if d < -SAME], [n for n, d in change.items() if d > SAME]


def theta_claims(results: Results) -> Iterator[Claim]:
    """Section 4.3, and the choice of preference."""
    worse, better = _moved(results, "accuracy")
    beyond_chance = different(results, PRINTED, method_key("2"), method_key("0.01"))
    shown = (
        f"From θ=0.01 % to 2 %, {PRINTED} % trained, accuracy falls on {listed(worse)}; rises on {listed(better)}; on single "
        f"sets beyond chance, by Holm: {_points(beyond_chance)}"
    )
    rises, falls = judge_trend(len(better), len(worse)), judge_trend(len(worse), len(better))
    yield Claim("The larger θ, the better the accuracy, in general (as printed).", rises, shown)
    yield Claim("The larger θ, the lower the accuracy, in general (as meant).", falls, shown)
    fewer, more = _moved(results, "steps")
    lighter, heavier = _moved(results, "vectors")
    yield Claim(
        "A larger θ shortens decisions and lightens them, in general.",
        max(
            (judge_trend(len(fewer), len(more)), judge_trend(len(lighter), len(heavier))),
            key=lambda judgement: BY_WEIGHT.index(judgement.verdict),
        ),
        f"Steps fall on {listed(fewer)}, rise on {listed(more)}; vectors fall on {listed(lighter)}, rise on "
        f"{listed(heavier)}",
    )
    letter = {m: [results.mean("letter", share, m) for share in SHARES] for m in ("BI", "OvsO", method_key("2"))}
    tests = [results.paired("letter", share, method_key("2"), "BI") for share in SHARES]
    printed = tests[SHARES.index(PRINTED)]
    yield Claim(
        "On letter DCSVM at θ=2 % is still more accurate than the built-in method.",
        judge_better({"letter": (printed.mean, printed.p)}),
        "; ".join(
            f"{share} % trained: DCSVM {dc:.2f}, BI {bi:.2f}, OvsO {ovso:.2f}; DCSVM against BI p = {test.p:.2g}"
            for share, dc, bi, ovso, test in zip(
                SHARES, letter[method_key("2")], letter["BI"], letter["OvsO"], tests, strict=True
            )
        ),
    )
    same = all(
        results.lists("vowel", PRINTED, method_key(theta))[figure]
        == results.lists("vowel", PRINTED, method_key("0.01"))[figure]
        for theta in THETAS
        for figure in ("accuracy", "steps")
    )
    yield Claim(
        "On vowel θ up to 2 % changes neither accuracy nor steps.",
        decided(same),
        "; ".join(
            f"steps {results.mean('vowel', share, method_key('2'), 'steps'):.2f} at 2 % and "
            f"{results.mean('vowel', share, method_key('0.01'), 'steps'):.2f} at 0.01 %, {share} % trained"
            for share in SHARES
        ),
    )
    yield _preference_claim(results)
    yield _separable_claim(results)


def _preference_claim(results: Results) -> Claim:
    """Whether looking at the score first is more accurate, and slower: signs over the sets, means over the thetas."""
    mean = {
        figure: [
            float(
                np.mean(
                    [
                        results.mean(name, PRINTED, f"accuracy {theta}", figure)
                        - results.mean(name, PRINTED, f"speed {theta}", figure)
                        for theta in THETAS
                    ]
                )
            )
            for name in results.names
        ]
        for figure in ("accuracy", "steps")
    }
    counts = {figure: (sum(d > SAME for d in of), sum(d < -SAME for d in of)) for figure, of in mean.items()}
    judgements = [judge_trend(*counts[figure]) for figure in ("accuracy", "steps")]
    return Claim(
        'Score first (prefer="accuracy") is more accurate and takes more steps than purity first (prefer="speed").',
        max(judgements, key=lambda judgement: BY_WEIGHT.index(judgement.verdict)),
        f"Means over thetas, {PRINTED} % trained: more accurate on {counts['accuracy'][0]} sets, less on "
        f"{counts['accuracy'][1]} (on average {np.mean(mean['accuracy']):+.2f} points); longer on {counts['steps'][0]}, "
        f"shorter on {counts['steps'][1]} (on average {np.mean(mean['steps']):+.2f} steps)",
    )


def _separable_claim(results: Results) -> Claim:
    """Whether steps saved by theta go with cells undecided, over all sets."""
    apart, saved = [], []
    for name in results.names:
        found = results.found[f"curve/89/{name}"]
        apart.append(found["separation"][FINE.index(0.0)])
        saved.append(1 - found["steps"][CURVE.index("2")] / found["steps"][CURVE.index("0")])
    # Where nothing varies, as in made-up data, there is no rank.
    test = spearmanr(apart, saved) if np.ptp(apart) > 0 and np.ptp(saved) > 0 else None
    rank, p = (float(test.statistic), float(test.pvalue)) if test is not None else (0.0, 1.0)
    best = int(np.argmax(saved))
    return Claim(
        "The more separable the data, the less θ changes the length of decisions.",
        decided(rank < 0 and p < ALPHA),
        f"{OTHER} % trained (at {PRINTED} % only four sets have curves): rank correlation of decided cells at θ=0 and steps "
        f"saved at θ=2 % {rank:+.2f} over {len(apart)} sets, p = {p:.2g}. Most saved: "
        f"{results.names[best]}, {100 * saved[best]:.0f} % of steps, {apart[best]:.0f} % of cells decided",
    )


def rise_between(curve: list[float], low: float, high: float) -> float:
    """The part of the rise of a separation curve that lies between two thetas, in percent."""
    first, last = FINE.index(low), FINE.index(high)
    return 100 * (curve[last] - curve[first]) / max(curve[-1] - curve[0], 1e-9)


def straightness(curve: list[float]) -> float:
    """The share of the variance of a curve that a straight line explains."""
    return float(np.corrcoef(FINE, curve)[0, 1] ** 2) if np.ptp(curve) > 0 else 0.0


def separation_claims(results: Results) -> Iterator[Claim]:
    """Figure 10."""
    curves = {
        share: {name: results.found[f"curve/{share}/{name}"]["separation"] for name in FIGURE_SETS} for share in SHARES
    }
    rows = {share: results.found[f"curve/{share}/vowel"]["class_rows"][0] for share in SHARES}
    yield Claim(
        "The share of decided cells grows with θ.",
        judge_parts({n: bool(np.all(np.diff(c) >= 0) and c[-1] > c[0]) for n, c in curves[PRINTED].items()}),
        f"From θ=0 to 5 %, {PRINTED} % trained: "
        + ", ".join(f"{name} {c[0]:.1f} to {c[-1]:.1f} %" for name, c in curves[PRINTED].items()),
    )
    lines = {share: {name: straightness(of[name]) for name in ("letter", "usps")} for share, of in curves.items()}
    yield Claim(
        "For letter and usps it grows almost linearly.",
        judge_parts({name: r >= LINEAR.value for name, r in lines[PRINTED].items()}),
        "share of the variance that a straight line explains: "
        + "; ".join(
            f"{', '.join(f'{name} {100 * r:.1f} %' for name, r in of.items())} ({share} % trained)"
            for share, of in lines.items()
        ),
    )
    low, high = STEP_OF_VOWEL
    yield Claim(
        f"For vowel it is a step between {low} and {high} %.",
        decided(rise_between(curves[PRINTED]["vowel"], low, high) >= STEP.value),
        "; ".join(
            f"{share} % trained: {rise_between(of['vowel'], 0.0, low):.0f} % of the rise from 0 to 5 % lies below, "
            f"{rise_between(of['vowel'], low, high):.0f} % there, {rise_between(of['vowel'], high, 5.0):.0f} % above; one and "
            f"two rows of a class are {100 / rows[share]:.2f} and {200 / rows[share]:.2f} % of it"
            for share, of in curves.items()
        ),
    )
    yield _sensorless_claim(results)


def _sensorless_claim(results: Results) -> Claim:
    curve = results.found[f"curve/{PRINTED}/sensorless"]
    early, least = rise_between(curve["separation"], 0.0, 1.0), curve["class_rows"][0]
    fine_enough = least >= ENOUGH_ROWS.value * ALL_SENSORLESS / published.CLASSES["sensorless"]
    sharp = early >= STEP.value
    return Claim(
        "For sensorless it rises sharply, then flattens (here on part of the rows).",
        decided(sharp)
        if sharp or fine_enough
        else undecided(f"one row of a class is {100 / least:.2f} % of it here, and less than that cannot be told"),
        f"{early:.0f} % of the rise from 0 to 5 % lies below 1 %, where an even rise would have 20 %; {PRINTED} % trained",
    )
