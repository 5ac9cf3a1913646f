"""A picture of the triangle of a DDAG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.typing import Array, Index

if TYPE_CHECKING:
    from .bounds import GeneralizationBound

READABLE = 40  # up to this many leaves, each has room for a label
NUMBERS = 8  # up to this many classes, each node has room for its margin


def places(pairs: Index, order: Index) -> Array:
    """Return the positions of the nodes of `pairs` in the picture, shape (n_nodes, 2).

    Leaf p of the list `order` is at (p, 0). The node of two classes is halfway between their leaves; the farther apart these
    are, the higher it is. For the i-th and the j-th class of the list this is Platt's node number i in layer N - j + i.
    """
    position = np.argsort(order)[pairs]
    return np.stack([position.mean(axis=1), np.abs(np.diff(position, axis=1))[:, 0] / 2.0], axis=1)


def draw_margins(bound: GeneralizationBound, ax: Any = None) -> Any:
    """Draw the nodes of a DDAG, coloured by their margins.

    Parameters
    ----------
    bound : GeneralizationBound
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        Its first collection holds the nodes that separate their classes, with their margins as its array. If there are
        other nodes, its second collection holds them.
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import LogNorm

    n = len(bound.labels)
    if ax is None:
        from matplotlib import pyplot as plt

        width = float(np.clip(0.34 * n, 4.0, 12.0))
        _, ax = plt.subplots(figsize=(width + 1.2, 0.5 * width + 1.6), layout="constrained")
    apart = bound.separable
    centres = places(bound.pairs, bound.order)
    diamond = 0.5 * np.array([[0, 1], [1, 0], [0, -1], [-1, 0]])
    corners: Any = centres[:, None, :] + diamond
    thin = 0.8 if n <= READABLE else 0.0
    margins = bound.margins[apart]
    low, high = (margins.min(), margins.max()) if len(margins) else (1.0, 1.0)
    norm = LogNorm(low, high if high > low else 1.01 * low)
    nodes = PolyCollection(corners[apart], norm=norm, edgecolors="white", linewidths=thin)
    nodes.set_array(margins)
    ax.add_collection(nodes)
    if len(margins):
        _colour_bar(ax, nodes, low, high)
    if not apart.all():
        # Grey and crossed, so that they are not taken for a margin even in a picture without colours.
        label = f"does not separate its classes: {(~apart).sum()} of {len(apart)} nodes"
        crossed = PolyCollection(corners[~apart], facecolors="0.85", edgecolors="tab:red", linewidths=1.0, label=label)
        crossed.set_hatch("xxxx")
        ax.add_collection(crossed)
        ax.legend(handles=[crossed], loc="upper center", bbox_to_anchor=(0.5, -0.1), frameon=False, fontsize="small")
    if n <= NUMBERS:
        for (x, y), margin in zip(centres, bound.margins, strict=True):
            ax.text(x, y, f"{margin:.2g}", ha="center", va="center", fontsize="small", bbox=_PALE)
    _leaves(ax, [str(label) for label in bound.labels[bound.order]])
    ax.set_title(_title(bound), fontsize="medium")
    return ax


_PALE = {"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 1.0}


def _colour_bar(ax: Any, nodes: Any, low: float, high: float) -> None:
    from matplotlib.ticker import NullLocator

    bar = ax.figure.colorbar(nodes, ax=ax, label="margin in kernel space", shrink=0.8)
    ticks = np.geomspace(low, high, 5) if high > low else [low]
    bar.set_ticks(ticks, labels=[f"{tick:.2g}" for tick in ticks])
    bar.ax.yaxis.set_minor_locator(NullLocator())


def _leaves(ax: Any, labels: list[str]) -> None:
    """Write labels below the triangle; if there is no room for all, only every few."""
    n = len(labels)
    step = -(-n // READABLE)
    turned = max(map(len, labels)) * n > 3 * READABLE
    ax.set_xticks(range(0, n, step), labels[::step], rotation=90 if turned else 0, fontsize=9 if n <= READABLE else 7)
    ax.set_yticks([])
    ax.tick_params(length=0)
    ax.set_xlim(-0.1, n - 0.9)
    ax.set_ylim(-0.05, n / 2.0 + 0.05)
    ax.set_aspect("equal")
    for spine in ax.spines.values():
        spine.set_visible(False)


def _title(bound: GeneralizationBound) -> str:
    found = "Theorem 1 does not apply" if np.isnan(bound.bound) else f"error < {bound.bound:.3g} by Theorem 1"
    return f"Margins at the nodes of the DDAG\n{found}"
