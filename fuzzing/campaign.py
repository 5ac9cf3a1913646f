"""A run of many cases: their numbers and their failures."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import cases, pool
from .cases import Outcome
from .child import KINDS as _MODULES
from .child import make_case

KINDS = tuple(_MODULES)
# Failures of one kind and reason that are written down.
MOST_SAVED = 3


@dataclass
class Result:
    """What came of a run.

    Attributes
    ----------
    seed : int
    seconds : float
    outcomes : Counter
        Number of cases by kind of case and outcome.
    counts : Counter
        Labels compared, ties and so on, by kind of case.
    failures : list
        The failures: the order, its outcome, and the file it was written to.
    """

    seed: int
    seconds: float = 0.0
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[tuple[dict[str, Any], Outcome, Path | None]] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"seed {self.seed}, {self.seconds:.0f} s, {sum(self.outcomes.values())} cases"]
        for kind in KINDS:
            told = {outcome: n for (of, outcome), n in self.outcomes.most_common() if of == kind}
            if told:
                compared = ", ".join(f"{n} {name}" for (of, name), n in sorted(self.counts.items()) if of == kind)
                all_told = ", ".join(f"{n} {outcome}" for outcome, n in told.items())
                lines.append(f"{kind}: {sum(told.values())} cases: {all_told}; {compared or 'no labels'}")
        for order, outcome, path in self.failures[:50]:
            number = f"--kind {order['kind']} number {order.get('number')}"
            lines.append(f"FAILED {outcome.kind}: {outcome.detail} ({number}; {path})")
        return "\n".join([*lines, f"{len(self.failures)} failures"])


def run(
    kinds: Sequence[str],
    seed: int,
    seconds: float,
    count: int | None = None,
    n_children: int = 2,
    limit: float = 10.0,
    folder: Path | None = None,
    say: Callable[[str], object] = lambda _: None,
) -> Result:
    """Run cases of some kinds in turn, until the time or their number is reached.

    Parameters
    ----------
    kinds : sequence of str
    seed : int
    seconds : float
    count : int, optional
        The largest number of cases.
    n_children : int
    limit : float
        Seconds of processor time per case.
    folder : path, optional
        Where failures are written.
    say : callable
        Told about failures, and about progress twice a minute.

    Returns
    -------
    Result
    """
    result, begun, last = Result(seed), time.monotonic(), time.monotonic()
    saved: Counter[tuple[str, str]] = Counter()

    def orders() -> Iterator[dict[str, Any]]:
        number = 0
        while count is None or number < count:
            yield {"kind": kinds[number % len(kinds)], "seed": seed, "number": number}
            number += 1

    for order, outcome in pool.run(orders(), n_children, limit, lambda: time.monotonic() - begun > seconds):
        kind = order["kind"]
        result.outcomes[kind, outcome.kind] += 1
        for name, n in outcome.counts.items():
            result.counts[kind, name] += n
        if outcome.failed:
            label, path = (kind, outcome.kind + outcome.detail[:20]), None
            saved[label] += 1
            if folder is not None and saved[label] <= MOST_SAVED:
                path = cases.save(folder, kind, make_case(**order), outcome, f"{seed}-{order['number']}")
            result.failures.append((order, outcome, path))
            say(f"{kind} {order['number']}: {outcome.kind} {outcome.detail}")
        if time.monotonic() - last > 30:
            last = time.monotonic()
            say(f"{last - begun:.0f} s: {sum(result.outcomes.values())} cases, {len(result.failures)} failures")
    result.seconds = time.monotonic() - begun
    return result


def replay(paths: Sequence[Path], limit: float = 10.0, n_children: int = 2) -> list[tuple[Path, Outcome]]:
    """Run cases that were written down."""

    def orders() -> Iterator[dict[str, Any]]:
        for path in paths:
            written = cases.loads(path.read_text())
            yield {"kind": written["kind"], "case": written["case"], "path": str(path)}

    done = {order["path"]: outcome for order, outcome in pool.run(orders(), min(n_children, len(paths)), limit)}
    return [(path, done[str(path)]) for path in paths]
