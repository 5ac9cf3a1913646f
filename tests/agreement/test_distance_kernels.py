"""Laplacian and chi-squared kernels: the machines that scikit-learn trains on the matrices of its own functions."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import LEVELS
from reference.kernels import kernel_matrix, machine_values
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics.pairwise import chi2_kernel, laplacian_kernel
from sklearn.svm import SVC

import dagmar
from dagmar.base.instructions import at_level
from dagmar.problem import codes

FUNCTIONS = {"laplacian": laplacian_kernel, "chi2": chi2_kernel}
every_kernel = pytest.mark.parametrize("kernel", FUNCTIONS)


def texts(n=420, n_features=1200):
    """Sparse samples of three classes, with negative values."""
    rng = np.random.default_rng(3)
    X = sp.random(n, n_features, 0.01, random_state=rng, format="csr")
    y = rng.integers(0, 3, n)
    X = sp.csr_matrix(X.multiply(rng.choice([-1.0, 1.0], size=(1, n_features)))) + sp.csr_matrix(
        (np.ones(3 * n), (np.repeat(np.arange(n), 3), (3 * y[:, None] + rng.integers(0, 5, (n, 3))).ravel())), X.shape
    )
    return X, y


DATA = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: (load_wine().data / load_wine().data.max(axis=0), load_wine().target),
    "digits": lambda: (load_digits().data[:900] / 16, load_digits().target[:900]),
    "sparse digits": lambda: (sp.csr_matrix(load_digits().data[:900]), load_digits().target[:900]),
    "texts": texts,
}


def parts(name, kernel):
    """Samples that the kernel takes, to train with and to ask about."""
    X, y = DATA[name]()
    X = abs(X) if kernel == "chi2" else X
    test = np.arange(X.shape[0]) % 3 == 0
    return X[~test], y[~test], X[test]


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def objectives(svc, K, y):
    """The dual objective of every pair, from scikit-learn's layout of coefficients."""
    classes, start = svc.classes_, np.concatenate([[0], np.cumsum(svc.n_support_)])
    coef = np.atleast_2d(dense(svc.dual_coef_))
    found = []
    for i in range(len(classes)):
        for j in range(i + 1, len(classes)):
            here = np.r_[start[i] : start[i + 1], start[j] : start[j + 1]]
            c = np.concatenate([coef[j - 1, start[i] : start[i + 1]], coef[i, start[j] : start[j + 1]]])
            at = svc.support_[here]
            found.append(0.5 * c @ K[np.ix_(at, at)] @ c - np.abs(c).sum())
    return np.array(found)


@every_kernel
@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("precision", ["single", "double"])
def test_machines_are_those_of_the_kernel_matrix(name, kernel, precision):
    """Objectives, decision values and labels, of dense and sparse samples, in both precisions."""
    X, y, T = parts(name, kernel)
    mine = dagmar.SVC(kernel=kernel, C=3.0, precision=precision, decision_function_shape="ovo").fit(X, y)
    assert mine.report_.converged.all()
    K, K_test = (FUNCTIONS[kernel](dense(A), dense(X), gamma=mine.gamma_) for A in (X, T))
    theirs = SVC(kernel="precomputed", C=3.0, decision_function_shape="ovo").fit(K, y)
    np.testing.assert_allclose(objectives(mine, K, y), objectives(theirs, K, y), rtol=1e-4)
    values = theirs.decision_function(K_test)
    np.testing.assert_allclose(mine.decision_function(T), values, rtol=0, atol=4e-3 * np.abs(values).max())
    assert np.mean(mine.predict(T) == theirs.predict(K_test)) > 0.99
    alone = [mine.predict(T[i : i + 1])[0] for i in range(20)]
    np.testing.assert_array_equal(alone, mine.predict(T)[:20])


@every_kernel
def test_reference_is_the_function_of_scikit_learn(kernel):
    """The slow version computes what scikit-learn does."""
    X = np.abs(np.random.default_rng(0).normal(size=(20, 5)).round(1)).clip(0.4) - 0.4
    np.testing.assert_allclose(kernel_matrix(kernel, X, X[:9], 0.3), FUNCTIONS[kernel](X, X[:9], gamma=0.3), rtol=1e-12)


@every_kernel
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_instruction_sets_agree(kernel, sparse):
    """AVX2 and AVX-512 give the same bits, and the plain arithmetic the same labels."""
    X, y, T = parts("texts", kernel)
    X, T = (X, T) if sparse else (dense(X[:, :100]), dense(T[:, :100]))
    fits = {}
    for level in LEVELS:
        with at_level(level):
            clf = dagmar.SVC(kernel=kernel, C=3.0, precision="single").fit(X, y)
            fits[level.name] = clf.bank_.coef.tobytes(), clf.pair_decisions(T).tobytes(), clf.predict(T)
    if {"avx2", "avx512"} <= fits.keys():
        assert fits["avx2"][:2] == fits["avx512"][:2]
    for _, _, labels in fits.values():
        np.testing.assert_array_equal(labels, fits["plain"][2])


@pytest.mark.parametrize("n_levels", [17, 256, 1000])
@pytest.mark.parametrize("zeros", [0.0, 0.8])
def test_features_on_a_grid(n_levels, zeros, monkeypatch):
    """Laplacian kernels of features on a grid, in bytes or words, have the values of the formula; samples may be off it."""
    for limit in ("FEWEST_FEATURES", "FEWEST_PRODUCTS"):
        monkeypatch.setattr(codes, limit, 1)
    rng = np.random.default_rng(n_levels)
    y = np.arange(240) % 4
    X = rng.integers(0, n_levels, (240, 37)) * (rng.random((240, 37)) >= zeros) / 8.0
    X[np.arange(240), 8 * y] = (n_levels - 1) / 8.0
    T = np.concatenate([X[::3] / 2, X[::5] + 0.3, X[::7] - 40.0, X[:20]])
    fits = {}
    for level in LEVELS:
        with at_level(level):
            clf = dagmar.SVC(kernel="laplacian", precision="single", decision_function_shape="ovo").fit(X, y)
            expected = "floats" if level.name == "plain" else "integers where possible"
            assert clf.report_.choices["features"] == expected
            values = clf.pair_decisions(T)
            np.testing.assert_allclose(values, machine_values(clf.bank_, T), atol=2e-5)
            np.testing.assert_array_equal(clf.predict(T), [clf.predict(t[None])[0] for t in T])
            fits[level.name] = clf.bank_.coef.tobytes(), values.tobytes()
    if {"avx2", "avx512"} <= fits.keys():
        assert fits["avx2"] == fits["avx512"]


@pytest.mark.parametrize(("kernel", "shift"), [("laplacian", 1e6), ("laplacian", -1e6)])
def test_samples_far_from_the_origin(kernel, shift):
    """A Laplacian kernel sees differences only, also where single precision would lose them."""
    X, y, T = parts("iris", kernel)
    near = dagmar.SVC(kernel=kernel, gamma=0.5).fit(X, y)
    far = dagmar.SVC(kernel=kernel, gamma=0.5).fit(X + shift, y)
    np.testing.assert_allclose(far.pair_decisions(T + shift), near.pair_decisions(T), atol=3e-3)


@pytest.mark.parametrize("kernel", [*FUNCTIONS])
def test_gamma_by_name(kernel):
    """Distances are in units of the features, and "scale" is one over their standard deviation."""
    X, y, _ = parts("iris", kernel)
    assert dagmar.SVC(kernel=kernel).fit(X, y).gamma_ == pytest.approx(1 / (4 * X.std()))
    assert dagmar.SVC(kernel=kernel, gamma="auto").fit(X, y).gamma_ == 0.25
    assert dagmar.SVC(kernel=kernel).fit(np.ones((4, 2)), [0, 1, 0, 1]).gamma_ == 1.0
    assert dagmar.SVC(kernel=kernel).fit(sp.csr_matrix(X), y).gamma_ == pytest.approx(1 / (4 * X.std()))


@every_kernel
def test_gammas_of_pairs(kernel):
    """Pairs with gammas of their own are the machines of fits with these gammas."""
    X, y, T = parts("iris", kernel)
    gammas = [0.2, 0.5, 1.1]
    each = dagmar.SVC(kernel=kernel, gamma=gammas, decision_function_shape="ovo").fit(X, y).decision_function(T)
    for m, gamma in enumerate(gammas):
        one = dagmar.SVC(kernel=kernel, gamma=gamma, decision_function_shape="ovo").fit(X, y).decision_function(T)
        np.testing.assert_allclose(each[:, m], one[:, m], atol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, np.float32, sp.csr_matrix])
def test_negative_values_are_refused(form):
    """By name, at fit, at predict and by a predictor."""
    X, y, T = parts("iris", "chi2")
    X, T, bad = form(X), form(T), form(T - 1.0)
    words = "kernel='chi2' needs samples without negative values, but X has -0"
    with pytest.raises(ValueError, match=words):
        dagmar.SVC(kernel="chi2").fit(bad, np.arange(bad.shape[0]) % 2)
    clf = dagmar.SVC(kernel="chi2").fit(X, y)
    for ask in (clf.predict, clf.decision_function, clf.explain if bad.shape[0] == 1 else clf.decision_path):
        with pytest.raises(ValueError, match=words):
            ask(bad)
    if form is np.asarray:
        with pytest.raises(ValueError, match=words):
            clf.predictor()(bad)
    clf.predict(T)


@every_kernel
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_values_whose_squares_vanish_are_refused(kernel, form):
    """Squares of samples tell their scale. Samples that are all zero have none, and are no error."""
    X, y, _ = parts("iris", kernel)
    with pytest.raises(ValueError, match=f"too small for kernel='{kernel}': their squares vanish"):
        dagmar.SVC(kernel=kernel, gamma=1e200).fit(form(X * 1e-200), y)
    dagmar.SVC(kernel=kernel).fit(form(np.zeros((6, 2))), [0, 1, 2] * 2)


@every_kernel
def test_tuning_shares_the_kernel(kernel):
    """A search finds what separate fits find."""
    X, y, T = parts("iris", kernel)
    search = dagmar.SVCCV(kernel=kernel, Cs=[0.1, 10.0], gammas=[0.1, 1.0], cv=3).fit(X, y)
    one = dagmar.SVC(kernel=kernel, **search.best_params_).fit(X, y)
    np.testing.assert_array_equal(search.predict(T), one.predict(T))


# ------------------------------------------------------------------- other libraries


@pytest.mark.parametrize(
    ("function", "kernel", "gamma"),
    [
        (laplacian_kernel, "laplacian", 1 / 64),
        (chi2_kernel, "chi2", 1.0),
        (partial(laplacian_kernel, gamma=0.3), "laplacian", 0.3),
        (partial(laplacian_kernel, gamma=None), "laplacian", 1 / 64),
        (partial(chi2_kernel, gamma=0.2), "chi2", 0.2),
    ],
)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, np.ndarray.tolist])
def test_functions_of_scikit_learn_become_kernels(function, kernel, gamma, form):
    """A model with such a callable is adopted with the kernel of the core."""
    if kernel == "chi2" and form is sp.csr_matrix:
        pytest.skip("chi2_kernel of scikit-learn takes dense samples only")
    X, y, T = parts("digits", kernel)
    theirs = SVC(kernel=function, C=3.0).fit(form(X[:200]), y[:200])
    mine = dagmar.from_sklearn(theirs)
    assert (mine.kernel, mine.gamma) == (kernel, pytest.approx(gamma))
    assert mine.bank_.vectors is not None
    np.testing.assert_allclose(mine.decision_function(form(T)), theirs.decision_function(form(T)), atol=1e-4)
    np.testing.assert_array_equal(mine.predict(form(T)), theirs.predict(form(T)))


def test_other_callables_stay_callables():
    """A function with more than a gamma is not ours to interpret."""
    X, y, _ = parts("iris", "chi2")
    for function in (lambda A, B: laplacian_kernel(A, B), partial(laplacian_kernel, gamma=-1.0)):
        mine = dagmar.from_sklearn(SVC(kernel=function).fit(X, y))
        assert callable(mine.kernel)


@every_kernel
def test_others_have_no_such_kernel(kernel, tmp_path):
    """Exports to scikit-learn and LIBSVM are refused with the reason."""
    X, y, _ = parts("iris", kernel)
    clf = dagmar.SVC(kernel=kernel).fit(X, y)
    with pytest.raises(ValueError, match=f"sklearn.svm.SVC has no {kernel} kernel"):
        dagmar.to_sklearn(clf)
    with pytest.raises(ValueError, match=f"has no {kernel} kernel"):
        dagmar.to_libsvm(clf, tmp_path / "model")


@every_kernel
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_onnx(kernel, dtype):
    """An exported graph gives the labels of the model."""
    onnxruntime = pytest.importorskip("onnxruntime")
    X, y, T = parts("digits", kernel)
    clf = dagmar.SVC(kernel=kernel, C=3.0).fit(X[:200], y[:200])
    session = onnxruntime.InferenceSession(dagmar.to_onnx(clf, dtype=dtype).SerializeToString())
    (labels, *_) = session.run(None, {"X": T.astype(dtype)})
    np.testing.assert_array_equal(labels, clf.predict(T))


@every_kernel
def test_model_files_explanations_and_bounds(kernel, tmp_path):
    """A model file keeps the kernel; influences add up to values; the ball is inside of the unit sphere."""
    X, y, T = parts("iris", kernel)
    for form in (np.asarray, sp.csr_matrix):
        clf = dagmar.SVC(kernel=kernel).fit(form(X), y)
        dagmar.save(clf, tmp_path / "model.dagmar")
        np.testing.assert_array_equal(dagmar.load(tmp_path / "model.dagmar").predict(form(T)), clf.predict(form(T)))
        for step in clf.explain(form(T)[0:1] if form is sp.csr_matrix else T[0]).steps:
            told = step.vectors
            assert told.contributions.sum() + told.rest + told.bias == pytest.approx(step.value, abs=1e-6)
    clf = dagmar.SVC(kernel=kernel).fit(X, y)
    assert 0 < clf.generalization_bound(X, y, radius="ball").radius <= 1.0
