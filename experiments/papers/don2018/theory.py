"""Propositions 1 and 2 on made-up tables: how deep the graphs of DCSVM are if machines divide evenly, or hardly at all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import ceil, log2

import numpy as np

from dagmar.base.typing import Array, Index
from dagmar.structures.divide_and_conquer import PredictionsTable

from ..study import Found, Lab
from .machines import divide, shape_of

UNDECIDED = 0.5


def propositions(lab: Lab, classes: Sequence[int]) -> Found:
    """The depth of the graph for tables of which the propositions speak.

    Parameters
    ----------
    lab : Lab
    classes : sequence of int
        Numbers of classes to try.

    Returns
    -------
    dict
        By number of classes: "log", ⌈log2 k⌉, and the depths for a table "even" at every node (Proposition 2), and for one
        whose machines leave all other classes "undecided" (the worst case of Proposition 1). "even_at_first": the depth for
        8 classes if every machine divides all classes evenly, but not those that are left after the first division.
    """
    found: Found = {
        str(k): {
            "log": ceil(log2(k)),
            "even": _depth(even_table(k)),
            "undecided": _depth(undecided_table(k)),
        }
        for k in classes
    }
    return {"depths": found, "even_at_first": _depth(even_at_first())}


def _depth(table: PredictionsTable) -> int:
    return shape_of(divide(table, "0", "speed")).depth


def _table(k: int, later: dict[tuple[int, int], Array]) -> PredictionsTable:
    """A table of shares, as of one sample per class."""
    return PredictionsTable(np.array(list(later)), np.array(list(later.values())), np.ones(k), np.arange(k))


def even_table(k: int) -> PredictionsTable:
    """Every machine divides by the first place in which the codes of its classes differ, so each node is halved."""
    codes = _codes(k)
    return _table(
        k,
        {
            (i, j): (codes[:, bit] == codes[j, bit]).astype(float)
            for i, j in combinations(range(k), 2)
            for bit in [int(np.argmax(codes[i] != codes[j]))]
        },
    )


def _codes(k: int) -> Index:
    """Places in a tree that halves its classes, as bits."""
    depth = ceil(log2(k))
    codes = np.zeros((k, depth), dtype=np.int64)

    def halve(first: int, last: int, bit: int) -> None:
        if last - first > 1:
            middle = (first + last + 1) // 2
            codes[middle:last, bit] = 1
            halve(first, middle, bit + 1)
            halve(middle, last, bit + 1)

    halve(0, k, 0)
    return codes


def undecided_table(k: int) -> PredictionsTable:
    """Every machine knows its own two classes only."""
    later = {}
    for i, j in combinations(range(k), 2):
        row = np.full(k, UNDECIDED)
        row[[i, j]] = 0.0, 1.0
        later[i, j] = row
    return _table(k, later)


def even_at_first() -> PredictionsTable:
    """Eight classes in two groups of four; every machine decides all, four to four, but within a group one to three."""
    later = {}
    for i, j in combinations(range(8), 2):
        group = 4 * (i // 4)
        if j < group + 4:  # both in one group: i and three of the other group against the rest
            row = np.ones(8)
            row[i] = 0.0
            row[np.arange(3) + (4 - group)] = 0.0
        else:
            row = (np.arange(8) >= 4).astype(float)
        later[i, j] = row
    return _table(8, later)
