"""Callable kernels return matrices of any kind."""

import numpy as np
import pytest
import scipy.sparse as sp

from dagmar.problem.callable_kernels import KernelFunction, kernel_matrix


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_matrix, np.float32])
def test_matrix_of_a_callable_kernel_is_an_array_of_doubles(form):
    """Whatever a callable returns becomes a dense array of doubles, row by row."""
    X = np.arange(6.0).reshape(3, 2)
    matrix = kernel_matrix(lambda A, B: form(A @ B.T), X, X[:2])
    assert type(matrix) is np.ndarray
    assert matrix.dtype == np.float64
    assert matrix.flags.c_contiguous
    np.testing.assert_array_equal(matrix, X @ X[:2].T)


def test_rows_of_a_kernel_are_values_with_the_training_samples():
    """The function is called with the new samples and those of the fit, in this order."""
    kernel = KernelFunction(lambda A, B: np.array([[len(a + b) for b in B] for a in A]), ["x", "yy"])
    np.testing.assert_array_equal(kernel.rows(["abc", ""]), [[4.0, 5.0], [1.0, 2.0]])
