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
STYLE = (
    "<style>.dagmar-shown{overflow-x:auto}"
    ".dagmar-shown table{border-collapse:collapse;margin:.3em 0;font-variant-numeric:tabular-nums}"
    ".dagmar-shown table th,.dagmar-shown table td{padding:.15em .7em;text-align:left;vertical-align:top;"
    "color:inherit;border:none;border-bottom:1px solid rgba(128,128,128,.45)}"
    ".dagmar-shown table .n{text-align:right}.dagmar-shown .note{margin:.2em 0;opacity:.75;font-size:90%}</style>"
)


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


def cell(value: Any, widest: int = WIDEST) -> str:
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
    return text if len(text) <= widest else f"{text[: widest - 1]}…"


def counted(n: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one.

    Examples
    --------
    >>> from dagmar.base.showing import counted
    >>> counted(1, "node"), counted(2, "node")
    ('1 node', '2 nodes')
    """
    return f"{n} {noun}{'' if n == 1 else 's'}"


def html_table(
    title: str,
    columns: Mapping[str, Sequence[Any]],
    n_lines: int | None = None,
    notes: Sequence[str] = (),
    most: int = MOST_LINES,
    widest: int = WIDEST,
) -> str:
    """Return a small table in HTML, with everything escaped: labels and names are shown as text, whatever they are.

    Parameters
    ----------
    title : str
        A line above the table.
    columns : mapping of str to sequence
        Heads and cells, all of the same length.
    n_lines : int, optional
        The number of lines of the whole table, if the columns have only the first of them.
    notes : sequence of str
        Lines below the table.
    most : int
        The most lines that are shown.
    widest : int
        The most characters of a cell.

    Returns
    -------
    str

    Examples
    --------
    >>> from dagmar.base.showing import html_table
    >>> "<td" in html_table("Labels", {"label": ["<b>"]}), "<b>" in html_table("Labels", {"label": ["<b>"]})
    (True, False)
    """
    shown = {head: list(values[:most]) for head, values in columns.items()}
    length = max((len(values) for values in shown.values()), default=0)
    total = max((len(values) for values in columns.values()), default=0) if n_lines is None else n_lines
    classes = {head: ' class="n"' if _numbers(values) else "" for head, values in shown.items()}
    heads = "".join(f"<th{classes[h]}>{escape(cell(h, widest))}</th>" for h in shown)
    lines = "".join(
        "<tr>" + "".join(f"<td{classes[h]}>{escape(cell(v[k], widest))}</td>" for h, v in shown.items()) + "</tr>"
        for k in range(length)
    )
    more = [f"{total - length} more lines"] if total > length else []
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>" if shown else ""
    above = f"<strong>{escape(title)}</strong>" if title else ""
    return shown_html(above + table, [*more, *notes])


def shown_html(inside: str, notes: Sequence[str] = ()) -> str:
    """Return HTML with the style of results, and lines of text below it.

    Parameters
    ----------
    inside : str
        HTML in which everything is escaped.
    notes : sequence of str
        Lines of text.

    Returns
    -------
    str
    """
    below = "".join(f'<div class="note">{escape(line)}</div>' for line in notes)
    return f'<div class="dagmar-shown">{STYLE}{inside}{below}</div>'


def _numbers(values: Sequence[Any]) -> bool:
    """Return whether a column holds numbers, which stand to the right."""
    return all(v is None or isinstance(v, Real) for v in values)
