"""Samples sorted by their labels, against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagmar import _core

LARGEST = np.iinfo(np.int64).max


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=40))
def test_labels_are_numbered_and_sorted_as_numpy_does(labels):
    """The distinct labels ascend, every sample has the place of its own, and samples keep their order within a class."""
    y = np.array(labels, dtype=np.int64)
    found = _core.sort_labels(y)
    if y.max() - y.min() >= len(y):
        assert found is None
        return
    distinct, class_index, counts = np.unique(y, return_inverse=True, return_counts=True)
    np.testing.assert_array_equal(found.labels, distinct)
    np.testing.assert_array_equal(found.class_index, class_index)
    np.testing.assert_array_equal(found.order, np.argsort(y, kind="stable"))
    np.testing.assert_array_equal(found.class_start, [0, *np.cumsum(counts)])


@pytest.mark.parametrize("y", [[], [-LARGEST - 1, LARGEST], [0, 2]])
def test_labels_of_a_wide_range_are_not_counted(y):
    """A table over their range would be longer than the list of samples, or beyond any memory."""
    assert _core.sort_labels(np.array(y, dtype=np.int64)) is None


def test_labels_far_from_zero_are_counted():
    """Only their range matters."""
    found = _core.sort_labels(np.array([LARGEST, LARGEST - 1, LARGEST], dtype=np.int64))
    assert found.labels.tolist() == [LARGEST - 1, LARGEST]
    assert found.class_index.tolist() == [1, 0, 1]
    assert found.order.tolist() == [1, 0, 2]
