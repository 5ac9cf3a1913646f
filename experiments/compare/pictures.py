"""The pictures of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..pictures import Picture, write_pictures
from ..statistics import ranks
from .cube import Cube
from .scheme import Kind
from .versus import wins_matrix

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE = (8.0, 5.0)  # of a scatter plot, in inches
COLOURS = {Kind.STRUCTURE.name: "#1f5fa8", Kind.OUTSIDE.name: "#8a8a8a", Kind.INSTEAD.name: "#c4561a"}


def pictures(cube: Cube) -> list[Picture]:
    """All pictures that the results allow.

    Parameters
    ----------
    cube : Cube

    Returns
    -------
    list of Picture
    """
    schemes, matrix = cube.schemes, cube.means(cube.schemes).counted()
    if len(schemes) < 2 or not len(matrix.sets):
        return []
    height = 2.0 + 0.28 * len(schemes)
    found = [
        Picture(
            "time",
            "Mean accuracy over the sets that count against the processor time to a tuned model, search included.",
            lambda figure: _scatter(
                figure, cube, schemes, "seconds", "seconds of tuning and training (geometric mean)"
            ),
            SIZE,
        ),
        Picture(
            "wins",
            "Share of the sets that count on which the scheme of the row is more accurate than that of the column, in percent.",
            lambda figure: _wins(figure, cube, schemes),
            (1.8 + 0.36 * len(schemes), 1.4 + 0.33 * len(schemes)),
        ),
    ]
    kernels = [s for s in schemes if len(cube.means([s], "kernel_evaluations").sets)]
    if len(kernels) > 1:
        words = "kernel evaluations per decision (geometric mean)"
        caption = "Mean accuracy against the cost of a decision, for schemes with kernel machines."
        found.append(
            Picture("cost", caption, lambda figure: _scatter(figure, cube, kernels, "kernel_evaluations", words), SIZE)
        )
    if len(schemes) > 2 and len(matrix.sets) > 1:
        caption = "Mean ranks. A bar joins schemes that Nemenyi's test does not tell apart."
        found.insert(0, Picture("ranks", caption, lambda figure: _ranks(figure, cube, schemes), (9.0, height)))
    return found


def draw(cube: Cube, folder: Path) -> list[Path]:
    """Write the pictures as PNG files.

    Parameters
    ----------
    cube : Cube
    folder : Path

    Returns
    -------
    list of Path

    Raises
    ------
    ImportError
        If matplotlib or scikit-posthocs is not installed.
    """
    return write_pictures(pictures(cube), folder)


def _ranks(figure: Figure, cube: Cube, schemes: Sequence[str]) -> None:
    """Demšar's diagram of critical differences."""
    import pandas as pd
    import scikit_posthocs as posthocs

    matrix = cube.means(schemes).counted()
    table = pd.DataFrame(matrix.values, index=matrix.sets, columns=schemes)
    mean = pd.Series(ranks(matrix.values).mean(axis=0), index=schemes)
    together = posthocs.posthoc_nemenyi_friedman(table)
    axes = figure.add_subplot()
    palette = {scheme: COLOURS[cube.kinds[scheme]] for scheme in schemes}
    posthocs.critical_difference_diagram(
        mean,
        together,
        ax=axes,
        color_palette=palette,
        label_fmt_left="{label}  {rank:.2f}  ",
        label_fmt_right="  {rank:.2f}  {label}",
    )


def _scatter(figure: Figure, cube: Cube, schemes: Sequence[str], field: str, label: str) -> None:
    accuracy, cost = cube.means(schemes).counted(), cube.means(schemes, field, logarithm=True).counted()
    axes = figure.add_subplot()
    points: list[tuple[float, float]] = []
    for i, scheme in enumerate(schemes):
        x, y = float(np.exp(cost.values[:, i].mean())), float(accuracy.values[:, i].mean())
        axes.plot(x, y, "o", color=COLOURS[cube.kinds[scheme]], markersize=5)
        points.append((x, y))
    axes.set_xscale("log")
    # Room for names beside the last points. Of points close to each other, names would else take more room than the axes.
    places = [x for x, _ in points]
    axes.set_xlim(min(places) / 1.5, max(5 * min(places), 2 * max(places)))
    axes.set_xlabel(label)
    axes.set_ylabel("accuracy, % (mean)")
    axes.grid(alpha=0.3)
    _label(axes, points, schemes)


def _label(axes: Any, points: Sequence[tuple[float, float]], names: Sequence[str]) -> None:
    """Names beside points, from the highest down, each pushed below the one above if they would overlap."""
    axes.figure.canvas.draw_idle()
    low, high = axes.get_ylim()
    step = (high - low) / 26  # about one line of text
    free: list[tuple[float, float]] = []
    for at in sorted(range(len(points)), key=lambda i: -points[i][1]):
        x, y = points[at]
        place = y
        while any(abs(place - other) < step and abs(np.log10(x / other_x)) < 0.8 for other_x, other in free):
            place -= step / 4
        free.append((x, place))
        axes.annotate(
            names[at],
            (x, y),
            (x * 1.06, place),
            fontsize=7,
            va="center",
            arrowprops={"arrowstyle": "-", "lw": 0.3, "color": "#999999"} if abs(place - y) > step / 2 else None,
        )
    lowest = min(place for _, place in free)
    if lowest < low:
        axes.set_ylim(lowest - step, high)


def _wins(figure: Figure, cube: Cube, schemes: Sequence[str]) -> None:
    shares = 100 * wins_matrix(cube, schemes)
    axes = figure.add_subplot()
    axes.imshow(shares, cmap="RdBu", vmin=0, vmax=100)
    places = range(len(schemes))
    axes.set_xticks(places, schemes, rotation=90, fontsize=7)
    axes.set_yticks(places, schemes, fontsize=7)
    for i in places:
        for j in places:
            if not np.isnan(shares[i, j]):
                dark = abs(shares[i, j] - 50) > 30
                axes.text(
                    j,
                    i,
                    f"{shares[i, j]:.0f}",
                    ha="center",
                    va="center",
                    fontsize=6,
                    color="white" if dark else "black",
                )
