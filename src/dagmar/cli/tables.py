"""What the command prints: results as text or JSON on standard output, progress and warnings on standard error."""

from __future__ import annotations

import json
import sys
from types import TracebackType
from typing import Any, Self

import click

from .errors import cut

# The largest confusion matrix that is printed; of a larger one, the most frequent confusions.
LARGEST_MATRIX = 20
MOST_CONFUSIONS = 20
WIDEST = 100_000


def plain(values: Any) -> list[Any]:
    """Return an array as a list of Python's own types."""
    return list(values.tolist())


def say_json(result: Any) -> None:
    """Print a result as JSON."""
    click.echo(json.dumps(result, ensure_ascii=False))


def note(text: str) -> None:
    """Print a line on standard error."""
    click.echo(f"dagmar: {text}", err=True)


def size(n_bytes: int) -> str:
    """Return a size for people.

    Examples
    --------
    >>> from dagmar.cli.tables import size
    >>> size(15_300)
    '15.3 kB'
    """
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{n_bytes / 1e3:.1f} kB"


def number(value: float | None) -> str:
    """Return a share or a count for a table; nothing for None."""
    return "" if value is None else f"{value:.4g}"


def table(heads: list[str], lines: list[list[str]], marked: tuple[int, int] | None = None) -> None:
    """Print a table: the first column to the left, the others to the right.

    Parameters
    ----------
    heads : list of str
    lines : list of list of str
    marked : (int, int), optional
        Line and column of a cell that is bold on a terminal and has a star.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False)
    for k, head in enumerate(heads):
        drawn.add_column(Text(head), justify="right" if k else "left", no_wrap=True)
    for i, line in enumerate(lines):
        cells = [Text(cell) for cell in line]
        if marked is not None and marked[0] == i:
            cells[marked[1]] = Text(f"{line[marked[1]]} *", style="bold")
        drawn.add_row(*cells)
    # No cell is cut to the width of the terminal; the terminal wraps long lines.
    Console(file=sys.stdout, width=WIDEST).print(drawn)


def facts(pairs: dict[str, Any]) -> None:
    """Print names and values below each other; values that are None are left out."""
    given = {name: value for name, value in pairs.items() if value is not None}
    width = max(map(len, given), default=0)
    for name, value in given.items():
        lines = str(value).splitlines() or [""]
        click.echo(f"{name.ljust(width)}  {lines[0]}")
        for line in lines[1:]:
            click.echo(f"{'':{width}}  {line}")


def say_evaluation(result: dict[str, Any]) -> None:
    """Print the result of an evaluation."""
    click.echo(f"accuracy {number(result['accuracy'])} on {result['rows']} rows\n")
    heads = ["class", "precision", "recall", "f1", "rows"]
    table(
        heads,
        [[cut(str(c["label"])), *(number(c[h]) for h in heads[1:4]), str(c["rows"])] for c in result["per_class"]],
    )
    labels, confusion = [cut(str(label)) for label in result["labels"]], result["confusion"]
    click.echo()
    if len(labels) <= LARGEST_MATRIX:
        lines = [[label, *map(str, counts)] for label, counts in zip(labels, confusion, strict=True)]
        table(["actual \\ predicted", *labels], lines)
    else:
        wrong = [(n, i, j) for i, line in enumerate(confusion) for j, n in enumerate(line) if n and i != j]
        worst = sorted(wrong, key=lambda w: -w[0])[:MOST_CONFUSIONS]
        table(["actual", "predicted", "rows"], [[labels[i], labels[j], str(n)] for n, i, j in worst])
    cost = result["cost"]
    if cost is not None and cost["machines"] is not None:
        click.echo(
            f"\ncost per row: {cost['machines']:.1f} machines, {cost['kernel_evaluations']:.1f} kernel evaluations"
        )


class Ticker:
    """Counts rows on standard error, if that is a terminal.

    Parameters
    ----------
    what : str
        What is counted.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._bar: Any = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            columns = (SpinnerColumn(), TextColumn("{task.completed:.0f} {task.description}"), TimeElapsedColumn())
            self._bar = Progress(*columns, console=Console(file=sys.stderr), transient=True)
            self._bar.add_task(self._what, total=None)
            self._bar.start()
        return self

    def advance(self, n: int) -> None:
        """Count some more."""
        if self._bar is not None:
            self._bar.advance(self._bar.task_ids[0], n)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
