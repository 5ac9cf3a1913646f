"""Pictures of the record of `scaling`, in logarithms, where a power law is a straight line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from ..images import save_small
from .curves import Record, family
from .points import ONE_VS_ONE, ONE_VS_REST, SCIKIT_LEARN
from .scaling_document import TITLES

# Okabe and Ito's colours, which colour-blind people can tell apart; the markers differ too.
STYLES = {
    ONE_VS_ONE: {"color": "#0072B2", "marker": "o"},
    ONE_VS_REST: {"color": "#D55E00", "marker": "s"},
    SCIKIT_LEARN: {"color": "#009E73", "marker": "^"},
}
LABELS = {"fit": "fit, seconds", "predict": "predict, seconds per 1000 rows", "memory": "growth of memory, MiB"}
ROWS = [("rows", "letter"), ("rows", "mnist"), ("rows", "covertype")]
CLASSES = [("classes", "letter"), ("classes", "clouds")]
PICTURES: dict[str, tuple[Sequence[str], list[tuple[str, str]]]] = {
    "scaling-rows.png": (("fit", "predict"), ROWS),
    "scaling-classes.png": (("fit", "predict"), CLASSES),
    "scaling-memory.png": (("memory",), [*ROWS, ("classes", "clouds")]),
}


def draw(record: Record, folder: Path) -> list[str]:
    """Draw all pictures that have points.

    Parameters
    ----------
    record : dict
        As `scaling` writes it.
    folder : Path

    Returns
    -------
    list of str
        Names of the files written.
    """
    from matplotlib.figure import Figure  # without pyplot: no window, no global state

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, (measures, columns) in PICTURES.items():
        columns = [c for c in columns if any(series.done(record) for series in family(record, *c))]
        if not columns:
            continue
        size = (0.6 + 3.0 * len(columns), 0.7 + 2.5 * len(measures))
        figure = Figure(figsize=size, dpi=160, layout="constrained")
        grid = figure.subplots(len(measures), len(columns), squeeze=False, sharey="row")
        for axes, measure in zip(grid, measures, strict=True):
            for ax, (axis, data) in zip(axes, columns, strict=True):
                _panel(ax, record, measure, axis, data)
            axes[0].set_ylabel(LABELS[measure])
        for top, bottom, (axis, data) in zip(grid[0], grid[-1], columns, strict=True):
            top.set_title(TITLES[data].partition(",")[0])
            bottom.set_xlabel(axis)
        drawn = {line.get_label(): line for ax in grid.flat for line in ax.get_lines() if line.get_label() in STYLES}
        figure.legend(drawn.values(), drawn.keys(), loc="outside lower center", ncols=len(drawn), frameon=False)
        figure.draw_without_rendering()  # now the axes have their places
        for ax in grid.flat:
            _separate(ax.texts)
        save_small(figure, folder / name)
        written.append(name)
    return written


def _separate(texts: Sequence[Any]) -> None:
    """Move annotations that overlap apart, up and down by the same distance; of several, until none does."""
    for _ in range(20 * len(texts)):
        moved = False
        for below, above in combinations(sorted(texts, key=lambda text: float(text.get_window_extent().y0)), 2):
            low, high = below.get_window_extent(), above.get_window_extent()
            hidden = (low.y1 - high.y0) * 72 / below.figure.dpi
            if hidden > 0 and low.x0 <= high.x1 and high.x0 <= low.x1:
                moved = True
                for text, way in ((below, -0.5), (above, 0.5)):
                    x, y = text.xyann
                    text.xyann = x, y + way * (hidden + 0.1)
        if not moved:
            return


def _beside(end: int, curve: dict[int, float], last: int, curves: Iterable[dict[int, float]]) -> dict[str, Any]:
    """Return where the exponent of a curve is: right of its end; if other curves go on there, above or below it."""
    if end == last:
        return {"xytext": (7, 0)}
    above = all(curve[end] >= other[end] for other in curves if end in other)
    return {"xytext": (0, 11 if above else -11), "ha": "center"}


def _panel(ax: Any, record: Record, measure: str, axis: str, name: str) -> None:
    """One set's curves; a thick dashed line for a power law of three points or more, with its exponent at its end."""
    from matplotlib.ticker import NullLocator, StrMethodFormatter

    drawn = {series: curve for series in family(record, axis, name) if (curve := series.curve(record, measure))}
    sizes = sorted({size for curve in drawn.values() for size in curve})
    for series, curve in drawn.items():
        style = STYLES[series.who]
        ax.plot(list(curve), list(curve.values()), label=series.who, linewidth=0.7, markersize=6, **style)
        law = series.law(record, measure)
        if law is not None and law.n > 2:
            ends = [min(curve), max(curve)]
            ax.plot(ends, [law.at(m) for m in ends], color=style["color"], linestyle="--", linewidth=1.6)
            ax.annotate(
                f"{law.exponent:.2f}",
                (ends[1], law.at(ends[1])),
                textcoords="offset points",
                color=style["color"],
                fontsize=8,
                va="center",
                **_beside(ends[1], curve, sizes[-1], drawn.values()),
            )
    ax.set(xscale="log", yscale="log")
    ax.margins(x=0.14)
    ax.set_xticks(sizes)
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.tick_params(axis="x", labelrotation=30, labelsize=8)
    ax.grid(True, which="major", color="0.9")
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
