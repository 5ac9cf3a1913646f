"""The command line: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from .cases import RECIPES, DataMissingError, load_case
from .environment import describe_environment
from .results import measure
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
        write(report, options.out)  # after each set: a long run that is stopped has not been for nothing
    failures = disagreements(report)
    for line in failures:
        console.print(f"Disagreement: {line}", style="red")
    return int(missing or bool(failures))


def disagreements(report: dict[str, Any]) -> list[str]:
    """Every check that failed, in words."""
    return [
        f"{name}, {check['what']}: {check['value']:.4g}, limit {check['limit']:g}"
        for name, result in report["sets"].items()
        for check in result["checks"]
        if not check["passed"]
    ]


def write(report: dict[str, Any], folder: Path) -> None:
    """Write bench.json, with every raw timing, and bench.md."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    (folder / "bench.md").write_text(markdown(report), encoding="utf-8")


def markdown(report: dict[str, Any]) -> str:
    """The whole report as Markdown."""
    environment = report["environment"]
    versions = ", ".join(f"{name} {number}" for name, number in environment["versions"].items() if number)
    parts = [
        "# Benchmarks",
        f"{environment['cpu']}, {environment['cores']} cores, {environment['instructions']}; {report['threads']} "
        f"threads for those who can use them; {report['repeats']} repeats. {environment['system']}, {versions}.",
    ]
    for name, result in report["sets"].items():
        parts += [f"## {headline(name, result['case'])}", *(table.markdown() for table in tables(name, result))]
    return "\n\n".join([*parts, *(f"Disagreement: {line}." for line in disagreements(report))]) + "\n"


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"at least 1, got {number}")
    return number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="dagmar.SVC against its peers.")
    parser.add_argument(
        "--sets", nargs="+", choices=RECIPES, default=DEFAULT_SETS, help="data sets (default: all but mnist)"
    )
    parser.add_argument("--threads", type=_positive, default=2, help="for those who can use them (default: 2)")
    parser.add_argument("--repeats", type=_positive, default=3, help="runs of every competitor (default: 3)")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", help="folder to write into")
    return parser


if __name__ == "__main__":
    sys.exit(main())
