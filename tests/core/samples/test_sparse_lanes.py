"""Sparse samples: kernel values over common and rare features, and decisions in lanes."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import LEVELS, as_double, as_single, decide, random_bank, trace, values_of
from reference.kernels import kernel_matrix, machine_values

import dagmar
from dagmar import _core
from dagmar.problem.kernels import Kernel
from dagmar.problem.samples import as_data, common_features
from dagmar.structures import as_structure

KERNELS = {
    "rbf": {"gamma": 0.7},
    "linear": {},
    "poly": {"gamma": 0.3, "coef0": 0.5, "degree": 3},
    "sigmoid": {"gamma": 0.2, "coef0": 0.1},
}


def texts(seed, n, n_words, length=20):
    """Rows of length 1 whose few nonzeros follow Zipf's law: some words are in most rows, most words in hardly any."""
    rng = np.random.default_rng(seed)
    share = 1 / (np.arange(n_words) + 2.0)
    X = np.zeros((n, n_words))
    for row in X:
        words = rng.choice(n_words, length, p=share / share.sum())
        row[words] = rng.uniform(0.5, 1.5, length)
    return X[:, rng.permutation(n_words)] / np.linalg.norm(X, axis=1, keepdims=True)


def wide(X, n_columns, seed=0):
    """The same rows as CSR, with their features spread over many more columns, in the same order."""
    at = np.sort(np.random.default_rng(seed).choice(n_columns, X.shape[1], replace=False)).astype(np.int32)
    rows = sp.csr_matrix(X)
    return sp.csr_matrix((rows.data, at[rows.indices], rows.indptr), (len(X), n_columns))


def kernel_values(X, order, class_start, kernel, precision, level, common=None):
    """Kernel values summed between every two classes, by the rows of training."""
    problem = _core.Problem(
        x=as_data(X),
        order=np.ascontiguousarray(order, dtype=np.int64),
        class_start=np.asarray(class_start, dtype=np.int64),
        kernel=kernel.native(),
        precision=_core.Precision[precision],
        common=common,
    )
    return _core.class_similarity(problem, np.ones(len(order)), 2, level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("name", KERNELS)
def test_kernel_values_are_those_of_the_formula(name, precision, level):
    """A class per sample, and classes of many: all kernel values, summed between classes, are those of the formula."""
    X = texts(1, 150, 400)
    kernel, K = Kernel(name, **KERNELS[name]), kernel_matrix(name, X, X, **KERNELS[name])
    tolerance = 2e-6 if precision == "single" else 1e-14
    for start in (np.arange(151), np.array([0, 1, 40, 150])):
        expected = np.add.reduceat(np.add.reduceat(K, start[:-1], axis=0), start[:-1], axis=1)
        got = kernel_values(sp.csr_matrix(X), np.arange(150), start, kernel, precision, level)
        assert (np.abs(got - expected) <= tolerance * np.outer(np.diff(start), np.diff(start))).all()


@pytest.mark.parametrize("precision", ["single", "double"])
def test_some_samples_have_the_bits_of_all_with_the_same_common_features(precision):
    """Which features are common decides the order of additions; in some of the samples others would be."""
    X, kernel = sp.csr_matrix(texts(3, 200, 400)), Kernel("rbf", gamma=0.7)
    start, options = np.arange(0, 201, 20, dtype=np.int64), (kernel, precision, _core.best_level())
    values = kernel_values(X, np.arange(200), start, *options)[1:4, 1:4]
    common = common_features(X, start)
    assert 0 < len(common) < 400
    np.testing.assert_array_equal(values, kernel_values(X, np.arange(20, 80), start[:4], *options, common))
    if precision == "single":  # in double precision, the sums over all samples of a class hide it
        assert (values != kernel_values(X, np.arange(20, 80), start[:4], *options)).any()


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("name", KERNELS)
def test_kernel_values_are_symmetric_to_the_bit(name, precision):
    """With the samples in reverse order, the other one of two samples is the row. A sample's distance to itself is 0."""
    X = sp.csr_matrix(texts(2, 90, 300))
    kernel, start, order = Kernel(name, **KERNELS[name]), np.arange(91, dtype=np.int64), np.arange(90)
    values = kernel_values(X, order, start, kernel, precision, _core.best_level())
    reverse = kernel_values(X, order[::-1], start, kernel, precision, _core.best_level())
    np.testing.assert_array_equal(values, reverse[::-1, ::-1])
    if name == "rbf":
        np.testing.assert_array_equal(np.diag(values), 1.0)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_columns_in_which_nothing_is_stored_change_nothing(precision):
    """Kernel values of few or of millions of columns are the same bits, also where classes share a table of features."""
    X, kernel = texts(3, 120, 3000), Kernel("rbf", gamma=0.5)
    for start in (np.arange(121), np.array([0, 50, 120])):
        narrow, spread = (
            kernel_values(rows, np.arange(120), start, kernel, precision, _core.best_level())
            for rows in (sp.csr_matrix(X), wide(X, 10**8))
        )
        np.testing.assert_array_equal(narrow, spread)


@pytest.fixture(scope="module", params=["rbf", "linear"])
def fitted(request):
    """A classifier of texts with overlapping classes, and texts that it has not seen, which have other words, too."""
    X, rng = texts(4, 600, 500), np.random.default_rng(5)
    y = (X @ rng.normal(size=(500, 6)) + 0.1 * rng.normal(size=(600, 6))).argmax(axis=1)
    X[:400, ::7] = 0
    clf = dagmar.SVC(kernel=request.param, C=10.0, gamma=1.0).fit(sp.csr_matrix(X[:400]), y[:400])
    return clf, sp.csr_matrix(X[400:])


def test_lanes_have_the_values_of_the_formula(fitted):
    """Values are those of the formula in either precision, and all signs are those of double precision."""
    clf, X = fitted
    dense = replace(clf.bank_, vectors=clf.bank_.vectors.toarray())
    expected = machine_values(dense, X.toarray())
    np.testing.assert_allclose(values_of(as_double(clf.bank_), X), expected, atol=1e-10)
    single = values_of(as_single(clf.bank_), X)
    np.testing.assert_allclose(single, expected, atol=1e-4)
    np.testing.assert_array_equal(single >= 0, expected >= 0)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("structure", ["max_wins", "ddag", "bracket", "and_gate"])
def test_labels_do_not_depend_on_the_batch(fitted, structure, precision):
    """One sample walks alone, many stand in lanes: the labels are those of double precision, the values the same bits."""
    clf, X = fitted
    bank = (as_single if precision == "single" else as_double)(clf.bank_)
    plan = as_structure(structure).plan(bank)
    expected, values = decide(as_double(clf.bank_), plan, X), values_of(bank, X)
    np.testing.assert_array_equal(trace(bank, plan, X)[0], expected)  # all samples alone, one after the other
    for size in (1, 2, 5, 16, 17, 130, 200):
        for first in (0, 60):
            part = X[first : first + size]
            np.testing.assert_array_equal(decide(bank, plan, part), expected[first : first + size])
            np.testing.assert_array_equal(values_of(bank, part), values[first : first + size])


@pytest.mark.parametrize("size", [1e3, 1e12, 1e25])
@pytest.mark.parametrize("name", KERNELS)
def test_samples_beyond_the_range_of_float_are_decided_exactly(name, size, rng):
    """A bank in single precision answers sparse samples of any size as double precision does, alone and in lanes."""
    bank = random_bank(3, 4, kernel=Kernel(name, **KERNELS[name]), precision="single")
    bank = replace(bank, vectors=sp.csr_matrix(bank.vectors))
    X = sp.csr_matrix(size * rng.normal(size=(200, 6)) * (rng.random((200, 6)) < 0.5))
    plan = as_structure("max_wins").plan(bank)
    expected = decide(as_double(bank), plan, X)
    np.testing.assert_array_equal(decide(bank, plan, X), expected)
    np.testing.assert_array_equal(np.concatenate([decide(bank, plan, X[i]) for i in range(30)]), expected[:30])
    assert np.isfinite(values_of(bank, X)).all()


def test_samples_far_longer_than_all_vectors():
    """Thousands of nonzeros against vectors of a few: the roundings of such a norm are not hidden by the bound."""
    rng = np.random.default_rng(7)
    bank = random_bank(3, 4, n_features=8, kernel=Kernel("rbf", gamma=3e-4), precision="single")
    vectors = sp.csr_matrix(bank.vectors)
    bank = replace(
        bank, vectors=sp.csr_matrix((vectors.data, vectors.indices, vectors.indptr), (vectors.shape[0], 20000))
    )
    X = sp.csr_matrix(rng.uniform(0.9, 1.0, size=(40, 20000)))
    exact = values_of(as_double(bank), X)
    bank = replace(bank, bias=bank.bias - np.median(exact, axis=0))  # half the values of a machine are near zero
    np.testing.assert_array_equal(values_of(bank, X) >= 0, values_of(as_double(bank), X) >= 0)


@pytest.mark.usefixtures("stay_sparse")
def test_rows_without_nonzeros():
    """Samples and vectors without any nonzero, and stored zeros, are rows as all others."""
    X = texts(6, 80, 60)
    X[::9] = 0
    stored = sp.csr_matrix(X)
    stored.data[::5] = 0.0
    y = np.arange(80) % 3
    clf = dagmar.SVC(gamma=0.5).fit(stored, y)
    dense = dagmar.SVC(gamma=0.5).fit(stored.toarray(), y)
    empty = sp.csr_matrix((3, 60))
    for rows in (stored, empty, empty[:1], stored[:2]):
        expected = dense.pair_decisions(rows.toarray())
        np.testing.assert_allclose(clf.pair_decisions(rows), expected, atol=5e-3)
        assert len(clf.predict(rows)) == rows.shape[0]
