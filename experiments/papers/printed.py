"""Where each published number stands on the pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ..tables import Table

Places = dict[str, dict[str, str | int]]


class Printed(str):
    """A cell with numbers that a paper prints.

    It is a string like any other cell. Beside its text it has the place of each of its numbers in the file of all published
    numbers, as a JSON pointer, so that a test can look whether every number is on a page.

    Parameters
    ----------
    text : str
        With the digits as the paper prints them: 98.70, not 98.7.
    *pointers : str
        Such as "/platt1999/tables/table1/usps/0/sigma".

    Examples
    --------
    >>> from experiments.papers.printed import Printed
    >>> cell = Printed("1.6 to 2.3", "/in_text/speedup/0", "/in_text/speedup/1")
    >>> cell, len(cell.pointers)
    ('1.6 to 2.3', 2)
    """

    __slots__ = ("pointers",)
    pointers: tuple[str, ...]

    def __new__(cls, text: str, *pointers: str) -> Printed:
        """A string with pointers."""
        cell = super().__new__(cls, text)
        cell.pointers = pointers
        return cell


def places_on(page: str, tables: Iterable[Table]) -> Places:
    """The place of every published number on a page.

    Parameters
    ----------
    page : str
        The name of its file.
    tables : iterable of Table

    Returns
    -------
    dict
        By pointer: the page, the title of the table, and its row and column, counted from 0.

    Examples
    --------
    >>> from experiments.papers.printed import Printed, places_on
    >>> from experiments.tables import Table
    >>> table = Table("Errors", ["set", "published"], [["letter", Printed("2.2", "/tables/table1/letter/0")]])
    >>> places_on("platt1999.md", [table])
    {'/tables/table1/letter/0': {'page': 'platt1999.md', 'table': 'Errors', 'row': 0, 'column': 1}}
    """
    return {
        pointer: {"page": page, "table": table.title, "row": i, "column": j}
        for table in tables
        for i, row in enumerate(table.rows)
        for j, cell in enumerate(row)
        if isinstance(cell, Printed)
        for pointer in cell.pointers
    }


def read_cell(text: str, place: Mapping[str, str | int]) -> str:
    """The cell at a place of a page.

    Parameters
    ----------
    text : str
        The page, in Markdown.
    place : mapping
        As `places_on` gives it.

    Raises
    ------
    LookupError
        If the page has no such cell.

    Examples
    --------
    >>> from experiments.papers.printed import read_cell
    >>> from experiments.tables import Table
    >>> page = Table("Errors", ["set", "%"], [["letter", "2.2"]]).markdown()
    >>> read_cell(page, {"table": "Errors", "row": 0, "column": 1})
    '2.2'
    """
    lines = text.splitlines()
    title = f"**{place['table']}**"
    if lines.count(title) != 1:
        raise LookupError(f"{place['page']} has {lines.count(title)} tables {place['table']!r}, not one")
    first = lines.index(title) + 4  # an empty line, the head and the rule stand between
    row = lines[first + int(place["row"])]
    cells = row.removeprefix("| ").removesuffix(" |").split(" | ")
    if not row.startswith("| ") or int(place["column"]) >= len(cells):
        raise LookupError(
            f"{place['page']}, table {place['table']!r} has no row {place['row']}, column {place['column']}"
        )
    return cells[int(place["column"])].strip()


# Keys of the file of published numbers that hold none: what a table is called and remarks on it, and the numbers of rows.
NOT_PUBLISHED = {"caption", "note", "row", "no"}
# What is published stands below these keys of a paper; beside them are checks of its arithmetic and runs of our own.
PUBLISHED = ("tables", "data", "in_text")


def published_numbers(content: Mapping[str, object]) -> dict[str, list[str]]:
    """All numbers of the file of published numbers.

    Parameters
    ----------
    content : mapping
        The file, read with ``json.loads(text, parse_int=str, parse_float=str)``, so that numbers keep the digits as printed.

    Returns
    -------
    dict
        By JSON pointer: the numbers of the value there. A text may have several.

    Examples
    --------
    >>> from experiments.papers.printed import published_numbers
    >>> paper = {"tables": {"table1": {"caption": "3 errors", "rows": [{"no": "1", "set": "usps", "error": "4.70"}]}}}
    >>> published_numbers({"paper": paper})
    {'/paper/tables/table1/rows/0/error': ['4.70']}
    """
    found: dict[str, list[str]] = {}

    def walk(value: object, pointer: str) -> None:
        if isinstance(value, Mapping):
            for key, inner in value.items():
                if key not in NOT_PUBLISHED:
                    walk(inner, f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}")
        elif isinstance(value, list):
            for i, inner in enumerate(value):
                walk(inner, f"{pointer}/{i}")
        elif isinstance(value, str) and (numbers := numbers_in(value)):
            found[pointer] = numbers

    for paper, of in content.items():
        if isinstance(of, Mapping):
            for part in PUBLISHED:
                walk(of.get(part), f"/{paper}/{part}")
    return found


def numbers_in(text: str) -> list[str]:
    """The numbers of a text, with their digits as printed.

    Examples
    --------
    >>> from experiments.papers.printed import numbers_in
    >>> numbers_in("1-v-r errs on 4.70 %, 20-fold")
    ['1', '4.70', '20']
    """
    return re.findall(r"\d+(?:\.\d+)?", text)
