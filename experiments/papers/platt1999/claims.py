"""What the paper claims, and whether it held."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...statistics import ALPHA
from ..report import Claim
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
from .results import Results, published_spread
from .study import FAMILIES, SMOOTHED

Judged = tuple[bool, str]
IMAGES = {False: "as stored", True: f"smoothed by {SMOOTHED:g} pixels"}


def claims(results: Results) -> list[Claim]:
    """All claims, in the paper's order."""
    found = [claim for says, judge in BY_IMAGES for claim in judged(says, judge, results)]
    found += [orders(results), *power_law(results), single_machine(results)]
    if results.searched:
        found += [claim for says, judge in OF_SEARCH for claim in judged(says, judge, results)]
    return found


def judged(says: str, judge: Callable[[Results, bool], Judged], results: Results) -> Iterator[Claim]:
    """One claim on USPS images as stored; a second one on smoothed images, where that changes the verdict."""
    plain, smoothed = judge(results, False), judge(results, True)
    if plain[0] == smoothed[0]:
        yield Claim(says, *plain)
        return
    yield Claim(f"{says} (USPS images {IMAGES[False]})", *plain)
    yield Claim(f"{says} (USPS images {IMAGES[True]})", *smoothed)


def per_set(values: dict[str, float], digits: int = 2) -> str:
    """Numbers of the three data sets, in words."""
    return ", ".join(f"{NAMES[data]} {value:.{digits}f}" for data, value in values.items())


def similar_errors(results: Results, smoothed: bool) -> Judged:
    """The widest distance between errors on a set, against the widest in the paper."""
    spread = {}
    for data in NAMES:
        errors = [results.value(data, rule, "error", smoothed) for rule in RULES]
        spread[data] = max(errors) - min(errors)
    held = max(spread.values()) <= published_spread() + 1e-9
    return held, f"points between best and worst: {per_set(spread)}; in the paper at most {published_spread():.1f}"


def none_better(results: Results, smoothed: bool) -> Judged:
    """McNemar between DAGSVM and the others."""
    better, shown = [], []
    for data in ("usps", "letter"):
        for rule in (ONE_VS_REST, MAX_WINS):
            better.append(results.is_better(data, rule, DAGSVM, smoothed))
            worse = ", significantly worse" if results.is_better(data, DAGSVM, rule, smoothed) else ""
            p = results.test(data, rule, DAGSVM, smoothed)["p"]
            shown.append(f"{NAMES[data]} {rule} p = {p:.2g}{', significantly better' if better[-1] else worse}")
    return not any(better), "; ".join(shown)


def max_wins_on_covertype(results: Results, smoothed: bool) -> Judged:
    """Errors on Covertype; it is the same whatever USPS is."""
    error = {rule: results.value("covertype", rule, "error") for rule in RULES}
    others = (ONE_VS_REST, DAGSVM)
    shown = []
    for rule in others:
        p = results.test("covertype", MAX_WINS, rule)["p"]
        word = "significant" if results.is_better("covertype", MAX_WINS, rule) else "not significantly better"
        shown.append(f"{rule} {error[rule] - error[MAX_WINS]:+.2f} points (p = {p:.2g}, {word})")
    held = all(error[MAX_WINS] < error[rule] for rule in others)
    return held, f"Max Wins {error[MAX_WINS]:.2f} %; {', '.join(shown)}"


def max_wins_evaluates_less(results: Results, smoothed: bool) -> Judged:
    """Kernel evaluations of 1-v-r over those of Max Wins."""
    ratios = results.ratios("kernel_evaluations", ONE_VS_REST, MAX_WINS, smoothed)
    return min(ratios.values()) > 1, f"1-v-r needs so many times as many: {per_set(ratios)}"


def dagsvm_evaluates_least(results: Results, smoothed: bool) -> Judged:
    """Kernel evaluations of the better of the others over those of DAGSVM."""
    ratios = {
        data: min(results.ratio(data, "kernel_evaluations", rule, DAGSVM, smoothed) for rule in (ONE_VS_REST, MAX_WINS))
        for data in NAMES
    }
    return min(ratios.values()) > 1, f"the next best needs so many times as many: {per_set(ratios)}"


def evaluation_band(results: Results, smoothed: bool) -> Judged:
    """Kernel evaluations of Max Wins over those of DAGSVM."""
    ratios = results.ratios("kernel_evaluations", MAX_WINS, DAGSVM, smoothed)
    others = results.ratio("usps", "kernel_evaluations", MAX_WINS, DAGSVM, not smoothed)
    reading = nearest_reading(results)
    lighter = speedup(results.found[f"{READING}{reading}"])
    return (
        _inside(ratios, EVALUATION_SPEEDUP),
        f"{per_set(ratios)}; USPS images {IMAGES[not smoothed]} {others:.2f}; Covertype with {reading} {lighter:.2f}",
    )


def pairs_train_faster(results: Results, smoothed: bool) -> Judged:
    """Training time of 1-v-r over the slower of the two banks of pairs."""
    ratios = {
        data: min(results.ratio(data, "cpu_seconds", ONE_VS_REST, rule, smoothed) for rule in (MAX_WINS, DAGSVM))
        for data in NAMES
    }
    return min(ratios.values()) > 1, f"1-v-r takes at least so many times as long: {per_set(ratios, 1)}"


def training_band(results: Results, smoothed: bool) -> Judged:
    """Training time of 1-v-r over that of DAGSVM."""
    ratios = results.ratios("cpu_seconds", ONE_VS_REST, DAGSVM, smoothed)
    return _inside(ratios, TRAINING_SPEEDUP), per_set(ratios, 1)


def comparable_size(results: Results, smoothed: bool) -> Judged:
    """Parameters of DAGSVM over those of 1-v-r."""
    ratios = results.ratios("parameters", DAGSVM, ONE_VS_REST, smoothed)
    return _inside(ratios, (0.5, 2.0)), f"DAGSVM over 1-v-r: {per_set(ratios)}; comparable is taken as half to twice"


def _inside(ratios: dict[str, float], band: tuple[float, float]) -> bool:
    """Whether all ratios, as the paper rounds them, are in the band."""
    return all(band[0] <= round(ratio, 1) <= band[1] for ratio in ratios.values())


BY_IMAGES: list[tuple[str, Callable[[Results, bool], Judged]]] = [
    ("The error rates of the three rules are similar", similar_errors),
    ("Neither 1-v-r nor Max Wins is significantly better than DAGSVM on USPS or Letter (McNemar, 0.05)", none_better),
    ("On Covertype, Max Wins is slightly better than both others", max_wins_on_covertype),
    ("Max Wins needs fewer kernel evaluations than 1-v-r", max_wins_evaluates_less),
    ("DAGSVM needs the fewest kernel evaluations", dagsvm_evaluates_least),
    ("DAGSVM needs 1.6 to 2.3 times fewer kernel evaluations than Max Wins", evaluation_band),
    ("One-vs-one trains faster than 1-v-r on every set", pairs_train_faster),
    ("DAGSVM trains 2.2 to 11.5 times faster than 1-v-r", training_band),
    ("DAGSVM and 1-v-r are of comparable size", comparable_size),
]


def orders(results: Results) -> Claim:
    """Other orders of the list of classes."""
    shown, significant = [], 0
    for data, name in NAMES.items():
        check = results.found[f"checks/orders/{data}"]
        p, adjusted = results.order_tests(data)
        strict = sum(q < ALPHA for q in adjusted)
        significant += strict
        change = max(abs(o["error"] - check["natural_error"]) for o in check["orders"])
        shown.append(
            f"{name}: error moves by at most {change:.3f} points, {sum(q < ALPHA for q in p)} of {len(p)} orders differ at "
            f"{ALPHA:g}, {strict} after Holm's correction"
        )
    says = "Other orders of the classes make no significant difference to DAGSVM"
    return Claim(says, significant == 0, "; ".join(shown))


def power_law(results: Results) -> Iterator[Claim]:
    """The exponent of training time, by the clock and by the count of what a solver does in every step."""
    says = f"Training time is a power of the number of samples, with exponent about {EXPONENT}"
    libsvm = [results.libsvm_law(data, "one_machine").exponent for data in NAMES]
    for by, what in (("CPU seconds", "cpu_seconds"), ("gradient entries updated", "gradient_updates")):
        exponents = results.exponents(what)
        held = all(round(g) == EXPONENT for g in exponents.values())
        shown = ", ".join(f"{name} {g:.2f}" for name, g in exponents.items())
        also = f"; LIBSVM's 1-v-r machines: {min(libsvm):.2f} to {max(libsvm):.2f}" if what == "cpu_seconds" else ""
        yield Claim(f"{says} (by {by})", held, f"{shown}{also}; about {EXPONENT} is taken as what rounds to it")


def single_machine(results: Results) -> Claim:
    """What all pairs take, against one machine of 1-v-r."""
    ours = {data: results.in_single_machines(data) for data in NAMES}
    libsvm = {data: results.libsvm_in_single_machines(data) for data in NAMES}
    return Claim(
        "Training all pairs takes only twice as long as training a single 1-v-r machine",
        all(round(ratio) <= 2 for ratio in ours.values()),
        f"so many times as long: {per_set(ours, 1)}; by LIBSVM: {per_set(libsvm, 1)}",
    )


def gaussian_best(results: Results, smoothed: bool) -> Judged:
    """The family of kernels chosen by the hold-out."""
    lost = [
        f"{NAMES[data]} {rule}: {winner} "
        f"{results.chosen(data, rule, winner, smoothed)['validation_error']:.2f} % against "
        f"{results.chosen(data, rule, FAMILIES[0], smoothed)['validation_error']:.2f} %"
        for data in NAMES
        for rule in RULES
        if (winner := results.winner(data, rule, smoothed)) != FAMILIES[0]
    ]
    n = len(NAMES) * len(RULES)
    return not lost, "; ".join([f"best in {n - len(lost)} of {n} choices by the hold-out", *lost])


def similar_parameters(results: Results, smoothed: bool) -> Judged:
    """Whether the rules choose alike: apart by at most the factors in the paper, the square root of 2, and 10."""
    shown, held = [], True
    for data, name in NAMES.items():
        best = [results.chosen(data, rule, FAMILIES[0], smoothed) for rule in RULES]
        sigmas, Cs = [b["sigma"] for b in best], [b["C"] for b in best]
        held = held and max(sigmas) / min(sigmas) < 1.5 and max(Cs) / min(Cs) < 11
        shown.append(f"{name} {', '.join(f'{sigma:.3g} / {C:g}' for sigma, C in zip(sigmas, Cs, strict=True))}")
    return held, f"sigma / C of {', '.join(RULES)}: {'; '.join(shown)}"


OF_SEARCH: list[tuple[str, Callable[[Results, bool], Judged]]] = [
    ("A Gaussian kernel was always best", gaussian_best),
    ("The best parameters of the three rules are very similar", similar_parameters),
]
