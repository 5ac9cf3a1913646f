"""Rows are grouped by class on the workers."""

from dataclasses import replace

import dask.array as da
import numpy as np
from clusters import a_problem

from dagmar.dask.blocks import ClassBlock
from dagmar.dask.grouping import Grouped
from dagmar.dask.reading import read_rows


def test_blocks_are_grouped_on_the_workers(client, X, rng):
    """The blocks are those of the rows in memory; lost ones are made again."""
    y = rng.integers(0, 5, size=len(X))
    problem = a_problem(X, y, gamma=0.5)
    rows, _ = read_rows(client, da.from_array(X, chunks=4096))
    grouped = Grouped(client, replace(problem, X=rows), np.array([0, 2, 5]), "test-grouped")
    for _ in range(2):
        for future, (first, last) in zip(grouped.futures, [(0, 2), (2, 5)], strict=True):
            found, wanted = future.result(), ClassBlock.of(problem, first, last)
            for name in ("classes", "class_start", "X", "rows", "cap", "weight"):
                assert np.array_equal(getattr(found, name), getattr(wanted, name))
        client.cancel([grouped.futures[0]])
        assert grouped.restore() == 1
        client.gather(grouped.futures)
    grouped.release()
