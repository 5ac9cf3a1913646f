"""Claims of Section 5 on evaluation, training and size; and two more on training, of the abstract and Section 4."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

from ..report import Claim
from ..rule import CLOSE_COUNTS, COMPARABLE_SIZE, GREAT_SAVING, SIMILAR_ADVANTAGE, undecided
from .judging import SMOOTHED, Judged, brief, by_images, of_sets, of_spans, per_set
from .published import BOTH, DAGSVM, EVALUATION_SPEEDUP, MAX_WINS, NAMES, ONE_VS_REST, RULES, TRAINING_SPEEDUP
from .results import BANK, LIBSVM, LOOP, SMOOTH_LOOP, Results
from .spans import Span

AT_ONCE = "CPU time, all rows at once"
STOPS, ROUNDS = "counts over the places where the solver stops", "times over the rounds"


# ----------------------------------------------------------------- evaluation


def evaluations_tell_time(results: Results) -> Claim:
    """The order of the rules by kernel evaluations and by time, which is that of blocks of rows."""
    parts = {}
    for data in NAMES:
        agree = []
        for a, b in combinations(RULES, 2):
            counts, times = results.evaluation(data, a, b)
            if max(counts, 1 / counts) > 1 + CLOSE_COUNTS.value:
                agree.append(times if counts > 1 else Span(1 / times.value, 1 / times.high, 1 / times.low))
        if agree:  # the pair that is furthest from agreeing decides for the set
            parts[data] = min(agree, key=lambda span: span.value)
    judgement = undecided("rows are answered in blocks here; a program that evaluates kernels row by row was not timed")
    return Claim(
        "The number of kernel evaluations is a good indication of evaluation time",
        judgement,
        "all rows at once: CPU time of the rule with more kernel evaluations over that of the other, for the two rules that "
        f"agree least: {per_set(parts)}",
        "Kernel evaluations tell evaluation time",
        "Section 5",
        {AT_ONCE: brief(of_spans(parts, lambda ratio: ratio > 1, ROUNDS), judgement)},
    )


def max_wins_evaluates_less(results: Results) -> Claim:
    """Kernel evaluations of 1-v-r over those of Max Wins."""
    says = "Max Wins is faster to evaluate than 1-v-r: it has fewer support vectors in all"
    return by_images(results, _max_wins_evaluates_less, says, "Max Wins evaluates less than 1-v-r")


def _max_wins_evaluates_less(results: Results, smoothed: bool) -> Judged:
    ratios = {data: results.count_ratio(data, "kernel_evaluations", ONE_VS_REST, MAX_WINS, smoothed) for data in NAMES}
    return of_spans(ratios, lambda r: r > 1, STOPS), f"kernel evaluations, 1-v-r / Max Wins: {per_set(ratios)}"


def sharing_is_the_reason(results: Results) -> Claim:
    """Vectors of all machines summed, as they were if nothing were shared."""
    says = "Max Wins is faster because its machines share support vectors: without sharing it would not be"
    return by_images(results, _sharing_is_the_reason, says, "Shared vectors make Max Wins faster")


def _sharing_is_the_reason(results: Results, smoothed: bool) -> Judged:
    shared, summed = (
        {data: results.count_ratio(data, what, ONE_VS_REST, MAX_WINS, smoothed) for data in NAMES}
        for what in ("distinct_vectors", "summed_vectors")
    )
    # Sharing turns the order around: with it 1-v-r has more vectors, and without it fewer.
    turned = {
        data: Span(
            min(shared[data].value, 1 / summed[data].value),
            min(shared[data].low, 1 / summed[data].high),
            min(shared[data].high, 1 / summed[data].low),
        )
        for data in NAMES
    }
    return (
        of_spans(turned, lambda r: r > 1, STOPS),
        f"vectors of 1-v-r over those of Max Wins, shared: {per_set(shared)}; not shared: {per_set(summed)}",
    )


def dagsvm_evaluates_least(results: Results) -> Claim:
    """Kernel evaluations of the better of the others over those of DAGSVM."""
    return by_images(results, _dagsvm_evaluates_least, "DAGSVM has the fastest evaluation", "DAGSVM evaluates least")


def _dagsvm_evaluates_least(results: Results, smoothed: bool) -> Judged:
    ratios = {}
    for data in NAMES:
        both = [
            results.count_ratio(data, "kernel_evaluations", rule, DAGSVM, smoothed) for rule in (ONE_VS_REST, MAX_WINS)
        ]
        ratios[data] = min(both, key=lambda span: span.value)
    return of_spans(ratios, lambda r: r > 1, STOPS), f"kernel evaluations, next best / DAGSVM: {per_set(ratios)}"


def evaluation_band(results: Results) -> Claim:
    """Kernel evaluations of Max Wins over those of DAGSVM."""
    low, high = EVALUATION_SPEEDUP
    claim = by_images(
        results,
        _evaluation_band,
        f"DAGSVM is between {low} and {high} times faster to evaluate than Max Wins",
        "DAGSVM evaluates 1.6 to 2.3 times faster",
    )
    times = {data: results.evaluation(data, MAX_WINS, DAGSVM)[1] for data in NAMES}
    return replace(
        claim,
        others={**claim.others, AT_ONCE: brief(of_spans(times, _reaches(low), ROUNDS), claim.judgement)},
    )


def _evaluation_band(results: Results, smoothed: bool) -> Judged:
    ratios = {data: results.count_ratio(data, "kernel_evaluations", MAX_WINS, DAGSVM, smoothed) for data in NAMES}
    judgement = of_spans(ratios, _reaches(EVALUATION_SPEEDUP[0]), STOPS)
    return judgement, f"kernel evaluations, Max Wins / DAGSVM: {per_set(ratios)}"


def _reaches(least: float) -> Callable[[float], bool]:
    """Whether a ratio, as the paper rounds it, reaches a published one. More is no failure."""
    return lambda ratio: round(ratio, 1) >= least


# ------------------------------------------------------------ training and size


def _by_clock(results: Results, judge: Callable[[str], Judged], says: str, name: str, where: str) -> Claim:
    """A claim on training times: a loop decides."""
    verdicts = {how: judge(how) for how in (LOOP, BANK, LIBSVM, SMOOTH_LOOP)}
    others = {"One bank": BANK, "LIBSVM": LIBSVM, SMOOTHED: SMOOTH_LOOP}
    return Claim(
        says, *verdicts[LOOP], name, where, {n: brief(verdicts[how][0], verdicts[LOOP][0]) for n, how in others.items()}
    )


def pairs_train_faster(results: Results) -> Claim:
    """Training time of 1-v-r over the slower of the two banks of pairs."""

    def judge(how: str) -> Judged:
        ratios = {
            data: min(
                (results.speedup(data, ONE_VS_REST, rule, how) for rule in (MAX_WINS, DAGSVM)), key=lambda s: s.value
            )
            for data in NAMES
        }
        return of_spans(ratios, lambda r: r > 1, ROUNDS), f"1-v-r over the slower of the two: {per_set(ratios, 1)}"

    says = "One-vs-one is preferred for training time: it trains faster than 1-v-r"
    return _by_clock(results, judge, says, "One-vs-one trains faster than 1-v-r", "Section 4")


def training_speedup(results: Results) -> Claim:
    """Training time of 1-v-r over that of DAGSVM."""

    def judge(how: str) -> Judged:
        ratios = {data: results.speedup(data, ONE_VS_REST, DAGSVM, how) for data in TRAINING_SPEEDUP}
        reach = {data: _reaches(least) for data, least in TRAINING_SPEEDUP.items()}
        return of_spans(ratios, reach, ROUNDS), per_set(ratios, 1)

    numbers = " and ".join(f"{least} times ({NAMES[data]})" for data, least in TRAINING_SPEEDUP.items())
    says = f"DAGSVM is {numbers} faster to train than 1-v-r"
    return _by_clock(results, judge, says, "DAGSVM trains 11.5 and 2.2 times faster", "Section 5")


def similar_advantage(results: Results) -> Claim:
    """The advantage of Max Wins against that of DAGSVM."""

    def judge(how: str) -> Judged:
        most = SIMILAR_ADVANTAGE.value
        ratios = {data: results.speedup(data, DAGSVM, MAX_WINS, how) for data in BOTH}
        judgement = of_spans(ratios, lambda r: 1 / most <= r <= most, ROUNDS)
        return judgement, f"advantage of Max Wins over that of DAGSVM: {per_set(ratios, 1)}"

    says = "Max Wins shares a similar training speed advantage over 1-v-r"
    return _by_clock(results, judge, says, "Max Wins shares the training advantage", "Section 5")


def sharing_saves(results: Results) -> Claim:
    """The size of all pairs without sharing over the size with it."""
    says = "Support vectors that are shared across machines save a great deal of classifier size"
    return by_images(results, _sharing_saves, says, "Sharing saves classifier size")


def _sharing_saves(results: Results, smoothed: bool) -> Judged:
    ratios = {data: results.unshared(data, DAGSVM, smoothed) for data in NAMES}
    parts = {data: ratio >= GREAT_SAVING.value for data, ratio in ratios.items()}
    return of_sets(parts), f"size of DAGSVM without sharing over its size: {per_set(ratios, 1)}"


def comparable_size(results: Results) -> Claim:
    """Parameters of the pairs over those of 1-v-r."""
    says = "The number of parameters of DAGSVM (and Max Wins) is comparable to that of 1-v-r"
    return by_images(results, _comparable_size, says, "Sizes comparable to 1-v-r")


def _comparable_size(results: Results, smoothed: bool) -> Judged:
    most, spans = COMPARABLE_SIZE.value, {}
    for data in NAMES:
        both = [results.count_ratio(data, "parameters", rule, ONE_VS_REST, smoothed) for rule in (DAGSVM, MAX_WINS)]
        spans[data] = max(both, key=lambda span: max(span.value, 1 / span.value))
    judgement = of_spans(spans, lambda r: 1 / most <= r <= most, STOPS)
    return judgement, f"the one that is further off, over 1-v-r: {per_set(spans)}"


def faster_than_max_wins(results: Results) -> Claim:
    """The abstract, against Table 1."""

    def judge(how: str) -> Judged:
        ratios = {data: results.speedup(data, MAX_WINS, DAGSVM, how) for data in NAMES}
        return of_spans(ratios, lambda r: r > 1, ROUNDS), f"Max Wins over DAGSVM: {per_set(ratios)}"

    says = (
        "DAGSVM is substantially faster to train than Max Wins (Table 1 itself prints equal times for USPS and Covertype, "
        "where both have the same machines, and a longer one for Letter)"
    )
    return _by_clock(results, judge, says, "DAGSVM trains faster than Max Wins", "Abstract")


OF_COSTS = (
    evaluations_tell_time,
    max_wins_evaluates_less,
    sharing_is_the_reason,
    dagsvm_evaluates_least,
    evaluation_band,
    training_speedup,
    similar_advantage,
    sharing_saves,
    comparable_size,
)
