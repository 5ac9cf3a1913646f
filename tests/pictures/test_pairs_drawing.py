"""Structures that are no graph: pairs as half a matrix, machines against the rest as bars."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from dagmar.pictures.drawing import BLUE, VERMILLION
from dagmar.pictures.pairs_drawing import draw_pairs, draw_poll
from dagmar.problem.tasks import all_pairs


@pytest.mark.parametrize("n", [3, 10, 26])
def test_all_pairs_have_their_sizes(n, ax):
    """Row i, column j: the support vectors of the machine of i and j; nothing below the diagonal."""
    pairs = all_pairs(n).pairs
    names = [f"c{k}" for k in range(n)]
    image = draw_pairs(ax, names, pairs, np.arange(len(pairs)) + 5, None)
    cells = image.get_array()
    assert cells.shape == (n - 1, n - 1)
    assert cells.count() == len(pairs)
    for m, (i, j) in enumerate(pairs.tolist()):
        assert cells[i, j - 1] == m + 5
    assert [t.get_text() for t in ax.get_yticklabels()] == names[:-1]
    assert [t.get_text() for t in ax.get_xticklabels()] == names[1:]
    assert ax.figure.axes[1].get_ylabel() == "support vectors"


def test_machines_of_another_kind_have_no_sizes(ax):
    """Then all cells are equal and without numbers."""
    image = draw_pairs(ax, list("abc"), all_pairs(3).pairs, None, None)
    assert set(image.get_array().compressed()) == {1.0}
    assert not ax.texts


def test_consulted_pairs_have_their_steps(ax):
    """Values are colours, steps are numbers, and machines that were not asked are grey."""
    pairs = all_pairs(4).pairs
    machines, values = np.array([5, 0, 3]), np.array([2.0, -1.0, 0.5])
    image = draw_pairs(ax, list("abcd"), pairs, None, (machines, values))
    assert image.get_clim() == (-2.0, 2.0)
    for step, (m, value) in enumerate(zip(machines, values, strict=True), 1):
        i, j = pairs[m]
        assert image.get_array()[i, j - 1] == value
        assert (str(step), (j - 1, i)) in [(t.get_text(), t.get_position()) for t in ax.texts]
    assert image.get_array().count() == 3
    grey = ax.images[0].get_array()
    assert grey.count() == 3
    assert not (~grey.mask & ~image.get_array().mask).any()


def test_a_thousand_classes_are_drawn_at_once(ax):
    """Half a million pairs, of which a few were consulted: two images and no texts."""
    pairs = all_pairs(1000).pairs
    draw_pairs(ax, [str(c) for c in range(1000)], pairs, None, (np.arange(999), np.ones(999)))
    assert len(ax.images) == 2
    assert not ax.patches
    assert not ax.texts


def test_a_poll_shows_values_and_its_answer(ax):
    """One bar per class with its value; the largest is marked."""
    draw_poll(ax, list("abc"), None, np.array([-1.0, 2.0, 0.5]))
    assert [bar.get_width() for bar in ax.patches] == [-1.0, 2.0, 0.5]
    assert [bar.get_facecolor() for bar in ax.patches] == [to_rgba(c) for c in (BLUE, VERMILLION, BLUE)]
    assert ax.get_xlabel() == "value"
    assert ax.yaxis_inverted()


def test_a_poll_without_a_sample_shows_sizes(ax):
    """Support vectors, if the machines have any."""
    draw_poll(ax, list("abc"), np.array([4, 5, 6]), None)
    assert [bar.get_width() for bar in ax.patches] == [4, 5, 6]
    assert ax.get_xlabel() == "support vectors"
