"""Claims about accuracy: Sections 4.1 to 4.3."""

from __future__ import annotations

from collections.abc import Iterator

from ...statistics import ALPHA
from ..report import Claim
from ..rule import Judgement, judge_better, judge_none, judge_parts, listed
from .published import THETAS
from .results import DIVIDED, OTHER, PRINTED, Results, brief, method_key

WIDE = method_key("2")
NAMES = {"BI": "built-in", "OvsO": "one-versus-one", DIVIDED: "DCSVM", WIDE: "DCSVM"}


def accuracy_claims(results: Results) -> Iterator[Claim]:
    """In the paper's order."""
    yield difference_claim(results)
    yield sacrifice_claim(results)
    yield letter_claim(results)
    yield thresholds_claim(results)


def _different(results: Results, share: int, divided: str) -> dict[str, str]:
    """Where two of the three methods differ: by pair, the sets with points and p."""
    pairs = [("BI", "OvsO"), (divided, "OvsO"), (divided, "BI")]
    return {
        f"{NAMES[this]} less {NAMES[that]}": listed(
            f"{name} ({test.mean:+.2f} points, p = {p:.2g})" for name, (test, p) in of.items() if p < ALPHA
        )
        for (this, that), of in results.by_holm(share, pairs).items()
    }


def difference_claim(results: Results) -> Claim:
    """Section 4.1, Figure 4."""

    def judged(share: int, divided: str) -> Judgement:
        return judge_none([where for where in _different(results, share, divided).values() if where != "none"])

    found = _different(results, PRINTED, DIVIDED)
    return Claim(
        "The accuracies of the built-in method, one-versus-one and DCSVM show no significant differences.",
        results.qualified(judged(PRINTED, DIVIDED), "trials/80"),
        f"Significant, by Holm over 3 × {len(results.names)} tests, at θ=0.01 %: "
        + "; ".join(f"{pair}: {where}" for pair, where in found.items()),
        "No significant differences between the three methods",
        "Section 4.1, Figure 4",
        brief({"θ=2 %": judged(PRINTED, WIDE), f"{OTHER} % trained": judged(OTHER, DIVIDED)}),
    )


def worse_sets(results: Results, share: int, methods: list[str], others: list[str]) -> dict[str, list[str]]:
    """Sets on which a method is less accurate than one of the others beyond chance, by method."""
    tests = results.by_holm(share, [(method, other) for method in methods for other in others])
    worse: dict[str, list[str]] = {method: [] for method in methods}
    for (method, other), of in tests.items():
        worse[method] += [
            f"{name} ({test.mean:+.2f} points against {NAMES[other]}, p = {p:.2g})"
            for name, (test, p) in of.items()
            if p < ALPHA and test.mean < 0
        ]
    return worse


def sacrifice_claim(results: Results) -> Claim:
    """Section 4.2."""

    def found(share: int, method: str) -> list[str]:
        return worse_sets(results, share, [method], ["OvsO"])[method]

    return Claim(
        "DCSVM does not sacrifice accuracy: it is nowhere less accurate than one-versus-one.",
        results.qualified(judge_none(found(PRINTED, DIVIDED)), "trials/80"),
        f"Less accurate beyond chance at θ=0.01 %: {listed(found(PRINTED, DIVIDED))}; at θ=2 %: {listed(found(PRINTED, WIDE))}",
        "Accuracy is not sacrificed",
        "Section 4.2",
        brief({"θ=2 %": judge_none(found(PRINTED, WIDE)), f"{OTHER} % trained": judge_none(found(OTHER, DIVIDED))}),
    )


def letter_claim(results: Results) -> Claim:
    """Section 4.3, Figure 9."""
    tests = {share: results.paired("letter", share, "OvsO", "BI") for share in (PRINTED, OTHER)}
    judged = {share: judge_better({"letter": (test.mean, test.p)}) for share, test in tests.items()}
    return Claim(
        "On letter one-versus-one is better than the built-in method.",
        results.qualified(judged[PRINTED], "trials/80/letter"),
        "; ".join(
            f"{test.mean:+.2f} points [{test.low:.2f}, {test.high:.2f}], p = {test.p:.2g} ({share} % trained)"
            for share, test in tests.items()
        ),
        "One-versus-one beats the built-in method on letter",
        "Section 4.3, Figure 9",
        brief({f"{OTHER} % trained": judged[OTHER]}),
    )


def thresholds_claim(results: Results) -> Claim:
    """Section 4.3, Table 4."""

    def worse(share: int) -> dict[str, list[str]]:
        return worse_sets(results, share, [method_key(theta) for theta in THETAS], ["OvsO", "BI"])

    def judged(share: int) -> Judgement:
        found = worse(share)
        return judge_parts({f"θ={theta} %": not found[method_key(theta)] for theta in THETAS})

    found = worse(PRINTED)
    return Claim(
        "DCSVM performs very well in accuracy compared with the other methods, on all sets and for all four θ.",
        results.qualified(judged(PRINTED), "trials/80"),
        "Less accurate beyond chance than another method, by Holm over all sets and θ: "
        + "; ".join(f"θ={theta} %: {listed(found[method_key(theta)])}" for theta in THETAS),
        "Accurate on all sets at all thresholds",
        "Section 4.3, Table 4",
        brief({f"{OTHER} % trained": judged(OTHER)}),
    )
