"""Progress of training: machines trained, their rate and the time left, as a bar on a terminal or in a notebook, or as lines.

Machines differ in size, so the time left is estimated from work, the square of a machine's number of samples, and not from the
number of machines. A structure that asks for machines in several lots does not know how many will follow. Then counts and times
include all lots so far, and the time left is that of these lots.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np

from ..base.typing import Array, Index
from ..problem.problem import Problem
from ..problem.tasks import Tasks

# A fit shorter than this many seconds prints no progress and does not import rich.
PATIENCE = 1.0
# At least one line is printed in this many seconds, if machines finish.
LONGEST_SILENCE = 60.0


class Watcher(Protocol):
    """Receives the progress of training, on the thread that called `fit`."""

    def begin(self, work: Array, n_kept: int) -> None:
        """Start a lot: the work of each machine to train, and the number of machines taken from the checkpoint."""

    def advance(self, machines: Index) -> None:
        """Report machines of the lot that are trained."""

    def end(self) -> None:
        """End the lot."""


def work_of(problem: Problem, tasks: Tasks) -> Array:
    """Return the expected work of each machine, without a unit: the square of its number of samples.

    Returns
    -------
    ndarray of shape (n_tasks,)
    """
    sizes = (problem.class_start[1:] - problem.class_start[:-1]).astype(np.float64)[tasks.classes]
    samples: Array = np.add.reduceat(sizes, tasks.begin[:-1]) if len(tasks) else np.zeros(0)
    return samples**2


class Tally:
    """Counts machines and work, and estimates the time left.

    Attributes
    ----------
    n_lots : int
        Number of lots started.
    done, total : int
        Machines done and all machines, of all lots started. Machines from the checkpoint count as done.
    trained : int
        Machines trained in this run, without those from the checkpoint.
    work_done, work_total : float
        Work done and all work, of the machines to train in this run.

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
        """Add a new lot."""
        self.n_lots += 1
        self.done += n_kept
        self.total += n_kept + len(work)
        self.work_total += float(work.sum())
        self._work = work

    def advance(self, machines: Index) -> None:
        """Count machines of the lot as trained."""
        self.done += len(machines)
        self.trained += len(machines)
        self.work_done += float(self._work[machines].sum())

    def rate(self, seconds: float) -> float:
        """Return the machines trained per second."""
        return self.trained / seconds if seconds > 0 else 0.0

    def left(self, seconds: float) -> float | None:
        """Return the seconds left at the rate of work so far, or None before any machine is trained."""
        return seconds * (self.work_total - self.work_done) / self.work_done if self.work_done > 0 else None

    def tell(self, seconds: float) -> str:
        """Return the progress as text, after this many seconds of training."""
        lot = f"lot {self.n_lots}: " if self.n_lots > 1 else ""
        rate, left = self.rate(seconds), self.left(seconds)
        return (
            f"{lot}{self.done} of {self.total} machines, {f'{rate:.3g}' if rate < 1000 else round(rate)} per second, "
            f"{'?' if left is None else clock(left)} left"
        )


def clock(seconds: float) -> str:
    """Format seconds as hours, minutes and seconds.

    Examples
    --------
    >>> from dagmar.machines.progress import clock
    >>> clock(3723.4)
    '1:02:03'
    """
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


class Drawn:
    """A context that removes its bar, if it has one, at its end, also after an exception."""

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
    """A watcher that shows progress: a bar in a notebook, or on a terminal if `rich` is installed; otherwise plain lines.

    It is a context: at its end the bar of a terminal is removed, also after an exception, before anything else is printed. Only
    the time spent training counts.
    """

    def __init__(self) -> None:
        self.tally = Tally()
        self._spent = 0.0
        self._begun: float | None = None  # start of the current lot
        self._next_line = PATIENCE

    @property
    def seconds(self) -> float:
        """Seconds spent training so far."""
        return self._spent + (time.monotonic() - self._begun if self._begun is not None else 0.0)

    def begin(self, work: Array, n_kept: int) -> None:
        """Start a lot."""
        self.tally.begin(work, n_kept)
        if n_kept:
            print(f"[dagmar] {n_kept} of {n_kept + len(work)} machines are in the checkpoint", file=sys.stderr)
        self._begun = time.monotonic()

    def advance(self, machines: Index) -> None:
        """Report machines of the lot that are trained, and show the progress."""
        self.tally.advance(machines)
        seconds = self.seconds
        if self._bar is None and seconds >= PATIENCE:
            self._bar = NotebookBar() if in_notebook() else rich_bar() if sys.stderr.isatty() else None
        if self._bar is not None:
            self._draw(seconds)
        elif seconds >= self._next_line and self.tally.done < self.tally.total:
            print(f"[dagmar] {self.tally.tell(seconds)}", file=sys.stderr, flush=True)
            self._next_line = seconds + min(seconds, LONGEST_SILENCE)  # a longer fit prints fewer lines

    def end(self) -> None:
        """End the lot."""
        self._spent = self.seconds
        self._begun = None

    def _draw(self, seconds: float) -> None:
        tally = self.tally
        self._bar.update(
            self._bar.task_ids[0], completed=tally.work_done, total=tally.work_total, words=tally.tell(seconds)
        )


def rich_bar(total: float | None = None) -> Any:
    """Return a started bar, or None if `rich` is not installed."""
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


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    # A kernel has imported IPython; nothing is imported to find out.
    interactive = sys.modules.get("IPython")
    return interactive is not None and hasattr(interactive.get_ipython(), "kernel")


class NotebookBar:
    """A bar in the output of a cell, which stays there. It needs IPython only, and has the methods of rich's bar used here."""

    task_ids = (0,)

    def __init__(self) -> None:
        display: Any = import_module("IPython.display").display  # a notebook has it; it is no dependency
        self._shown = display(_bundle(0.0, ""), raw=True, display_id=True)

    def update(self, _task: int, *, completed: float, total: float, words: str) -> None:
        """Show how much is done."""
        self._shown.update(_bundle(completed / total if total > 0 else 1.0, words), raw=True)

    def stop(self) -> None:
        """Leave the bar as it is."""


def _bundle(share: float, words: str) -> dict[str, str]:
    """Return a bar as a notebook shows it, and as text for tools that show no HTML."""
    filled = round(20 * share)
    return {
        "text/html": f"<progress value='{share:.4f}' max='1'></progress> {100 * share:.0f} % &nbsp; {words}",
        "text/plain": f"[dagmar] {'#' * filled}{'.' * (20 - filled)} {100 * share:.0f} % {words}",
    }
