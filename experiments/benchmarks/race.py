"""The clock: every competitor once per repeat, in an order that rotates."""

from __future__ import annotations

import gc
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any, TypeVar

from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from .cases import Case
from .competitors import LINE_UP, OPTIONAL, Competitor, Labels, is_peer

T = TypeVar("T")
Seconds = dict[str, list[float]]

WARM_UP_ROWS = 500
LATENCY_ROWS = 200
REST = 0.3
LONG = 60.0  # seconds from which on a run is not repeated: noise is small next to it


@dataclass(frozen=True)
class Pace:
    """How often the same is measured.

    Attributes
    ----------
    long : float
        Seconds from which on a run is not repeated.
    far : float
        A peer that takes this many times as long as another to fit, and as another to predict, is not repeated: it will not be
        the best.
    fill : float
        What takes less than these seconds, predictions included, is done again until they have passed, and its medians
        count as one repeat. The time of a single call of a few microseconds is mostly noise.
    """

    long: float = LONG
    far: float = float("inf")
    fill: float = 0.0


@dataclass
class Laps:
    """Raw seconds by name, one entry per repeat, and what the last repeat left behind.

    Attributes
    ----------
    fit, first, later : dict of str to list of float
        Fitting; the first `predict` of a new model, which pays for whatever the library builds then; and the next one.
    models : dict of str to object
        By competitor.
    labels : dict of str to ndarray
        Answers to the test rows.
    counts : dict of str to dict
        By competitor.
    """

    fit: Seconds = field(default_factory=lambda: defaultdict(list))
    first: Seconds = field(default_factory=lambda: defaultdict(list))
    later: Seconds = field(default_factory=lambda: defaultdict(list))
    models: dict[str, Any] = field(default_factory=dict)
    labels: dict[str, Labels] = field(default_factory=dict)
    counts: dict[str, dict[str, float]] = field(default_factory=dict)


def line_up(
    case: Case, threads: int, say: Callable[[str], None], kinds: tuple[type[Competitor], ...] = LINE_UP
) -> list[Competitor]:
    """Build and warm up the competitors that are installed.

    Parameters
    ----------
    case : Case
    threads : int
    say : callable
        Told of each peer left out.
    kinds : tuple of type
        Who is to run.

    Returns
    -------
    list of Competitor
    """
    ready = []
    for kind in kinds:
        try:
            warm_up = kind(case.head(WARM_UP_ROWS), threads)
        except ImportError as error:
            if not issubclass(kind, OPTIONAL):
                raise
            say(f"{kind.name} is left out: {error}")
            continue
        # Nobody pays for loading libraries and starting threads in the first repeat.
        for predict in warm_up.predictors(warm_up.fit()).values():
            predict()
        ready.append(kind(case, threads))
    return ready


def race(competitors: list[Competitor], repeats: int, say: Callable[[str], None], pace: Pace | None = None) -> Laps:
    """Time `fit`, then the first and a later `predict` of the new model, for everyone in turn.

    Who takes longer than `Pace.long` runs once, and a `predict` of that length counts as the later one, too. A peer that is
    `Pace.far` behind also runs once.

    Parameters
    ----------
    competitors : list of Competitor
    repeats : int
    say : callable
        Told of progress.
    pace : Pace, optional

    Returns
    -------
    Laps
    """
    laps, pace = Laps(), pace or Pace()
    for repeat in range(repeats):
        turn = repeat % len(competitors)
        for competitor in competitors[turn:] + competitors[:turn]:
            if repeat and _needs_no_repeat(competitor.name, laps, pace):
                continue
            say(f"repeat {repeat + 1} of {repeats}: {competitor.name}")
            # Entered anew for each: only libraries that are loaded by now can be limited, and each has its own number.
            with threadpool_limits(competitor.threads):
                _run(competitor, laps, pace)
    for competitor in competitors:
        laps.counts[competitor.name] = competitor.counts(laps.models[competitor.name])
    return laps


def _needs_no_repeat(name: str, laps: Laps, pace: Pace) -> bool:
    def is_far(seconds: Seconds) -> bool:
        return min(seconds[name]) > pace.far * min(min(seconds[peer]) for peer in filter(is_peer, seconds))

    return max(laps.fit[name]) > pace.long or (is_peer(name) and is_far(laps.fit) and is_far(laps.first))


def _run(competitor: Competitor, laps: Laps, pace: Pace) -> None:
    laps.models.pop(competitor.name, None)  # freed here, not on the clock
    rounds, many = Laps(), pace.fill > 0
    if many:
        rest()  # once: in the rounds after the first nobody else ran before
    start = time.perf_counter()
    while not rounds.fit or time.perf_counter() - start < pace.fill:
        rounds.models.clear()
        _round(competitor, rounds, pace, rest if not many else None)
    laps.models.update(rounds.models)
    laps.labels.update(rounds.labels)
    for found, seconds in ((laps.fit, rounds.fit), (laps.first, rounds.first), (laps.later, rounds.later)):
        for name, several in seconds.items():
            found[name].append(median(several))


def _round(competitor: Competitor, laps: Laps, pace: Pace, before: Callable[[], None] | None) -> None:
    model, seconds = timed(competitor.fit, before)
    laps.models[competitor.name] = model
    laps.fit[competitor.name].append(seconds)
    for name, predict in competitor.predictors(model).items():
        laps.labels[name], seconds = timed(predict, before)
        laps.first[name].append(seconds)
        laps.later[name].append(timed(predict, before)[1] if seconds <= pace.long else seconds)


def rest() -> None:
    """Let nothing of the one before disturb the next."""
    gc.collect()  # so that nobody cleans up after another
    time.sleep(REST)  # threads that the one before left spinning fall asleep


def timed(work: Callable[[], T], before: Callable[[], None] | None = rest) -> tuple[T, float]:
    """The result of `work` and the seconds it took, without those of what is done before."""
    if before is not None:
        before()
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def latency(model: Any, X: NDArray[Any]) -> float:
    """Median microseconds of `predict` on one row at a time."""
    rows = [X[i : i + 1] for i in range(min(LATENCY_ROWS, X.shape[0]))]
    model.predict(rows[0])
    seconds = []
    for row in rows:
        start = time.perf_counter()
        model.predict(row)
        seconds.append(time.perf_counter() - start)
    return 1e6 * median(seconds)
