"""What ``python -m experiments compare`` does with its options."""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from dagmar import InvalidParameterError
from dagmar.structures import STRUCTURES

from .outputs import write_outputs
from .page import write_page
from .protocol import Settings
from .results import Results
from .run import Comparison, run, run_one
from .scheme import Kind
from .schemes import DEFAULT, FOR_TABLES, OTHERS, TABLE_SEARCH, scheme_of
from .sets import sources_of
from .structured import OPTIONS
from .table_page import write_table_page

# What is chosen neither on the command line nor in the file of --config.
DEFAULTS: dict[str, Any] = {
    "schemes": list(DEFAULT),
    "data": [],
    "splits": 5,
    "seed": 0,
    "rows": 2000,
    "threads": 1,
    "jobs": 1,
    "out": "comparison",
    "page": None,
    # Only in the file: sets that do not count in ranks because they are generated, and groups of sets that count as one.
    "generated": [],
    "related": [],
}
AT_LEAST = {"splits": 1, "seed": 0, "rows": 50, "threads": 1, "jobs": 1}


def compare(options: argparse.Namespace) -> int:
    """Run a comparison and write its files.

    Parameters
    ----------
    options : Namespace
        As `experiments.__main__` parses them.

    Returns
    -------
    int
        1 if a step failed, else 0.
    """
    if options.list_schemes:
        return list_schemes()
    chosen = choose(options)
    folder = Path(chosen["out"])
    if options.document:
        return report(Results.read(folder), folder, chosen["page"])
    for name in chosen["schemes"]:
        scheme_of(name)  # an unknown one is an error before anything runs
    settings = Settings(chosen["rows"], chosen["seed"], chosen["threads"])
    comparison = Comparison(sources_of(chosen["data"]), chosen["schemes"], chosen["splits"], settings)
    if options.list:
        print("\n".join(step.key for step in comparison.steps()))
        return 0
    results = Results(folder, settings, options.fresh)
    results.content |= {"generated": chosen["generated"], "related": chosen["related"]}
    if options.step is not None:
        print(json.dumps({options.step: run_one(comparison, options.step, results)}, indent=1))
        return 0
    # A part of the schemes may have been run before: the page tells how much of the most that was asked for is there. Probes
    # are run where they have something to explain.
    schemes = [name for name in chosen["schemes"] if scheme_of(name).kind is not Kind.PROBE]
    asked = len(schemes) * chosen["splits"] * len(comparison.sources)
    results.content["asked"] = max(asked, results.content.get("asked", 0))
    run(comparison, results, chosen["jobs"], options.minutes)
    return report(results, folder, chosen["page"])


def choose(options: argparse.Namespace) -> dict[str, Any]:
    """Return what is chosen: by an option, else in the file of ``--config``, else by default.

    Parameters
    ----------
    options : Namespace

    Returns
    -------
    dict

    Raises
    ------
    InvalidParameterError
        If a number is too small, or the file has a key that is no option, or a value of another type.
    """
    in_file = _read(options.config) if options.config is not None else {}
    given = {name: value for name in DEFAULTS if (value := getattr(options, name, None)) is not None}
    chosen = {**DEFAULTS, **in_file, **given}
    for name, least in AT_LEAST.items():
        if chosen[name] < least:
            raise InvalidParameterError(f"--{name} must be at least {least}, got {chosen[name]}")
    twice = sorted({name for name in chosen["schemes"] if chosen["schemes"].count(name) > 1})
    if twice:
        raise InvalidParameterError(f"--schemes names {', '.join(twice)} more than once")
    return chosen


def _read(file: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InvalidParameterError(f"{file} is not TOML: {error}") from error
    for name, value in content.items():
        if name not in DEFAULTS:
            raise InvalidParameterError(f"{file} has {name!r}, but a comparison has only {', '.join(DEFAULTS)}")
        kind = str if DEFAULTS[name] is None else type(DEFAULTS[name])
        if type(value) is not kind:
            raise InvalidParameterError(f"{name!r} in {file} must be a {kind.__name__}, got {value!r}")
    # Paths in the file are as seen from the folder of the command, like those on the command line.
    return content


def report(results: Results, folder: Path, page: str | None) -> int:
    """Write tables, pictures and sentences; print the sentences."""
    written = write_outputs(results, folder)
    if page is not None:
        write = write_table_page if TABLE_SEARCH in results.content["schemes"] else write_page
        written.append(write(results, folder, Path(page)))
    failed = [key for key in results if "error" in results[key]]
    for key in failed:
        print(f"[dagmar] {key} failed: {results[key]['error']}", file=sys.stderr)
    print(f"[dagmar] written: {', '.join(map(str, written))}", file=sys.stderr)
    return 1 if failed else 0


def list_schemes() -> int:
    """Print the names of all schemes, with a line about each."""
    names = list(dict.fromkeys((*DEFAULT, *OTHERS, *FOR_TABLES, *STRUCTURES)))
    width = max(map(len, names))
    for name in names:
        scheme = scheme_of(name)
        print(f"{name:{width}}  {scheme.words}")
    print(f"\nA structure takes options, joined by +: {OPTIONS}.")
    print("For example: ddag+soft5, divide_and_conquer+logistic, centered_tree+groups+soft11.")
    return 0
