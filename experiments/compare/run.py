"""Running a comparison: which steps there are, and how they are run."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from multiprocessing import get_context
from statistics import fmean
from typing import Any

from ..bars import Bar
from ..exceptions import StepError
from .answers import FAR
from .cube import REFERENCE
from .protocol import Found, Settings, measure
from .results import Results, key_of
from .scheme import Scheme
from .schemes import scheme_of
from .sets import Prepared, Source, prepare


@dataclass
class Comparison:
    """What is to be compared.

    Attributes
    ----------
    sources : sequence of Source
    schemes : sequence of str
    splits : int
    settings : Settings
    """

    sources: Sequence[Source]
    schemes: Sequence[str]
    splits: int
    settings: Settings = field(default_factory=Settings)

    def steps(self) -> Iterator[Step]:
        """All steps: split by split, so that a part of them is a comparison by itself."""
        for number in range(self.splits):
            for source in self.sources:
                for scheme in self.schemes:
                    yield Step(source, number, scheme, self.settings)


@dataclass(frozen=True)
class Step:
    """One scheme on one split of one set."""

    source: Source
    number: int
    scheme: str
    settings: Settings
    limit: float = 0.0  # seconds, if its scheme may take as long as another one

    @property
    def key(self) -> str:
        """Its name in the results."""
        return key_of(self.source.name, self.number, self.scheme)


# The sets of this run, with their descriptions: each is needed in every split, and the largest take seconds to read.
_prepared: dict[tuple[str, Settings], tuple[Prepared, dict[str, Any]]] = {}


def run_step(step: Step) -> tuple[dict[str, Any], Found]:
    """Run a step, in whatever process.

    Parameters
    ----------
    step : Step

    Returns
    -------
    told : dict
        The shape and the digest of the set.
    found : dict
        As from `protocol.measure`. If the scheme raises an exception, its words under ``error``: one scheme that fails on one
        set must not end a run of hours.
    """
    at = step.source.name, step.settings
    if at not in _prepared:
        data = prepare(step.source, step.settings.rows, step.settings.seed)
        _prepared[at] = data, data.describe()
    data, told = _prepared[at]
    try:
        found = measure(scheme_of(step.scheme), data, step.settings, step.number, step.limit)
    except Exception as error:
        found = {"error": f"{type(error).__name__}: {error}"}
    return told, found


def run(comparison: Comparison, results: Results, jobs: int = 1, minutes: float | None = None) -> None:
    """Run the steps that the results lack.

    Parameters
    ----------
    comparison : Comparison
    results : Results
        Gets what the steps find, and is saved at the end, also if the run is stopped.
    jobs : int
        Steps that run at the same time, in processes of their own.
    minutes : float, optional
        Begin no step after this time.
    """
    _prepared.clear()
    for name in comparison.schemes:
        results.admit_scheme(scheme_of(name))
    steps = list(comparison.steps())
    left = [step for step in steps if not results.has(step.key)]
    until = time.monotonic() + 60 * minutes if minutes is not None else None
    try:
        with Bar("compare", len(steps)) as bar:
            if len(left) < len(steps):
                bar.say(f"{len(steps) - len(left)} of {len(steps)} steps are in {results.file}")
                bar.skip(len(steps) - len(left))
            # In each split, schemes that may take as long as another one come last, when that time is known. Probes come
            # after all splits.
            left.sort(key=lambda step: _turn(scheme_of(step.scheme), step.number))
            wanted = (step for step in left if has_something_to_explain(step, comparison.splits, results))
            ready = (one for step in wanted if (one := with_limit(step, results)) is not None)
            for step, told, found in _answers(ready, jobs, until):
                results.admit_set(told, step.source.name)
                results.keep(step.key, found)
                bar.advance(1, f"{step.key}: {_words(found)}")
    finally:
        if len(results):
            results.save()


def _turn(scheme: Scheme, number: int) -> tuple[bool, int, bool]:
    return scheme.explains is not None, number, scheme.as_long_as is not None


def has_something_to_explain(step: Step, splits: int, results: Results) -> bool:
    """Whether a step is worth running: that of a probe is not if the scheme that it explains is not far above the reference.

    Parameters
    ----------
    step : Step
    splits : int
        The gain is a mean over these splits, as far as they were run.
    results : Results
    """
    explained = scheme_of(step.scheme).explains
    if explained is None:
        return True
    pairs = [[key_of(step.source.name, number, name) for name in (explained, REFERENCE)] for number in range(splits)]
    gains = [results[a]["accuracy"] - results[b]["accuracy"] for a, b in pairs if results.has(a) and results.has(b)]
    return not gains or fmean(gains) >= FAR


def with_limit(step: Step, results: Results) -> Step | None:
    """Return a step with its limit of time: what another scheme took on the same split; None if that was not run."""
    other = scheme_of(step.scheme).as_long_as
    if other is None:
        return step
    key = key_of(step.source.name, step.number, other)
    return replace(step, limit=results[key]["seconds"]) if results.has(key) else None


def _answers(steps: Iterable[Step], jobs: int, until: float | None) -> Iterator[tuple[Step, dict[str, Any], Found]]:
    """Run steps, one after the other or several at a time; answers come as they are ready."""
    waiting = iter(steps)

    def next_step() -> Step | None:
        return None if until is not None and time.monotonic() > until else next(waiting, None)

    if jobs == 1:
        while (step := next_step()) is not None:
            yield step, *run_step(step)
        return
    # A fresh interpreter: threads of this process do not survive a fork.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        running: dict[Future[tuple[dict[str, Any], Found]], Step] = {}
        try:
            while True:
                while len(running) < jobs and (step := next_step()) is not None:
                    running[pool.submit(run_step, step)] = step
                if not running:
                    return
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(done), *done.result()
        finally:
            for left in running:
                left.cancel()


def run_one(comparison: Comparison, key: str, results: Results) -> Found:
    """Run one step alone, whether or not the results have it, and keep what it finds.

    Parameters
    ----------
    comparison : Comparison
    key : str
    results : Results

    Returns
    -------
    dict

    Raises
    ------
    StepError
        If there is no such step, or it fails.
    """
    steps = {step.key: step for step in comparison.steps()}
    if key not in steps:
        near = get_close_matches(key, steps, n=3, cutoff=0.4)
        hint = f" (did you mean {' or '.join(near)}?)" if near else ""
        raise StepError(f"there is no step {key!r}{hint}; --list names all steps")
    step = with_limit(steps[key], results)
    if step is None:
        raise StepError(
            f"the step {key} may take as long as {scheme_of(steps[key].scheme).as_long_as}, which was not run"
        )
    _prepared.clear()
    told, found = run_step(step)
    if "error" in found:
        raise StepError(f"the step {key} failed: {found['error']}")
    results.admit_scheme(scheme_of(step.scheme))
    results.admit_set(told, step.source.name)
    results.keep(key, found)
    results.save()
    return results[key]


def _words(found: Found) -> str:
    if "error" in found:
        return f"failed, {found['error']}"
    return f"{found['accuracy']:.2f} % in {found['seconds']:.1f} s"
