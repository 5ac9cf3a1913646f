"""`dagmar.SVC` answers as `sklearn.svm.SVC` does: the same machines, attributes, shapes, signs and types."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

import dagmar

from . import data
from .comparison import assert_agreement
from .data import every_kernel
from .peers import ours, scikit_learn

TIGHT = 1e-8


def product(X, Z):
    """A linear kernel as users write it."""
    return X @ Z.T


def both(X, y, sample_weight=None, **parameters):
    """A fit of each."""
    parameters = {"tol": TIGHT, **parameters}
    mine = dagmar.SVC(structure="max_wins", **parameters).fit(X, y, sample_weight)
    return mine, sklearn.svm.SVC(**parameters).fit(X, y, sample_weight)


def assert_equal_fits(mine, theirs, X):
    """Public attributes and answers of two fits that are solved to the last digit."""
    for name in ("support_", "n_support_", "classes_", "class_weight_", "shape_fit_", "fit_status_"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), err_msg=name)
    for name in ("support_vectors_", "dual_coef_", "intercept_"):
        a, b = dense(getattr(mine, name)), dense(getattr(theirs, name))
        assert a.dtype == b.dtype, name
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5 * (1 + np.abs(b).max(initial=0)), err_msg=name)
    np.testing.assert_allclose(mine.decision_function(X), theirs.decision_function(X), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))
    assert mine.n_iter_.shape == theirs.n_iter_.shape


def dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


# ------------------------------------------------------------------- real data


@every_kernel
def test_digits_with_every_kernel(parameters):
    """Every kernel trains all 45 pairs of digits as well as scikit-learn does."""
    if parameters["kernel"] == "sigmoid":  # with a larger gamma it is indefinite, and pairs have many local optima
        parameters = {**parameters, "gamma": 0.002}
    task = data.digits(**parameters, tol=1e-4)
    assert_agreement(task, ours(task), scikit_learn(task))


# ------------------------------------------------------------------ attributes


@every_kernel
@pytest.mark.parametrize("shape", ["ovo", "ovr"])
def test_three_classes(parameters, shape):
    """Support vectors, coefficients, intercepts and values are scikit-learn's in number, shape, sign and type."""
    task = data.wine(**parameters)
    mine, theirs = both(task.X, task.y, **{**task.parameters, "tol": TIGHT}, decision_function_shape=shape)
    assert_equal_fits(mine, theirs, task.X)


@every_kernel
def test_two_classes(parameters):
    """With two classes signs are turned round as scikit-learn turns them."""
    task = data.wine(**parameters)
    two = task.y != 1
    labels = np.array(["red", "rose", "white"])[task.y[two]]
    mine, theirs = both(task.X[two], labels, **{**task.parameters, "tol": TIGHT})
    assert mine.decision_function(task.X).shape == (len(task.X),)
    assert_equal_fits(mine, theirs, task.X)


@pytest.mark.parametrize("classes", [[0, 1], [0, 1, 2]])
def test_weights_of_a_linear_kernel(classes):
    """coef_ is scikit-learn's, and is there for the linear kernel only."""
    task = data.wine()
    here = np.isin(task.y, classes)
    mine, theirs = both(task.X[here], task.y[here], kernel="linear")
    assert mine.coef_.dtype == theirs.coef_.dtype
    np.testing.assert_allclose(mine.coef_, theirs.coef_, atol=1e-6)
    assert not hasattr(mine.set_params(kernel="rbf"), "coef_")


@pytest.mark.parametrize("gamma", ["scale", "auto"])
def test_gamma_worked_out_from_data(gamma):
    """gamma="scale" and "auto" mean what they mean in scikit-learn, also where features are not scaled."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X) if gamma == "auto" else X
    mine, theirs = both(X, y, gamma=gamma)
    assert_equal_fits(mine, theirs, X)


def test_tied_votes_are_broken_alike():
    """break_ties gives scikit-learn's labels."""
    task = data.digits(C=0.01)
    mine, theirs = both(task.X, task.y, **{**task.parameters, "tol": TIGHT}, break_ties=True)
    np.testing.assert_array_equal(mine.predict(task.X_test), theirs.predict(task.X_test))


def test_value_of_exactly_zero_counts_alike():
    """Where every pair is undecided, decision_function and predict are scikit-learn's, which part ways there."""
    X, y = np.eye(6), np.arange(6) % 3
    mine, theirs = both(X, y, kernel="linear")
    nothing = np.zeros((1, 6))
    np.testing.assert_allclose(mine.decision_function(nothing), theirs.decision_function(nothing), atol=1e-12)
    np.testing.assert_array_equal(mine.predict(nothing), theirs.predict(nothing))


# --------------------------------------------------------------------- weights


def test_class_weight():
    """Weights of classes are factors of C, and "balanced" is worked out as scikit-learn does."""
    task = data.wine(C=1.0)
    for class_weight in ({0: 0.1, 2: 5.0}, "balanced"):
        mine, theirs = both(
            task.X,
            task.y,
            **{**task.parameters, "tol": TIGHT},
            class_weight=class_weight,
            decision_function_shape="ovo",
        )
        assert_equal_fits(mine, theirs, task.X)
        caps = task.C * mine.class_weight_[task.y]
        assert_agreement(replace(task, tol=TIGHT), mine, theirs, alike=1.0, caps=caps)


def test_sample_weight():
    """Weights of samples are factors of C; samples of weight zero or less are left out."""
    task = data.wine(C=1.0)
    weight = np.random.default_rng(0).choice([-1.0, 0.0, 0.3, 1.0, 4.0], size=len(task.y))
    mine, theirs = both(task.X, task.y, weight, **{**task.parameters, "tol": TIGHT})
    assert weight[mine.support_].min() > 0
    np.testing.assert_allclose(mine.decision_function(task.X), theirs.decision_function(task.X), atol=1e-5)


# ------------------------------------------------------- other forms of samples


@every_kernel
def test_sparse_is_dense(parameters):
    """Compressed sparse rows give the machines that the same dense rows give, and sparse attributes."""
    task = data.digits(**parameters, C=1.0, tol=TIGHT)
    X = np.where(task.X < 0, 0.0, task.X)  # two thirds are zero
    mine = dagmar.SVC(**task.parameters).fit(sp.csr_matrix(X), task.y)
    same = dagmar.SVC(**task.parameters).fit(X, task.y)
    assert sp.issparse(mine.support_vectors_)
    assert sp.issparse(mine.dual_coef_)
    np.testing.assert_array_equal(mine.support_, same.support_)
    np.testing.assert_allclose(dense(mine.dual_coef_), same.dual_coef_, atol=1e-5)
    np.testing.assert_allclose(mine.decision_function(sp.csr_matrix(X)), same.decision_function(X), atol=1e-6)
    np.testing.assert_array_equal(mine.predict(X), same.predict(X))


def test_order_of_sparse_indices_does_not_matter():
    """Rows whose indices are out of order give the very same model."""
    task = data.wine()
    X = sp.csr_matrix(task.X)
    turned = sp.csr_matrix((X.data[::-1], X.indices[::-1], X.nnz - X.indptr[::-1]), shape=X.shape)[::-1]
    assert not turned.has_sorted_indices
    np.testing.assert_array_equal(turned.toarray(), task.X)
    mine, same = (dagmar.SVC(**task.parameters).fit(rows, task.y) for rows in (turned, X))
    np.testing.assert_array_equal(dense(mine.dual_coef_), dense(same.dual_coef_))
    np.testing.assert_array_equal(mine.decision_function(turned), same.decision_function(X))


@pytest.mark.parametrize("form", [np.asarray, sp.lil_matrix, sp.csr_matrix])
def test_callable_kernel(form):
    """A callable kernel is given the samples as they came, and trains what the built-in kernel trains."""
    task = data.wine(kernel="linear")
    mine, theirs = both(form(task.X), task.y, kernel=product)
    built_in = dagmar.SVC(kernel="linear", structure="max_wins", tol=TIGHT).fit(task.X, task.y)
    np.testing.assert_array_equal(mine.support_, theirs.support_)
    np.testing.assert_allclose(mine.dual_coef_, theirs.dual_coef_, atol=1e-5)
    np.testing.assert_allclose(mine.decision_function(form(task.X)), built_in.decision_function(task.X), atol=1e-5)
    np.testing.assert_array_equal(mine.predict(form(task.X)), theirs.predict(form(task.X)))


def test_precomputed_kernel():
    """A kernel matrix trains what scikit-learn trains on it, and prediction takes rows against the training samples."""
    task = data.wine()
    everyone = np.arange(len(task.y))
    K = task.kernel_matrix(everyone, everyone)
    mine, theirs = both(K, task.y, kernel="precomputed", C=task.C)
    assert mine.support_vectors_.shape == theirs.support_vectors_.shape
    assert_equal_fits(mine, theirs, K)


def test_overflow_is_an_error():
    """Samples whose kernel values overflow are refused in scikit-learn's words."""
    X, y = np.array([[1e200], [-1e200], [2e200]]), [0, 1, 0]
    for kernel in ("linear", "poly", "rbf"):
        with pytest.raises(ValueError, match="not finite"):
            dagmar.SVC(kernel=kernel, gamma=1.0).fit(X, y)
