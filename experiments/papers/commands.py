"""What ``python -m experiments reproduce`` does with its options."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from dagmar import InvalidParameterError

from ..data import DataSets
from . import NAMES, study_of
from .document import alone, draw_or_say, write_pages
from .record import Record, read_all
from .report import Report
from .run import all_steps, run, run_step
from .seeds import over_seeds
from .study import Settings


def reproduce(options: argparse.Namespace) -> int:
    """Run one paper, or all; print the report and write its files.

    Parameters
    ----------
    options : Namespace
        As `experiments.__main__` parses them.

    Returns
    -------
    int
        0: a claim that does not hold is a finding, no failure.
    """
    if min(options.seed) < 0:
        raise InvalidParameterError(f"--seed must be at least 0, got {min(options.seed)}")
    if options.threads < 1:
        raise InvalidParameterError(f"--threads must be at least 1, got {options.threads}")
    settings = [Settings(seed, options.quick, options.search) for seed in dict.fromkeys(options.seed)]
    folder: Path = options.out or Path("reproduction-quick" if options.quick else "reproduction")
    names = NAMES if options.name == "all" else (options.name,)
    if options.list:
        return list_steps(names, settings[0])
    if options.document:
        return document(names, folder)
    if options.step is not None and (len(names) > 1 or len(settings) > 1):
        raise InvalidParameterError("--step needs one paper, not all, and one seed")
    data = DataSets(options.data)
    folder.mkdir(parents=True, exist_ok=True)
    if options.step is not None:
        return one_step(names[0], options.step, data, settings[0], folder, options.threads, options.fresh)
    for of_seed in settings:
        for name in names:
            run(study_of(name), data, of_seed, folder, options.threads, options.fresh)
    return 0 if options.records else document(names, folder)


def document(names: Sequence[str], folder: Path) -> int:
    """Write text and pictures from the records in the folder, of all seeds; print the index, or the text of one paper."""
    records = {name: read_all(name, folder) for name in names}
    reports = [report_of(name, of) for name, of in records.items()]
    if len(reports) > 1:
        file = write_pages(reports, records, folder)
        text = file.read_text(encoding="utf-8")
    else:
        file = folder / f"{names[0]}.md"
        draw_or_say(reports[0], folder)
        text = alone(reports[0])
        file.write_text(text, encoding="utf-8")
    show(text)
    print(f"[dagmar] written: {file}, and in {folder}", file=sys.stderr)
    return 0


def report_of(name: str, records: Sequence[Record]) -> Report:
    """The report of a paper from its records, one per seed."""
    reports = {}
    for record in records:
        chosen = record.content["settings"]
        settings = Settings(chosen["seed"], chosen["quick"], search=True)
        reports[settings.seed] = study_of(name).report(settings, record)
    return over_seeds(reports)


def list_steps(names: Sequence[str], settings: Settings) -> int:
    """Print the names of all steps, one per line; of several papers with the paper first."""
    for name in names:
        for step in all_steps(study_of(name), settings):
            print(f"{name} {step.key}" if len(names) > 1 else step.key)
    return 0


def one_step(name: str, key: str, data: DataSets, settings: Settings, folder: Path, threads: int, fresh: bool) -> int:
    """Run one step and print what it found, as it stands in the record."""
    record = run_step(study_of(name), key, data, settings, folder, threads, fresh)
    print(json.dumps({key: record.content["steps"][key]}, indent=1))
    print(f"[dagmar] kept in {record.file}", file=sys.stderr)
    return 0


def show(text: str) -> None:
    """Print Markdown: laid out on a terminal where `rich` is installed, else as it is."""
    if sys.stdout.isatty():
        try:
            from rich.console import Console
            from rich.markdown import Markdown
        except ImportError:
            pass
        else:
            Console().print(Markdown(text))
            return
    print(text)
