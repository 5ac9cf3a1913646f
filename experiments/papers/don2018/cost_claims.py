"""Claims about what a decision costs: Section 4.2, and Propositions 1 and 2."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, log, log2

import numpy as np

from ...statistics import SAME, holm
from ..report import Claim
from ..rule import Judgement, decided, judge_better, judge_none, judge_parts, listed
from .published import THETAS
from .results import DIVIDED, OTHER, PRINTED, Results, brief, method_key

COLUMNS = [method_key(theta) for theta in THETAS]
SHARES = (PRINTED, OTHER)
# How machines are asked, in the record and in words.
WAYS = {"one_by_one": "a loop", "apart": "many samples at once", "shared": "one bank of machines"}


def cost_claims(results: Results) -> Iterator[Claim]:
    """In the paper's order."""
    yield depth_claim(results)
    yield even_claim(results)
    yield vectors_claim(results)
    yield decisions_claim(results)
    yield times_claim(results)
    yield below_claim(results)


def _ratios(results: Results, share: int, figure: str) -> dict[str, float]:
    """The largest figure of DCSVM over the thetas, as a part of that of one-versus-one, by set."""
    return {
        name: max(results.mean(name, share, m, figure) for m in COLUMNS) / results.mean(name, share, "OvsO", figure)
        for name in results.names
    }


def _extremes(ratios: dict[str, float]) -> str:
    low, high = min(ratios, key=lambda k: ratios[k]), max(ratios, key=lambda k: ratios[k])
    return f"from {100 * ratios[low]:.0f} % ({low}) to {100 * ratios[high]:.0f} % ({high})"


def vectors_claim(results: Results) -> Claim:
    """Figure 5."""
    ratios = {share: _ratios(results, share, "vectors") for share in SHARES}
    unsure = max(results.ratio_spread(n, m, "OvsO") for n in results.names for m in (DIVIDED, method_key("2")))

    def judged(share: int) -> Judgement:
        # At θ=0.01 % or at 2 %, whichever needs more.
        heavier = {
            name: max((DIVIDED, method_key("2")), key=lambda m: results.mean(name, share, m, "vectors"))
            for name in results.names
        }
        return judge_better(results.fewer_vectors(share, {name: (m, "OvsO") for name, m in heavier.items()}))

    return Claim(
        "DCSVM needs fewer support vectors per decision than one-versus-one.",
        results.qualified(judged(PRINTED), "trials/80", "tolerance/"),
        "Of those of one-versus-one, at the θ that needs most: "
        + "; ".join(f"{_extremes(of)}, {share} % trained" for share, of in ratios.items())
        + f". The solver's tolerance changes this by at most {100 * unsure:.2f} points",
        "Fewer support vectors than one-versus-one",
        "Section 4.2, Figure 5",
        brief({f"{OTHER} % trained": judged(OTHER)}),
    )


def decisions_claim(results: Results) -> Claim:
    """Figure 6."""
    ratios = {share: _ratios(results, share, "steps") for share in SHARES}
    judged = {share: judge_parts({name: ratio < 1 for name, ratio in of.items()}) for share, of in ratios.items()}
    return Claim(
        "DCSVM needs fewer binary decisions than one-versus-one.",
        results.qualified(judged[PRINTED], "trials/80"),
        "Of those of one-versus-one, at the θ that needs most: "
        + "; ".join(f"{_extremes(of)}, {share} % trained" for share, of in ratios.items()),
        "Fewer binary decisions than one-versus-one",
        "Section 4.2, Figure 6",
        brief({f"{OTHER} % trained": judged[OTHER]}),
    )


def times_claim(results: Results) -> Claim:
    """Figure 7."""

    def judged(way: str) -> Judgement:
        ratios = {name: results.faster(name, way) for name in results.names}
        adjusted = holm([ratio.p for ratio in ratios.values()]).tolist()
        return judge_better({n: (log(ratio.times), p) for (n, ratio), p in zip(ratios.items(), adjusted, strict=True)})

    def told(way: str) -> str:
        times = {name: results.faster(name, way).times for name in results.names}
        low, high = min(times, key=lambda k: times[k]), max(times, key=lambda k: times[k])
        return f"{WAYS[way]}: {times[low]:.2f} ({low}) to {times[high]:.2f} ({high})"

    return Claim(
        "DCSVM predicts faster than one-versus-one.",
        judged("one_by_one"),
        f"Times as fast at θ=0.01 %, one thread: {'; '.join(told(way) for way in WAYS)}",
        "Faster predictions than one-versus-one",
        "Section 4.2, Figure 7",
        brief({WAYS[way]: judged(way) for way in ("apart", "shared")}),
    )


def below_claim(results: Results) -> Claim:
    """Table 5."""

    def full(share: int) -> list[str]:
        return [
            n
            for n in results.names
            if any(results.mean(n, share, m, "steps") > results.most(n) - SAME for m in COLUMNS)
        ]

    def judged(share: int) -> Judgement:
        return judge_parts({name: name not in full(share) for name in results.names})

    return Claim(
        "In all cases the average number of steps is less than k-1, which DAGSVM takes.",
        results.qualified(judged(PRINTED), "trials/80"),
        f"Exactly k-1 at some θ: {'; '.join(f'{listed(full(share))} ({share} % trained)' for share in SHARES)}. In the "
        "paper's own Table 5: heart",
        "Fewer steps than k-1, and than DAGSVM",
        "Section 4.3, Table 5",
        brief({f"{OTHER} % trained": judged(OTHER)}),
    )


# ---------------------------------------------------------------- propositions


def depth_claim(results: Results) -> Claim:
    """Proposition 1 and Theorem 1."""
    beyond, graphs = [], 0
    for share in SHARES:
        for name in results.names:
            for prefer in ("accuracy", "speed"):
                for theta in THETAS:
                    depths = results.lists(name, share, f"{prefer} {theta}")["depth"]
                    graphs += len(depths)
                    beyond += [f"{name}, {share} % trained"] * (max(depths) > results.most(name))
    made_up = results.found["propositions"]["depths"]
    beyond += [f"{k} classes" for k, of in made_up.items() if of["undecided"] > int(k) - 1]
    return Claim(
        "A decision takes at most k-1 steps.",
        judge_none(beyond),
        f"Deeper than k-1, of {graphs} graphs over all sets, shares, θ and orders of measures, and of {len(made_up)} made-up "
        f"tables in which all other classes are undecided: {listed(beyond)}",
        "At most k-1 steps",
        "Proposition 1, Theorem 1",
    )


def even_claim(results: Results) -> Claim:
    """Proposition 2 and Theorem 1."""
    found = results.found["propositions"]
    deeper = [k for k, of in found["depths"].items() if of["even"] > of["log"]]
    logs = {name: ceil(log2(results.most(name) + 1)) for name in results.names}
    # Of three classes ⌈log2 k⌉ is k-1, which every decision keeps to.
    telling = [name for name in results.names if logs[name] < results.most(name)]
    reached = [n for n in telling if np.max(results.lists(n, PRINTED, DIVIDED)["depth"]) <= logs[n]]
    sizes = [int(k) for k in found["depths"]]
    return Claim(
        "If each machine divides the classes evenly and disjointly, a decision takes at most ⌈log₂ k⌉ steps.",
        judge_none(deeper),
        f"Made-up tables of {min(sizes)} to {max(sizes)} classes that every node halves: deeper than ⌈log₂ k⌉ for "
        f"{listed(deeper)}. It is not enough that each machine halves all classes, as the words have it: with 8 classes the "
        f"depth can then be {found['even_at_first']}. Of the {len(telling)} sets with ⌈log₂ k⌉ < k-1, graphs as shallow as "
        f"that at θ=0.01 %: {listed(reached)}",
        "At most log k steps if divided evenly",
        "Proposition 2, Theorem 1",
        brief({"halved over all classes only": decided(found["even_at_first"] <= 3)}),
    )
