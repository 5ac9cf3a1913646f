"""What an estimator is given: refused in scikit-learn's words, or made exact."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from helpers import state
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC as TheirSVC
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_X_y

import dagmar
from dagmar.problem.reductions import column_sums
from dagmar.problem.validation import (
    check_class_index,
    check_training_data,
    check_weights,
    kernel_matrix,
    labels_as_given,
    number_classes,
    plain_sums,
    samples_as_given,
)


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


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (np.ones(3), "sample_weight and X have incompatible shapes"),
        (np.ones((90, 2)), "incompatible shapes|Sample weights must be 1D"),
        (np.full(90, np.nan), "NaN"),
        (np.zeros(90), "all samples have zero or negative weights"),
    ],
)
def test_bad_weights_are_refused(three_blobs, weight, words):
    """Weights that do not fit the samples are a ValueError in scikit-learn's words."""
    with pytest.raises(ValueError, match=words):
        dagmar.SVC().fit(*three_blobs, sample_weight=weight)


def test_weights_that_leave_one_class_are_refused(three_blobs):
    """With positive weights in one class only, there is nothing to tell apart."""
    X, y = three_blobs
    with pytest.raises(ValueError, match="all samples with positive weights belong to the same class"):
        dagmar.SVC().fit(X, y, sample_weight=(y == 1).astype(float))


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


def test_weights_are_never_negative():
    """A negative weight is as good as none; a number serves for all samples; without any, all weigh one."""
    y, ones = np.array([0, 1, 1]), np.ones(2)
    np.testing.assert_array_equal(check_weights(ones, y, None), [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(check_weights(ones, y, [2.0, -1.0, 0.5]), [2.0, 0.0, 0.5])
    np.testing.assert_array_equal(check_weights(ones, y, 3.0), [3.0, 3.0, 3.0])
    with pytest.raises(ValueError, match="belong to the same class"):
        check_weights(np.array([1.0, 0.0]), y, None)


@given(st.permutations([7, -2, 30, 4]), st.lists(st.integers(0, 3), max_size=20))
def test_class_of_a_sample_is_the_place_of_its_label(labels, more):
    """Whatever order a model has its labels in, each sample gets the place of its own."""
    classes = np.array(labels)
    index = np.array([0, 1, 2, 3, *more])
    np.testing.assert_array_equal(check_class_index(classes, np.zeros((len(index), 1)), classes[index]), index)


def test_labels_that_do_not_fit_a_model_are_named():
    """Unknown labels, missing classes and lengths are errors that name them; of many, the first ten."""
    classes, X = np.array(["ant", "bee"]), np.zeros((3, 1))
    with pytest.raises(ValueError, match=r"does not know: cat$"):
        check_class_index(classes, X, ["ant", "bee", "cat"])
    with pytest.raises(ValueError, match=r"no sample of these classes: bee$"):
        check_class_index(classes, X, ["ant", "ant", "ant"])
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[3, 2\]"):
        check_class_index(classes, X, ["ant", "bee"])
    with pytest.raises(ValueError, match=r"know: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, \.\.\.$"):
        check_class_index(np.array([-1]), np.zeros((20, 1)), np.arange(20))


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_matrix, np.float32])
def test_matrix_of_a_callable_kernel_is_an_array_of_doubles(form):
    """Whatever a callable returns becomes a dense array of doubles, row by row."""
    X = np.arange(6.0).reshape(3, 2)
    matrix = kernel_matrix(lambda A, B: form(A @ B.T), X, X[:2])
    assert type(matrix) is np.ndarray
    assert matrix.dtype == np.float64
    assert matrix.flags.c_contiguous
    np.testing.assert_array_equal(matrix, X @ X[:2].T)


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


def test_class_weight_of_nan_is_refused(three_blobs):
    """NaN as the weight of a class is an error that names it."""
    with pytest.raises(ValueError, match="class_weight contains NaN"):
        dagmar.SVC(class_weight={0: np.nan}).fit(*three_blobs)


# ---------------------------------------------------- arrays used as they are

ROWS = np.linspace(-1.0, 1.0, 24).reshape(12, 2)


@pytest.mark.parametrize(
    "y",
    [
        np.arange(12) % 3,
        np.arange(12) % 2 == 0,
        (np.arange(12) % 3).astype(np.uint8),
        (np.arange(12) % 3 - 100).astype(np.int8),
        (np.arange(12) % 3).astype(np.float32),
        np.array(["ant", "bee", "cat", "bee"] * 3),
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_ordinary_arrays_skip_the_full_check_which_changes_nothing(y, dtype):
    """Arrays that are used as they are given are those that scikit-learn returns unchanged and without a warning."""
    X = ROWS.astype(dtype)
    assert samples_as_given(X)
    assert labels_as_given(y, 12)
    X_checked, y_checked, columns = check_training_data("SVC", "rbf", X, y)
    assert X_checked is X
    assert y_checked is y
    assert (columns.owner, columns.n_features, columns.names) == ("SVC", 2, None)
    same, labels = check_X_y(X, y, dtype=[np.float64, np.float32], order="C")
    assert same is X
    np.testing.assert_array_equal(labels, y)
    check_classification_targets(y)


@pytest.mark.parametrize(
    "X",
    [
        ROWS.tolist(),
        ROWS.astype(int),
        ROWS.astype(np.float16),
        ROWS.astype(">f8"),
        ROWS.astype(np.longdouble),
        np.asfortranarray(ROWS),
        ROWS[:, :0],
        ROWS[:0],
        ROWS[0],
        np.where(ROWS > 0.9, np.nan, ROWS),
        np.where(ROWS > 0.9, np.inf, ROWS),
        np.ma.masked_array(ROWS),
        sp.csr_matrix(ROWS),
        None,
    ],
)
def test_other_samples_get_the_full_check(X):
    """Lists, other types and layouts, subclasses, empty arrays and numbers that are not finite are left to scikit-learn."""
    assert not samples_as_given(X)


def test_large_arrays_are_checked_by_the_sums_of_their_columns(rng):
    """They are those that samples are centred by, for any number of threads; a number that is not finite shows in them."""
    X = rng.normal(size=(5000, 3))
    sums = plain_sums(X)
    np.testing.assert_array_equal(sums, column_sums(X))
    np.testing.assert_array_equal(sums, plain_sums(X, 2))
    assert samples_as_given(X, sums)
    for number in (np.nan, np.inf):
        X[4321, 1] = number
        assert not samples_as_given(X, plain_sums(X))
    for other in (X[:10], X[:, :1].copy(), np.asfortranarray(X), X.tolist(), None):
        assert plain_sums(other) is None


@pytest.mark.parametrize(
    "y",
    [
        [0, 1] * 6,
        np.array([0, 1] * 5),
        np.array([[0], [1]] * 6),
        np.array([0, 1] * 6, dtype=object),
        np.array([b"ant", b"bee"] * 6),
        np.array([0, 1] * 6, dtype=complex),
        np.array([0, 1] * 6, dtype=">i8"),
        np.array([0, 1] * 12)[::2],
        np.array([0.5, 1.0] * 6),
        np.array([np.nan, 1.0] * 6),
        np.array([np.inf, 1.0] * 6),
        np.array([-np.inf, np.inf] * 6),
        np.array([0, 2**62] * 6),
        np.array([-(2**63), 2**63 - 1] * 6),
        np.arange(12),
        np.array(list("abcdefghijkl")),
        None,
    ],
)
def test_other_labels_get_the_full_check(y):
    """So are labels of other types, shapes and lengths, and those that could be a regression target."""
    assert not labels_as_given(y, 12)


def test_many_labels_are_still_a_warning():
    """Scikit-learn warns where more than half of the labels differ, and so does a fit."""
    X = np.arange(40.0).reshape(-1, 1)
    with pytest.warns(UserWarning, match="number of unique classes is greater than 50%"):
        dagmar.SVC().fit(X, np.arange(40) // 1.5)


@given(st.lists(st.integers(-40, 40), min_size=1), st.sampled_from([np.int8, np.int64, np.float64, str]))
def test_classes_are_numbered_in_the_order_of_their_labels(labels, dtype):
    """Numbering is that of `np.unique`, in its types, by whichever way it is found."""
    y = np.array(labels).astype(dtype)
    expected, places = np.unique(y, return_inverse=True)
    if len(expected) < 2:
        with pytest.raises(ValueError, match="greater than one; got 1 class"):
            number_classes(y)
        return
    classes, class_index = number_classes(y)
    assert (classes.dtype, class_index.dtype) == (y.dtype, np.int64)
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_array_equal(class_index, places)


def test_dask_collections_are_not_gathered(three_blobs):
    """A Dask array or frame is refused by fit and predict, and the message names what takes it."""
    X, y = three_blobs
    fitted = dagmar.SVC().fit(X, y)
    frame = dd.from_pandas(pd.DataFrame(X), npartitions=2)
    for lazy in (da.from_array(X), frame):
        with pytest.raises(TypeError, match=r"X is a Dask .*dagmar\.dask\.SVC trains"):
            dagmar.SVC().fit(lazy, y)
        with pytest.raises(TypeError, match=r"dagmar\.dask\.predict predicts there"):
            fitted.predict(lazy)
    with pytest.raises(TypeError, match="y is a Dask Array"):
        dagmar.SVCCV(Cs=[1], gammas=[1]).fit(X, da.from_array(y))
