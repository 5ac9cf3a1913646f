"""Arrays and texts inside a page."""

import json

import numpy as np
import pytest

from dagmar.explorer.packing import TYPES, as_json, packed, unpacked


@pytest.mark.parametrize("type_", TYPES)
def test_arrays_come_back(type_, rng):
    """Packing and unpacking gives the numbers in the type of the page, with their shape."""
    numbers = rng.integers(0, 100, (7, 3))
    back = unpacked(packed(numbers, type_))
    assert back.dtype == np.dtype(type_)
    assert np.array_equal(back, numbers)


def test_empty_array_comes_back():
    """An array without numbers keeps its shape."""
    assert unpacked(packed(np.zeros((0, 4)), "f4")).shape == (0, 4)


def test_other_types_are_refused():
    """The page knows a few types only."""
    with pytest.raises(ValueError, match="not 'i8'"):
        packed([1], "i8")


@pytest.mark.parametrize(
    "text", ["</script>", "<script>alert(1)</script>", "<!--", "]]>", "&lt;", "\u2028", '"\\', "ß😀"]
)
def test_texts_cannot_leave_their_element(text):
    """JSON has neither angle brackets nor ampersands, only ASCII, and is read back as the same text."""
    said = as_json({"label": text})
    assert not set("<>&") & set(said)
    assert said.isascii()
    assert json.loads(said) == {"label": text}


def test_not_a_number_is_refused():
    """JSON has no NaN; the page would not open."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json(float("nan"))
