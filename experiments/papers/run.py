"""Running a study from its first step to its files."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from threadpoolctl import threadpool_limits

from dagmar.machines.progress import clock

from ..bars import Bar
from ..data import DataSets
from ..exceptions import StepError
from .record import Record, file_name
from .study import Found, Lab, Settings, Step, Study


def run(study: Study, data: DataSets, settings: Settings, folder: Path, n_jobs: int, fresh: bool = False) -> Record:
    """Run the steps that the record lacks, in order; each is kept as soon as it is done.

    Parameters
    ----------
    study : Study
    data : DataSets
    settings : Settings
    folder : Path
        Where the record is kept, as ``NAME-seedN.json``.
    n_jobs : int
        Threads.
    fresh : bool
        Begin anew.

    Returns
    -------
    Record
    """
    record = Record(folder / file_name(study.name, settings.seed), study.name, settings, n_jobs, fresh)
    steps = study.steps(settings)
    record.drop_others(all_steps(study, settings))
    lab = Lab(data, settings, n_jobs, record)
    left = [step for step in steps if not record.has(step)]
    total = sum(step.weight for step in steps)
    with Bar(study.name, total) as bar:
        if len(left) < len(steps):
            bar.say(f"{len(steps) - len(left)} of {len(steps)} steps are in {record.file}")
            bar.skip(total - sum(step.weight for step in left))
        for step in left:
            bar.now(step.key)
            seconds = _run_and_keep(step, lab, record)
            bar.advance(step.weight, f"{step.key}: {clock(seconds) if seconds >= 60 else f'{seconds:.1f} s'}")
    return record


def run_step(
    study: Study, key: str, data: DataSets, settings: Settings, folder: Path, n_jobs: int, fresh: bool = False
) -> Record:
    """Run one step alone, whether or not the record has it, and keep its result there.

    Parameters
    ----------
    study : Study
    key : str
        Of the step, as `all_steps` names it.
    data, settings, folder, n_jobs, fresh
        As of `run`.

    Returns
    -------
    Record

    Raises
    ------
    StepError
        If there is no such step, or it needs the result of another step that the record lacks.
    """
    steps = {step.key: step for step in all_steps(study, settings)}
    if key not in steps:
        near = get_close_matches(key, steps, n=3, cutoff=0.4)
        hint = f" (did you mean {' or '.join(near)}?)" if near else ""
        raise StepError(f"{study.name} has no step {key!r}{hint}; --list names all steps")
    record = Record(folder / file_name(study.name, settings.seed), study.name, settings, n_jobs, fresh)
    _run_and_keep(steps[key], Lab(data, settings, n_jobs, _Earlier(record, key)), record)
    return record


def all_steps(study: Study, settings: Settings) -> list[Step]:
    """All steps of a study, with those that only --search asks for."""
    return study.steps(replace(settings, search=True))


class _Earlier(Mapping[str, Found]):
    """Results of earlier steps, for a step that is run alone: if one is missing, the error says which."""

    def __init__(self, record: Record, key: str) -> None:
        self._record, self._key = record, key

    def __getitem__(self, key: str) -> Found:
        if key not in self._record:
            raise StepError(
                f"the step {self._key!r} needs the result of {key!r}, which is not in {self._record.file}; run that one first"
            )
        return self._record[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._record)

    def __len__(self) -> int:
        return len(self._record)


def _run_and_keep(step: Step, lab: Lab, record: Record) -> float:
    """Run a step; return its seconds."""
    begun = time.perf_counter()
    with threadpool_limits(lab.n_jobs):  # NumPy's threads too
        result = step.run(lab, **step.parameters)
    seconds = time.perf_counter() - begun
    record.keep(step, result, seconds, lab.data.digests)
    return seconds
