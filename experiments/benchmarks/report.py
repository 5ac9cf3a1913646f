"""What every benchmark's command line shares: options, the sentence on conditions, and how results are written."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..papers.record import write_json

RESULTS = Path(__file__).parent / "results"


def conditions(report: dict[str, Any]) -> str:
    """Where and with how many threads the numbers were measured, in words.

    Parameters
    ----------
    report : dict
        With environment and threads, and repeats if everything was repeated as often.
    """
    environment = report["environment"]
    versions = ", ".join(f"{name} {number}" for name, number in environment["versions"].items() if number)
    repeats = f"; {report['repeats']} repeats" if "repeats" in report else ""
    return (
        f"{environment['cpu']}, {environment['cores']} cores, {environment['instructions']}; {report['threads']} "
        f"threads for those who can use them{repeats}. {environment['system']}, {versions}."
    )


def write(report: dict[str, Any], text: str, folder: Path, name: str) -> None:
    """Write NAME.json, with every raw timing, and NAME.md."""
    write_json(report, folder / f"{name}.json")
    (folder / f"{name}.md").write_text(text, encoding="utf-8")


def parser(module: str, description: str, *, repeats: int | None = 3) -> argparse.ArgumentParser:
    """A parser with the options of every benchmark: threads, where to write, and repeats if it has any.

    Parameters
    ----------
    module : str
        What follows ``python -m``.
    description : str
    repeats : int or None
        The default; None for no such option.
    """
    options = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    options.add_argument("--threads", type=positive, default=2, help="for those who can use them (default: 2)")
    if repeats is not None:
        options.add_argument(
            "--repeats", type=positive, default=repeats, help=f"runs of every competitor (default: {repeats})"
        )
    options.add_argument("--out", type=Path, default=RESULTS, help="folder to write into")
    return options


def positive(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"at least 1, got {number}")
    return number
