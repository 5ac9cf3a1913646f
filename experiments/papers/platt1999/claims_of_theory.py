"""Claims of the introduction and of Sections 3 and 4: classes, margins, orders, and the time of training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...statistics import ALPHA, exact_mcnemar, holm
from ..report import Claim
from ..rule import NEAR_EXPONENT, TWICE, YES, Judgement, decided, judge_better, judge_none
from .judging import brief, of_sets, of_spans, per_set
from .published import DAGSVM, EXPONENT, MAX_WINS, NAMES, ONE_VS_REST
from .results import BANK, LIBSVM, LOOP, Results, small
from .spans import Span

ROUNDS, DRAWN = "the rounds", "the draws of classes"


def near(exponent: int) -> Callable[[float], bool]:
    """Whether a number is about a whole one."""
    return lambda g: abs(g - exponent) < NEAR_EXPONENT.value


def linear_in_classes(results: Results) -> Claim:
    """1-v-r over the number of classes."""
    by = {how: {data: results.class_exponents(data, "1-v-r", how) for data in NAMES} for how in (LOOP, BANK)}
    judgement = of_spans(by[LOOP], near(1), DRAWN)
    return Claim(
        "The training time of 1-v-r grows linearly with the number of classes N",
        judgement,
        f"exponent of N with the same number of rows in all, mean and range over draws of classes: {per_set(by[LOOP])}",
        "1-v-r: time linear in classes",
        "Section 1",
        {"One bank": brief(of_spans(by[BANK], near(1), DRAWN), judgement)},
    )


def unregularized_overfits(results: Results) -> Claim:
    """A C that allows no training error, against the published C."""
    judgement, shown = _overfits(results, (MAX_WINS, DAGSVM))
    return Claim(
        "One-vs-one tends to overfit unless its machines are carefully regularized, as in SVMs",
        judgement,
        shown,
        "Unregularized one-vs-one overfits",
        "Section 1",
        {"1-v-r": brief(_overfits(results, (ONE_VS_REST,))[0], judgement)},
    )


def _overfits(results: Results, rules: tuple[str, ...]) -> tuple[Judgement, str]:
    cases = {
        f"{name} {rule}": results.found[f"regularization/{data}"]["rules"][rule]
        for data, name in NAMES.items()
        for rule in rules
    }
    p = holm(
        [exact_mcnemar(of["mcnemar"]["only_first"], of["mcnemar"]["only_second"]).p_value for of in cases.values()]
    )
    tests, shown = {}, []
    for (name, of), q in zip(cases.items(), p, strict=True):
        old, new = of["published"], of["large"]
        # No overfitting where the training rows are not fitted better.
        tests[name] = (new["error"] - old["error"], float(q) if new["train_error"] < old["train_error"] else 1.0)
        shown.append(f"{name} {tests[name][0]:+.2f} (p = {small(q)})")
    judgement = judge_better(tests)
    late = sum(not of[which]["converged"] for of in cases.values() for which in ("published", "large"))
    if late:
        judgement = replace(judgement, qualified=f"{late} of {2 * len(cases)} banks did not converge")
    return judgement, "points of test error from the published C to C = 1e6, by Holm: " + "; ".join(shown)


def superlinear_size(results: Results) -> Claim:
    """The size of all pairs over the number of classes."""
    exponents = {data: results.size_exponents(data) for data in NAMES}
    tests = {
        NAMES[data]: (Span.mean(of).value - 1, exact_mcnemar(sum(g > 1 for g in of), sum(g < 1 for g in of)).p_value)
        for data, of in exponents.items()
    }
    sets = judge_better(tests)
    return Claim(
        "The size of a one-vs-one classifier may grow superlinearly with N",
        decided(YES in sets.parts.values()),
        "exponent of N in the number of parameters, mean and range over draws of classes: "
        f"{per_set({data: Span.mean(of) for data, of in exponents.items()})}; 'may' is shown by one set",
        "One-vs-one may grow faster than classes",
        "Section 1",
    )


def margins_and_accuracy(results: Results) -> Claim:
    """D' of a class against its error."""
    judgement, shown = _ranks(results)
    return Claim(
        "A DDAG whose j-nodes have large margins is accurate at identifying class j (Theorem 2)",
        judgement,
        f"rank correlation (Kendall's τ) of D′ = Σ 1/γ² over the j-nodes and the error rate of class j, by Holm: {shown}",
        "Larger margins, better accuracy on the class",
        "Section 3",
        {
            "Margins of machines that allow no training error": brief(_ranks(results, hard=True)[0], judgement),
            "Error as part of all samples, the theorem's ε": brief(_ranks(results, joint=True)[0], judgement),
        },
    )


def _ranks(results: Results, hard: bool = False, joint: bool = False) -> tuple[Judgement, str]:
    found = {name: results.margin_test(data, hard, joint) for data, name in NAMES.items()}
    p = holm([p for _, p, _ in found.values()])
    words = [
        f"{name} τ = {tau:.2f} over {n} classes (p = {small(q)})"
        if n > 1
        else f"{name} has {n} class{'' if n == 1 else 'es'} whose nodes all separate"
        for (name, (tau, _, n)), q in zip(found.items(), p, strict=True)
    ]
    tests = {name: (tau, float(q)) for (name, (tau, _, _)), q in zip(found.items(), p, strict=True)}
    return judge_better(tests), "; ".join(words)


def orders(results: Results) -> Claim:
    """Other orders of the list of classes."""
    shown, differ = [], []
    for data, name in NAMES.items():
        check = results.found[f"checks/orders/{data}"]
        p, adjusted = results.order_tests(data)
        strict = sum(q < ALPHA for q in adjusted)
        differ += [name] if strict else []
        change = max(abs(o["error"] - check["natural_error"]) for o in check["orders"])
        shown.append(f"{name}: error moves by at most {change:.3f} points, {strict} of {len(p)} orders differ by Holm")
    return Claim(
        "Other orders of the list of classes do not change the accuracy of DAGSVM significantly",
        judge_none(differ),
        "; ".join(shown),
        "Order of classes does not matter",
        "Section 4",
    )


def quadratic_in_samples(results: Results) -> Claim:
    """The exponent of the time of one machine."""
    loop, libsvm = (
        {data: results.loop_law(data, "one_machine", solver).exponent for data in NAMES}
        for solver in ("dagmar", "libsvm")
    )
    banks = {f"{NAMES[data]} {way}": results.law(data, way).exponent for data in NAMES for way in ("1-v-r", "1-v-1")}
    by_loop, by_libsvm, by_bank = (
        of_sets({name: near(EXPONENT)(g) for name, g in of.items()}) for of in (loop, libsvm, banks)
    )
    return Claim(
        f"The time to train an SVM is a power of the number of samples, with an exponent of about {EXPONENT}",
        by_loop,
        f"exponent for one machine of 1-v-r: {per_set(loop)}",
        "Training time quadratic in samples",
        "Section 4",
        {"LIBSVM": brief(by_libsvm, by_loop), "One bank": by_bank},
    )


def pairs_independent_of_classes(results: Results) -> Claim:
    """All pairs over the number of classes."""
    by = {how: {data: results.class_exponents(data, "1-v-1", how) for data in NAMES} for how in (LOOP, BANK)}
    judgement = of_spans(by[LOOP], near(0), DRAWN)
    return Claim(
        "The time to train all pairs does not depend on N",
        judgement,
        f"exponent of N with the same number of rows in all, mean and range over draws of classes: {per_set(by[LOOP])}",
        "One-vs-one: time independent of classes",
        "Section 4",
        {"One bank": brief(of_spans(by[BANK], near(0), DRAWN), judgement)},
    )


def two_single_machines(results: Results) -> Claim:
    """What all pairs take, against one machine of 1-v-r."""
    by = {how: {data: results.single_machines(data, how) for data in NAMES} for how in (LOOP, LIBSVM, BANK)}
    verdicts = {how: of_sets({data: ratio < TWICE.value for data, ratio in of.items()}) for how, of in by.items()}
    return Claim(
        "Training all pairs takes only twice as long as training a single 1-v-r machine",
        verdicts[LOOP],
        f"all pairs over one machine: {per_set(by[LOOP], 1)}",
        "All pairs cost two single machines",
        "Section 4",
        {"LIBSVM": brief(verdicts[LIBSVM], verdicts[LOOP]), "One bank": brief(verdicts[BANK], verdicts[LOOP])},
    )


OF_THEORY = (
    linear_in_classes,
    unregularized_overfits,
    superlinear_size,
    margins_and_accuracy,
    orders,
    quadratic_in_samples,
    pairs_independent_of_classes,
    two_single_machines,
)
