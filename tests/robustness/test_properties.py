"""What must not change an answer: powers of two, batches, threads, layouts; and what may change it only within `tol`."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import smo

import dagmar
from dagmar.structures import STRUCTURES
from fuzzing.cases import DENSE_LAYOUTS, SPARSE_LAYOUTS, lay_out

KERNELS = ("linear", "poly", "rbf", "sigmoid", "laplacian", "chi2")
kernels = st.sampled_from(KERNELS)
structures = st.sampled_from(sorted(STRUCTURES))
seeds = st.integers(0, 2**32 - 1)
precisions = st.sampled_from(["auto", "single", "double"])


def problem(seed, sparse=False, n_classes=3, kernel=None):
    """Small overlapping clouds, many zeros among them if they are to be sparse; and samples to ask about."""
    X, y = blobs(seed, n_classes=n_classes, per_class=12, n_features=5, spread=1.5)
    X = np.abs(X) if kernel == "chi2" else X
    X = np.where(np.abs(X) < 1.5, 0.0, X) if sparse else X
    return X, y, np.concatenate([X, (X + X[::-1]) / 2])


def fit(X, y, kernel, sparse=False, weight=None, **parameters):
    """A fitted model; `gamma` is a number in any case, so that it can be scaled."""
    numbers = {"gamma": 0.1, "coef0": 1.0 if kernel == "poly" else 0.0, "degree": 2, **parameters}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dagmar.SVC(kernel=kernel, **numbers).fit(sp.csr_matrix(X) if sparse else X, y, weight)


def unit(kernel, scale):
    """By how much what the kernel is a function of grows if all samples are multiplied by `scale`."""
    return scale if kernel in ("laplacian", "chi2") else scale**2


def objectives(clf):
    """The dual objective of each machine."""
    return clf.report_.objective


# ------------------------------------------------------------------ the same labels


@settings(max_examples=40)
@given(seeds, kernels, structures, precisions, st.booleans(), st.integers(-200, 200))
def test_powers_of_two_change_nothing(seed, kernel, structure, precision, sparse, exponent):
    """X times 2^k is the same problem with gamma (C for a linear kernel) divided by its unit, and has the same labels."""
    X, y, T = problem(seed, sparse, kernel=kernel)
    if kernel == "linear" and precision == "single":
        exponent //= 10  # linear kernel values leave the range of float32 with their samples, and single was asked for
    scale = 2.0**exponent
    same = {"C": 1.0, "gamma": 0.1, "structure": structure, "precision": precision}
    other = {
        **same,
        "C" if kernel == "linear" else "gamma": same["C" if kernel == "linear" else "gamma"] / unit(kernel, scale),
    }
    form = sp.csr_matrix if sparse else np.asarray
    expected = fit(X, y, kernel, sparse, **same).predict(form(T))
    assert (fit(X * scale, y, kernel, sparse, **other).predict(form(T * scale)) == expected).all()


RANGE = [
    pytest.param("rbf", "single", -70, id="rbf, small"),
    pytest.param("rbf", "single", 70, id="rbf, large"),
    pytest.param("linear", "double", -100, id="linear, small"),
    pytest.param("laplacian", "single", -140, id="laplacian, small"),
    pytest.param("laplacian", "single", 140, id="laplacian, large"),
    pytest.param("chi2", "single", 140, id="chi2, large"),
]


@pytest.mark.parametrize(("kernel", "precision", "exponent"), RANGE)
def test_range_of_float_does_not_matter(kernel, precision, exponent):
    """The same, far outside the range of float32."""
    X, y, T = problem(5, kernel=kernel)
    scale = 2.0**exponent
    name = "C" if kernel == "linear" else "gamma"
    same = {"C": 1.0, "gamma": 0.1, "precision": precision, "max_iter": 10000}
    expected = fit(X, y, kernel, **same).predict(T)
    assert (
        fit(X * scale, y, kernel, **{**same, name: same[name] / unit(kernel, scale)}).predict(T * scale) == expected
    ).all()


@settings(max_examples=30)
@given(seeds, kernels, structures, precisions, st.booleans(), st.integers(1, 40), st.integers(1, 4))
def test_batches_and_threads_change_nothing(seed, kernel, structure, precision, sparse, batch, n_jobs):
    """Any number of samples at once, and any number of threads, in fit and predict."""
    X, y, T = problem(seed, sparse, 4, kernel)
    T = sp.csr_matrix(T) if sparse else T
    clf = fit(X, y, kernel, sparse, structure=structure, precision=precision)
    expected = clf.predict(T)
    parts = [clf.predict(T[first : first + batch]) for first in range(0, T.shape[0], batch)]
    assert (np.concatenate(parts) == expected).all()
    other = fit(X, y, kernel, sparse, structure=structure, precision=precision, n_jobs=n_jobs)
    assert other.bank_.coef.tobytes() == clf.bank_.coef.tobytes()
    assert (other.predict(T) == expected).all()


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("layout", DENSE_LAYOUTS + SPARSE_LAYOUTS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_layouts_change_nothing(kernel, layout, dtype):
    """Any layout of memory gives the model and the labels of a plain array or CSR matrix of float64."""
    X, y, T = (
        a.astype(dtype) if a.dtype.kind == "f" else a for a in problem(7, layout in SPARSE_LAYOUTS, kernel=kernel)
    )
    plain = "csr" if layout in SPARSE_LAYOUTS else "C"
    clf = fit(lay_out(X.astype(float), plain), y, kernel)
    other = fit(lay_out(X, layout), y, kernel)
    assert other.bank_.coef.tobytes() == clf.bank_.coef.tobytes()
    expected = clf.predict(lay_out(T.astype(float), plain))
    for model in (clf, other):
        assert (model.predict(lay_out(T, layout)) == expected).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_memory_maps_change_nothing(kernel, tmp_path):
    """A model fitted on a read-only memory map is that of the array."""
    X, y, _ = problem(8, kernel=kernel)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    clf = fit(X, y, kernel)
    other = fit(mapped, y, kernel)
    assert other.bank_.coef.tobytes() == clf.bank_.coef.tobytes()
    assert (other.predict(mapped) == clf.predict(X)).all()


# --------------------------------------------------------------- within what tol allows


def same_optimum(a, b, tol):
    """Whether two fits of one problem have objectives within what `tol` allows.

    The objective of a feasible point with gap g lies at most g times half the sum of changes of its multipliers above the
    optimum, and that sum is at most the sum of both multipliers.
    """
    sums = [np.add.reduceat(np.abs(c.bank_.coef), c.bank_.begin[:-1]) for c in (a, b)]
    allowed = tol * (sums[0] + sums[1]) + 1e-9 * np.abs(objectives(a))
    return bool((np.abs(objectives(a) - objectives(b)) <= allowed).all())


convex = st.sampled_from(["linear", "poly", "rbf", "laplacian", "chi2"])


@given(seeds, convex, st.booleans(), precisions)
def test_order_of_samples(seed, kernel, sparse, precision):
    """Permuted rows have the same optimum."""
    X, y, _ = problem(seed, sparse, kernel=kernel)
    order = np.random.default_rng(seed).permutation(len(y))
    both = [fit(X[o], y[o], kernel, sparse, precision=precision) for o in (slice(None), order)]
    assert same_optimum(*both, tol=1e-3)


@given(seeds, convex, st.booleans(), precisions)
def test_order_of_features(seed, kernel, sparse, precision):
    """Permuted features have the same optimum."""
    X, y, _ = problem(seed, sparse, kernel=kernel)
    order = np.random.default_rng(seed).permutation(X.shape[1])
    assert same_optimum(*(fit(X[:, o], y, kernel, sparse, precision=precision) for o in (slice(None), order)), tol=1e-3)


@given(seeds, convex, st.booleans(), precisions)
def test_order_of_labels(seed, kernel, sparse, precision):
    """Two classes that exchange their names have the same optimum."""
    X, y, _ = problem(seed, sparse, 2, kernel)
    assert same_optimum(*(fit(X, z, kernel, sparse, precision=precision) for z in (y, 1 - y)), tol=1e-3)


@given(seeds, convex, st.booleans(), precisions)
def test_doubled_rows_are_doubled_weights(seed, kernel, sparse, precision):
    """Every row twice is the problem of every weight twice."""
    X, y, _ = problem(seed, sparse, kernel=kernel)
    twice = fit(np.concatenate([X, X]), np.concatenate([y, y]), kernel, sparse, precision=precision)
    assert same_optimum(twice, fit(X, y, kernel, sparse, np.full(len(y), 2.0), precision=precision), tol=1e-3)


@given(seeds, kernels, precisions)
def test_gap_is_below_tol(seed, kernel, precision):
    """A machine called converged has a KKT gap below tol, computed again in double from its kernel matrix."""
    X, y, _ = problem(seed, n_classes=2, kernel=kernel)
    clf = fit(X, y, kernel, precision=precision)
    if not clf.report_.converged.all():
        return
    from reference.kernels import kernel_matrix

    k = clf.bank_.kernel
    K = kernel_matrix(kernel, X, X, k.gamma, k.coef0, k.degree)
    lam = np.zeros(len(y))
    lam[clf.support_] = np.abs(clf.bank_.coef)
    s = np.where(y == 1, 1.0, -1.0)
    top, bottom = smo.extremes(s, np.ones(len(y)), lam, smo.gradient(K, s, np.ones(len(y)), lam))
    assert top - bottom < 1.01e-3
