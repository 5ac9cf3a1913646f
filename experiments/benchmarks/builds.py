"""Several builds of dagmar on the sets of the census, in one run: what a change has cost or gained.

``python -m experiments bench builds old=/path/of/python new=/path/of/another`` times `fit` and the first two calls of
`predict`. Each build has a process of its own (`builds_worker`), and they take turns, so that a machine that is slower for a
while is slower for all. Settings of the environment may follow an interpreter: ``name=python,DAGMAR_SIMD=avx2``. The same
build twice shows how much is noise.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from dagmar.structures import STRUCTURES

from ..exceptions import DataError
from ..records import write_json
from ..tables import Table
from .cases import RECIPES, Case, load_case
from .census import CS, group
from .census_sets import MAX_ROWS, SETS
from .command import Benchmark, Screen
from .goals import LARGE, SMALL, TEXT

HEADLINES = "headlines"
GROUPS = (LARGE, SMALL, TEXT, HEADLINES)
WORKER = Path(__file__).with_name("builds_worker.py")


@dataclass(frozen=True)
class Build:
    """An interpreter that imports a build of dagmar, and what its environment has besides.

    Examples
    --------
    >>> from experiments.benchmarks.builds import Build
    >>> Build.of("new=/usr/bin/python,DAGMAR_SIMD=avx2")
    Build(name='new', python='/usr/bin/python', environment={'DAGMAR_SIMD': 'avx2'})
    """

    name: str
    python: str
    environment: dict[str, str]

    @classmethod
    def of(cls, text: str) -> Build:
        """From the command line."""
        (name, python), *settings = (part.split("=", 1) for part in text.split(","))
        return cls(name, python, dict(settings))


class Worker:
    """The process of a build; the data of the last `load` stays in its memory."""

    def __init__(self, build: Build) -> None:
        self._process = subprocess.Popen(
            [build.python, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **build.environment},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._answers = self._process.stdin, self._process.stdout

    def ask(self, **request: Any) -> dict[str, Any]:
        """The answer to a request."""
        self._requests.write(json.dumps(request) + "\n")
        self._requests.flush()
        answer: dict[str, Any] = json.loads(self._answers.readline())
        return answer

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.communicate()  # it ends with its requests


def compare(case: Case, workers: dict[str, Worker], options: argparse.Namespace) -> dict[str, Any]:
    """Time all builds on one set.

    Parameters
    ----------
    case : Case
    workers : dict of str to Worker
        By build; the others are compared with the first.
    options : Namespace
        Of the command line.

    Returns
    -------
    dict
        With the case; for each build, the seconds of each kind of call (the least of the repeats, of which each is the median
        of calls that filled some time), their ratios to the first build, and the number of labels that differ from its.
    """
    parameters = {**case.parameters, "n_jobs": options.threads}
    data = {"X_train": case.X_train, "y_train": case.y_train, "X_test": case.X_test, "parameters": parameters}
    request = {"structures": options.structures, "one_row": options.one_row}
    with tempfile.NamedTemporaryFile() as file:
        pickle.dump(data, file)
        file.flush()
        for worker in workers.values():
            worker.ask(load=file.name)
    for worker in workers.values():
        worker.ask(**request, fill=0.0)
    names, answers = list(workers), defaultdict[str, list[dict[str, Any]]](list)
    for number in range(options.repeats):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            answers[name].append(workers[name].ask(**request, fill=options.fill))
    seconds = {
        name: {what: min(answer["seconds"][what] for answer in several) for what in several[0]["seconds"]}
        for name, several in answers.items()
    }
    first, labels = seconds[names[0]], {name: several[-1]["labels"] for name, several in answers.items()}
    return {
        "case": case.describe(),
        "seconds": seconds,
        "ratios": {name: {what: own[what] / first[what] for what in own} for name, own in seconds.items()},
        "labels_apart": {
            name: sum(a != b for what in own for a, b in zip(own[what], labels[names[0]][what], strict=True))
            for name, own in labels.items()
        },
    }


def group_of(name: str, result: dict[str, Any]) -> str:
    """A group of the census, or "headlines"."""
    return HEADLINES if name in RECIPES else group(result["case"])


def summary(sets: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The mean ratio of each group, and the worst, by build and kind of call.

    Parameters
    ----------
    sets : dict of str to dict
        What `compare` returned, by name.

    Returns
    -------
    list of dict
        With build, what, group, mean, worst and worst_of.
    """
    found = []
    first = next(iter(sets.values()))
    for build, kinds in list(first["ratios"].items())[1:]:
        for what in kinds:
            for wanted in GROUPS:
                ratios = {
                    name: result["ratios"][build][what]
                    for name, result in sets.items()
                    if group_of(name, result) == wanted
                }
                if not ratios:
                    continue
                worst_of = max(ratios, key=ratios.__getitem__)
                found.append(
                    {
                        "build": build,
                        "what": what,
                        "group": wanted,
                        "mean": geometric_mean(ratios.values()),
                        "worst": ratios[worst_of],
                        "worst_of": worst_of,
                    }
                )
    return found


def summary_table(sets: dict[str, dict[str, Any]]) -> Table:
    """Means and the worst."""
    rows = [
        [line["build"], line["what"], line["group"], f"{line['mean']:.3f}", f"{line['worst']:.2f}", line["worst_of"]]
        for line in summary(sets)
    ]
    return Table("Seconds of the first build = 1", ["build", "what", "group", "mean", "worst", "of"], rows)


def set_table(name: str, result: dict[str, Any]) -> Table:
    """One set: the milliseconds of the first build, and the ratios of the others to it."""
    (first, own), *_ = result["seconds"].items()
    rows = [[first, *(f"{1000 * seconds:.3g} ms" for seconds in own.values()), ""]]
    for build, ratios in list(result["ratios"].items())[1:]:
        rows.append([build, *(f"{ratio:.3f}" for ratio in ratios.values()), str(result["labels_apart"][build])])
    return Table(name, ["build", *own, "labels apart"], rows)


def cases(options: argparse.Namespace, screen: Screen) -> Iterator[Case]:
    """Those of the census at each C, then the headlines; sets that cannot be loaded are named and left out."""
    for name in options.sets:
        try:
            case = SETS[name](MAX_ROWS)
        except DataError as error:
            screen.fail(str(error))
            continue
        yield from (replace(case, name=f"{name}, C {C:g}", C=C) for C in CS)
    for name in options.headlines:
        try:
            yield load_case(name)
        except DataError as error:
            screen.fail(str(error))


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Compare the builds on each set, and write after each."""
    results: dict[str, dict[str, Any]] = {}
    with ExitStack() as open_workers:
        workers = {build.name: open_workers.enter_context(Worker(build)) for build in options.builds}
        for case in cases(options, screen):
            results[case.name] = compare(case, workers, options)
            screen.show([set_table(case.name, results[case.name])])
            write_json({"sets": results, "summary": summary(results)}, options.out / "builds.json")
    if results:
        screen.show([summary_table(results)])
    return int(not results)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The builds, the sets, and what is timed."""
    parser.add_argument("builds", nargs="+", type=Build.of, metavar="NAME=PYTHON[,VARIABLE=VALUE]")
    parser.add_argument("--sets", nargs="*", choices=SETS, default=list(SETS), metavar="NAME", help="(default: all)")
    parser.add_argument("--headlines", nargs="*", choices=RECIPES, default=[], help="whole sets (default: none)")
    parser.add_argument("--structures", nargs="+", choices=STRUCTURES, default=["max_wins"], help="(default: max_wins)")
    parser.add_argument("--one-row", action="store_true", help="time calls with one row, too")
    parser.add_argument("--fill", type=float, default=0.2, help="seconds for which short calls are repeated")


BENCHMARK = Benchmark("builds", "Several builds of dagmar, by turns.", run, add_options)
