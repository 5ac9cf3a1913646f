"""What the paper claims, decided by the record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median

import numpy as np
from scipy.stats import spearmanr

from ..report import Claim
from . import published
from .published import ALL_SENSORLESS, STEP_OF_VOWEL, THETAS
from .results import Results, method_key
from .study import CURVE, FIGURE_SETS, FINE, SHARES

LINEAR = 0.95  # share of the variance that a straight line must explain to be called almost linear


def claims(results: Results) -> list[Claim]:
    """All of them, in the paper's order."""
    return [*accuracy_claims(results), *cost_claims(results), *theta_claims(results), *separation_claims(results)]


def _listed(names: list[str]) -> str:
    return ", ".join(dict.fromkeys(names)) if names else "none"


def _where(results: Results, test: Callable[[str, int], bool]) -> list[str]:
    """The sets for which a test is true, at either share."""
    return [name for name in results.names if any(test(name, share) for share in SHARES)]


def accuracy_claims(results: Results) -> Iterator[Claim]:
    """Section 4.1."""
    small = method_key("0.01")

    def together(method: str) -> list[str]:
        return _where(results, lambda name, share: results.against_ovso(name, share, method).is_significant())

    def in_most(method: str) -> list[str]:
        return _where(results, lambda name, share: median(results.lists(name, share, method)["p_value"]) < 0.05)

    for method, says in (
        (small, "DCSVM is as accurate as one-versus-one: no significant differences (here at θ=0.01 %)."),
        ("BI", "The built-in method differs from neither: no significant differences."),
    ):
        unlike = together(method)
        apart = {name: results.mean(name, 80, method) - results.mean(name, 80, "OvsO") for name in unlike}
        yield Claim(
            says,
            not unlike,
            "McNemar against OvsO, all trials of a share together, p < 0.05: "
            f"{_listed([f'{name} ({points:+.2f} points)' for name, points in apart.items()])}; "
            f"in most single trials: {_listed(in_most(method))}",
        )
    tests = [results.against_ovso("letter", share, "BI") for share in SHARES]
    yield Claim(
        "On letter, one-versus-one is better than the built-in method.",
        all(t.only_b > t.only_a and t.is_significant() for t in tests),
        "; ".join(
            f"{share} % trained: OvsO {results.mean('letter', share, 'OvsO'):.2f}, BI "
            f"{results.mean('letter', share, 'BI'):.2f}"
            for share in SHARES
        ),
    )


def cost_claims(results: Results) -> Iterator[Claim]:
    """Section 4.2, and Propositions 1 and 2."""
    divided = [method_key(theta) for theta in THETAS]
    for figure, what in (("vectors", "support vectors"), ("steps", "binary decisions")):
        ratios = {
            (name, share): max(results.mean(name, share, m, figure) for m in divided)
            / results.mean(name, share, "OvsO", figure)
            for name in results.names
            for share in SHARES
        }
        low, high = min(ratios, key=lambda k: ratios[k]), max(ratios, key=lambda k: ratios[k])
        yield Claim(
            f"DCSVM needs fewer {what} per decision than one-versus-one, on every set and at every θ.",
            max(ratios.values()) < 1,
            f"Of those of OvsO: from {100 * ratios[low]:.0f} % ({low[0]}) to {100 * ratios[high]:.0f} % ({high[0]})",
        )
    for way, what in (("one_by_one", "a loop over samples and machines, as in R"), ("shared", "one bank of machines")):
        faster = {
            name: times["all"] / times["divided"]
            for name, times in ((name, results.found[f"times/{name}"][way]) for name in results.names)
        }
        least, best = min(faster, key=lambda k: faster[k]), max(faster, key=lambda k: faster[k])
        yield Claim(
            f"DCSVM predicts faster than one-versus-one ({what}).",
            min(faster.values()) > 1,
            f"{faster[least]:.2f} times as fast on {least} to {faster[best]:.2f} times on {best}",
        )
    yield from _length_claims(results)


def _length_claims(results: Results) -> Iterator[Claim]:
    divided = [method_key(theta) for theta in THETAS]

    def most(name: str) -> int:
        return int(results.shape(name, 80)["classes"]) - 1

    def full(name: str, share: int) -> bool:
        return any(results.mean(name, share, m, "steps") >= most(name) for m in divided)

    long = _where(results, full)
    yield Claim(
        "In all cases fewer than k-1 steps on average, so fewer than DAGSVM.",
        not long,
        f"Exactly k-1 at some θ: {_listed(long)}; below it on the other {len(results.names) - len(long)} sets",
    )
    beyond = _where(
        results,
        lambda name, share: any(
            max(results.lists(name, share, f"{prefer} {theta}")["most_steps"]) > most(name)
            for prefer in ("accuracy", "speed")
            for theta in THETAS
        ),
    )
    below = [
        name
        for name in results.names
        if results.mean(name, 80, method_key("0.01"), "steps") <= np.ceil(np.log2(most(name) + 1))
    ]
    yield Claim(
        "No decision takes more than k-1 steps; with even divisions it takes ⌈log2 k⌉.",
        not beyond,
        f"More than k-1: {_listed(beyond)}. On average at most ⌈log2 k⌉ at θ=0.01 %: {_listed(below)}",
    )


def _moved(results: Results, figure: str) -> tuple[list[str], list[str]]:
    """Sets on which a figure is smaller, and greater, at θ=2 % than at θ=0.01 %; 80 % trained."""
    change = {
        name: results.mean(name, 80, method_key("2"), figure) - results.mean(name, 80, method_key("0.01"), figure)
        for name in results.names
    }
    return [n for n, d in change.items() if d < -1e-9], [n for n, d in change.items() if d > 1e-9]


def theta_claims(results: Results) -> Iterator[Claim]:
    """Section 4.3, and the choice of preference."""
    worse, better = _moved(results, "accuracy")
    shown = f"From θ=0.01 % to 2 %, 80 % trained, accuracy falls on {_listed(worse)}; rises on {_listed(better)}"
    yield Claim("The larger θ, the better the accuracy, in general (as printed).", len(better) > len(worse), shown)
    yield Claim("The larger θ, the lower the accuracy, in general (as meant).", len(worse) > len(better), shown)
    fewer, more = _moved(results, "steps")
    lighter, heavier = _moved(results, "vectors")
    yield Claim(
        "A larger θ shortens decisions and lightens them, in general.",
        len(fewer) > len(more) and len(lighter) > len(heavier),
        f"Steps fall on {_listed(fewer)}, rise on {_listed(more)}; vectors fall on {_listed(lighter)}, rise on "
        f"{_listed(heavier)}",
    )
    letter = {m: [results.mean("letter", share, m) for share in SHARES] for m in ("BI", "OvsO", method_key("2"))}
    yield Claim(
        "On letter DCSVM at θ=2 % is still more accurate than the built-in method.",
        all(dc > bi for dc, bi in zip(letter[method_key("2")], letter["BI"], strict=True)),
        "; ".join(
            f"{share} % trained: DCSVM {dc:.2f}, BI {bi:.2f}, OvsO {ovso:.2f}"
            for share, dc, bi, ovso in zip(SHARES, letter[method_key("2")], letter["BI"], letter["OvsO"], strict=True)
        ),
    )
    same = all(
        results.lists("vowel", share, method_key(theta))[figure]
        == results.lists("vowel", share, method_key("0.01"))[figure]
        for share in SHARES
        for theta in THETAS
        for figure in ("accuracy", "steps")
    )
    yield Claim(
        "On vowel θ up to 2 % changes neither accuracy nor steps.",
        same,
        f"Steps {results.mean('vowel', 89, method_key('2'), 'steps'):.2f} at 2 % and "
        f"{results.mean('vowel', 89, method_key('0.01'), 'steps'):.2f} at 0.01 %, 89 % trained",
    )
    yield _preference_claim(results)
    yield _separable_claim(results)


def _preference_claim(results: Results) -> Claim:
    """Whether looking at the score first is more accurate, and slower."""
    differences = {
        figure: [
            results.mean(name, share, f"accuracy {theta}", figure) - results.mean(name, share, f"speed {theta}", figure)
            for name in results.names
            for share in SHARES
            for theta in THETAS
        ]
        for figure in ("accuracy", "steps")
    }
    mean = {figure: float(np.mean(of)) for figure, of in differences.items()}
    counts = {figure: (sum(d > 1e-9 for d in of), sum(d < -1e-9 for d in of)) for figure, of in differences.items()}
    return Claim(
        'Score first (prefer="accuracy") is more accurate and takes more steps than purity first (prefer="speed").',
        mean["accuracy"] > 0 and mean["steps"] > 0,
        f"Mean over sets, shares and thetas: {mean['accuracy']:+.2f} points and {mean['steps']:+.2f} steps; more "
        f"accurate {counts['accuracy'][0]} times, less {counts['accuracy'][1]} times; longer {counts['steps'][0]} times, "
        f"shorter {counts['steps'][1]} times",
    )


def _separable_claim(results: Results) -> Claim:
    """Whether steps saved by theta go with cells undecided, over all sets."""
    apart, saved = [], []
    for name in results.names:
        found = results.found[f"curve/89/{name}"]
        apart.append(found["separation"][FINE.index(0.0)])
        saved.append(1 - found["steps"][CURVE.index("2")] / found["steps"][CURVE.index("0")])
    rank = float(spearmanr(apart, saved).statistic)
    best = int(np.argmax(saved))
    return Claim(
        "The more separable the data, the less θ changes the length of decisions.",
        rank < 0,
        f"Rank correlation of decided cells at θ=0 and steps saved at θ=2 %: {rank:+.2f} over {len(apart)} sets. Most saved: "
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
    curves = {name: results.found[f"curve/89/{name}"]["separation"] for name in FIGURE_SETS}
    yield Claim(
        "The share of decided cells grows with θ.",
        all(np.all(np.diff(curve) >= 0) and curve[-1] > curve[0] for curve in curves.values()),
        "From θ=0 to 5 %: " + ", ".join(f"{name} {c[0]:.1f} to {c[-1]:.1f} %" for name, c in curves.items()),
    )
    lines = {name: straightness(curves[name]) for name in ("letter", "usps")}
    yield Claim(
        "For letter and usps it grows almost linearly.",
        min(lines.values()) >= LINEAR,
        ", ".join(f"{name}: a straight line explains {100 * r:.1f} % of the variance" for name, r in lines.items()),
    )
    low, high = STEP_OF_VOWEL
    part, rows = rise_between(curves["vowel"], low, high), results.found["curve/89/vowel"]["class_rows"]
    yield Claim(
        f"For vowel it is a step between {low} and {high} %.",
        part >= 50,
        f"{rise_between(curves['vowel'], 0.0, low):.0f} % of the rise from 0 to 5 % lies below, {part:.0f} % there, "
        f"{rise_between(curves['vowel'], high, 5.0):.0f} % above; one and two rows of a class are {100 / rows[0]:.2f} and "
        f"{200 / rows[0]:.2f} % of it",
    )
    early, least = rise_between(curves["sensorless"], 0.0, 1.0), results.found["curve/89/sensorless"]["class_rows"][0]
    fine_enough = least >= ALL_SENSORLESS / published.CLASSES["sensorless"] / 2
    yield Claim(
        "For sensorless it rises sharply, then flattens (here on part of the rows).",
        True if early >= 50 else False if fine_enough else None,
        f"{early:.0f} % of the rise from 0 to 5 % lies below 1 %, where an even rise would have 20 %; one row of a class is "
        f"{100 / least:.2f} % of it here, so that less than that cannot be told",
    )
