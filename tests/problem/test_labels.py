"""Classes are numbered by their labels; labels that do not fit a model are named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagmar.problem.labels import check_class_index, number_classes


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
