"""What the paper claims, decided by the record, and two questions of our own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import exp, log

import numpy as np

from ...statistics import ALPHA, SAME, corrected_t_test, exact_mcnemar, holm
from ..report import Claim
from ..rule import Judgement, judge_better, judge_parts, judge_trend, listed
from .accuracy_claims import accuracy_claims
from .checks import CLASSIFIERS
from .cost_claims import cost_claims
from .example_claims import example_claims
from .published import THETAS
from .results import DIVIDED, OTHER, PRINTED, Results, brief
from .separation_claims import separation_claims
from .study import ADDED, CLASSIFIER_SETS, DIMENSION_SETS, KEPT
from .theta_claims import heaviest, theta_claims

AT_OTHER = f"{OTHER} % trained"


def claims(results: Results) -> list[Claim]:
    """All claims of the paper, in its order."""
    return [
        mechanism_claim(results),
        preference_claim(results),
        bushier_claim(results),
        *example_claims(results),
        *accuracy_claims(results),
        *cost_claims(results),
        *theta_claims(results),
        *separation_claims(results),
        average_claim(results),
        classifiers_claim(results),
    ]


# -------------------------------------------------------------- the mechanism


def more_separated(
    results: Results, fewer: str, more: str, figure: str = "separation"
) -> dict[str, tuple[float, float]]:
    """By set: how much more of a figure there is with more features, and its p-value by Holm over the sets."""
    tests = {}
    for name in DIMENSION_SETS:
        of = results.found[f"dimension/{name}"]
        gain = np.subtract(of[more][figure], of[fewer][figure])
        tests[name] = corrected_t_test(gain, of["trained"], of["tested"])
    adjusted = holm([test.p for test in tests.values()]).tolist()
    return {name: (test.mean, p) for (name, test), p in zip(tests.items(), adjusted, strict=True)}


def mechanism_claim(results: Results) -> Claim:
    """Sections 1 and 5: more features, sparser data, more separation."""
    few, full, noise = f"kept {min(KEPT):g}", "kept 1", f"added {max(ADDED)}"
    found = {key: more_separated(results, few, full, key) for key in ("separation", "sparsity", "steps")}
    with_noise = more_separated(results, full, noise)
    told = ", ".join(f"{name} {gain:+.1f}" for name, (gain, _) in found["separation"].items())
    noisy = ", ".join(f"{name} {gain:+.1f}" for name, (gain, _) in with_noise.items())
    sparser = sum(gain > 0 for gain, _ in found["sparsity"].values())
    return Claim(
        "DCSVM relies on data that become sparser with the dimension, so that machines separate more classes.",
        results.qualified(judge_better(found["separation"]), "dimension/"),
        f"Points more decided cells at θ=0 with all features than with {100 * min(KEPT):.0f} % of them: {told}. Rows are "
        f"sparser on {sparser} of {len(found['sparsity'])} sets. With {max(ADDED)} shuffled copies of each feature, which make "
        f"rows sparser and say nothing: {noisy}",
        "More features separate more classes",
        "Sections 1 and 5",
        brief({"more features by shuffled copies": results.qualified(judge_better(with_noise), "dimension/")}),
    )


# ------------------------------------------------- score first or purity first


def _differences(results: Results, share: int, figure: str) -> dict[str, float]:
    """Score first less purity first, means over trials and thetas, by set."""
    return {
        name: float(
            np.mean(
                [
                    results.mean(name, share, f"accuracy {theta}", figure)
                    - results.mean(name, share, f"speed {theta}", figure)
                    for theta in THETAS
                ]
            )
        )
        for name in results.names
    }


def _signs(differences: Mapping[str, float]) -> tuple[int, int]:
    return sum(d > SAME for d in differences.values()), sum(d < -SAME for d in differences.values())


def preference_claim(results: Results) -> Claim:
    """Whether looking at the score first is more accurate, and slower: signs over the sets."""
    of = {share: {f: _differences(results, share, f) for f in ("accuracy", "steps")} for share in (PRINTED, OTHER)}

    def judged(share: int) -> Judgement:
        return heaviest(*(judge_trend(*_signs(of[share][figure])) for figure in ("accuracy", "steps")))

    (better, worse), (longer, shorter) = (_signs(of[PRINTED][figure]) for figure in ("accuracy", "steps"))
    return Claim(
        "Score first favours accuracy over speed; purity and balance first favour speed over accuracy.",
        results.qualified(judged(PRINTED), "trials/80"),
        f"Score first, means over θ: more accurate on {better} sets, less on {worse} (on average "
        f"{np.mean(list(of[PRINTED]['accuracy'].values())):+.2f} points); longer decisions on {longer}, shorter on {shorter} "
        f"(on average {np.mean(list(of[PRINTED]['steps'].values())):+.2f} steps)",
        "Score first favours accuracy, purity first speed",
        "Section 3.1",
        brief({AT_OTHER: judged(OTHER)}),
    )


def bushier(results: Results, share: int) -> dict[str, tuple[float, float]]:
    """By set where they differ: log of the nodes of score first over those of purity first, and p by Holm."""
    tests = {}
    for name in results.names:
        nodes = [
            np.mean([results.lists(name, share, f"{prefer} {theta}")["tree_nodes"] for theta in THETAS], axis=0)
            for prefer in ("accuracy", "speed")
        ]
        if np.any(nodes[0] != nodes[1]):
            tests[name] = results.corrected(name, share, np.log(nodes[0]) - np.log(nodes[1]))
    adjusted = holm([test.p for test in tests.values()]).tolist()
    return {name: (test.mean, p) for (name, test), p in zip(tests.items(), adjusted, strict=True)}


def bushier_claim(results: Results) -> Claim:
    """Whether the trees of score first have more nodes: "may", so sets on which they are the same say nothing."""
    found = bushier(results, PRINTED)
    told = ", ".join(f"{name} {exp(ratio):.2f}" for name, (ratio, _) in found.items())
    return Claim(
        "Score first may yield bushier trees than purity first.",
        results.qualified(judge_better(found), "trials/80"),
        f"Nodes of the tree with score first, as a multiple of those with purity first, where they differ: {told or 'nowhere'}",
        "Score first may give bushier trees",
        "Section 3.1",
        brief({AT_OTHER: judge_better(bushier(results, OTHER))}),
    )


# ------------------------------------------------------------- the conclusion


def average_claim(results: Results) -> Claim:
    """Section 5: better than other methods, on average."""

    def parts(share: int) -> dict[str, tuple[int, int]]:
        def signs(figure: str, other: str, sign: int) -> tuple[int, int]:
            gains = [
                sign * (results.mean(n, share, DIVIDED, figure) - results.mean(n, share, other, figure))
                for n in results.names
            ]
            return sum(g > SAME for g in gains), sum(g < -SAME for g in gains)

        return {
            "steps against one-versus-one": signs("steps", "OvsO", -1),
            "steps against DAGSVM": signs("steps", "DDAG", -1),
            "accuracy against one-versus-one": signs("accuracy", "OvsO", 1),
            "accuracy against the built-in method": signs("accuracy", "BI", 1),
        }

    def judged(share: int) -> Judgement:
        signs = parts(share)
        adjusted = holm([exact_mcnemar(*of).p_value for of in signs.values()]).tolist()
        return judge_better({name: (a - b, p) for (name, (a, b)), p in zip(signs.items(), adjusted, strict=True)})

    told = "; ".join(f"{name}: better on {a}, worse on {b}" for name, (a, b) in parts(PRINTED).items())
    return Claim(
        "DCSVM performs consistently better than the existing methods on average.",
        results.qualified(judged(PRINTED), "trials/80"),
        f"Sign tests over the {len(results.names)} sets, by Holm, θ=0.01 %. {told}",
        "Consistently better than existing methods on average",
        "Section 5",
        brief({AT_OTHER: judged(OTHER)}),
    )


def classifiers_claim(results: Results) -> Claim:
    """Section 5: any binary classifier at the nodes."""
    tests, below = {}, dict.fromkeys(CLASSIFIERS, 0)
    for kind in CLASSIFIERS:
        for name in CLASSIFIER_SETS:
            found = results.found[f"classifiers/{name}"]
            gap = np.subtract(found[kind]["DCSVM"], found[kind]["OvsO"])
            tests[kind, name] = corrected_t_test(gap, found["trained"], found["tested"])
            below[kind] += float(np.mean(found[kind]["steps"])) < found["classes"] - 1 - SAME
    adjusted = dict(zip(tests, holm([test.p for test in tests.values()]).tolist(), strict=True))
    worse = [key for key, test in tests.items() if adjusted[key] < ALPHA and test.mean < 0]
    told = "; ".join(
        f"{kind}: less accurate on {listed(name for k, name in worse if k == kind)}, below k-1 steps on {n} of "
        f"{len(CLASSIFIER_SETS)} sets"
        for kind, n in below.items()
    )
    return Claim(
        "The technique can easily be used with any binary classifier.",
        judge_parts({kind: not any(k == kind for k, _ in worse) for kind in CLASSIFIERS}),
        f"DCSVM against one-versus-one with the same machines, θ=0.01 %, by Holm over all. {told}",
        "Works with any binary classifier",
        "Section 5",
    )


# ------------------------------------------------------------------- our own


def own_claims(results: Results) -> Iterator[Claim]:
    """What the paper does not ask."""
    vectors = {m: [results.mean(name, PRINTED, m, "vectors") for name in results.names] for m in (DIVIDED, "DDAG")}
    yield Claim(
        "DCSVM needs fewer support vectors per decision than DAGSVM (Don & Iacob).",
        results.qualified(
            judge_better(results.fewer_vectors(PRINTED, dict.fromkeys(results.names, (DIVIDED, "DDAG")))),
            "trials/80",
            "tolerance/",
        ),
        f"As a multiple of DAGSVM's, θ=0.01 %, {PRINTED} % trained: "
        + ", ".join(f"{name} {a / b:.2f}" for name, a, b in zip(results.names, *vectors.values(), strict=True)),
        "DCSVM needs fewer vectors than DAGSVM",
    )
    times = {name: results.faster(name, "shared", than="max_wins") for name in results.names}
    adjusted = holm([ratio.p for ratio in times.values()]).tolist()
    yield Claim(
        "In one bank of machines, DCSVM is faster than one-versus-one that stops when the answer is known (Don & Iacob).",
        judge_better({n: (log(ratio.times), p) for (n, ratio), p in zip(times.items(), adjusted, strict=True)}),
        "Times as fast: " + ", ".join(f"{name} {ratio.times:.2f}" for name, ratio in times.items()),
        "DCSVM is faster than stopping early",
    )
