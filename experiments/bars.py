"""How far a long job of named steps is."""

from __future__ import annotations

import sys
import time
from typing import Self

from dagmar.machines.progress import Drawn, clock, rich_bar


class Bar(Drawn):
    """How far a long job of named steps is, on standard error: a bar on a terminal where `rich` is installed, else lines.

    Parameters
    ----------
    title : str
    total : float
        The weights of all steps, in no particular unit.

    Examples
    --------
    >>> from experiments.bars import Bar
    >>> with Bar("letters", total=2.0) as bar:
    ...     bar.advance(2.0, "all done")
    """

    def __init__(self, title: str, total: float) -> None:
        self.title = title
        self.total = total
        self.done = self.skipped = 0.0
        self._begun = time.monotonic()

    def __enter__(self) -> Self:
        self._bar = rich_bar(self.total) if sys.stderr.isatty() else None
        return self

    def say(self, words: str) -> None:
        """A line that stays."""
        line = f"[dagmar] {self.title}: {words}"
        if self._bar is not None:
            self._bar.console.print(line, markup=False, highlight=False)
        else:
            print(line, file=sys.stderr, flush=True)

    def skip(self, weight: float) -> None:
        """Steps that were done before."""
        self.skipped += weight

    def now(self, words: str) -> None:
        """The step that begins; shown in the bar."""
        if self._bar is not None:
            self._draw(words)

    def advance(self, weight: float, words: str) -> None:
        """A step is done; the words stay as a line."""
        self.done += weight
        share = (self.done + self.skipped) / self.total if self.total else 1.0
        self.say(f"{words} ({100 * share:.0f} %, {self._left()} left)")
        if self._bar is not None:
            self._draw("")

    def _left(self) -> str:
        seconds = time.monotonic() - self._begun
        return clock(seconds * max(self.total - self.skipped - self.done, 0.0) / self.done) if self.done else "?"

    def _draw(self, words: str) -> None:
        self._bar.update(self._bar.task_ids[0], completed=self.done + self.skipped, words=f"{self.title}: {words}")
