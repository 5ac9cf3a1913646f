"""The training problem: samples in class order, with caps and a precision."""

import numpy as np
from helpers import blobs, problem_of, train_bank, values_of

from dagmar.machines.training import TrainSettings
from dagmar.problem.tasks import all_pairs


def test_caps_follow_the_samples(rng):
    """Each cap stands where its sample stands."""
    y, weight = rng.integers(0, 3, 30), rng.random(30)
    problem = problem_of(rng.normal(size=(30, 2)), y, C=2.0, weight=weight)
    np.testing.assert_allclose(problem.cap, 2.0 * weight[problem.order])


def test_precomputed_matrices_are_not_centred(rng):
    """There are no samples to centre, and the error is that of storing the largest value."""
    K = 3.0 * np.eye(6)
    problem = problem_of(K, np.arange(6) % 2, kernel="precomputed")
    assert problem.centre is None
    assert problem.kernel_error == 3.0 * 2.0**-24


def test_part_is_the_problem_of_its_samples(rng):
    """Training a part gives the machines of its samples alone, named by their places in all of X."""
    X, y = blobs(1, 3, 30, 2, spread=1.5)
    rows = np.sort(rng.permutation(90)[:60])
    whole = problem_of(X, y, gamma=0.5)
    inside = np.isin(whole.order, rows)
    part = whole.part(inside, 2 * whole.weight, 3 * whole.cap)
    alone = problem_of(X[rows], y[rows], C=3.0, gamma=0.5)
    np.testing.assert_array_equal(part.order, rows[alone.order])
    np.testing.assert_array_equal(part.class_start, alone.class_start)
    np.testing.assert_array_equal(part.cap, alone.cap)
    assert (part.weight == 2).all()
    banks = [train_bank(problem, all_pairs(3), TrainSettings(tol=1e-10))[0] for problem in (part, alone)]
    np.testing.assert_array_equal(banks[0].vectors, banks[1].vectors)
    np.testing.assert_allclose(values_of(banks[0], X), values_of(banks[1], X), atol=1e-8)
