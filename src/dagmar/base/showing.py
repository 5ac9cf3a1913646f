"""Results as pandas data frames and as small HTML tables for notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from numbers import Integral, Real
from types import ModuleType
from typing import Any

# The most lines of a table in a notebook; of a longer one, the first lines are shown.
MOST_LINES = 12
# The most characters of a cell.
WIDEST = 60

# Colours are those of the notebook, which may be dark or light: text inherits, and grey lines are half transparent.
LINE = "1px solid rgba(128,128,128,0.45)"
TABLE = "border-collapse:collapse;margin:0.3em 0;font-variant-numeric:tabular-nums;background:none"
CELL = f"padding:0.15em 0.7em;border:none;border-bottom:{LINE};color:inherit;background:none;text-align:"
NOTE = "margin:0.2em 0;opacity:0.75;font-size:90%"


def pandas() -> ModuleType:
    """Return the package pandas; raise an ImportError that says how to install it if it is missing."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_frame needs the package pandas: pip install 'dagmar[pandas]'") from error
    module: ModuleType = pandas
    return module


def frame(columns: Mapping[str, Any], index: str | Sequence[str] | None = None) -> Any:
    """Return columns of equal length as a pandas DataFrame.

    Parameters
    ----------
    columns : mapping of str to sequence
    index : str or sequence of str, optional
        Names of the columns that become the index; by default rows are numbered.

    Returns
    -------
    pandas.DataFrame

    Examples
    --------
    >>> from dagmar.base.showing import frame
    >>> frame({"step": [1, 2], "value": [0.5, -1.0]}, index="step").loc[2, "value"].item()
    -1.0
    """
    made = pandas().DataFrame(dict(columns))
    return made if index is None else made.set_index(index if isinstance(index, str) else list(index))


def cell(value: Any) -> str:
    """Return a value as text for a table: four digits of a number, nothing for None, an ellipsis in long texts.

    Examples
    --------
    >>> from dagmar.base.showing import cell
    >>> cell(0.123456), cell(None), cell("ant")
    ('0.1235', '', 'ant')
    """
    if value is None:
        return ""
    if isinstance(value, Real) and not isinstance(value, Integral):
        return f"{float(value):.4g}"
    text = str(value)
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


def html_table(
    title: str, columns: Mapping[str, Sequence[Any]], n_lines: int | None = None, notes: Sequence[str] = ()
) -> str:
    """Return a small table in HTML, with everything escaped: labels and names are shown as text, whatever they are.

    Parameters
    ----------
    title : str
        A line above the table.
    columns : mapping of str to sequence
        Heads and cells, all of the same length. Only the first `MOST_LINES` lines are shown.
    n_lines : int, optional
        The number of lines of the whole table, if the columns have only the first of them.
    notes : sequence of str
        Lines below the table.

    Returns
    -------
    str

    Examples
    --------
    >>> from dagmar.base.showing import html_table
    >>> "<td" in html_table("Labels", {"label": ["<b>"]}), "<b>" in html_table("Labels", {"label": ["<b>"]})
    (True, False)
    """
    shown = {head: list(values[:MOST_LINES]) for head, values in columns.items()}
    length = max((len(values) for values in shown.values()), default=0)
    total = max((len(values) for values in columns.values()), default=0) if n_lines is None else n_lines
    sides = {head: _side(values) for head, values in shown.items()}
    heads = "".join(f'<th style="{CELL}{sides[head]}">{escape(head)}</th>' for head in shown)
    lines = "".join(
        "<tr>" + "".join(f'<td style="{CELL}{sides[h]}">{escape(cell(v[k]))}</td>' for h, v in shown.items()) + "</tr>"
        for k in range(length)
    )
    more = [f"{total - length} more lines"] if total > length else []
    table = f'<table style="{TABLE}"><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>' if shown else ""
    below = "".join(f'<div style="{NOTE}">{escape(line)}</div>' for line in [*more, *notes])
    return f"<div><div><strong>{escape(title)}</strong></div>{table}{below}</div>"


def _side(values: Sequence[Any]) -> str:
    """Return where the cells of a column stand: numbers to the right, others to the left."""
    return "right" if all(v is None or isinstance(v, Real) for v in values) else "left"
