"""Results as data frames and as HTML tables."""

import builtins

import numpy as np
import pandas as pd
import pytest

from dagmar.base.showing import MOST_LINES, cell, frame, html_table, pandas, shown_html

EVIL = "<script>alert(1)</script>"


def test_frame_has_the_columns_and_the_index():
    """Columns keep their order and type; one or several of them become the index."""
    columns = {"sample": np.array([0, 0, 1]), "step": np.array([1, 2, 1]), "value": np.array([0.5, -1.0, 2.0])}
    pd.testing.assert_frame_equal(frame(columns), pd.DataFrame(columns))
    pd.testing.assert_frame_equal(frame(columns, "step"), pd.DataFrame(columns).set_index("step"))
    assert frame(columns, ("sample", "step")).loc[(0, 2), "value"] == -1.0


def test_a_missing_pandas_names_the_extra(monkeypatch):
    """Without pandas, the error says what to install."""
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "pandas":
            raise ImportError("No module named 'pandas'")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'dagmar\[pandas\]'"):
        pandas()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (0.000123456, "0.0001235"),
        (np.float32(2.0), "2"),
        (np.float64(np.nan), "nan"),
        (123456789, "123456789"),
        (np.int64(123456789), "123456789"),
        (True, "True"),
        (np.True_, "True"),
        ("x" * 70, "x" * 59 + "…"),
    ],
)
def test_cells_are_short(value, text):
    """Numbers have four digits, whole numbers all of them, long texts an ellipsis."""
    assert cell(value) == text


def test_everything_in_a_table_is_escaped():
    """Markup in the title, a head, a cell or a note is shown as text."""
    page = html_table(EVIL, {EVIL: [EVIL]}, notes=[EVIL])
    assert EVIL not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 4
    assert "&lt;b&gt;" in shown_html("", ["<b>"])


def test_long_tables_show_their_first_lines():
    """The number of lines that are left out is shown, also if the columns have only the first of them."""
    page = html_table("long", {"n": range(100)})
    assert page.count("<tr>") == MOST_LINES + 1
    assert f"{100 - MOST_LINES} more lines" in page
    assert "999990 more lines" in html_table("long", {"n": range(10)}, n_lines=1_000_000)
    assert "more lines" not in html_table("short", {"n": [1]})
    assert html_table("all", {"n": range(100)}, most=100).count("<tr>") == 101


def test_numbers_stand_to_the_right():
    """Columns of numbers, with or without gaps, are aligned to the right; texts are not."""
    page = html_table("", {"number": [1, 2.5, None], "text": ["a", "b", "c"]})
    assert '<th class="n">number</th><th>text</th>' in page


def test_colours_are_those_of_the_page():
    """No colour is fixed but a half transparent grey, so dark and light pages can be read."""
    page = html_table("t", {"a": [1]})
    assert "background" not in page
    assert page.replace("color:inherit", "").count("color:") == 0
