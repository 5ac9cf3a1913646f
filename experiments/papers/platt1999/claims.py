"""What the paper claims, and whether it held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...statistics import ALPHA, holm
from ..report import Claim
from ..rule import (
    COMPARABLE_SIZE,
    NEAR_EXPONENT,
    SIMILAR_C,
    SIMILAR_SIGMA,
    TWICE,
    Judgement,
    judge_better,
    judge_none,
    judge_parts,
)
from .checks import READING, nearest_reading, speedup
from .published import (
    DAGSVM,
    EVALUATION_SPEEDUP,
    EXPONENT,
    MAX_WINS,
    NAMES,
    ONE_VS_REST,
    RULES,
    TRAINING_SPEEDUP,
)
from .results import Results, published_spread, small
from .study import FAMILIES, SMOOTHED

Judged = tuple[Judgement, str]
BOTH = ("usps", "letter")  # the text says "both data sets"; of Covertype it speaks by name
SMOOTH = f"USPS images smoothed by {SMOOTHED:g} pixels"


def claims(results: Results) -> list[Claim]:
    """All claims, in the paper's order."""
    found = [judged(says, judge, results) for says, judge in BY_IMAGES]
    found += [orders(results), power_law(results), single_machine(results)]
    if results.searched:
        found += [judged(says, judge, results) for says, judge in OF_SEARCH]
    return found


def judged(says: str, judge: Callable[[Results, bool], Judged], results: Results) -> Claim:
    """A claim on USPS images as stored; where smoothed images would change the verdict, this is added."""
    (judgement, shown), (other, other_shown) = judge(results, False), judge(results, True)
    if judgement.verdict is not other.verdict:
        shown += f". With {SMOOTH}: {other}; {other_shown}"
    return Claim(says, judgement, shown)


def of_sets(parts: dict[str, bool]) -> Judgement:
    """A claim about the data sets."""
    return judge_parts({NAMES[data]: held for data, held in parts.items()})


def per_set(values: dict[str, float], digits: int = 2) -> str:
    """Numbers of the three data sets, in words."""
    return ", ".join(f"{NAMES[data]} {value:.{digits}f}" for data, value in values.items())


def similar_errors(results: Results, smoothed: bool) -> Judged:
    """The widest distance between errors on a set, against the published one."""
    spread = {}
    for data in BOTH:
        errors = [results.value(data, rule, "error", smoothed) for rule in RULES]
        spread[data] = max(errors) - min(errors)
    published = {data: published_spread(data) for data in BOTH}
    parts = {data: points <= max(published.values()) + 1e-9 for data, points in spread.items()}
    return of_sets(parts), f"points between best and worst: {per_set(spread)}; published: {per_set(published, 1)}"


def none_better(results: Results, smoothed: bool) -> Judged:
    """McNemar between DAGSVM and the others."""
    cases = [(data, rule) for data in ("usps", "letter") for rule in (ONE_VS_REST, MAX_WINS)]
    tests = [results.test(data, rule, DAGSVM, smoothed) for data, rule in cases]
    better, shown = [], []
    for (data, rule), test, p in zip(cases, tests, holm([test["p"] for test in tests]), strict=True):
        ahead = test["only_first"] > test["only_second"]
        word = f", {'better' if ahead else 'worse'} than DAGSVM" if p < ALPHA else ""
        better += [f"{NAMES[data]} {rule}"] if word and ahead else []
        shown.append(f"{NAMES[data]} {rule} p = {p:.2g}{word}")
    return judge_none(better), f"by Holm over the four tests: {'; '.join(shown)}"


def max_wins_on_covertype(results: Results, smoothed: bool) -> Judged:
    """Errors on Covertype; it is the same whatever USPS is."""
    error = {rule: results.value("covertype", rule, "error") for rule in RULES}
    others = (ONE_VS_REST, DAGSVM)
    p = dict(zip(others, holm([results.test("covertype", MAX_WINS, rule)["p"] for rule in others]), strict=True))
    shown = [f"{rule} {error[rule] - error[MAX_WINS]:+.2f} points (p = {small(p[rule])} by Holm)" for rule in others]
    tests = {f"against {rule}": (error[rule] - error[MAX_WINS], float(p[rule])) for rule in others}
    return judge_better(tests), f"Max Wins {error[MAX_WINS]:.2f} %; {', '.join(shown)}"


def max_wins_evaluates_less(results: Results, smoothed: bool) -> Judged:
    """Kernel evaluations of 1-v-r over those of Max Wins."""
    ratios = results.ratios("kernel_evaluations", ONE_VS_REST, MAX_WINS, smoothed)
    return _above(ratios, 1), f"kernel evaluations of 1-v-r over those of Max Wins: {per_set(ratios)}"


def dagsvm_evaluates_least(results: Results, smoothed: bool) -> Judged:
    """Kernel evaluations of the better of the others over those of DAGSVM."""
    ratios = {
        data: min(results.ratio(data, "kernel_evaluations", rule, DAGSVM, smoothed) for rule in (ONE_VS_REST, MAX_WINS))
        for data in NAMES
    }
    return _above(ratios, 1), f"kernel evaluations of the next best over those of DAGSVM: {per_set(ratios)}"


def evaluation_band(results: Results, smoothed: bool) -> Judged:
    """Kernel evaluations of Max Wins over those of DAGSVM."""
    ratios = results.ratios("kernel_evaluations", MAX_WINS, DAGSVM, smoothed)
    others = results.ratio("usps", "kernel_evaluations", MAX_WINS, DAGSVM, not smoothed)
    reading = nearest_reading(results)
    lighter = speedup(results.found[f"{READING}{reading}"])
    return (
        _at_least(ratios, EVALUATION_SPEEDUP[0]),
        f"{per_set(ratios)}; USPS images {'as stored' if smoothed else 'smoothed'} {others:.2f}; Covertype with {reading} "
        f"{lighter:.2f}",
    )


def pairs_train_faster(results: Results, smoothed: bool) -> Judged:
    """Training time of 1-v-r over the slower of the two banks of pairs."""
    ratios = {
        data: min(results.ratio(data, "cpu_seconds", ONE_VS_REST, rule, smoothed) for rule in (MAX_WINS, DAGSVM))
        for data in NAMES
    }
    return _above(ratios, 1), f"time of 1-v-r over that of the slower bank of pairs: {per_set(ratios, 1)}"


def training_speedup(results: Results, smoothed: bool) -> Judged:
    """Training time of 1-v-r over that of DAGSVM."""
    ratios = results.ratios("cpu_seconds", ONE_VS_REST, DAGSVM, smoothed)
    parts = {data: round(ratios[data], 1) >= least for data, least in TRAINING_SPEEDUP.items()}
    return of_sets(parts), per_set(ratios, 1)


def comparable_size(results: Results, smoothed: bool) -> Judged:
    """Parameters of DAGSVM over those of 1-v-r."""
    ratios = results.ratios("parameters", DAGSVM, ONE_VS_REST, smoothed)
    most = COMPARABLE_SIZE.value
    return of_sets({data: 1 / most <= r <= most for data, r in ratios.items()}), f"DAGSVM over 1-v-r: {per_set(ratios)}"


def _above(ratios: dict[str, float], least: float) -> Judgement:
    return of_sets({data: ratio > least for data, ratio in ratios.items()})


def _at_least(ratios: dict[str, float], least: float) -> Judgement:
    """A published range of an advantage: ratios, as the paper rounds them, reach its lower end. More is no failure."""
    return of_sets({data: round(ratio, 1) >= least for data, ratio in ratios.items()})


BY_IMAGES: list[tuple[str, Callable[[Results, bool], Judged]]] = [
    ("The error rates of the three rules are similar, on USPS and Letter", similar_errors),
    ("Neither 1-v-r nor Max Wins is significantly better than DAGSVM on USPS or Letter", none_better),
    ("On Covertype, Max Wins is slightly better than both others", max_wins_on_covertype),
    ("Max Wins needs fewer kernel evaluations than 1-v-r", max_wins_evaluates_less),
    ("DAGSVM needs the fewest kernel evaluations", dagsvm_evaluates_least),
    ("DAGSVM needs 1.6 to 2.3 times fewer kernel evaluations than Max Wins", evaluation_band),
    ("One-vs-one trains faster than 1-v-r on every set", pairs_train_faster),
    ("DAGSVM trains 11.5 and 2.2 times faster than 1-v-r, on USPS and Letter", training_speedup),
    ("DAGSVM and 1-v-r are of comparable size", comparable_size),
]


def orders(results: Results) -> Claim:
    """Other orders of the list of classes."""
    shown, differ = [], []
    for data, name in NAMES.items():
        check = results.found[f"checks/orders/{data}"]
        p, adjusted = results.order_tests(data)
        strict = sum(q < ALPHA for q in adjusted)
        differ += [name] if strict else []
        change = max(abs(o["error"] - check["natural_error"]) for o in check["orders"])
        shown.append(
            f"{name}: error moves by at most {change:.3f} points, {sum(q < ALPHA for q in p)} of {len(p)} orders differ at "
            f"{ALPHA:g}, {strict} after Holm's correction"
        )
    says = "Other orders of the classes make no significant difference to DAGSVM"
    return Claim(says, judge_none(differ), "; ".join(shown))


def power_law(results: Results) -> Claim:
    """The exponent of training time; beside it that of the count of what a solver does in every step."""
    seconds, updates = (results.exponents(what) for what in ("cpu_seconds", "gradient_updates"))
    libsvm = [results.libsvm_law(data, "one_machine").exponent for data in NAMES]
    by_seconds, by_updates = (
        judge_parts({name: abs(g - EXPONENT) < NEAR_EXPONENT.value for name, g in of.items()})
        for of in (seconds, updates)
    )
    words = [", ".join(f"{name} {g:.2f}" for name, g in of.items()) for of in (seconds, updates)]
    return Claim(
        f"Training time is a power of the number of samples, with exponent about {EXPONENT}",
        by_seconds,
        f"CPU seconds: {words[0]}; LIBSVM's 1-v-r machines: {min(libsvm):.2f} to {max(libsvm):.2f}. By gradient entries "
        f"updated: {by_updates.verdict.value}; {words[1]}",
    )


def single_machine(results: Results) -> Claim:
    """What all pairs take, against one machine of 1-v-r."""
    ours = {data: results.in_single_machines(data) for data in NAMES}
    libsvm = {data: results.libsvm_in_single_machines(data) for data in NAMES}
    return Claim(
        "Training all pairs takes only twice as long as training a single 1-v-r machine",
        of_sets({data: ratio < TWICE.value for data, ratio in ours.items()}),
        f"time of all pairs over that of one machine: {per_set(ours, 1)}; by LIBSVM: {per_set(libsvm, 1)}",
    )


def gaussian_best(results: Results, smoothed: bool) -> Judged:
    """The family of kernels chosen by the hold-out."""
    parts, lost = {}, []
    for data, name in NAMES.items():
        for rule in RULES:
            winner = results.winner(data, rule, smoothed)
            parts[f"{name} {rule}"] = winner == FAMILIES[0]
            if winner != FAMILIES[0]:
                errors = [results.chosen(data, rule, f, smoothed)["validation_error"] for f in (winner, FAMILIES[0])]
                lost.append(f"{name} {rule}: {winner} {errors[0]:.2f} % against {errors[1]:.2f} %")
    best = sum(parts.values())
    judgement = _qualified(results, judge_parts(parts), smoothed, FAMILIES)
    return judgement, "; ".join([f"best in {best} of {len(parts)} choices by the hold-out", *lost])


def similar_parameters(results: Results, smoothed: bool) -> Judged:
    """Whether the rules choose alike."""
    shown, parts = [], {}
    for data, name in NAMES.items():
        best = [results.chosen(data, rule, FAMILIES[0], smoothed) for rule in RULES]
        sigmas, Cs = [b["sigma"] for b in best], [b["C"] for b in best]
        if data in BOTH:
            parts[data] = max(sigmas) / min(sigmas) < SIMILAR_SIGMA.value and max(Cs) / min(Cs) < SIMILAR_C.value
        shown.append(f"{name} {', '.join(f'{sigma:.3g} / {C:g}' for sigma, C in zip(sigmas, Cs, strict=True))}")
    judgement = _qualified(results, of_sets(parts), smoothed, FAMILIES[:1])
    return judgement, f"sigma / C of {', '.join(RULES)}: {'; '.join(shown)}"


def _qualified(results: Results, judgement: Judgement, smoothed: bool, families: Sequence[str]) -> Judgement:
    """Say in how many cells of a search some machine did not converge."""
    steps = [results.search(data, rule, family, smoothed) for data in NAMES for rule in RULES for family in families]
    stopped, cells = sum(step["stopped"] for step in steps), sum(len(step["cells"]) for step in steps)
    return (
        replace(judgement, qualified=f"{stopped} of {cells} cells of the search did not converge")
        if stopped
        else judgement
    )


OF_SEARCH: list[tuple[str, Callable[[Results, bool], Judged]]] = [
    ("A Gaussian kernel was always best", gaussian_best),
    ("The best parameters of the three rules are very similar, on USPS and Letter", similar_parameters),
]
