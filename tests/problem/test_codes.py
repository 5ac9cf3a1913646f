"""Training samples as integer codes: kernel values by products of small integers."""

import numpy as np
import pytest
from helpers import LEVELS, problem_of
from reference.kernels import kernel_matrix

import dagmar
from dagmar import _core
from dagmar.problem.codes import codes_of
from dagmar.problem.kernels import Kernel
from dagmar.problem.samples import as_data

# Small samples have codes here, too.
pytestmark = pytest.mark.usefixtures("many_numbers")
WIDE = [level for level in LEVELS if level != _core.Level.plain]


@pytest.fixture
def many_numbers(monkeypatch):
    """Let codes be looked for in any number of samples."""
    monkeypatch.setattr("dagmar.problem.codes.FEWEST_PRODUCTS", 1)


def images(seed, n=500, d=70, steps=16, zeros=0.0, odd=0, dtype=float):
    """Rows of pixels from 0 to 1; some of them are zero, and the last `odd` features have values of their own, few of them."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, steps + 1, (n, d)) / steps
    X[np.repeat(rng.random((n, d // 8 + 1)) < zeros, 8, axis=1)[:, :d]] = 0.0  # in runs, as those of images are
    X[:2] = [[0.0], [1.0]]
    for f in range(d - odd, d):
        X[:, f] = np.where(rng.random(n) < 0.1, rng.random(n), 0.0)
    return X.astype(dtype)


DATA = {
    "bytes": images(0),
    "full bytes": images(1, steps=255),
    "words": images(2, steps=2000),
    "indicators": images(3, steps=1, d=181),
    "mostly zeros": images(4, steps=255, zeros=0.8, d=785),
    "words, mostly zeros": images(5, steps=1000, zeros=0.8, d=300),
    "odd features": images(6, steps=255, odd=7),
    "odd features, mostly zeros": images(7, steps=2000, zeros=0.8, odd=20, d=200),
    "single": images(8, steps=255, dtype=np.float32),
    "elsewhere": images(9, odd=3) * 6.0 - 1.0,
    "few features": images(10, d=9),
}


def similarity(X, order, class_start, codes, level, gamma):
    """Kernel values summed between every two classes, by the rows of training."""
    problem = _core.Problem(
        x=as_data(X),
        order=np.ascontiguousarray(order, dtype=np.int64),
        class_start=np.asarray(class_start, dtype=np.int64),
        kernel=Kernel("rbf", gamma).native(),
        precision=_core.Precision.single,
        codes=codes,
    )
    return _core.class_similarity(problem, np.ones(len(order)), 2, level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", DATA)
def test_kernel_values_are_those_of_the_formula(name, level):
    """A class per sample, and classes of many: all kernel values, summed between classes, are those of the formula."""
    X = DATA[name]
    gamma = 4.0 / X.shape[1]
    codes = codes_of(X, Kernel("rbf", gamma), None)
    assert codes is not None
    X = X[:200]
    K = kernel_matrix("rbf", X, X, gamma)
    alone = similarity(X, np.arange(60), np.arange(61), codes, level, gamma)
    np.testing.assert_allclose(alone, K[:60, :60], rtol=3e-6, atol=1e-12)
    start = np.array([0, 40, 41, 70, 200])
    several = similarity(X, np.arange(200), start, codes, level, gamma)
    sums = np.add.reduceat(np.add.reduceat(K, start[:-1], axis=0), start[:-1], axis=1)
    np.testing.assert_allclose(several, sums, rtol=3e-6)


@pytest.mark.parametrize("name", DATA)
def test_wide_registers_give_the_same_bits(name):
    """Codes of 8 and of 16 bits, in registers of any width, and a part of the samples: the same kernel values."""
    X = DATA[name]
    gamma = 4.0 / X.shape[1]
    codes = codes_of(X, Kernel("rbf", gamma), None)
    all_of_them = [similarity(X, np.arange(90), np.arange(91), codes, level, gamma) for level in WIDE]
    for values in all_of_them:
        np.testing.assert_array_equal(values, all_of_them[0])
        np.testing.assert_array_equal(values, values.T)
    for level in WIDE:
        part = similarity(X, np.arange(30, 60), np.arange(31), codes, level, gamma)
        np.testing.assert_array_equal(part, all_of_them[0][30:60, 30:60])


@pytest.mark.parametrize("name", DATA)
def test_machines_are_those_of_floats(name):
    """The same objectives as without codes, and the same bits for any number of threads and size of the cache."""
    X = DATA[name]
    y = np.arange(len(X)) % 3
    X = X + 0.25 * y[:, None] * (np.arange(X.shape[1]) % 3 == 0) * (np.asarray(X) > 0)  # classes differ a little
    y = (y + (np.arange(len(X)) % 7 == 0)) % 3
    options = {"gamma": 4.0 / X.shape[1], "C": 10.0, "decision_function_shape": "ovo"}
    models = [
        dagmar.SVC(**options, n_jobs=n_jobs, cache_size=cache_size, precision="single").fit(X, y)
        for n_jobs, cache_size in ((1, 200), (2, 200), (2, 0.01))
    ]
    exact = dagmar.SVC(**options, precision="double", tol=1e-5).fit(X, y)
    for model in models:
        np.testing.assert_array_equal(model.dual_coef_, models[0].dual_coef_)
        np.testing.assert_array_equal(model.intercept_, models[0].intercept_)
        np.testing.assert_allclose(model.decision_function(X), exact.decision_function(X), atol=1e-2)
        np.testing.assert_allclose(model.report_.objective, exact.report_.objective, rtol=1e-5)


def test_problems_have_codes_where_they_are_of_use():
    """Not of few features, of other kernels, of sparse data, nor of data without steps."""
    X, y = DATA["bytes"], np.arange(500) % 2
    found = problem_of(X, y, gamma=0.1, precision="single").codes
    assert found is not None
    origin, per_unit, highest = found.reshape(3, -1)
    np.testing.assert_array_equal(origin, X.min(axis=0))
    np.testing.assert_allclose(per_unit, 16.0)
    np.testing.assert_array_equal(highest, 16.0)
    assert problem_of(X[:, :7].copy(), y, gamma=0.1, precision="single").codes is None
    assert problem_of(X, y, kernel="linear", precision="single").codes is None
    assert problem_of(X, y, gamma=0.1, precision="double").codes is None
    assert problem_of(np.random.default_rng(0).random(X.shape), y, gamma=0.1, precision="single").codes is None


def test_features_without_steps_are_named():
    """Also where only one sample has another value than a multiple of the step."""
    X = DATA["odd features"].copy()
    X[211, 3] += 1e-3
    highest = codes_of(X, Kernel("rbf", 0.1), None).reshape(3, -1)[2]
    assert np.flatnonzero(highest < 0).tolist() == [3, *range(63, 70)]


def test_codes_must_fit_the_samples():
    """Three numbers per feature."""
    with pytest.raises(ValueError, match=r"codes must have three numbers per feature of dense samples"):
        similarity(DATA["bytes"], np.arange(4), [0, 2, 4], np.zeros(10), _core.best_level(), 0.1)
