"""Claims about theta: Section 4.3, Figures 8 and 9, Tables 4 to 6."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.stats import spearmanr

from ...statistics import ALPHA, SAME, corrected_t_test, holm
from ..report import Claim
from ..rule import BY_WEIGHT, CLOSE, Judgement, decided, judge_better, judge_parts, judge_trend, listed, undecided
from .published import THETAS
from .results import DIVIDED, OTHER, PRINTED, Results, brief, method_key
from .study import CURVE, FINE

WIDE = method_key("2")
AT_OTHER = f"{OTHER} % trained"
SHARES = (PRINTED, OTHER)


def theta_claims(results: Results) -> Iterator[Claim]:
    """In the paper's order."""
    yield separable_claim(results)
    yield vowel_claim(results)
    yield falls_claim(results)
    yield still_above_claim(results)
    yield larger_claim(results)
    yield shorter_claim(results)


# --------------------------------------------------------- accuracy and length


def _moved(results: Results, share: int, figure: str) -> tuple[list[str], list[str]]:
    """Sets on which a figure is smaller, and greater, at θ=2 % than at θ=0.01 %."""
    fewer: list[str] = []
    more: list[str] = []
    for name in results.names:
        before, after = (results.mean(name, share, method, figure) for method in (DIVIDED, WIDE))
        # Of vectors, what the solver's tolerance may have changed is no change.
        unsure = results.ratio_spread(name, WIDE, DIVIDED) * before if figure == "vectors" else 0.0
        if abs(after - before) > max(unsure, SAME):
            (fewer if after < before else more).append(name)
    return fewer, more


def larger_claim(results: Results) -> Claim:
    """Table 4."""

    def judged(share: int) -> Judgement:
        worse, better = _moved(results, share, "accuracy")
        return judge_trend(len(better), len(worse))

    worse, better = _moved(results, PRINTED, "accuracy")
    return Claim(
        "The larger θ, the better the accuracy, in general.",
        results.qualified(judged(PRINTED), "trials/80"),
        f"From θ=0.01 % to 2 % accuracy rises on {listed(better)}; falls on {listed(worse)}. The sentence is a slip for "
        "the smaller θ, as Table 4 shows",
        "Larger threshold, better accuracy (as printed)",
        "Section 4.3, Table 4",
        brief({"as meant, the smaller the better": judge_trend(len(worse), len(better)), AT_OTHER: judged(OTHER)}),
    )


def shorter_claim(results: Results) -> Claim:
    """Tables 5 and 6: "may", so sets on which θ changes nothing say nothing."""

    def judged(share: int) -> Judgement:
        changed = [name for name in results.names if _changes(results, share, name)]
        steps = {name: results.paired(name, share, DIVIDED, WIDE, "steps") for name in changed}
        p = dict(zip(changed, holm([test.p for test in steps.values()]).tolist(), strict=True))
        vectors = results.fewer_vectors(share, {name: (WIDE, DIVIDED) for name in changed})
        return judge_better({n: (min(steps[n].mean, vectors[n][0]), max(p[n], vectors[n][1])) for n in changed})

    (fewer, more), (lighter, heavier) = (_moved(results, PRINTED, figure) for figure in ("steps", "vectors"))
    return Claim(
        "A larger θ may increase the speed and reduce the effort of predictions.",
        results.qualified(judged(PRINTED), "trials/80", "tolerance/"),
        f"From θ=0.01 % to 2 % steps fall on {listed(fewer)}, rise on {listed(more)}; support vectors fall on "
        f"{listed(lighter)}, rise on {listed(heavier)}. A set counts if both fall beyond chance",
        "Larger threshold, shorter and lighter decisions",
        "Section 4.3, Tables 5 and 6",
        brief({AT_OTHER: judged(OTHER)}),
    )


def _changes(results: Results, share: int, name: str) -> bool:
    """Whether steps or vectors of any trial are others at θ=2 % than at θ=0.01 %."""
    before, after = (results.lists(name, share, method) for method in (DIVIDED, WIDE))
    return any(before[figure] != after[figure] for figure in ("steps", "vectors"))


def heaviest(*judgements: Judgement) -> Judgement:
    """Of statements that must hold together, the one that decides."""
    return max(judgements, key=lambda judgement: BY_WEIGHT.index(judgement.verdict))


def ranks(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """Spearman's rank correlation and its p-value; 0 and 1 where nothing varies, as in made-up data."""
    if np.ptp(xs) <= SAME or np.ptp(ys) <= SAME:
        return 0.0, 1.0
    test = spearmanr(xs, ys)
    return float(test.statistic), float(test.pvalue)


def judge_ranks(rank: float, p: float) -> Judgement:
    """A claim that one figure falls as another rises over the sets."""
    if p >= ALPHA:
        return undecided(f"the order of the sets may be chance (rank correlation {rank:+.2f}, p = {p:.2g})")
    return decided(rank < 0)


def separable_claim(results: Results) -> Claim:
    """Figure 8: whether steps saved by theta go with cells undecided, over all sets."""

    def found(share: int) -> tuple[list[float], list[float]]:
        apart = [float(results.curve(share, n, "separation")[FINE.index(0.0)]) for n in results.names]
        steps = [results.curve(share, n, "steps") for n in results.names]
        return apart, [float(1 - of[CURVE.index("2")] / of[CURVE.index("0")]) for of in steps]

    apart, saved = found(PRINTED)
    rank, p = ranks(apart, saved)
    best = int(np.argmax(saved))
    return Claim(
        "The more separable the data, the less θ changes the speed.",
        results.qualified(judge_ranks(rank, p), "curve/80"),
        f"Rank correlation of decided cells at θ=0 and steps saved at θ=2 % over {len(apart)} sets: {rank:+.2f}, p = {p:.2g}. "
        f"Most saved: {results.names[best]}, {100 * saved[best]:.0f} % of steps, {apart[best]:.0f} % of cells decided",
        "More separable, less influence of the threshold",
        "Section 4.3, Figure 8",
        brief({AT_OTHER: judge_ranks(*ranks(*found(OTHER)))}),
    )


def vowel_claim(results: Results) -> Claim:
    """Figure 8."""

    def same(share: int) -> bool:
        return all(
            results.lists("vowel", share, method_key(theta))[figure] == results.lists("vowel", share, DIVIDED)[figure]
            for theta in THETAS
            for figure in ("accuracy", "steps")
        )

    rows = results.found[f"curve/{PRINTED}/vowel"]["class_rows"][0]
    return Claim(
        "On vowel θ (here up to 2 %, as in the tables) influences neither accuracy nor steps.",
        results.qualified(decided(same(PRINTED)), "trials/80/vowel"),
        f"Steps {results.mean('vowel', PRINTED, WIDE, 'steps'):.2f} at 2 % and "
        f"{results.mean('vowel', PRINTED, DIVIDED, 'steps'):.2f} at 0.01 %. A class has {rows} training rows, of which 2 % is "
        f"{0.02 * rows:.2f}: less than one, so nothing can change",
        "The threshold changes nothing on vowel",
        "Section 4.3, Figure 8",
        brief({AT_OTHER: decided(same(OTHER))}),
    )


def meets(results: Results, share: int) -> float | None:
    """The θ in percent at which letter's curve falls to the accuracy of the built-in method; None if it does not."""
    accuracy = results.curve(share, "letter", "accuracy")
    gap = accuracy - float(np.mean(results.found[f"curve/{share}/letter"]["BI"]))
    thetas = [float(theta) for theta in CURVE]
    for at in range(1, len(thetas)):
        if gap[at - 1] > 0 >= gap[at]:
            return float(np.interp(0.0, [gap[at], gap[at - 1]], [thetas[at], thetas[at - 1]]))
    return None


def falls_claim(results: Results) -> Claim:
    """Figure 9."""

    def parts(share: int) -> dict[str, bool]:
        found = results.found[f"curve/{share}/letter"]
        start = float(results.curve(share, "letter", "accuracy")[CURVE.index("0.01")] - np.mean(found["OvsO"]))
        return {
            "starts near one-versus-one": abs(start) <= CLOSE.value,
            "falls to the built-in method": meets(results, share) is not None,
        }

    found = results.found[f"curve/{PRINTED}/letter"]
    accuracy = np.asarray(found["accuracy"])
    drop = corrected_t_test(accuracy[:, -1] - accuracy[:, 1], found["trained"], found["tested"])
    told = "; ".join(
        f"it meets the built-in method at θ={theta:.1f} % ({share} % trained)"
        if theta is not None
        else f"it does not meet the built-in method ({share} % trained)"
        for share, theta in ((share, meets(results, share)) for share in SHARES)
    )
    return Claim(
        "On letter the accuracy of DCSVM falls with θ from about that of one-versus-one to that of the built-in method.",
        results.qualified(judge_parts(parts(PRINTED)), "curve/80/letter"),
        f"From θ=0.01 % to 5 %: {drop.mean:+.2f} points [{drop.low:.2f}, {drop.high:.2f}]; {told}",
        "Letter falls to the built-in method's accuracy",
        "Section 4.3, Figure 9",
        brief({AT_OTHER: judge_parts(parts(OTHER))}),
    )


def still_above_claim(results: Results) -> Claim:
    """Figure 9."""
    tests = {share: results.paired("letter", share, WIDE, "BI") for share in SHARES}
    judged = {share: judge_better({"letter": (test.mean, test.p)}) for share, test in tests.items()}
    return Claim(
        "On letter DCSVM at θ=2 % is still more accurate than the built-in method.",
        results.qualified(judged[PRINTED], "trials/80/letter"),
        "; ".join(
            f"{test.mean:+.2f} points [{test.low:.2f}, {test.high:.2f}], p = {test.p:.2g} ({share} % trained)"
            for share, test in tests.items()
        ),
        "Letter still above built-in at 2 %",
        "Section 4.3, Figure 9",
        brief({AT_OTHER: judged[OTHER]}),
    )
