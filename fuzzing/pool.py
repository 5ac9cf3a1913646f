"""A pool of long-lived children. A case that kills its worker or exceeds its time is a failure."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .cases import Outcome, dumps, loads

ROOT = Path(__file__).parent.parent
START = 60.0  # seconds in which a child must have imported everything


class Child:
    """One child process and the order it works on."""

    def __init__(self, limit: float) -> None:
        self.order: dict[str, Any] | None = None
        self.due = 0.0
        self.limit = limit
        self.patience = START
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the child)
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": path}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fuzzing.child", str(limit)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            cwd=ROOT,
            env=environment,
            text=True,
            start_new_session=True,  # so that its worker can be ended with it
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input, self.output = self.process.stdin, self.process.stdout

    def send(self, order: dict[str, Any]) -> None:
        """Give the child work. It ends what takes too long itself; `due` is for the case that it cannot."""
        self.order, self.due = order, time.monotonic() + 8 * self.limit + self.patience
        self.patience = 5.0
        self.input.write(dumps(order) + "\n")
        self.input.flush()

    def trace(self) -> str:
        """Return where the last signal came from, as far as that was written down."""
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        sanitizer = [line for line in lines if "Sanitizer:" in line or "runtime error" in line]
        places = [line.strip() for line in lines if 'File "' in line]
        self.errors.seek(0)
        self.errors.truncate()
        return (sanitizer or [p for p in places if "dagmar" in p] or places or lines[-1:] or [""])[0]

    def close(self) -> None:
        """End the child and its worker."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.input.close()
        self.output.close()
        self.errors.close()


def run(
    orders: Iterator[dict[str, Any]], n_children: int, limit: float, until: Callable[[], bool] = lambda: False
) -> Iterator[tuple[dict[str, Any], Outcome]]:
    """Run orders in children and yield each with its outcome, in the order in which they end.

    Parameters
    ----------
    orders : iterator of dict
        Each has a `kind` and either a `case` or a `seed` and a `number`.
    n_children : int
    limit : float
        Seconds of processor time per case.
    until : callable
        No more orders are given out once it returns True.

    Yields
    ------
    order, outcome
    """
    selector = selectors.DefaultSelector()
    children: set[Child] = set()

    def give(child: Child) -> None:
        order = None if until() else next(orders, None)
        if order is None:
            stop(child)
        else:
            child.send(order)

    def start() -> None:
        child = Child(limit)
        children.add(child)
        selector.register(child.output, selectors.EVENT_READ, child)
        give(child)

    def stop(child: Child) -> None:
        selector.unregister(child.output)
        children.discard(child)
        child.close()

    try:
        for _ in range(n_children):
            start()
        while children:
            for key, _ in selector.select(timeout=0.2):
                child: Child = key.data
                order, line = child.order, child.output.readline()
                assert order is not None
                if not line:  # the child itself ended, which only a signal from outside can do
                    stop(child)
                    yield order, Outcome("signal", f"the child ended with {child.process.returncode}")
                    start()
                    continue
                outcome = Outcome(**loads(line))
                if outcome.kind == "signal":
                    outcome.detail = f"{outcome.detail}; {child.trace()}"[:300]
                yield order, outcome
                give(child)
            for child in [c for c in children if time.monotonic() > c.due]:
                order = child.order
                assert order is not None
                stop(child)
                yield order, Outcome("hang", f"more than {limit:g} s")
                start()
    finally:
        for child in list(children):
            stop(child)
