"""`dagmar.SVC` against its peers; `make bench` runs it, and it writes ``results/bench.json`` and ``bench.md``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ..exceptions import DataError
from .cases import RECIPES, Case, load_case
from .command import Benchmark, Screen
from .report import SetBySet
from .results import measure
from .speed_tables import tables

DEFAULT_SETS = ("letter", "pendigits", "usps")  # without MNIST, on which the peers take minutes for one run
PAGE = SetBySet("bench", "Benchmarks", tables)


def run(options: argparse.Namespace, screen: Screen) -> int:
    """Run everyone on each set; sets that cannot be loaded are named and left out."""
    missing = []

    def cases() -> Iterator[Case]:
        for name in options.sets:
            try:
                yield load_case(name)
            except DataError as error:
                screen.fail(str(error))
                missing.append(name)

    code = PAGE.run(cases(), lambda case: measure(case, options.threads, options.repeats, screen.say), options, screen)
    return int(bool(code or missing))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which data sets."""
    parser.add_argument(
        "--sets", nargs="+", choices=RECIPES, default=DEFAULT_SETS, help="data sets (default: all but mnist)"
    )


BENCHMARK = Benchmark("peers", "dagmar.SVC against its peers.", run, add_options)
