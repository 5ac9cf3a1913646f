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
from .document import write_document
from .record import Record
from .report import Report
from .run import all_steps, publish, run, run_step
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
    if options.seed < 0:
        raise InvalidParameterError(f"--seed must be at least 0, got {options.seed}")
    if options.threads < 1:
        raise InvalidParameterError(f"--threads must be at least 1, got {options.threads}")
    settings = Settings(options.seed, options.quick, options.search)
    folder: Path = options.out or Path("reproduction-quick" if options.quick else "reproduction")
    names = NAMES if options.name == "all" else (options.name,)
    if options.list:
        return list_steps(names, settings)
    if options.document:
        return document(names, folder)
    if options.step is not None and len(names) > 1:
        raise InvalidParameterError("--step needs one paper, not all")
    data = DataSets(options.data)
    folder.mkdir(parents=True, exist_ok=True)
    if options.step is not None:
        return one_step(names[0], options.step, data, settings, folder, options.threads, options.fresh)
    reports, records = [], []
    for name in names:
        paper = study_of(name)
        records.append(run(paper, data, settings, folder, options.threads, options.fresh))
        reports.append(paper.report(settings, records[-1]))
    file = write(reports, records, folder)
    show(file.read_text(encoding="utf-8"))
    print(f"[dagmar] written: {file}, and in {folder}: {', '.join(f'{name}.json' for name in names)}", file=sys.stderr)
    return 0


def write(reports: Sequence[Report], records: Sequence[Record], folder: Path) -> Path:
    """Write the document of all papers, or the text of one; return its path."""
    return write_document(reports, records, folder) if len(reports) > 1 else publish(reports[0], records[0], folder)


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


def document(names: Sequence[str], folder: Path) -> int:
    """Write text and pictures again from the records in the folder, without running anything."""
    records = [Record.read(folder / f"{name}.json") for name in names]
    reports = []
    for name, record in zip(names, records, strict=True):
        chosen = record.content["settings"]
        reports.append(study_of(name).report(Settings(chosen["seed"], chosen["quick"], search=True), record))
    print(f"[dagmar] written: {write(reports, records, folder)}", file=sys.stderr)
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
