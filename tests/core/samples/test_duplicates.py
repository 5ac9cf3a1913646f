"""Equal samples of a class are trained as one: the same optimum, shared out among them."""

import time
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from children import SLOWER
from helpers import LEVELS, problem_of
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.kernels import kernel_matrix

import dagmar
from dagmar.machines.training import TrainSettings, train
from dagmar.problem.tasks import all_pairs, each_against_rest


def few_values(seed, n, n_classes=3, n_features=4):
    """Samples of few values, so that many are equal, in one class and in several."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    return (rng.integers(0, 3, size=(n, n_features)) + (y[:, None] == np.arange(n_features))).astype(float), y


def groups_of(X, y):
    """The number of the group of each sample, and the first sample of each group."""
    _, first, group = np.unique(np.column_stack([X, y]), axis=0, return_index=True, return_inverse=True)
    return group.ravel(), first


def multipliers(problem, machines, m):
    """The multipliers of machine m for every sample of X."""
    lam = np.zeros(len(problem.order))
    here = slice(machines.begin[m], machines.begin[m + 1])
    lam[problem.order[machines.sample[here]]] = np.abs(machines.coef[here])
    return lam


def gap_of(K, s, lam, cap):
    """The KKT gap over all samples."""
    scores = s - K @ (s * lam)
    grows, shrinks = lam < cap, lam > 0
    up, low = np.where(s > 0, grows, shrinks), np.where(s > 0, shrinks, grows)
    return scores[up].max() - scores[low].min()


def same_machines(a, b):
    """Whether two trainings are equal to the bit."""
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("begin", "sample", "coef", "bias"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("tasks", [all_pairs, each_against_rest])
def test_the_multipliers_of_equal_samples_are_those_of_one_with_the_sum_of_their_caps(tasks, precision, dtype):
    """Training without the duplicates, with weights that count them, has the same bits."""
    X, y = few_values(1, 300)
    X = X.astype(dtype)
    group, first = groups_of(X, y)
    order = np.sort(first)  # as the samples are met
    count = np.bincount(group).astype(float)
    whole = problem_of(X, y, C=2.0, gamma=0.3, precision=precision)
    part = problem_of(X[order], y[order], C=2.0, gamma=0.3, precision=precision, weight=count[group[order]])
    # Sample means differ, and so do the errors that were measured.
    part = replace(part, centre=whole.centre, kernel_error=whole.kernel_error, double_error=whole.double_error)
    part = replace(part, kernel=whole.kernel, codes=whole.codes)
    found, expected = (train(p, tasks(3), TrainSettings()) for p in (whole, part))
    assert len(order) < 0.9 * len(y)
    assert found.report.converged.all()
    np.testing.assert_array_equal(found.bias, expected.bias)
    for m in range(len(tasks(3))):
        lam = multipliers(whole, found, m)
        assert (lam <= 2.0).all()
        sums = np.bincount(group, weights=lam)
        np.testing.assert_allclose(sums[group[order]], multipliers(part, expected, m), rtol=1e-14)


@given(seed=st.integers(0, 10_000), C=st.sampled_from([0.1, 1.0, 30.0]), weighted=st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_answer_is_optimal_for_the_samples_as_given(seed, C, weighted):
    """Every multiplier is within its own cap, they balance, and the KKT gap over all samples is below tol."""
    X, y = few_values(seed, 60, n_classes=2)
    rng = np.random.default_rng(seed)
    weight = rng.choice([0.0, 0.5, 1.0, 3.0], size=len(y)) if weighted else np.ones(len(y))
    weight[:2] = 1.0  # of each class
    problem = problem_of(X, y, C=C, gamma=0.4, weight=weight)
    machines = train(problem, all_pairs(2), TrainSettings())
    lam, cap, s = multipliers(problem, machines, 0), C * weight, np.where(y == 1, 1.0, -1.0)
    assert (lam <= cap).all()
    assert abs(s @ lam) <= 1e-12 * (1.0 + lam.sum())
    assert gap_of(kernel_matrix("rbf", X, X, 0.4), s, lam, cap) < 1e-3 + 1e-9


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_sparse_samples_are_the_same_model(kernel):
    """Equal rows are found in CSR form, too, also where explicit zeros hide some; rows without numbers are equal."""
    X, y = few_values(3, 240)
    X[::9] = 0.0
    stored = sp.csr_matrix(X)
    stored.data[::17] = 0.0
    X = stored.toarray()
    for norms in (True, False):
        dense, sparse = (problem_of(A, y, C=2.0, kernel=kernel, gamma=0.3) for A in (X, stored))
        if not norms:
            dense, sparse = replace(dense, norms=None), replace(sparse, norms=None)
        banks = [train(p, all_pairs(3), TrainSettings(tol=1e-8)) for p in (dense, sparse)]
        np.testing.assert_allclose(banks[0].report.objective, banks[1].report.objective, rtol=1e-9)
    group = groups_of(X, y)[0]
    for m in range(3):
        sums = [np.bincount(group, weights=multipliers(dense, bank, m)) for bank in banks]
        if kernel == "rbf":  # where the optimum is unique
            np.testing.assert_allclose(sums[0], sums[1], atol=1e-5)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e9])
def test_many_samples_of_equal_norms_take_little_time(scale):
    """Samples of yes and no have few different norms; to compare each with each would take minutes."""
    rng = np.random.default_rng(4)
    X = scale * rng.permuted(np.tile(np.arange(40) % 2, (60_000, 1)), axis=1)
    y = np.arange(len(X)) % 2
    problem = replace(problem_of(X, y, C=1.0, gamma=1.0 / scale**2), norms=np.ones(len(X)))
    began = time.perf_counter()
    train(problem, all_pairs(2), TrainSettings(max_iter=1))
    assert time.perf_counter() - began < 20.0 * SLOWER


def test_the_first_of_equal_samples_takes_what_it_may():
    """At most one of a group is between its bounds; those before it are at their caps, those behind it at 0."""
    X, y = few_values(5, 400, n_classes=2)
    weight = np.tile([0.1, 0.7, 0.3], len(y))[: len(y)]  # three of them do not add up exactly
    problem = problem_of(X, y, C=1.0, gamma=0.4, weight=weight)
    machines = train(problem, all_pairs(2), TrainSettings())
    lam, group = multipliers(problem, machines, 0), groups_of(X, y)[0]
    full = 0
    for g in np.unique(group):
        own, caps = lam[group == g], weight[group == g]
        between = np.flatnonzero((own > 0) & (own < caps))
        assert len(between) <= 1
        ends = between[0] if len(between) else np.count_nonzero(own)
        np.testing.assert_array_equal(own[:ends], caps[:ends])
        assert not own[ends + 1 :].any()
        full += len(own) > 2 and len(between) == 0 and own.all()
    assert full > 3


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_threads_memory_and_norms_do_not_change_a_bit(n_jobs):
    """Duplicates are found by norms, or by other keys where there are none, or where many norms are equal."""
    X, y = few_values(2, 9000, n_classes=4, n_features=6)
    problem = problem_of(X, y, C=1.0, gamma=0.3, precision="single")
    expected = train(problem, all_pairs(4), TrainSettings())
    for norms in (problem.norms, None, np.zeros(len(y)), np.full(len(y), np.nan)):
        for memory in (1.0, 2.0**24):
            other = train(replace(problem, norms=norms), all_pairs(4), TrainSettings(memory=memory, n_threads=n_jobs))
            assert same_machines(expected, other)


@pytest.mark.parametrize("level", LEVELS)
def test_no_instruction_set_merges_what_differs(level):
    """Samples that differ in one feature, by the last bit or the sign of a zero, stay apart, whatever their norms."""
    X = np.zeros((64, 9))
    X[:, 0] = 1.0
    X[::4, 8] = np.nextafter(0.0, 1.0)
    X[1::4, 8] = -np.nextafter(0.0, 1.0)
    X[2::4, 4] = 0.5
    X[3::4, 5] = 0.5
    y = np.arange(64) // 32
    problem = replace(problem_of(X, y, C=1.0, gamma=1.0), norms=np.ones(64))
    machines = train(problem, all_pairs(2), TrainSettings(level=level))
    lam = multipliers(problem, machines, 0)
    np.testing.assert_array_equal(lam, np.ones(64))  # the classes are equal, so every sample ends at its cap
    X[32:, 1] = 1.0  # now they are not, and the multipliers of merged samples would be wrong
    problem = replace(problem_of(X, y, C=1.0, gamma=1.0), norms=np.ones(64))
    lam = multipliers(problem, train(problem, all_pairs(2), TrainSettings(level=level)), 0)
    assert gap_of(kernel_matrix("rbf", X, X, 1.0), np.where(y == 1, 1.0, -1.0), lam, np.ones(64)) < 1e-3 + 1e-9


def test_public_attributes_of_equal_samples_are_as_in_scikit_learn():
    """Weights of 2 and samples given twice are the same model; coefficients stay within C."""
    X, y = few_values(7, 150)
    twice = dagmar.SVC(C=3.0, gamma=0.2).fit(np.concatenate([X, X]), np.concatenate([y, y]))
    weighted = dagmar.SVC(C=3.0, gamma=0.2).fit(X, y, sample_weight=np.full(len(y), 2.0))
    np.testing.assert_allclose(twice.decision_function(X), weighted.decision_function(X), atol=3e-3)
    np.testing.assert_allclose(twice.report_.objective, weighted.report_.objective, rtol=1e-4)
    assert np.abs(twice.dual_coef_).max() <= 3.0
    assert np.abs(weighted.dual_coef_).max() <= 6.0
