"""Predictions without checks and copies: the labels of predict, from any thread, and no input that crashes."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel

import dagmar
from dagmar.base.exceptions import InvalidParameterError
from dagmar.estimators.predictor import Predictor
from dagmar.structures import STRUCTURES


@pytest.fixture(scope="module")
def fitted(seven_blobs):
    return dagmar.SVC(gamma=0.1).fit(*seven_blobs)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_labels_are_those_of_predict(seven_blobs, structure, dtype):
    """One row or many, in either precision, by any structure."""
    X, y = seven_blobs
    X = X.astype(dtype)
    clf = dagmar.SVC(gamma=0.1, structure=structure, n_jobs=2).fit(X, y)
    predict = clf.predictor()
    expected = clf.predict(X)
    np.testing.assert_array_equal(predict(X), expected)
    assert [predict(x) for x in X[:50]] == expected[:50].tolist()
    assert predict(X[:0]).shape == (0,)


def test_labels_are_what_the_user_wrote(seven_blobs):
    """A single row gives a single label, of the type of the labels."""
    X, y = seven_blobs
    words = np.array(["ant", "bee", "cat", "dog", "elk", "fox", "gnu"])
    for labels in (words, words.astype(object)):
        clf = dagmar.SVC(gamma=0.1).fit(X, labels[y])
        assert isinstance(clf.predictor()(X[0]), str)
        assert clf.predictor()(X[0]) == clf.predict(X[:1])[0]


def test_two_classes_and_ties(two_moons, seven_blobs):
    """Two classes have labels too, and break_ties holds for single rows as well."""
    X, y = two_moons
    clf = dagmar.SVC(break_ties=True).fit(X, y)
    np.testing.assert_array_equal(clf.predictor()(X), clf.predict(X))
    X, y = seven_blobs
    wide = np.random.default_rng(0).normal(size=(500, 5)) * 10
    clf = dagmar.SVC(gamma=0.01, break_ties=True).fit(X, y)
    expected = clf.predict(wide)
    assert (expected != clf.set_params(break_ties=False).predict(wide)).any()
    predict = clf.set_params(break_ties=True).predictor()
    np.testing.assert_array_equal(predict(wide), expected)
    assert [predict(x) for x in wide] == expected.tolist()


def test_other_forms_of_samples(seven_blobs):
    """Models over kernel rows take kernel rows, models of sparse rows take sparse rows; a callable kernel gets its samples."""
    X, y = seven_blobs
    K = rbf_kernel(X, gamma=0.1)
    by_matrix = dagmar.SVC(kernel="precomputed").fit(K, y)
    np.testing.assert_array_equal(by_matrix.predictor()(K), by_matrix.predict(K))
    rows = sp.csr_matrix(np.where(np.abs(X) > 1, X, 0.0))
    sparse = dagmar.SVC().fit(rows, y)
    np.testing.assert_array_equal(sparse.predictor()(rows), sparse.predict(rows))
    with pytest.raises(ValueError, match="samples"):
        sparse.predictor()(rows.toarray())
    with pytest.raises(ValueError, match="samples"):
        dagmar.SVC().fit(X, y).predictor()(rows)
    called = dagmar.SVC(kernel=rbf_kernel).fit(X, y)
    np.testing.assert_array_equal(called.predictor()(X), called.predict(X))
    assert [called.predictor()(x) for x in X[:5]] == called.predict(X[:5]).tolist()


def test_a_search_has_one(three_blobs):
    """SVCCV gives that of its best estimator; without one there is none."""
    X, y = three_blobs
    search = dagmar.SVCCV([1.0], [0.5], 2).fit(X, y)
    np.testing.assert_array_equal(search.predictor()(X), search.predict(X))
    assert not hasattr(dagmar.SVCCV([1.0], [0.5], 2, refit=False).fit(X, y), "predictor")


def test_it_keeps_the_model_of_its_moment(three_blobs):
    """A later fit does not change it; a structure changed before it was made is an error."""
    X, y = three_blobs
    clf = dagmar.SVC(gamma=0.5).fit(X, y)
    predict, expected = clf.predictor(), clf.predict(X)
    clf.fit(X, 2 - y)
    np.testing.assert_array_equal(predict(X), expected)
    with pytest.raises(InvalidParameterError, match="restructure"):
        clf.set_params(structure="ddag").predictor()


def test_copies_and_pickles_answer_alike(fitted, seven_blobs):
    """It can be sent to another process."""
    X, _ = seven_blobs
    predict = fitted.predictor()
    assert isinstance(predict, Predictor)
    assert repr(predict) == "Predictor(7 classes, MaxWins())"
    for other in (copy.copy(predict), copy.deepcopy(predict), pickle.loads(pickle.dumps(predict))):
        np.testing.assert_array_equal(other(X), predict(X))


def test_many_threads_get_the_same_labels(fitted, seven_blobs):
    """Threads that share one predictor get the labels that one thread gets."""
    X, _ = seven_blobs
    predict = fitted.predictor()
    expected = predict(X).tolist()
    with ThreadPoolExecutor(8) as threads:
        for labels in threads.map(lambda _: [predict(x) for x in X], range(16)):
            assert labels == expected


GOOD = np.zeros((4, 5))
WRONG_TYPES = {
    "list": [0.0] * 5,
    "None": None,
    "text": "row",
    "frame": pd.DataFrame(GOOD),
    "series": pd.Series(GOOD[0]),
    "masked": np.ma.array(GOOD, mask=True),
    "integers": GOOD.astype(int),
    "half precision": GOOD.astype(np.float16),
    "complex": GOOD.astype(complex),
    "objects": GOOD.astype(object),
    "other byte order": GOOD.astype(">f8"),
    "transposed": np.zeros((5, 4)).T,
    "strided rows": np.zeros((8, 5))[::2],
    "strided row": np.zeros(10)[::2],
    "deep": np.zeros((1, 1, 5)),
    "scalar": np.zeros(()),
}


@pytest.mark.parametrize("name", WRONG_TYPES)
def test_what_the_core_cannot_read_is_a_type_error(fitted, name):
    """The error says what is taken and what was given; nothing is converted."""
    with pytest.raises(TypeError, match=r"C-contiguous NumPy array of float64 or float32.*does not convert; got "):
        fitted.predictor()(WRONG_TYPES[name])


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_wrong_numbers_never_crash(seven_blobs, structure, kernel):
    """Another number of features, and values without a decision, are errors; anything else gets a label."""
    X, y = seven_blobs
    predict = dagmar.SVC(kernel=kernel, structure=structure).fit(X, y).predictor()
    for wrong in (X[0, :4].copy(), X[:, :4].copy(), np.zeros((3, 6)), np.zeros(0), np.zeros((3, 0))):
        with pytest.raises(ValueError, match="feature"):
            predict(wrong)
    for value in (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e-320):
        for where in (0, slice(None)):
            x = X[0].copy()
            x[where] = value
            try:
                assert predict(x) in range(7)
            except ValueError as error:
                assert "not a number" in str(error)  # noqa: PT017 (either outcome is right)
    with pytest.raises(ValueError, match="not a number"):
        predict(np.full(5, np.nan))
