"""What ``python -m experiments reproduce`` does with its options."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dagmar import InvalidParameterError

from ..data import DataSets
from . import NAMES, study_of
from .document import write_document
from .run import publish, run
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
    data = DataSets(options.data)
    folder.mkdir(parents=True, exist_ok=True)
    names = NAMES if options.name == "all" else (options.name,)
    reports, records = [], []
    for name in names:
        paper = study_of(name)
        records.append(run(paper, data, settings, folder, options.threads, options.fresh))
        reports.append(paper.report(settings, records[-1]))
    together = options.name == "all"
    file = write_document(reports, records, folder) if together else publish(reports[0], records[0], folder)
    show(file.read_text(encoding="utf-8"))
    print(f"[dagmar] written: {file}, and in {folder}: {', '.join(f'{name}.json' for name in names)}", file=sys.stderr)
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
