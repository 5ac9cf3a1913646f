"""What all pictures share: axes, colours, and matrices of classes as heat maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.typing import Array
from .labels import short_names

# Okabe and Ito's colours, which colour-blind people can tell apart.
BLUE, VERMILLION, GREEN, ORANGE, SKY, PURPLE, YELLOW = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#E69F00",
    "#56B4E9",
    "#CC79A7",
    "#F0E442",
)
PALE = "#F4F4F4"  # nodes off the path
INK = "0.15"
FAINT = "0.75"
# Light to dark, so that their order survives a print without colours.
SEQUENTIAL = "YlGnBu"
# White in the middle; its two ends differ for colour-blind people.
DIVERGING = "PuOr"

READABLE = 40  # up to this many classes, each row or column has room for a label
LETTER = 0.62  # width of a digit, in parts of the size of its font
LARGEST = 10.0  # points, of a number in a cell
NUMBERED = 12  # up to this many rows and columns, each cell has room for its number


def axes(ax: Any, width: float, height: float) -> Any:
    """Return the given matplotlib axes, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    # "compressed" also works for axes of a fixed aspect, whose labels "constrained" may cut.
    _, ax = plt.subplots(figsize=(width, height), layout="compressed")
    return ax


def bare(ax: Any) -> None:
    """Remove ticks and frame."""
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)


def shade_of(colour: Any) -> float:
    """Return the brightness of a colour, from 0 for black to 1 for white."""
    from matplotlib.colors import to_rgb

    return float(np.dot(to_rgb(colour), [0.299, 0.587, 0.114]))


def cell_size(ax: Any, n_rows: int, n_columns: int) -> tuple[float, float]:
    """Return width and height, in points, of the cells of a matrix that fills the axes."""
    extent, dpi = ax.get_window_extent(), ax.figure.dpi
    width, height = extent.width * 72 / dpi / n_columns, extent.height * 72 / dpi / n_rows
    return (width, height) if ax.get_aspect() == "auto" else (min(width, height), min(width, height))


def word_size(word: str, width: float, height: float) -> float:
    """Return the font size, in points, with which a word fits a cell."""
    return float(np.clip(min(0.88 * width / (LETTER * max(1, len(word))), 0.5 * height), 5.0, LARGEST))


def name_ticks(axis: Any, names: Sequence[str], turned: bool = False) -> None:
    """Write the names of classes at the places 0, 1, ... of an axis; if there are many, only every few."""
    n = len(names)
    step = -(-n // READABLE)
    shown = short_names(names, 16)[::step]
    turn = turned and (max(map(len, shown)) * min(n, READABLE) > 48 or n > READABLE)
    axis.set_ticks(range(0, n, step), shown, rotation=90 if turn else 0, fontsize=9 if n <= 20 else 7)
    axis.set_tick_params(length=0)


def heat_map(ax: Any, values: Array, *, words: Array | None = None, bar: str | None = None, **options: Any) -> Any:
    """Draw a matrix as coloured cells; cells that are NaN stay blank.

    Parameters
    ----------
    ax : matplotlib axes
    values : ndarray of shape (n_rows, n_columns)
    words : ndarray of str of the same shape, optional
        Texts of the cells, dark or light as their cell needs it.
    bar : str, optional
        Label of a colour bar; no bar without it.
    **options
        For matplotlib's `imshow`: cmap, norm, ...

    Returns
    -------
    matplotlib.image.AxesImage
        Its array is `values`, masked where it is NaN.
    """
    from matplotlib import colormaps

    style = {"aspect": "equal", "interpolation": "nearest", **options}
    style["cmap"] = colormaps[options.get("cmap", SEQUENTIAL)].with_extremes(bad=(1, 1, 1, 0))
    image = ax.imshow(np.ma.masked_invalid(values), **style)
    n_rows, n_columns = values.shape
    ax.set_xticks(np.arange(n_columns + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(n_rows + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=0.8 if max(values.shape) <= READABLE else 0.0)
    ax.tick_params(which="minor", length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    if words is not None:
        cell = cell_size(ax, n_rows, n_columns)
        colours = image.to_rgba(np.ma.masked_invalid(values))
        for (row, column), word in np.ndenumerate(words):
            if word:
                dark = shade_of(colours[row, column, :3]) < 0.5 and np.isfinite(values[row, column])
                ax.text(
                    column,
                    row,
                    word,
                    ha="center",
                    va="center",
                    fontsize=word_size(str(word), *cell),
                    color="white" if dark else "black",
                )
    if bar is not None:
        ax.figure.colorbar(image, ax=ax, shrink=0.8).set_label(bar, fontsize="small")
    return image


def class_matrix(
    ax: Any,
    values: Array,
    names: Sequence[str],
    column_names: Sequence[str] | None = None,
    *,
    bar: str,
    decimals: int | None = None,
    **options: Any,
) -> Any:
    """Draw a matrix of class by class as a heat map with the names of the classes at its sides.

    Parameters
    ----------
    ax : matplotlib axes
    values : ndarray of shape (n_rows, n_columns)
    names : sequence of n_rows str
    column_names : sequence of n_columns str, optional
        By default `names`.
    bar : str
        Label of the colour bar.
    decimals : int, optional
        Significant digits of the numbers in the cells; no numbers without it, or if there are too many cells.
    **options
        For matplotlib's `imshow`.

    Returns
    -------
    matplotlib.image.AxesImage
    """
    words = None
    if decimals is not None and len(names) <= NUMBERED:
        words = np.array([[f"{v:.{decimals}g}" if np.isfinite(v) else "" for v in row] for row in values])
    image = heat_map(ax, values, words=words, bar=bar, **options)
    name_ticks(ax.xaxis, names if column_names is None else column_names, turned=True)
    name_ticks(ax.yaxis, names)
    return image


def matrix_size(n_rows: int, n_columns: int) -> tuple[float, float]:
    """Return a width and height in inches for a heat map with a colour bar."""
    cell = float(np.clip(7.0 / max(n_rows, n_columns), 0.16, 0.55))
    return max(4.2, cell * n_columns + 2.2), max(3.2, cell * n_rows + 1.2)
