"""Callable kernels return matrices of any kind."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import dagmar
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


SPARSE = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")


@pytest.mark.parametrize(
    "form",
    [
        np.asarray,
        pd.DataFrame,
        pl.DataFrame,
        lambda X: X.tolist(),
        lambda X: tuple(X.tolist()),
        *(lambda X, name=name: sp.csr_matrix(X).asformat(name) for name in SPARSE),
    ],
)
def test_some_training_samples_of_any_collection(form):
    """Values with some of the samples are those columns of the values with all of them; with none there are no columns."""
    X = np.arange(12.0).reshape(4, 3)

    def product(A, B):
        A, B = (part.toarray() if sp.issparse(part) else np.asarray(part) for part in (A, B))
        return A @ B.T

    kernel, some = KernelFunction(product, form(X)), np.array([3, 0])
    np.testing.assert_array_equal(kernel.rows(form(X[:2]), some), (X[:2] @ X.T)[:, some])
    assert kernel.rows(form(X[:2]), some[:0]).shape == (2, 0)


def test_predictions_ask_for_support_vectors_only(seven_blobs):
    """The function is called with all training samples in fit, and later with the support vectors; answers are the same."""
    X, y = seven_blobs
    asked = []

    def product(A, B):
        asked.append((len(A), len(B)))
        return A @ B.T

    clf = dagmar.SVC(kernel=product).fit(X, y)
    matrix = dagmar.SVC(kernel="precomputed").fit(X @ X.T, y)
    assert asked == [(len(X), len(X))]
    np.testing.assert_array_equal(clf.predict(X), matrix.predict(X @ X.T))
    np.testing.assert_allclose(clf.decision_function(X), matrix.decision_function(X @ X.T))
    assert asked[1:] == 2 * [(len(X), len(clf.support_))]
    assert len(clf.support_) < len(X)
    again = pickle.loads(pickle.dumps(dagmar.SVC(kernel=np.inner).fit(X, y)))
    np.testing.assert_array_equal(again.predict(X), clf.predict(X))
    ours, same = clf.explain(X[0]), matrix.explain((X @ X.T)[0])
    assert [step.vectors.rows.tolist() for step in ours.steps] == [step.vectors.rows.tolist() for step in same.steps]


def test_bounds_of_a_callable_kernel_are_those_of_its_matrix(three_blobs):
    """Margins and the radius need the kernel values of all training samples."""
    X, y = three_blobs
    ours = dagmar.SVC(kernel=lambda A, B: A @ B.T).fit(X, y).generalization_bound(X, y)
    matrix = dagmar.SVC(kernel="precomputed").fit(X @ X.T, y).generalization_bound(X @ X.T, y)
    np.testing.assert_allclose(ours.margins, matrix.margins)
    assert ours.radius == pytest.approx(matrix.radius)


def test_texts_in_a_list():
    """Samples are anything that the function compares."""

    def shared_letters(A, B):
        return np.array([[len(set(a) & set(b)) for b in B] for a in A])

    texts, y = ["ab", "abc", "bc", "xy", "xyz", "yz", "mn", "mno", "no"], np.repeat(["first", "last", "middle"], 3)
    clf = dagmar.SVC(kernel=shared_letters, C=10).fit(texts, y)
    assert clf.predict(["ac", "xz", "m"]).tolist() == ["first", "last", "middle"]
    assert clf.predictor()("ac") == "first"
    assert clf.predictor()(["xz", "m"]).tolist() == ["last", "middle"]
