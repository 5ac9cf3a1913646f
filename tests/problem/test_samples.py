"""Samples in class order, and samples as the core reads them."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import problem_of
from hypothesis import given
from hypothesis import strategies as st

from dagmar.problem.samples import ByClass, as_data


def test_samples_are_sorted_by_class_and_keep_their_order(rng):
    """Within a class, samples stand in the order in which they were given."""
    y = rng.integers(0, 4, 50)
    problem = problem_of(rng.normal(size=(50, 2)), y)
    for c in range(4):
        own = problem.order[problem.class_start[c] : problem.class_start[c + 1]]
        np.testing.assert_array_equal(own, np.flatnonzero(y == c))
    assert problem.n_classes == 4
    assert problem.class_start[-1] == 50


def test_data_is_dense_or_sparse():
    """The core reads doubles, floats and sparse doubles, and nothing else."""
    X = np.eye(3)
    for samples in (X, X.astype(np.float32), sp.csr_matrix(X)):
        assert as_data(samples) is not None
    for samples in (X.astype(int), np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.zeros(3)):
        with pytest.raises(TypeError):
            as_data(samples)


def test_empty_class_has_an_empty_place(rng):
    """A class without samples begins where it ends."""
    y = np.array([0, 2, 0, 2])
    problem = problem_of(rng.normal(size=(4, 2)), y)
    np.testing.assert_array_equal(problem.class_start, [0, 2, 2, 4])


@given(n_classes=st.integers(1, 5), n=st.integers(1, 60), seed=st.integers(0, 2**32 - 1), most=st.integers(1, 20))
def test_part_of_a_class_is_spread_over_it(n_classes, n, seed, most):
    """All samples of a class, or as many as asked for: different ones, in order, the first among them."""
    y = np.random.default_rng(seed).integers(0, n_classes, n)
    by_class = ByClass.sort(y, n_classes, np.ones(n))
    for c in range(n_classes):
        every = by_class.sample_of_class(c)
        np.testing.assert_array_equal(by_class.order[every], np.flatnonzero(y == c))
        some = by_class.sample_of_class(c, most)
        assert len(some) == min(most, len(every))
        assert (np.diff(some) > 0).all()
        assert set(some.tolist()) <= set(every.tolist())
        if len(every):
            assert some[0] == every[0]
            assert np.diff([*some, every[-1] + 1]).max() <= len(every) // len(some) + 1


def test_weight_of_a_class_is_the_sum_of_its_samples():
    """Weights are added up class by class; a class of no weight stands for one sample, so that it has a mean."""
    y, weight = np.array([1, 0, 1, 2]), np.array([2.0, 0.5, 3.0, 0.0])
    by_class = ByClass.sort(y, 3, weight)
    np.testing.assert_array_equal(by_class.weight, [0.5, 2.0, 3.0, 0.0])
    np.testing.assert_array_equal(by_class.class_totals, [0.5, 5.0, 1.0])
