"""The command line: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from rich.console import Console

from .cases import RECIPES, DataMissingError, load_case
from .environment import describe_environment
from .report import conditions, parser, write
from .results import disagreements, measure
from .tables import headline, tables

DEFAULT_SETS = ("letter", "pendigits", "usps")  # MNIST is for those who ask: it takes the peers minutes a run


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmarks, show and write the results.

    Parameters
    ----------
    arguments : list of str, optional
        The command line, without the program's name.

    Returns
    -------
    int
        0 if every answer agreed, 1 if one did not or data was missing. A goal not met is no failure.
    """
    options = _parser().parse_args(arguments)
    console = Console()
    report: dict[str, Any] = {
        "environment": describe_environment(),
        "threads": options.threads,
        "repeats": options.repeats,
        "sets": {},
    }
    missing = False
    for name in options.sets:
        try:
            case = load_case(name)
        except DataMissingError as error:
            console.print(error, style="red")
            missing = True
            continue
        console.print(headline(name, case.describe()), style="bold")
        result = measure(case, options.threads, options.repeats, lambda line: console.print(line, style="dim"))
        report["sets"][name] = result
        console.print(*(table.rich() for table in tables(name, result)), sep="\n")
        # After each set: a long run that is stopped has not been for nothing.
        write(report, markdown(report), options.out, "bench")
    failures = disagreements(report)
    for line in failures:
        console.print(f"Disagreement: {line}", style="red")
    return int(missing or bool(failures))


def markdown(report: dict[str, Any]) -> str:
    """The whole report as Markdown."""
    parts = ["# Benchmarks", conditions(report)]
    for name, result in report["sets"].items():
        parts += [f"## {headline(name, result['case'])}", *(table.markdown() for table in tables(name, result))]
    return "\n\n".join([*parts, *(f"Disagreement: {line}." for line in disagreements(report))]) + "\n"


def _parser() -> argparse.ArgumentParser:
    options = parser("benchmarks", "dagmar.SVC against its peers.")
    options.add_argument(
        "--sets", nargs="+", choices=RECIPES, default=DEFAULT_SETS, help="data sets (default: all but mnist)"
    )
    return options


if __name__ == "__main__":
    sys.exit(main())
