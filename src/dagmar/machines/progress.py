"""How far training is: machines done, how fast, and the time left, on a terminal or in plain lines.

Machines differ in size, so time is told by work, a machine's samples squared, and not by counting machines. A structure
that asks for machines in several lots does not know how many more will come: then everything counts from the first lot
on, and the time left is that of the lots so far.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np

from ..base.typing import Array, Index
from ..problem.problem import Problem
from ..problem.tasks import Tasks

# A fit that is done before this many seconds needs no words on the way, nor the import of a library to say them.
PATIENCE = 1.0
LONGEST_SILENCE = 60.0


class Watcher(Protocol):
    """Whoever wants to know how far training is; told on the thread that called `fit`."""

    def begin(self, work: Array, n_kept: int) -> None:
        """A lot begins: the work of each machine to be trained, and how many are there already."""

    def advance(self, machines: Index) -> None:
        """These machines of the lot are done."""

    def end(self) -> None:
        """The lot is done."""


def work_of(problem: Problem, tasks: Tasks) -> Array:
    """What each machine will cost, in no particular unit: its samples squared.

    Returns
    -------
    ndarray of shape (n_tasks,)
    """
    sizes = np.diff(problem.class_start)[tasks.classes].astype(np.float64)
    samples: Array = np.add.reduceat(sizes, tasks.begin[:-1]) if len(tasks) else np.zeros(0)
    return samples**2


class Tally:
    """The numbers: what there is to do, what is done, and how long the rest may take.

    Attributes
    ----------
    n_lots : int
        Lots begun.
    done, total : int
        Machines, of all lots begun; those that were there before count as done.
    work_done, work_total : float
        Of the machines trained here.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.machines.progress import Tally
    >>> tally = Tally()
    >>> tally.begin(np.array([1.0, 3.0, 4.0]), n_kept=2)
    >>> tally.advance(np.array([0, 1]))
    >>> tally.tell(seconds=10.0)
    '4 of 5 machines, 0.2 per second, 0:00:10 left'
    """

    def __init__(self) -> None:
        self.n_lots = self.done = self.total = self.trained = 0
        self.work_done = self.work_total = 0.0
        self._work: Array = np.zeros(0)

    def begin(self, work: Array, n_kept: int) -> None:
        """Count a new lot."""
        self.n_lots += 1
        self.done += n_kept
        self.total += n_kept + len(work)
        self.work_total += float(work.sum())
        self._work = work

    def advance(self, machines: Index) -> None:
        """Count machines of the lot as done."""
        self.done += len(machines)
        self.trained += len(machines)
        self.work_done += float(self._work[machines].sum())

    def rate(self, seconds: float) -> float:
        """Machines trained per second."""
        return self.trained / seconds if seconds > 0 else 0.0

    def left(self, seconds: float) -> float | None:
        """Seconds that the rest will take at the rate of work so far, None before anything is done."""
        return seconds * (self.work_total - self.work_done) / self.work_done if self.work_done > 0 else None

    def tell(self, seconds: float) -> str:
        """All of it in words, after so many seconds of training."""
        lot = f"lot {self.n_lots}: " if self.n_lots > 1 else ""
        rate, left = self.rate(seconds), self.left(seconds)
        return (
            f"{lot}{self.done} of {self.total} machines, {f'{rate:.3g}' if rate < 1000 else round(rate)} per second, "
            f"{'?' if left is None else clock(left)} left"
        )


def clock(seconds: float) -> str:
    """Seconds as hours, minutes and seconds.

    Examples
    --------
    >>> from dagmar.machines.progress import clock
    >>> clock(3723.4)
    '1:02:03'
    """
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


class Drawn:
    """A context whose bar, if it has one, is gone when it ends, whatever ends it."""

    _bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


class Progress(Drawn):
    """A watcher that tells the user, on standard error: a bar on a terminal where `rich` is installed, else plain lines.

    A context, so that the bar is gone before anything else is printed, whatever ends the training. Only the seconds spent
    training count.
    """

    def __init__(self) -> None:
        self.tally = Tally()
        self._spent = 0.0
        self._begun: float | None = None  # when the lot began that is being trained
        self._next_line = PATIENCE

    @property
    def seconds(self) -> float:
        """Seconds of training so far."""
        return self._spent + (time.monotonic() - self._begun if self._begun is not None else 0.0)

    def begin(self, work: Array, n_kept: int) -> None:
        """A lot begins."""
        self.tally.begin(work, n_kept)
        if n_kept:
            print(f"[dagmar] {n_kept} of {n_kept + len(work)} machines are in the checkpoint", file=sys.stderr)
        self._begun = time.monotonic()

    def advance(self, machines: Index) -> None:
        """Machines are done."""
        self.tally.advance(machines)
        seconds = self.seconds
        if self._bar is None and seconds >= PATIENCE and sys.stderr.isatty():
            self._bar = rich_bar()
        if self._bar is not None:
            self._draw(seconds)
        elif seconds >= self._next_line and self.tally.done < self.tally.total:
            print(f"[dagmar] {self.tally.tell(seconds)}", file=sys.stderr, flush=True)
            self._next_line = seconds + min(seconds, LONGEST_SILENCE)  # the longer it takes, the fewer the words

    def end(self) -> None:
        """The lot is done."""
        self._spent = self.seconds
        self._begun = None

    def _draw(self, seconds: float) -> None:
        tally = self.tally
        self._bar.update(
            self._bar.task_ids[0], completed=tally.work_done, total=tally.work_total, words=tally.tell(seconds)
        )


def rich_bar(total: float | None = None) -> Any:
    """A started bar, or None where `rich` is not installed."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn
        from rich.progress import Progress as RichProgress
    except ImportError:
        return None
    columns = (
        TextColumn("[dagmar]", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[words]}"),
    )
    bar = RichProgress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task("", total=total, words="")
    bar.start()
    return bar
