"""Platt's triangle: each node has its place."""

import numpy as np
import pytest

from dagmar.pictures.triangle import places, write_leaves
from dagmar.problem.tasks import all_pairs


@pytest.mark.parametrize("n", [2, 3, 4, 10])
def test_places_are_those_of_the_paper(n):
    """Node (i, j) is node i of layer N - j + i; node p of a layer leads to nodes p and p + 1 of the next."""
    pairs = all_pairs(n).pairs
    for (i, j), (x, y) in zip(pairs.tolist(), places(pairs, np.arange(n)), strict=True):
        number, layer = i + 1, n - (j + 1) + (i + 1)  # as the paper counts
        assert y == (n - layer) / 2  # leaves, in layer n, are on the ground
        assert x == number - 1 + (n - layer) / 2  # halfway between its two nodes below
    assert places(pairs, np.arange(n)).tolist().count([(n - 1) / 2, (n - 1) / 2]) == 1  # the root


def test_places_follow_the_order():
    """In another list the node of two classes stands between their leaves there."""
    found = places(np.array([[0, 1], [0, 2], [1, 2]]), np.array([1, 2, 0]))
    assert found.tolist() == [[1.0, 1.0], [1.5, 0.5], [0.5, 0.5]]


@pytest.mark.parametrize("n", [3, 26, 100])
def test_leaves_are_written_if_there_is_room(n, ax):
    """Up to 40 names are written, each below its leaf; dollar signs are no formulas."""
    write_leaves(ax, [f"${c}$" for c in range(n)])
    texts = [label.get_text() for label in ax.get_xticklabels()]
    step = -(-n // 40)
    assert texts == [rf"\${c}\$" for c in range(0, n, step)]
    assert ax.get_xticks().tolist() == list(range(0, n, step))
