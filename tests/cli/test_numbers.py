"""Columns become numbers, or an error that names the column and the row."""

import numpy as np
import polars as pl
import pytest

from dagmar.cli.errors import Failed
from dagmar.cli.numbers import numbers


def test_numbers_of_other_types():
    frame = pl.DataFrame({"i": [1, 2], "t": [True, False], "s": [" 1e3", "-2 "]})
    assert numbers(frame).rows() == [(1.0, 1.0, 1000.0), (2.0, 0.0, -2.0)]
    with pytest.raises(Failed, match="column 'd' has the type Date"):
        numbers(pl.DataFrame({"d": [1]}).cast(pl.Date))


def test_missing_values_are_named_or_become_nan():
    frame = pl.DataFrame({"a": ["1", "NaN", None], "b": [1.0, None, float("nan")]})
    with pytest.raises(Failed, match="column 'a' has no value in row 11"):
        numbers(frame, first=10)
    with pytest.raises(Failed, match="column 'b' has no value in row 1"):
        numbers(frame.select("b"))
    np.testing.assert_array_equal(numbers(frame, may_miss=True).to_numpy(), [[1, 1], [np.nan] * 2, [np.nan] * 2])


def test_text_is_named_with_its_row():
    with pytest.raises(Failed, match=r"column 'a' has the text 'red' in row 6.*--ignore"):
        numbers(pl.DataFrame({"a": ["1", "red"]}), first=5)


def test_a_decimal_comma_is_explained():
    with pytest.raises(Failed, match=r"the text '5,1' in row 0.*a point instead of a comma"):
        numbers(pl.DataFrame({"a": ["5,1"]}))
    with pytest.raises(Failed, match=r"the text 'x5,1'.*--ignore"):
        numbers(pl.DataFrame({"a": ["x5,1"]}))


def test_a_blank_line_is_explained():
    with pytest.raises(Failed, match=r"row 4 has no values at all.*blank line"):
        numbers(pl.DataFrame({"a": ["1", None], "b": ["2", None]}), first=3)


@pytest.mark.parametrize("value", ["inf", "-Infinity", "9" * 400])
def test_numbers_beyond_the_range_are_named(value):
    """Also where missing values are allowed."""
    with pytest.raises(Failed, match=r"column 'b' has .* in row 1: dagmar cannot use infinity"):
        numbers(pl.DataFrame({"a": ["1", "2"], "b": ["1", value]}), may_miss=True)
