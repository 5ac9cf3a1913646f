"""Drawing structures that are no graph: all pairs as half a matrix, and one machine per class as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.typing import Array, Index
from .drawing import (
    BLUE,
    DIVERGING,
    FAINT,
    INK,
    READABLE,
    VERMILLION,
    cell_size,
    class_matrix,
    heat_map,
    name_ticks,
    word_size,
)


def draw_pairs(
    ax: Any,
    names: Sequence[str],
    pairs: Index,
    sizes: Index | None,
    consulted: tuple[Index, Array] | None,
) -> Any:
    """Draw all pairs of classes as the upper half of a matrix: the row is the earlier class, the column the later one.

    Without a sample, the colours are the numbers of support vectors. With one, they are the values of the machines that
    were consulted, and the numbers in the cells are the steps; the other machines are grey.

    Parameters
    ----------
    ax : matplotlib axes
    names : sequence of n_classes str
    pairs : ndarray of shape (n_machines, 2)
    sizes : ndarray of shape (n_machines,) or None
        Support vectors of each machine, if it is a kernel machine.
    consulted : (machines, values) or None
        The path of a sample.

    Returns
    -------
    matplotlib.image.AxesImage
    """
    n = len(names)
    values = np.full((n, n), np.nan)
    i, j = pairs.T
    half = slice(None, -1), slice(1, None)  # the last class is never the earlier one, the first never the later one
    sides = names[:-1], names[1:]
    if consulted is None:
        values[i, j] = np.ones(len(pairs)) if sizes is None else sizes
        bar = "machines" if sizes is None else "support vectors"
        return class_matrix(ax, values[half], *sides, bar=bar, decimals=None if sizes is None else 4)
    machines, told = consulted
    values[i[machines], j[machines]] = told
    most = max(float(np.abs(told).max(initial=0.0)), 1e-12)
    not_asked = np.full((n, n), np.nan)
    not_asked[i, j] = 0.18
    not_asked[i[machines], j[machines]] = np.nan
    heat_map(ax, not_asked[half], cmap="Greys", vmin=0, vmax=1)
    bar = "value (above 0: the column wins)"
    image = class_matrix(ax, values[half], *sides, bar=bar, cmap=DIVERGING, vmin=-most, vmax=most)
    if n > READABLE:  # no room for numbers
        return image
    cell = cell_size(ax, n - 1, n - 1)
    colours = image.to_rgba(told)[:, :3] @ [0.299, 0.587, 0.114]
    for step, (m, brightness) in enumerate(zip(machines.tolist(), colours.tolist(), strict=True), 1):
        colour = "white" if brightness < 0.5 else "black"
        ax.text(j[m] - 1, i[m], str(step), ha="center", va="center", fontsize=word_size(str(step), *cell), color=colour)
    return image


def draw_poll(ax: Any, names: Sequence[str], sizes: Index | None, values: Array | None) -> None:
    """Draw one machine per class as bars: their values on a sample, or else their numbers of support vectors.

    Parameters
    ----------
    ax : matplotlib axes
    names : sequence of n_classes str
    sizes : ndarray of shape (n_classes,) or None
    values : ndarray of shape (n_classes,) or None
    """
    n = len(names)
    length = np.ones(n) if sizes is None else sizes
    colours = [BLUE] * n
    if values is not None:
        length = values
        colours[int(np.argmax(values))] = VERMILLION
        ax.axvline(0, color=INK, linewidth=0.8)
    ax.barh(range(n), length, color=colours, height=0.7)
    name_ticks(ax.yaxis, names)
    ax.invert_yaxis()
    ax.set_xlabel("value" if values is not None else "support vectors" if sizes is not None else "machines")
    ax.set_ylabel("class against the rest")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="x", color=FAINT, linewidth=0.5)
    ax.set_axisbelow(True)
