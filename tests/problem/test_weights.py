"""Weights are refused in scikit-learn's words, or never negative."""

import numpy as np
import pytest

import dagmar
from dagmar.problem.weights import check_weights


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


def test_weights_are_never_negative():
    """A negative weight is as good as none; a number serves for all samples; without any, all weigh one."""
    y, ones = np.array([0, 1, 1]), np.ones(2)
    np.testing.assert_array_equal(check_weights(ones, y, None), [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(check_weights(ones, y, [2.0, -1.0, 0.5]), [2.0, 0.0, 0.5])
    np.testing.assert_array_equal(check_weights(ones, y, 3.0), [3.0, 3.0, 3.0])
    with pytest.raises(ValueError, match="belong to the same class"):
        check_weights(np.array([1.0, 0.0]), y, None)


def test_class_weight_of_nan_is_refused(three_blobs):
    """NaN as the weight of a class is an error that names it."""
    with pytest.raises(ValueError, match="class_weight contains NaN"):
        dagmar.SVC(class_weight={0: np.nan}).fit(*three_blobs)
