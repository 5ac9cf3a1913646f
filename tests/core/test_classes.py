"""Labels as numbers of classes, and samples sorted by class, against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagmar import _core

LARGEST = np.iinfo(np.int64).max


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=40))
def test_classes_are_numbered_as_numpy_does(labels):
    """The distinct labels ascend, and every sample has the place of its own."""
    y = np.array(labels, dtype=np.int64)
    assert _core.range_of(y) == (y.min(), y.max())
    found = _core.number_classes(y)
    if y.max() - y.min() >= len(y):
        assert found is None
        return
    for ours, numpys in zip(found, np.unique(y, return_inverse=True), strict=True):
        np.testing.assert_array_equal(ours, numpys)


@pytest.mark.parametrize("y", [[], [-LARGEST - 1, LARGEST], [0, 2]])
def test_labels_of_a_wide_range_are_not_counted(y):
    """A table over their range would be longer than the list of samples, or beyond any memory."""
    assert _core.number_classes(np.array(y, dtype=np.int64)) is None


def test_labels_far_from_zero_are_counted():
    """Only their range matters."""
    y = np.array([LARGEST, LARGEST - 1, LARGEST], dtype=np.int64)
    labels, class_index = _core.number_classes(y)
    assert labels.tolist() == [LARGEST - 1, LARGEST]
    assert class_index.tolist() == [1, 0, 1]


@given(st.lists(st.integers(0, 4), max_size=40))
def test_samples_are_sorted_as_numpy_does(classes):
    """By class, and within a class in their given order; a class may have none."""
    class_index = np.array(classes, dtype=np.int64)
    order, class_start = _core.sort_by_class(class_index, 5)
    np.testing.assert_array_equal(order, np.argsort(class_index, kind="stable"))
    np.testing.assert_array_equal(np.diff(class_start, prepend=0), [0, *np.bincount(class_index, minlength=5)])


@pytest.mark.parametrize("wrong", [-1, 3])
def test_a_class_that_there_is_not_is_refused(wrong):
    """It would be written outside of the arrays."""
    with pytest.raises(ValueError, match="class_index has a class"):
        _core.sort_by_class(np.array([0, wrong]), 3)


def test_no_labels_have_no_range():
    """There is nothing to return."""
    with pytest.raises(ValueError, match="y is empty"):
        _core.range_of(np.zeros(0, dtype=np.int64))
