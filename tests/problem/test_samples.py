"""Samples in class order, and samples as the core reads them."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import problem_of
from hypothesis import given
from hypothesis import strategies as st

import dagmar
from dagmar.problem.samples import ByClass, as_data, core_rows, most_terms, work_per_value


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


def wide(X, order=slice(None)):
    """The CSR matrix of a dense array with int64 indices; within each row, entries in another order."""
    rows = sp.csr_matrix(X)
    place = np.concatenate([np.arange(a, b)[order] for a, b in pairwise(rows.indptr)])
    out = sp.csr_matrix(X.shape, dtype=X.dtype)
    out.data, out.indices = rows.data[place], rows.indices[place].astype(np.int64)
    out.indptr = rows.indptr.astype(np.int64)
    return out


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csr_array])
def test_rows_for_the_core_have_narrow_indices(form, rng):
    """Indices become int32, sorted and distinct, in a new matrix; what has this form already is returned."""
    X = np.where(rng.random((6, 5)) < 0.5, 0.0, rng.normal(size=(6, 5)))
    given = form(wide(X, slice(None, None, -1)))
    given.indices, given.indptr = given.indices.astype(np.int64), given.indptr.astype(np.int64)
    before = [part.copy() for part in (given.data, given.indices, given.indptr)]
    rows = core_rows(given)
    assert type(rows) is type(given)
    assert rows.indices.dtype == rows.indptr.dtype == np.int32
    np.testing.assert_array_equal(rows.toarray(), X)
    assert as_data(rows) is not None
    for part, old in zip((given.data, given.indices, given.indptr), before, strict=True):
        assert part.dtype == old.dtype
        np.testing.assert_array_equal(part, old)
    assert core_rows(rows) is rows


@pytest.mark.parametrize("n_columns", [2**31, 2**40])
def test_columns_beyond_int32_are_refused(n_columns):
    """The message has the number of columns and the largest that can be used."""
    X = sp.csr_matrix(([1.0, 2.0], [0, 7], [0, 1, 2]), shape=(2, n_columns))
    with pytest.raises(ValueError, match=f"{n_columns} columns and 2 stored entries; at most 2147483647"):
        dagmar.SVC(gamma=1.0).fit(X, [0, 1])


def test_entries_beyond_int32_are_refused():
    """More stored entries than int32 can number, here of an array without memory behind it."""
    n = 2**31
    X = sp.csr_matrix((2, 5))
    X.data, X.indices = np.broadcast_to(1.0, n), np.broadcast_to(np.int64(0), n)
    X.indptr = np.array([0, 1, n])
    with pytest.raises(ValueError, match=f"{n} stored entries; at most 2147483647"):
        core_rows(X)


@pytest.mark.parametrize(
    ("name", "numbers", "words"),
    [
        ("indptr", [0, 2**30, 2, 3], "must ascend"),
        ("indptr", [0, 1, 2, 2**30], "must ascend"),
        ("indptr", [1, 1, 2, 3], "must ascend"),
        ("indices", [0, 1, 5], "outside its 2 columns|below 2"),
        ("indices", [0, -1, 1], "outside its 2 columns|below 2"),
        ("indices", [0, 2**32, 1], "outside its 2 columns"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(name, numbers, words):
    """Neither SciPy nor the core reads outside the arrays, and no index becomes another by narrowing."""
    for dtype in (np.int32, np.int64)[max(numbers) >= 2**31 :]:
        X = sp.csr_matrix(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]]))
        X.indices, X.indptr = X.indices.astype(dtype), X.indptr.astype(dtype)
        setattr(X, name, np.array(numbers, dtype=dtype))
        with pytest.raises(ValueError, match=words):
            as_data(core_rows(X))


def test_work_of_a_kernel_value_grows_with_its_product():
    """The features of dense samples, the stored entries of sparse ones, and nothing for a precomputed kernel."""
    narrow, wide = np.zeros((4, 3)), np.zeros((4, 30))
    assert work_per_value(None) < work_per_value(narrow) < work_per_value(wide)
    assert work_per_value(wide) - work_per_value(narrow) == 27
    full, empty = sp.csr_matrix(np.ones((4, 30))), sp.csr_matrix((4, 30))
    assert work_per_value(empty) == work_per_value(sp.csr_matrix((0, 30))) == work_per_value(None)
    assert work_per_value(full) > work_per_value(wide)


def test_products_of_sparse_samples_have_as_many_terms_as_the_fullest():
    """Empty columns add no term, and no rounding; a matrix without samples or without nonzeros has none."""
    X = sp.csr_matrix(np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]]))
    X.resize(2, 1000)
    assert most_terms(X) == 2
    assert most_terms(X.toarray()) == 1000
    assert most_terms(sp.csr_matrix((3, 7))) == most_terms(sp.csr_matrix((0, 7))) == 0
