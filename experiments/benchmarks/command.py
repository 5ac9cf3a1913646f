"""What the command lines of all benchmarks share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..tables import Table

RESULTS = Path(__file__).parent / "results"
AVX2 = "avx2"  # the folder in it of runs without AVX-512


class Screen:
    """What the person who runs a benchmark sees."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console()

    def headline(self, line: str) -> None:
        """A line that begins a data set."""
        self._console.print(line, style="bold")

    def say(self, line: str) -> None:
        """A line about progress."""
        self._console.print(line, style="dim")

    def fail(self, line: str) -> None:
        """A line about something that is wrong."""
        self._console.print(line, style="red")

    def show(self, tables: Iterable[Table], lines: Sequence[str] = ()) -> None:
        """Results."""
        self._console.print(*(table.rich() for table in tables), *lines, sep="\n")


def no_options(parser: argparse.ArgumentParser) -> None:
    """For benchmarks without options of their own."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark with its command line.

    Attributes
    ----------
    name : str
        On the command line, and of the files that it writes.
    summary : str
    run : callable
        Called as ``run(options, screen)``. Returns what the process exits with: 0 if all answers agreed, 1 if some did not or
        data was missing. A goal that is not met is no failure.
    add_options : callable
        Adds the options that only this benchmark has to a parser.
    repeats : int or None
        The default of ``--repeats``; None for no such option.
    writes : bool
        Whether it writes files, and has an option for their folder.
    """

    name: str
    summary: str
    run: Callable[[argparse.Namespace, Screen], int]
    add_options: Callable[[argparse.ArgumentParser], Any] = no_options
    repeats: int | None = 3
    writes: bool = True

    def main(self, arguments: Sequence[str]) -> int:
        """Run the benchmark, show and write the results.

        Parameters
        ----------
        arguments : sequence of str
            The command line, after the name of the benchmark.

        Returns
        -------
        int
            What the process exits with.
        """
        options = self.parser().parse_args(arguments)
        return self.run(options, Screen())

    def parser(self) -> argparse.ArgumentParser:
        """A parser with the options of all benchmarks (threads, repeats, where to write) and those of this one."""
        parser = argparse.ArgumentParser(prog=f"python -m experiments bench {self.name}", description=self.summary)
        parser.add_argument("--threads", type=positive, default=2, help="for those who can use them (default: 2)")
        if self.repeats is not None:
            words = f"runs of every competitor (default: {self.repeats})"
            parser.add_argument("--repeats", type=positive, default=self.repeats, help=words)
        if self.writes:
            parser.add_argument("--out", type=Path, default=RESULTS, help="folder to write into")
        self.add_options(parser)
        return parser


def positive(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"at least 1, got {number}")
    return number
