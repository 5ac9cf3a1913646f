"""What an estimator is given: refused in scikit-learn's words, or made exact."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import state
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC as TheirSVC

import dagmar


@pytest.fixture
def fitted(three_blobs):
    return dagmar.SVC(gamma=0.5).fit(*three_blobs)


BAD_TRAINING_DATA = {
    "nan": ([[0.0], [np.nan], [1.0], [2.0]], [0, 0, 1, 1], "NaN"),
    "inf": ([[0.0], [np.inf], [1.0], [2.0]], [0, 0, 1, 1], "infinity"),
    "flat X": ([0.0, 1.0, 2.0], [0, 1, 1], "Expected 2D array, got 1D array instead"),
    "deep X": (np.zeros((2, 2, 2)), [0, 1], "dim 3"),
    "lengths": ([[0.0], [1.0]], [0, 1, 1], "inconsistent numbers of samples"),
    "no samples": (np.zeros((0, 2)), [], "0 sample"),
    "no features": (np.zeros((3, 0)), [0, 1, 1], "0 feature"),
    "one class": ([[0.0], [1.0]], [3, 3], "number of classes has to be greater than one; got 1 class"),
    "complex": (np.array([[1j], [2.0]]), [0, 1], "Complex data not supported"),
    "words": (np.array([["a"], ["b"]], dtype=object), [0, 1], "could not convert string to float"),
    "continuous y": ([[0.0], [1.0], [2.0]], [0.1, 0.2, 0.35], "Unknown label type"),
    "deep y": ([[0.0], [1.0]], [[0, 1], [1, 0]], "y should be a 1d array"),
    "nan in y": ([[0.0], [1.0]], [0.0, np.nan], "NaN"),
    "no y": ([[0.0], [1.0]], None, "requires y to be passed"),
}


@pytest.mark.parametrize("case", BAD_TRAINING_DATA)
def test_bad_training_data_is_refused(case):
    """Training data that cannot be used is a ValueError in scikit-learn's words."""
    X, y, words = BAD_TRAINING_DATA[case]
    with pytest.raises(ValueError, match=words):
        dagmar.SVC().fit(X, y)


@pytest.mark.parametrize("case", ["nan", "inf", "flat X", "deep X", "lengths", "no samples", "one class", "no y"])
def test_bad_training_data_is_refused_as_scikit_learn_does(case):
    """The error is of the type that scikit-learn's SVC raises on the same data."""
    X, y, _ = BAD_TRAINING_DATA[case]
    with pytest.raises(ValueError, match=r".") as theirs:
        TheirSVC().fit(X, y)
    with pytest.raises(type(theirs.value)):
        dagmar.SVC().fit(X, y)


@pytest.mark.filterwarnings("ignore:invalid value encountered in reduce")  # scikit-learn warns of inf - inf, too
@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.zeros((2, 5)), "X has 5 features, but SVC is expecting 2 features as input"),
        (np.zeros(2), "Expected 2D array, got 1D array instead"),
        (np.zeros((0, 2)), "0 sample"),
        (np.array([[np.nan, 0.0]]), "NaN"),
        (np.array([[np.inf, 0.0]]), "infinity"),
        (np.array([[np.inf, -np.inf]]), "infinity"),
        (np.array([[np.inf, -np.inf]], dtype=np.float32), "infinity"),
        (np.array([[np.nan, 0.0]], dtype=object), "NaN"),
        (np.array([[1j, 0.0]]), "Complex data not supported"),
        (sp.csr_matrix(np.zeros((3, 2))), "cannot use sparse input in 'SVC' trained on dense data"),
    ],
)
@pytest.mark.parametrize("method", ["predict", "decision_function", "pair_decisions", "decision_path", "decision_cost"])
def test_bad_samples_are_refused(fitted, method, X, words):
    """Samples that cannot be decided are a ValueError in scikit-learn's words, from every method."""
    with pytest.raises(ValueError, match=words):
        getattr(fitted, method)(X)


def test_huge_finite_samples_are_decided(fitted):
    """Entries whose sum overflows are finite all the same."""
    huge = np.full((3, 2), 1.5e308)
    assert len(fitted.predict(huge)) == 3


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.float32, bool, object])
def test_other_number_types_are_converted(fitted, dtype):
    """Whole numbers, booleans and objects that are numbers are decided as their values."""
    X = np.array([[0, 1], [1, 1], [1, 0]])
    np.testing.assert_array_equal(fitted.predict(X.astype(dtype)), fitted.predict(X.astype(float)))


def test_memory_layout_does_not_matter(fitted, three_blobs):
    """Fortran order, strides and lists give the labels and values of a plain array."""
    X = three_blobs[0]
    for other in (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X.tolist()):
        np.testing.assert_array_equal(fitted.decision_function(other), fitted.decision_function(X))


def test_precomputed_kernels_are_square(three_blobs, fitted):
    """A kernel matrix has a row and a column per training sample; at predict a column per training sample."""
    X, y = three_blobs
    with pytest.raises(ValueError, match="must be a square matrix"):
        dagmar.SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(TypeError, match="Sparse precomputed kernels are not supported"):
        dagmar.SVC(kernel="precomputed").fit(sp.csr_matrix(X @ X.T), y)
    clf = dagmar.SVC(kernel="precomputed").fit(X @ X.T, y)
    with pytest.raises(ValueError, match="90"):
        clf.predict(np.zeros((2, 5)))


@pytest.mark.parametrize(
    ("change", "X", "y"),
    [
        ({}, np.full((4, 7), np.nan), [0, 0, 1, 1]),
        ({}, np.zeros((4, 7)), [1, 1, 1, 1]),
        ({"C": -1}, np.zeros((4, 7)), [0, 0, 1, 1]),
        ({"structure": "dag"}, np.zeros((4, 7)), [0, 0, 1, 1]),
        ({"structure": dagmar.DDAG(order=[0, 0])}, np.zeros((4, 7)), [0, 0, 1, 1]),
        ({"C": np.inf}, np.zeros((4, 7)), [0, 0, 1, 1]),
        ({"kernel": "precomputed"}, np.zeros((4, 7)), [0, 0, 1, 1]),
        ({"kernel": lambda A, B: 1 / 0}, np.zeros((4, 7)), [0, 0, 1, 1]),
        ({"class_weight": {9: 1.0}}, np.zeros((4, 7)), [0, 0, 1, 1]),
    ],
)
def test_failing_fit_leaves_the_estimator_as_it_was(three_blobs, fitted, change, X, y):
    """After an error the old model still predicts, with its own number of features."""
    expected = fitted.predict(three_blobs[0])
    old = fitted.get_params(deep=False)
    fitted.set_params(**change)
    before = state(fitted)
    with pytest.raises((ValueError, TypeError, ZeroDivisionError)):
        fitted.fit(X, y)
    assert state(fitted) == before
    fitted.set_params(**{name: old[name] for name in change})
    assert fitted.n_features_in_ == 2
    np.testing.assert_array_equal(fitted.predict(three_blobs[0]), expected)


def test_failing_first_fit_leaves_the_estimator_unfitted():
    """An estimator whose first fit fails is not fitted."""
    clf = dagmar.SVC()
    with pytest.raises(ValueError, match="NaN"):
        clf.fit([[np.nan], [1.0]], [0, 1])
    assert not hasattr(clf, "n_features_in_")
    with pytest.raises(NotFittedError):
        clf.predict([[0.0]])


def test_sparse_rows_are_put_in_order(three_blobs):
    """Rows that name an entry twice, or in single precision, give the model of the rows that they stand for."""
    X, y = three_blobs
    n = len(y)
    twice = sp.csr_matrix((np.repeat(X / 2, 2, axis=1).ravel(), np.tile([1, 1, 0, 0], n), 4 * np.arange(n + 1)), (n, 2))
    plain = dagmar.SVC(gamma=0.5).fit(sp.csr_matrix(X[:, ::-1]), y)
    made = dagmar.SVC(gamma=0.5).fit(twice, y)
    np.testing.assert_allclose(made.decision_function(twice), plain.decision_function(twice), atol=1e-9)
    assert twice.nnz == 4 * n


@pytest.mark.parametrize("form", ["canonical", "unsorted", "duplicates"])
def test_wide_indices_are_read_everywhere(form, three_blobs):
    """int64 indices give the model and the answers of int32, in every method, and the matrix keeps its arrays."""
    X, y = three_blobs
    plain = sp.csr_matrix(X)
    entry = np.array({"canonical": [0, 1], "unsorted": [1, 0], "duplicates": [1, 0, 1, 0]}[form])
    n, wide = len(y), sp.csr_matrix(X.shape)
    wide.data = (X[:, entry] * 2 / len(entry)).ravel()
    wide.indices, wide.indptr = np.tile(entry, n), len(entry) * np.arange(n + 1)
    before = [part.copy() for part in (wide.data, wide.indices, wide.indptr)]
    expected, made = (dagmar.SVC(gamma=0.5).fit(samples, y) for samples in (plain, wide))
    assert made.bank_.coef.tobytes() == expected.bank_.coef.tobytes()
    assert made.support_vectors_.indices.dtype == np.int32
    for method in ("predict", "decision_function", "pair_decisions"):
        np.testing.assert_array_equal(getattr(made, method)(wide), getattr(expected, method)(plain))
    np.testing.assert_array_equal(made.decision_path(wide).values, expected.decision_path(plain).values)
    np.testing.assert_array_equal(made.decision_cost(wide).machines, expected.decision_cost(plain).machines)
    assert str(made.explain(wide[0])) == str(expected.explain(plain[0]))
    tree = made.restructure("fisher_tree", wide, y)
    np.testing.assert_array_equal(tree.predict(wide), expected.restructure("fisher_tree", plain, y).predict(plain))
    search = dagmar.SVCCV(Cs=[1.0], gammas=[0.5], cv=2).fit(wide, y)
    np.testing.assert_array_equal(search.predict(wide), expected.predict(plain))
    for part, old in zip((wide.data, wide.indices, wide.indptr), before, strict=True):
        assert part.dtype == old.dtype
        np.testing.assert_array_equal(part, old)
