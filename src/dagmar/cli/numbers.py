"""Columns of a table as numbers, and what to say about values that are none."""

from __future__ import annotations

import re

import polars as pl

from .errors import Failed

# How missing numbers are written in a CSV file, in lower case.
MISSING = ("", "na", "n/a", "nan", "null", "none", "?")
ADVICE = (
    "Leave the column out (--ignore, when training), or replace it by numbers, for example by one column of 0 and 1 for each "
    "of its values"
)


def numbers(frame: pl.DataFrame, first: int = 0, may_miss: bool = False) -> pl.DataFrame:
    """Return the columns as numbers.

    Parameters
    ----------
    frame : polars.DataFrame
    first : int
        Number of the first row, for messages.
    may_miss : bool
        Whether missing values are allowed; they become NaN.

    Returns
    -------
    polars.DataFrame
        All columns are of type Float64.

    Raises
    ------
    Failed
        If there is text, a missing value or an infinite number; the message names the column and the row.

    Examples
    --------
    >>> import polars as pl
    >>> from dagmar.cli.numbers import numbers
    >>> numbers(pl.DataFrame({"width": ["1.5", " 2"]}))["width"].to_list()
    [1.5, 2.0]
    """
    columns = []
    for column in frame.iter_columns():
        if column.dtype == pl.String:
            given = column.str.strip_chars()
            missing = given.is_null() | given.str.to_lowercase().is_in(MISSING)
            number = given.cast(pl.Float64, strict=False)
        elif column.dtype.is_numeric() or column.dtype == pl.Boolean:
            number = column.cast(pl.Float64)
            missing = number.is_null() | number.is_nan().fill_null(False)
        else:
            raise Failed(f"column {column.name!r} has the type {column.dtype}, but dagmar needs numbers. {ADVICE}")
        if number.null_count() or missing.any():
            text = number.is_null() & ~missing
            if text.any():
                raise _is_text(column, text.arg_max() or 0, first)
            if not may_miss:
                raise _is_missing(frame, column, missing.arg_max() or 0, first)
            number = number.fill_null(float("nan"))
        infinite = number.is_infinite()
        if infinite.any():
            where = infinite.arg_max() or 0
            raise Failed(
                f"column {column.name!r} has {_shown(column, where)} in row {first + where}: dagmar cannot use infinity, nor "
                "numbers beyond 1.8e308"
            )
        columns.append(number)
    return pl.DataFrame(columns)


def _shown(column: pl.Series, where: int) -> str:
    return str(column[where])[:40]


def _is_text(column: pl.Series, where: int, first: int) -> Failed:
    shown = _shown(column, where)
    comma = re.fullmatch(r"\s*[-+]?\d+,\d+\s*", shown) is not None
    advice = "Write decimals with a point instead of a comma" if comma else ADVICE
    return Failed(
        f"column {column.name!r} has the text {shown!r} in row {first + where}, but dagmar needs numbers. {advice}"
    )


def _is_missing(frame: pl.DataFrame, column: pl.Series, where: int, first: int) -> Failed:
    if frame.width > 1 and all(value is None for value in frame.row(where)):
        return Failed(f"row {first + where} has no values at all: remove it. (A blank line is such a row.)")
    return Failed(
        f"column {column.name!r} has no value in row {first + where}. Remove the rows with missing values, or fill them in, "
        "for example with the median of the column; in Python, a Pipeline that begins with SimpleImputer does that for new "
        "rows as well"
    )
