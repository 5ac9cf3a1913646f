"""Tables of text, the same on the terminal and in Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table as RichTable

NONE = "–"  # in a cell that has nothing


@dataclass(frozen=True)
class Table:
    """A title, a head and rows of text; the first column reads from the left, numbers from the right.

    Attributes
    ----------
    title : str
        Empty if a heading stands above the table.
    head : list of str
    rows : list of list of str
    words : bool
        Whether all columns are words, which read from the left.

    Examples
    --------
    >>> from experiments.tables import Table
    >>> print(Table("Errors", ["set", "%"], [["letter", "2.2"]]).markdown())
    **Errors**
    <BLANKLINE>
    | set | % |
    | --- | ---: |
    | letter | 2.2 |
    """

    title: str
    head: list[str]
    rows: list[list[str]]
    words: bool = False

    def rich(self) -> RichTable:
        """For the terminal."""
        from rich.table import Table as RichTable

        table = RichTable(title=self.title, title_justify="left")
        for i, name in enumerate(self.head):
            table.add_column(name, justify="right" if i and not self.words else "left")
        for row in self.rows:
            table.add_row(*row)
        return table

    def markdown(self) -> str:
        """For a file."""
        rule = ["---"] + ["---" if self.words else "---:"] * (len(self.head) - 1)
        lines = ["| " + " | ".join(row) + " |" for row in [self.head, rule, *self.rows]]
        return "\n".join([f"**{self.title}**", "", *lines] if self.title else lines)
