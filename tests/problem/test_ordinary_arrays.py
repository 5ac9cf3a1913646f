"""Arrays that are used as they are given, and those that scikit-learn checks in full."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_X_y

import dagmar
from dagmar.problem.ordinary_arrays import classes_as_given, plain_sums, samples_as_given
from dagmar.problem.reductions import column_sums, largest_of_rows
from dagmar.problem.validation import check_training_data

ROWS = np.linspace(-1.0, 1.0, 24).reshape(12, 2)


@pytest.mark.parametrize(
    "y",
    [
        np.arange(12) % 3,
        np.arange(12) % 2 == 0,
        (np.arange(12) % 3).astype(np.uint8),
        (np.arange(12) % 3 - 100).astype(np.int8),
        (np.arange(12) % 3).astype(np.float32),
        np.array([0, 2**62] * 6),
        np.array([-(2**63), 2**63 - 1] * 6),
        np.array(["ant", "bee", "cat", "bee"] * 3),
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_ordinary_arrays_skip_the_full_check_which_changes_nothing(y, dtype):
    """Arrays that are used as they are given are those that scikit-learn returns unchanged and without a warning."""
    X = ROWS.astype(dtype)
    assert samples_as_given(X)
    assert classes_as_given(y, 12) is not None
    X_checked, (found, samples), columns = check_training_data("SVC", "rbf", X, y)
    assert X_checked is X
    assert found.dtype == y.dtype
    np.testing.assert_array_equal(found[samples.class_index], y)
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
        pytest.param(
            ROWS.astype(np.longdouble),
            marks=pytest.mark.skipif(np.finfo(np.longdouble).bits == 64, reason="long double is double here"),
        ),
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
    sums = plain_sums(X, "rbf")
    np.testing.assert_array_equal(sums, column_sums(X))
    np.testing.assert_array_equal(sums, plain_sums(X, "rbf", 2))
    np.testing.assert_array_equal(plain_sums(X, "precomputed"), largest_of_rows(X))
    assert plain_sums(X, np.inner) is None
    assert samples_as_given(X, sums)
    for number in (np.nan, np.inf):
        X[4321, 1] = number
        assert not samples_as_given(X, plain_sums(X, "rbf"))
        assert not samples_as_given(X, plain_sums(X, "precomputed"))
    for other in (X[:10], X[:, :1].copy(), np.asfortranarray(X), X.tolist(), None):
        assert plain_sums(other, "rbf") is None


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
        np.array([0.0, 2.0**62] * 6),
        np.arange(12),
        np.array(list("abcdefghijkl")),
        None,
    ],
)
def test_other_labels_get_the_full_check(y):
    """So are labels of other types, shapes and lengths, and those that could be a regression target."""
    assert classes_as_given(y, 12) is None


@pytest.mark.skipif(sklearn.__version__.startswith("1.6."), reason="scikit-learn 1.6 does not warn of it")
def test_many_labels_are_still_a_warning():
    """Scikit-learn warns where more than half of the labels differ, and so does a fit."""
    X = np.arange(40.0).reshape(-1, 1)
    with pytest.warns(UserWarning, match="number of unique classes is greater than 50%"):
        dagmar.SVC().fit(X, np.arange(40) // 1.5)
