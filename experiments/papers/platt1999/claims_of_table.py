"""Claims of Section 5, which rest on Table 1 and on the choice of kernels, and of the abstract."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

from ...statistics import ALPHA, holm
from ..report import Claim
from ..rule import (
    CLOSE,
    CLOSE_COUNTS,
    COMPARABLE_SIZE,
    GREAT_SAVING,
    SIMILAR_ADVANTAGE,
    SIMILAR_C,
    SIMILAR_SIGMA,
    Judgement,
    judge_better,
    judge_none,
)
from .judging import Span, of_sets, of_spans, per_set
from .published import (
    DAGSVM,
    EVALUATION_SPEEDUP,
    MAX_WINS,
    NAMES,
    ONE_VS_REST,
    RULES,
    TRAINING_SPEEDUP,
)
from .results import BANK, LIBSVM, LOOP, SMOOTH_LOOP, Results, published_spread, small
from .study import FAMILIES

Judged = tuple[Judgement, str]
BOTH = ("usps", "letter")  # the text says "both data sets"; of Covertype it speaks by name
SMOOTHED = "USPS smoothed"
STOPS, ROUNDS = "counts over the places where the solver stops", "times over the rounds"


def by_images(results: Results, judge: Callable[[Results, bool], Judged], says: str, name: str) -> Claim:
    """A claim on USPS images as they are distributed; beside it, what smoothed images give."""
    (judgement, shown), (other, _) = judge(results, False), judge(results, True)
    return Claim(says, judgement, shown, name, "Section 5", {SMOOTHED: other})


# -------------------------------------------------------------------- kernels


def gaussian_best(results: Results) -> Claim:
    """McNemar on the hold-out between the best Gaussian and the best polynomial."""
    return by_images(results, _gaussian_best, "The Gaussian kernel was always found to be best", "Gaussian always best")


def _gaussian_best(results: Results, smoothed: bool) -> Judged:
    cases = [(data, rule) for data in NAMES for rule in RULES]
    p = holm([results.family_test(*case, smoothed)["p"] for case in cases])
    tests, shown = {}, []
    for (data, rule), q in zip(cases, p, strict=True):
        families = FAMILIES[0], results.best_polynomial(data, rule, smoothed)
        ours, other = (results.chosen(data, rule, f, smoothed)["validation_error"] for f in families)
        tests[f"{NAMES[data]} {rule}"] = (other - ours, float(q))
        shown.append(f"{NAMES[data]} {rule} {ours:.2f} and {other:.2f} (p = {small(q)})")
    judgement = _qualified(results, judge_better(tests), smoothed, FAMILIES)
    least = sum(gain >= 0 for gain, _ in tests.values())
    return judgement, (
        f"the best Gaussian errs least in {least} of {len(tests)} choices. Validation errors in % of the best Gaussian and the "
        f"best polynomial, by Holm: {'; '.join(shown)}"
    )


def similar_parameters(results: Results) -> Claim:
    """Whether the rules choose alike."""
    says = "The best parameters of the three rules are very similar, on both data sets (USPS and Letter)"
    return by_images(results, _similar_parameters, says, "Similar parameters for all rules")


def _similar_parameters(results: Results, smoothed: bool) -> Judged:
    shown, parts = [], {}
    for data in BOTH:
        best = [results.chosen(data, rule, FAMILIES[0], smoothed) for rule in RULES]
        sigmas, Cs = [b["sigma"] for b in best], [b["C"] for b in best]
        parts[data] = max(sigmas) / min(sigmas) < SIMILAR_SIGMA.value and max(Cs) / min(Cs) < SIMILAR_C.value
        shown.append(f"{NAMES[data]} {', '.join(f'{sigma:.3g} / {C:g}' for sigma, C in zip(sigmas, Cs, strict=True))}")
    judgement = _qualified(results, of_sets(parts), smoothed, FAMILIES[:1])
    return judgement, f"σ / C of the best Gaussian for {', '.join(RULES)}: {'; '.join(shown)}"


def _qualified(results: Results, judgement: Judgement, smoothed: bool, families: Sequence[str]) -> Judgement:
    """Say in how many cells of a search some machine did not converge."""
    steps = [results.search(data, rule, family, smoothed) for data in NAMES for rule in RULES for family in families]
    stopped, cells = sum(step["stopped"] for step in steps), sum(len(step["cells"]) for step in steps)
    told = f"{stopped} of {cells} cells of the search did not converge"
    return replace(judgement, qualified=told) if stopped else judgement


# ------------------------------------------------------------------- accuracy


def similar_errors(results: Results) -> Claim:
    """The widest distance between errors on a set."""
    says = "The error rates of the three rules are similar, on both data sets (USPS and Letter)"
    return by_images(results, _similar_errors, says, "Similar errors of all rules")


def _similar_errors(results: Results, smoothed: bool) -> Judged:
    spread = {}
    for data in BOTH:
        errors = [results.value(data, rule, "error", smoothed) for rule in RULES]
        spread[data] = max(errors) - min(errors)
    published = {data: published_spread(data) for data in BOTH}
    parts = {data: points <= CLOSE.value + 1e-9 for data, points in spread.items()}
    return of_sets(parts), f"points between best and worst: {per_set(spread)}; published: {per_set(published, 1)}"


def none_better(results: Results) -> Claim:
    """McNemar between DAGSVM and the others."""
    says = "Neither 1-v-r nor Max Wins is significantly better than DAGSVM by McNemar's test at 0.05, on USPS or Letter"
    return by_images(results, _none_better, says, "No rule significantly better than DAGSVM")


def _none_better(results: Results, smoothed: bool) -> Judged:
    cases = [(data, rule) for data in BOTH for rule in (ONE_VS_REST, MAX_WINS)]
    tests = [results.test(data, rule, DAGSVM, smoothed) for data, rule in cases]
    better, shown = [], []
    for (data, rule), test, p in zip(cases, tests, holm([test["p"] for test in tests]), strict=True):
        ahead = test["only_first"] > test["only_second"]
        word = f", {'better' if ahead else 'worse'}" if p < ALPHA else ""
        better += [f"{NAMES[data]} {rule}"] if word and ahead else []
        shown.append(f"{NAMES[data]} {rule} p = {small(p)}{word}")
    return judge_none(better), f"against DAGSVM, by Holm: {'; '.join(shown)}"


def max_wins_on_covertype(results: Results) -> Claim:
    """Errors on Covertype."""
    error = {rule: results.value("covertype", rule, "error") for rule in RULES}
    others = (ONE_VS_REST, DAGSVM)
    p = dict(zip(others, holm([results.test("covertype", MAX_WINS, rule)["p"] for rule in others]), strict=True))
    shown = [f"{rule} {error[rule] - error[MAX_WINS]:+.2f} points (p = {small(p[rule])})" for rule in others]
    tests = {f"against {rule}": (error[rule] - error[MAX_WINS], float(p[rule])) for rule in others}
    return Claim(
        "On Covertype, Max Wins is slightly better than either of the other rules",
        judge_better(tests),
        f"Max Wins {error[MAX_WINS]:.2f} %; {', '.join(shown)}, by Holm",
        "Max Wins slightly better on Covertype",
        "Section 5",
    )


# ----------------------------------------------------------------- evaluation


def evaluations_tell_time(results: Results) -> Claim:
    """The order of the rules by kernel evaluations and by time."""
    parts, shown = {}, []
    for data, name in NAMES.items():
        agree = []
        for a, b in combinations(RULES, 2):
            counts, times = results.evaluation(data, a, b)
            shown.append(f"{name} {a} / {b} {counts:.2f} and {times.words()}")
            if max(counts, 1 / counts) > 1 + CLOSE_COUNTS.value:
                agree.append(times if counts > 1 else Span(1 / times.value, 1 / times.high, 1 / times.low))
        # The pair that is furthest from agreeing decides for the set.
        parts[data] = min(agree, key=lambda span: span.value) if agree else Span(2.0, 2.0, 2.0)
    return Claim(
        "The number of kernel evaluations is a good indication of evaluation time",
        of_spans(parts, lambda ratio: ratio > 1, ROUNDS),
        f"ratios of kernel evaluations and of the CPU time to answer: {'; '.join(shown)}",
        "Kernel evaluations tell evaluation time",
        "Section 5",
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
    says = "The reason is that the 1-v-1 machines share support vectors: without sharing, Max Wins would not be faster"
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
        shown=f"{claim.shown}; CPU time to answer: {per_set(times)}",
        others={**claim.others, "CPU time to answer": of_spans(times, _reaches(low), ROUNDS)},
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
    shown = "; ".join(f"{how}: {words}" for how, (_, words) in verdicts.items())
    others = {"One bank": BANK, "LIBSVM": LIBSVM, SMOOTHED: SMOOTH_LOOP}
    return Claim(says, verdicts[LOOP][0], shown, name, where, {n: verdicts[how][0] for n, how in others.items()})


def pairs_train_faster(results: Results) -> Claim:
    """Training time of 1-v-r over the slower of the two banks of pairs."""

    def judge(how: str) -> Judged:
        ratios = {
            data: min(
                (results.speedup(data, ONE_VS_REST, rule, how) for rule in (MAX_WINS, DAGSVM)), key=lambda s: s.value
            )
            for data in NAMES
        }
        return of_spans(ratios, lambda r: r > 1, ROUNDS), per_set(ratios, 1)

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
        own = {data: results.speedup(data, ONE_VS_REST, MAX_WINS, how) for data in BOTH}
        judgement = of_spans(ratios, lambda r: 1 / most <= r <= most, ROUNDS)
        return judgement, f"{per_set(own, 1)} times faster than 1-v-r; as against DAGSVM's {per_set(ratios, 1)}"

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
        return of_spans(ratios, lambda r: r > 1, ROUNDS), per_set(ratios)

    says = (
        "DAGSVM is substantially faster to train than Max Wins (Table 1 itself prints equal times for USPS and Covertype, "
        "where both have the same machines, and a longer one for Letter)"
    )
    return _by_clock(results, judge, says, "DAGSVM trains faster than Max Wins", "Abstract")


OF_SEARCH = (gaussian_best, similar_parameters)
OF_TABLE = (
    similar_errors,
    none_better,
    max_wins_on_covertype,
    evaluations_tell_time,
    max_wins_evaluates_less,
    sharing_is_the_reason,
    dagsvm_evaluates_least,
    evaluation_band,
    pairs_train_faster,
    training_speedup,
    similar_advantage,
    sharing_saves,
    comparable_size,
    faster_than_max_wins,
)
