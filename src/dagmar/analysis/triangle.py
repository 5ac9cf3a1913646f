"""A picture of the margins of a DDAG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..pictures.drawing import READABLE
from ..pictures.triangle import places, write_leaves

if TYPE_CHECKING:
    from .bounds import GeneralizationBound

NUMBERS = 8  # up to this many classes, each node has room for its margin


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
    write_leaves(ax, [str(label) for label in bound.labels[bound.order]])
    ax.set_xlim(-0.1, n - 0.9)
    ax.set_ylim(-0.05, n / 2.0 + 0.05)
    ax.set_aspect("equal")
    ax.set_title(_title(bound), fontsize="medium")
    return ax


_PALE = {"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 1.0}


def _colour_bar(ax: Any, nodes: Any, low: float, high: float) -> None:
    from matplotlib.ticker import NullLocator

    bar = ax.figure.colorbar(nodes, ax=ax, label="margin in kernel space", shrink=0.8)
    ticks = np.geomspace(low, high, 5) if high > low else [low]
    bar.set_ticks(ticks, labels=[f"{tick:.2g}" for tick in ticks])
    bar.ax.yaxis.set_minor_locator(NullLocator())


def _title(bound: GeneralizationBound) -> str:
    found = "Theorem 1 does not apply" if np.isnan(bound.bound) else f"error < {bound.bound:.3g} by Theorem 1"
    return f"Margins at the nodes of the DDAG\n{found}"
