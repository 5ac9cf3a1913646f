"""Running a study from its first step to its files."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from dagmar.machines.progress import clock

from ..bars import Bar
from ..data import DataSets
from .record import Record
from .report import Report, conditions, draw
from .study import Lab, Settings, Study


def run(study: Study, data: DataSets, settings: Settings, folder: Path, n_jobs: int, fresh: bool = False) -> Record:
    """Run the steps that the record lacks, in order; each is kept as soon as it is done.

    Parameters
    ----------
    study : Study
    data : DataSets
    settings : Settings
    folder : Path
        Where the record is kept, as ``NAME.json``.
    n_jobs : int
        Threads.
    fresh : bool
        Begin anew.

    Returns
    -------
    Record
    """
    record = Record(folder / f"{study.name}.json", study.name, settings, n_jobs, fresh)
    steps = study.steps(settings)
    record.drop_others(study.steps(Settings(settings.seed, settings.quick, search=True)))
    lab = Lab(data, settings, n_jobs, record)
    left = [step for step in steps if not record.has(step)]
    total = sum(step.weight for step in steps)
    with Bar(study.name, total) as bar:
        if len(left) < len(steps):
            bar.say(f"{len(steps) - len(left)} of {len(steps)} steps are in {record.file}")
            bar.skip(total - sum(step.weight for step in left))
        for step in left:
            bar.now(step.key)
            begun = time.perf_counter()
            result = step.run(lab, **step.parameters)
            seconds = time.perf_counter() - begun
            record.keep(step, result, seconds, data.digests)
            bar.advance(step.weight, f"{step.key}: {clock(seconds) if seconds >= 60 else f'{seconds:.1f} s'}")
    return record


def publish(report: Report, record: Record, folder: Path) -> Path:
    """Write the text and the pictures of a report beside its record.

    Parameters
    ----------
    report : Report
    record : Record
    folder : Path

    Returns
    -------
    Path
        Of the text.
    """
    draw_or_say(report, folder)
    file = folder / f"{report.name}.md"
    text = f"# {report.name}\n\n{conditions(record.content)}\n\n{report.markdown()}\n"
    file.write_text(text, encoding="utf-8")
    return file


def draw_or_say(report: Report, folder: Path) -> None:
    """Draw the pictures, or say what is missing for that."""
    try:
        draw(report, folder)
    except ImportError:
        print("[dagmar] no pictures: matplotlib is not installed", file=sys.stderr)
