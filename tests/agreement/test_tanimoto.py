"""The Tanimoto kernel: the machines and labels of scikit-learn's SVC over the kernel matrix."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import LEVELS
from reference.kernels import kernel_matrix
from sklearn.svm import SVC as TheirSVC

import dagmar
from dagmar.base import instructions

from .duals import pairs

FORMS = {
    "dense": np.asarray,
    "single": lambda X: X.astype(np.float32),
    "bytes": lambda X: X.astype(np.uint8),
    "sparse": sp.csr_matrix,
}


def fingerprints(n=300, n_bits=1024, n_classes=4, seed=0, most=1):
    """Samples of mostly zeros; each class has likely features, and two samples are zero. With `most` above 1, counts."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    likely = rng.random((n_classes, n_bits)) < 0.05
    X = (rng.random((n, n_bits)) < np.where(likely[y], 0.15, 0.02)) * rng.integers(1, most + 1, size=(n, n_bits))
    X[[5, 17]] = 0
    return X.astype(float), y


def tanimoto(X, Z):
    return kernel_matrix("tanimoto", X, Z)


def objectives(model, K):
    return np.array([0.5 * c @ K[np.ix_(rows, rows)] @ c - np.abs(c).sum() for _, rows, c in pairs(model)])


@pytest.fixture(scope="module", params=[1, 9], ids=["bits", "counts"])
def theirs(request):
    """Training samples, labels, other samples, and scikit-learn's model."""
    X, y = fingerprints(most=request.param)
    X, y, T = X[:200], y[:200], np.concatenate([X[200:], np.zeros((1, X.shape[1]))])
    model = TheirSVC(kernel="precomputed", C=2.0, decision_function_shape="ovo").fit(tanimoto(X, X), y)
    return X, y, T, model


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("form", FORMS)
def test_machines_are_those_of_the_kernel_matrix(theirs, form, precision, level, monkeypatch):
    """Objectives, values and labels, also of one sample at a time, of every form of samples and instruction set."""
    monkeypatch.setenv(instructions.VARIABLE, level.name)
    X, y, T, model = theirs
    form, K = FORMS[form], tanimoto(X, X)
    clf = dagmar.SVC(kernel="tanimoto", C=2.0, precision=precision, decision_function_shape="ovo").fit(form(X), y)
    np.testing.assert_allclose(objectives(clf, K), objectives(model, K), rtol=1e-4)
    values = model.decision_function(tanimoto(T, X))
    np.testing.assert_allclose(clf.decision_function(form(T)), values, atol=2e-3)
    sure = (np.abs(values) > 4e-3).all(axis=1)
    assert sure.sum() > 80
    assert (clf.predict(form(T))[sure] == model.predict(tanimoto(T, X))[sure]).all()
    alone = [clf.predict(form(T[i : i + 1]))[0] for i in range(0, len(T), 10)]
    assert alone == clf.predict(form(T))[::10].tolist()


def test_rows_of_zeros_are_alike():
    """The kernel of two rows of zeros is 1, in training and decisions, and in double for values near zero."""
    X = np.concatenate([np.zeros((3, 4)), np.eye(4)])
    y = np.array([0, 0, 0, 1, 1, 1, 1])
    clf = dagmar.SVC(kernel="tanimoto", tol=1e-9).fit(X, y)
    assert (clf.predict(X) == y).all()
    own = dagmar.SVC(kernel="precomputed", tol=1e-9).fit(tanimoto(X, X), y)
    np.testing.assert_allclose(clf.decision_function(X), own.decision_function(tanimoto(X, X)), atol=1e-6)
    # In single precision the values of a row of zeros are always computed again.
    single = dagmar.SVC(kernel="tanimoto", precision="single").fit(X, y)
    assert (single.predict(X) == y).all()


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_negative_values_are_refused(form):
    """In training and in decisions, by name."""
    form, (X, y) = FORMS[form], fingerprints(n=40, n_bits=16)
    Z = X.copy()
    Z[3, 2] = -1.0
    with pytest.raises(ValueError, match="kernel='tanimoto' needs samples without negative"):
        dagmar.SVC(kernel="tanimoto").fit(form(Z), y)
    with pytest.raises(ValueError, match="kernel='tanimoto' needs samples without negative"):
        dagmar.SVCCV(Cs=[1.0], kernel="tanimoto", cv=2).fit(form(Z), y)
    clf = dagmar.SVC(kernel="tanimoto").fit(form(X), y)
    for method in (clf.predict, clf.decision_function, clf.decision_cost):
        with pytest.raises(ValueError, match="kernel='tanimoto' needs samples without negative"):
            method(form(Z))
    clf.predict(form(-0.0 * X))


def test_other_libraries_have_no_such_kernel(tmp_path):
    """The exports say why, and what to do."""
    X, y = fingerprints(n=40, n_bits=16)
    clf = dagmar.SVC(kernel="tanimoto").fit(X, y)
    with pytest.raises(ValueError, match="has no tanimoto kernel"):
        dagmar.to_sklearn(clf)
    with pytest.raises(ValueError, match="has no tanimoto kernel"):
        dagmar.to_libsvm(clf, tmp_path / "model")
    with pytest.raises(AttributeError, match="gamma_ is only available"):
        _ = clf.gamma_


def test_mostly_zero_samples_are_trained_as_sparse_ones():
    """Dense and sparse fingerprints have the same machines, to the bit; dense samples with few zeros stay dense."""
    X, y = fingerprints()
    dense, sparse = (
        dagmar.SVC(kernel="tanimoto", precision="single").fit(form(X), y) for form in (np.asarray, sp.csr_matrix)
    )
    assert dense.report_.choices["samples"] == "dense, trained as sparse"
    assert dense.bank_.coef.tobytes() == sparse.bank_.coef.tobytes()
    full = dagmar.SVC(kernel="tanimoto").fit(X + 1.0, y)
    assert full.report_.choices["samples"] == "dense"


def test_search_tries_only_C():
    """The kernel has no gamma, and the best model is that of the best C."""
    X, y = fingerprints(n=120, n_bits=64)
    search = dagmar.SVCCV(Cs=[0.01, 1.0], kernel="tanimoto", cv=3, probability=True).fit(X, y)
    assert [set(cell) for cell in search.cv_results_["params"]] == [{"C"}, {"C"}]
    alone = dagmar.SVC(kernel="tanimoto", C=search.best_params_["C"]).fit(X, y)
    assert (search.predict(X) == alone.predict(X)).all()
    np.testing.assert_allclose(search.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_small_samples_beside_large_ones(dtype):
    """The kernel is a ratio: samples whose squares are below the range of single precision have the same values."""
    X, y = fingerprints(n=60, n_bits=32)
    size = np.where(np.arange(60) % 3 == 0, 1e-22, 1.0)[:, None]
    X = (X * size).astype(dtype)
    K = tanimoto(X.astype(float) * 1e10, X.astype(float) * 1e10)
    model = TheirSVC(kernel="precomputed", decision_function_shape="ovo").fit(K, y)
    clf = dagmar.SVC(kernel="tanimoto", precision="single", decision_function_shape="ovo").fit(X, y)
    np.testing.assert_allclose(clf.decision_function(X), model.decision_function(K), atol=2e-3)
