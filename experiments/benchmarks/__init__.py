"""Benchmarks of `dagmar.SVC` against its peers, run by ``python -m experiments bench NAME``.

In reading order: `cases` (data and parameters), `competitors` (which libraries run, and how), `race` (the clock),
`agreement` (answers must be equal before speed is compared), `goals` (the speed we want), `results` (the record of one data
set), `speed_tables` and `report` (how it is shown and written), `command` (what all command lines share).

Each name below is a module with a `BENCHMARK`. For some of them `synthetic` and `stand_ins` make data from a seed, `points`
runs one fit in a process of its own, and `memory` measures it. `duel` compares with one peer, for `mnist` and `covertype`;
`census_sets` belongs to `census`, `call_kinds` to `calls`; `curves`, `scaling_document` and `scaling_pictures` belong to
`scaling`, and `structures_document` to `structures`. `bars` draws what
`peers` and `census` have written; `figures`, `quotes` and `blocks` write figures of records into the README and the pages.
`builds` compares builds of dagmar with each other; its processes run `builds_worker`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .command import Benchmark

NAMES = (
    "peers",
    "census",
    "calls",
    "mnist",
    "covertype",
    "tuning",
    "adaptive",
    "default_grid",
    "fingerprints",
    "kernels",
    "probability",
    "sparse",
    "scaling",
    "structures",
    "builds",
    "bars",
)


def benchmark_of(name: str) -> Benchmark:
    """A benchmark.

    Parameters
    ----------
    name : str
        One of `NAMES`.

    Returns
    -------
    Benchmark
    """
    found: Benchmark = import_module(f".{name}", __name__).BENCHMARK
    return found
