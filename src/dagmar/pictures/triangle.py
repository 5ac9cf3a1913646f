"""Platt's triangle: where the nodes of a DDAG are in a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.typing import Array, Index
from .drawing import READABLE, bare
from .labels import short_names


def places(pairs: Index, order: Index) -> Array:
    """Return the positions of the nodes of `pairs` in the picture, shape (n_nodes, 2).

    Leaf p of the list `order` is at (p, 0). The node of two classes is halfway between their leaves; the farther apart these
    are, the higher it is. For the i-th and the j-th class of the list this is Platt's node number i in layer N - j + i.
    """
    position = np.argsort(order)[pairs]
    return np.stack([position.mean(axis=1), np.abs(np.diff(position, axis=1))[:, 0] / 2.0], axis=1)


def write_leaves(ax: Any, names: Sequence[str]) -> None:
    """Write the names of the leaves below the triangle; if there is no room for all, only every few."""
    n = len(names)
    step = -(-n // READABLE)
    bare(ax)
    shown = short_names(names, 16)[::step]
    turned = max(map(len, shown)) * n > 3 * READABLE
    ax.set_xticks(range(0, n, step), shown, rotation=90 if turned else 0, fontsize=9 if n <= READABLE else 7)
    ax.tick_params(length=0)
