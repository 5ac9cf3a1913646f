"""Rows of a kernel matrix that is given."""

import numpy as np
import pytest
from helpers import blobs

import dagmar


def machines(K, y, **parameters):
    """The coefficients and biases of all machines, and the samples that they belong to."""
    clf = dagmar.SVC(kernel="precomputed", C=10.0, **parameters).fit(K, y)
    return clf.bank_.support[clf.bank_.index], clf.bank_.coef, clf.bank_.bias


@pytest.mark.parametrize("precision", ["single", "double"])
def test_rows_that_are_kept_are_those_of_the_matrix(precision):
    """With many classes, rows are kept in the order of the classes; each pair alone reads the matrix itself."""
    X, y = blobs(3, 5, 60, 4)
    K = np.exp(-0.1 * np.square(X[:, None] - X[None]).sum(axis=2))
    clf = dagmar.SVC(kernel="precomputed", C=10.0, precision=precision).fit(K, y)
    bank = clf.bank_
    for m, (i, j) in enumerate(bank.pairs):
        rows = np.flatnonzero(np.isin(y, (i, j)))
        support, coef, bias = machines(K[np.ix_(rows, rows)].copy(), y[rows], precision=precision)
        entries = slice(bank.begin[m], bank.begin[m + 1])
        np.testing.assert_array_equal(bank.support[bank.index[entries]], rows[support])
        np.testing.assert_array_equal(bank.coef[entries], coef)
        assert bank.bias[m] == bias[0]


def test_many_threads_share_the_rows():
    """Threads that ask for the same row at the same time get the same values."""
    X, y = blobs(4, 12, 30, 4)
    K = np.exp(-0.1 * np.square(X[:, None] - X[None]).sum(axis=2))
    alone = machines(K, y)
    for _ in range(5):
        for one, other in zip(machines(K, y, n_jobs=8), alone, strict=True):
            np.testing.assert_array_equal(one, other)
