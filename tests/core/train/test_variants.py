"""Several problems over the same samples in one call: each is solved as if it were alone, in fewer steps."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import letter_like, problem_of, train_bank
from reference import smo
from reference.kernels import kernel_matrix

from dagmar.machines.training import TrainSettings, Variants, assemble, train_variants
from dagmar.machines.training import train as train_machines
from dagmar.problem.per_pair import PerPair
from dagmar.problem.problem import caps
from dagmar.problem.tasks import all_pairs, each_against_rest

TOL = 1e-3
CS = [0.5, 2.0, 4.0, 8.0]
N_FOLDS = 3
PRECISIONS = ["single", "double"]


@pytest.fixture(scope="module")
def data():
    """Four classes that overlap, so that multipliers end at their caps and between."""
    return letter_like(seed=8, n_classes=4, per_class=60)


def search(problem, warm=True):
    """Every fold with every C, from the small C to the large: the caps of samples of the fold are 0."""
    fold = np.random.default_rng(1).integers(N_FOLDS, size=len(problem.order))
    cap = np.array([C * (fold != f) for f in range(N_FOLDS) for C in CS])
    first = np.arange(len(cap)) % len(CS) == 0
    start = np.where(first | (not warm), -1, np.arange(len(cap)) - 1).astype(np.int32)
    return Variants(cap, start, np.where(first, 1.0, np.tile(np.divide(CS, np.roll(CS, 1)), N_FOLDS)))


def gap_of(problem, classes, sides, cap, sample, coef):
    """How far from optimal a machine is, in NumPy, and its values without bias on all samples in class order."""
    X = problem.X[problem.order]
    here = np.flatnonzero(np.isin(np.repeat(np.arange(problem.n_classes), np.diff(problem.class_start)), classes))
    side = np.zeros(problem.n_classes)
    side[classes] = sides
    s = np.repeat(side, np.diff(problem.class_start))[here]
    K = kernel_matrix("rbf", X, X[sample], problem.kernel.gamma)
    lam = np.zeros(len(X))
    lam[sample] = np.abs(coef)
    values = K @ coef
    top, bottom = smo.extremes(s, cap[here], lam[here], s * values[here] - 1.0)
    assert (lam <= cap).all()
    assert abs(coef.sum()) <= 1e-11 * max(1.0, np.abs(coef).sum())
    return top - bottom, values


@pytest.mark.parametrize("make_tasks", [all_pairs, each_against_rest])
@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_variant_is_solved(data, precision, make_tasks):
    """Started from a smaller C or not, each machine is within tol of optimal, and its values outside are NumPy's."""
    problem = problem_of(*data, precision=precision, tol=TOL)
    tasks, variants = make_tasks(4), search(problem)
    found, outside = train_variants(problem, tasks, TrainSettings(TOL), variants, outside=True)
    assert len(found) == len(outside) == len(variants.cap)
    for cap, machines, values in zip(variants.cap, found, outside, strict=True):
        assert machines.report.converged.all()
        expected = []
        for m in range(len(tasks)):
            entries = slice(machines.begin[m], machines.begin[m + 1])
            of = slice(tasks.begin[m], tasks.begin[m + 1])
            classes = tasks.classes[of]
            gap, all_values = gap_of(
                problem, classes, tasks.sides[of], cap, machines.sample[entries], machines.coef[entries]
            )
            assert gap < TOL * (1 + 1e-6)
            for c in classes:
                members = np.arange(problem.class_start[c], problem.class_start[c + 1])
                expected.append(all_values[members[cap[members] == 0]] + machines.bias[m])
        np.testing.assert_allclose(values, np.concatenate(expected), atol=1e-9 if precision == "double" else TOL / 2)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_starting_from_a_smaller_c_saves_steps(data, precision):
    """The objectives are those of cold starts, the steps fewer, the rows fewer still: variants share them."""
    problem = problem_of(*data, gamma=0.05, precision=precision, tol=TOL)
    tasks, variants = all_pairs(4), search(problem)
    warm, _ = train_variants(problem, tasks, TrainSettings(TOL), variants)
    cold, _ = train_variants(problem, tasks, TrainSettings(TOL), search(problem, warm=False))
    alone = [train_machines(replace(problem, cap=cap), tasks, TrainSettings(TOL)) for cap in variants.cap]
    for cap, a, b, c in zip(variants.cap, warm, cold, alone, strict=True):
        for name in ("begin", "sample", "coef", "bias"):
            np.testing.assert_array_equal(getattr(b, name), getattr(c, name), err_msg=name)
        np.testing.assert_allclose(a.report.objective, b.report.objective, atol=TOL * cap.sum(), rtol=1e-4)

    def total(lots, what):
        return sum(getattr(machines.report, what).sum() for machines in lots)

    assert total(warm, "iterations") < total(cold, "iterations")
    assert total(warm, "rows_computed") < 0.5 * total(alone, "rows_computed")


@pytest.mark.parametrize("n_threads", [1, 3])
def test_variants_do_not_depend_on_threads_or_memory(data, n_threads):
    """Their bits are the same in any way, and every task is reported once."""
    problem = problem_of(*data, precision="single", tol=1e-5)  # refined some of them
    tasks, variants = all_pairs(4), search(problem)
    told = []
    first, values = train_variants(problem, tasks, TrainSettings(1e-5), variants, outside=True)
    other, again = train_variants(
        problem, tasks, TrainSettings(1e-5, -1, 2.0**15, n_threads), variants, outside=True, finished=told.extend
    )
    assert sorted(told) == list(range(len(tasks)))
    np.testing.assert_array_equal(np.concatenate(values), np.concatenate(again))
    for a, b in zip(first, other, strict=True):
        for name in ("begin", "sample", "coef", "bias"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


@pytest.mark.parametrize("start", [[1, -1], [0, -1], [-1, 1]])
def test_variant_cannot_start_from_a_later_one(data, start):
    """Only what is solved already can be a start: neither a later variant nor the variant itself."""
    problem = problem_of(*data)
    variants = Variants(np.stack([problem.cap] * 2), np.array(start, dtype=np.int32), np.ones(2))
    with pytest.raises(ValueError, match="an earlier one"):
        train_variants(problem, all_pairs(4), TrainSettings(), variants)


# ------------------------------------------------- tasks with numbers of their own


@pytest.mark.parametrize("precision", PRECISIONS)
def test_gamma_of_a_task_is_that_of_a_problem(data, precision):
    """Each machine is to the bit the one trained alone with its gamma."""
    X, y = data
    gammas = [0.1, 0.5, 2.0, 0.7, 1.0, 0.3]
    tasks = all_pairs(4)
    own = PerPair.resolve(1.0, gammas, "rbf", 4)
    problem = replace(problem_of(X, y, C=5.0, gamma=max(gammas), precision=precision), per_pair=own)
    every = train_machines(problem, tasks, TrainSettings())
    for m, gamma in enumerate(gammas):
        one = replace(problem_of(X, y, C=5.0, gamma=gamma, precision=precision), kernel_error=problem.kernel_error)
        alone, machine = train_machines(one, tasks.select(np.array([m])), TrainSettings()), every.select(np.array([m]))
        for name in ("begin", "sample", "coef", "bias"):
            np.testing.assert_array_equal(getattr(machine, name), getattr(alone, name), err_msg=name)


def scaled(problem, scales):
    """The same problem, whose pairs have a C of their own."""
    return replace(problem, per_pair=PerPair.resolve(scales, 1.0, "rbf", problem.n_classes))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_scale_of_a_task_multiplies_its_caps(data, precision):
    """Each machine is to the bit the one trained with the product; samples of weight 0 stay out, whatever the scale."""
    X, y = data
    weight = np.random.default_rng(2).choice([0.0, 0.5, 2.0], size=len(y))
    scales = [0.25, 1.0, 8.0, 2.0, 0.5, 64.0]
    tasks = all_pairs(4)
    problem = problem_of(X, y, precision=precision, weight=weight)
    every = train_machines(scaled(problem, scales), tasks, TrainSettings())
    assert (problem.cap[every.sample] > 0).all()
    for m, scale in enumerate(scales):
        one = train_machines(replace(problem, cap=scale * problem.cap), tasks.select(np.array([m])), TrainSettings())
        for name in ("begin", "sample", "coef", "bias"):
            np.testing.assert_array_equal(getattr(every.select(np.array([m])), name), getattr(one, name), err_msg=name)


def test_infinite_scale_is_the_hard_margin(data):
    """An infinite C of one pair only, with weights of which some are 0: that pair alone has no caps."""
    X, y = data
    rng = np.random.default_rng(3)
    X = X + 4.0 * rng.normal(size=(4, X.shape[1]))[y]  # far apart
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 2.0)
    tasks, settings = all_pairs(4), TrainSettings(1e-6)
    problem = problem_of(X, y, gamma=0.001, weight=weight, tol=1e-6)
    machines = train_machines(scaled(problem, [np.inf, 0.01, 0.01, 0.01, 0.01, 0.01]), tasks, settings)
    assert machines.report.converged.all()
    assert (problem.cap[machines.sample] > 0).all()
    hard = machines.select(np.array([0]))
    assert np.abs(hard.coef).max() > 0.02
    assert np.abs(machines.select(np.arange(1, 6)).coef).max() <= 0.02
    values = kernel_matrix("rbf", X, X[problem.order[hard.sample]], 0.001) @ hard.coef + hard.bias
    counts = (y < 2) & (weight > 0)
    assert ((2 * y - 1) * values)[counts].min() == pytest.approx(1.0, abs=1e-5)


def test_infinite_caps_with_weight_zero_and_a_finite_scale(data):
    """Infinite caps stay infinite and zeros stay zero under any scale."""
    X, y = data
    X = X + 4.0 * np.random.default_rng(3).normal(size=(4, X.shape[1]))[y]
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    problem = problem_of(X, y, gamma=0.001, weight=weight)
    problem = replace(problem, cap=caps(np.inf, weight[problem.order]))
    plain = train_bank(problem, all_pairs(4), TrainSettings())[0]
    other = assemble(problem, train_machines(scaled(problem, [0.5] * 6), all_pairs(4), TrainSettings()))
    for name in ("support", "coef", "bias"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(other, name), err_msg=name)
