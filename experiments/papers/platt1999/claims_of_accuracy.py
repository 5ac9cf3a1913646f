"""Claims of Section 5 on kernels and accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...statistics import ALPHA, holm
from ..report import Claim
from ..rule import CLOSE, SIMILAR_C, SIMILAR_SIGMA, Judgement, judge_better, judge_none
from .judging import Judged, by_images, of_sets, per_set
from .published import BOTH, DAGSVM, MAX_WINS, NAMES, ONE_VS_REST, RULES
from .results import Results, published_spread, small
from .study import FAMILIES

# -------------------------------------------------------------------- kernels


def gaussian_best(results: Results) -> Claim:
    """McNemar on the hold-out between the best Gaussian and the best polynomial."""
    return by_images(results, _gaussian_best, "The Gaussian kernel was always found to be best", "Gaussian always best")


def _gaussian_best(results: Results, smoothed: bool) -> Judged:
    cases = [(data, rule) for data in NAMES for rule in RULES]
    p = holm([results.family_test(*case, smoothed)["p"] for case in cases])
    tests = {}
    for (data, rule), q in zip(cases, p, strict=True):
        families = FAMILIES[0], results.best_polynomial(data, rule, smoothed)
        ours, other = (results.chosen(data, rule, f, smoothed)["validation_error"] for f in families)
        tests[f"{NAMES[data]} {rule}"] = (other - ours, float(q))
    judgement = _qualified(results, judge_better(tests), smoothed, FAMILIES)
    least = sum(gain >= 0 for gain, _ in tests.values())
    return judgement, (
        f"the best Gaussian errs no more than the best polynomial in {least} of {len(tests)} choices by the hold-out; tests by "
        "McNemar and Holm"
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


OF_SEARCH = (gaussian_best, similar_parameters)
OF_ACCURACY = (similar_errors, none_better, max_wins_on_covertype)
