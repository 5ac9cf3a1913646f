"""The pictures of docs/how_it_works.md, one per idea: ``python -m experiments.site.ideas`` draws them into docs/pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

INK, PALE, BLUE, ORANGE, GREEN = "#222222", "#f2f2f2", "#56b4e9", "#e69f00", "#009e73"
DOCS = Path(__file__).resolve().parents[2] / "docs"


def path(axes: Any) -> None:
    """How data flows in fit and predict."""
    fit = [
        "X, y",
        "problem:\nchecked, classes\nas numbers",
        "machines wanted\nby the structure",
        "training\nin C++",
        "bank:\nall machines",
        "plan:\nwho is asked",
    ]
    predict = ["new X", "checked", "decisions\nin C++", "class numbers", "labels"]
    _chain(axes, fit, y=1.0, colour=BLUE, gap=0.2)
    _chain(axes, predict, y=-0.6, colour=GREEN, gap=0.2)
    for x in (4.8, 6.0):
        axes.annotate("", (2.5, -0.36), (x, 0.78), arrowprops={"arrowstyle": "->", "color": INK, "linestyle": "--"})
    axes.text(-0.62, 1.0, "fit", ha="right", va="center", weight="bold")
    axes.text(-0.62, -0.6, "predict", ha="right", va="center", weight="bold")
    axes.set(xlim=(-1.3, 6.7), ylim=(-1.2, 1.6))


def shared_rows(axes: Any) -> None:
    """Which blocks of the kernel matrix the pairs of class 2 need."""
    names = [f"class {i}" for i in range(5)]
    for i in range(5):
        for j in range(5):
            mine = 2 in (i, j)
            colour = ORANGE if i == j == 2 else BLUE if mine else PALE
            axes.add_patch(
                matplotlib.patches.Rectangle((j, 4 - i), 1, 1, facecolor=colour, edgecolor="white", linewidth=2)
            )
    axes.text(2.5, 2.5, "in 4\npairs", ha="center", va="center")
    for j in (0, 1, 3, 4):
        axes.text(j + 0.5, 2.5, "in 1", ha="center", va="center")
    axes.set_xticks(np.arange(5) + 0.5, names, rotation=30)
    axes.set_yticks(np.arange(5) + 0.5, names[::-1])
    axes.set(xlim=(0, 5), ylim=(0, 5), aspect="equal", title="What the pairs of class 2 need")
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def champion(axes: Any) -> None:
    """Guess a class, and check that it wins all its pairs."""
    steps = [
        "a sample",
        "guess: the class\nof the nearest\nprototype",
        "ask its N−1\nmachines,\nmany samples\nat once",
        "wins all?\nthen it is the\nanswer of every\npairwise structure",
    ]
    _chain(axes, steps, y=0.0, colour=GREEN, gap=0.25)
    axes.annotate(
        "no: try the class that beat it,\nafter three tries follow the structure",
        (1.2, -0.4),
        (2.4, -1.35),
        ha="center",
        va="center",
        arrowprops={"arrowstyle": "->", "color": INK, "connectionstyle": "arc3,rad=-0.25"},
    )
    axes.plot([3.6, 3.0], [-0.5, -1.2], color=INK, linewidth=1)
    axes.set(xlim=(-0.7, 4.3), ylim=(-1.7, 0.8))


PICTURES: dict[str, tuple[Callable[[Any], None], tuple[float, float]]] = {
    "idea-path": (path, (9.5, 3.2)),
    "idea-rows": (shared_rows, (4.6, 4.6)),
    "idea-champion": (champion, (8.0, 3.2)),
}


def draw(folder: Path) -> None:
    """Draw all pictures.

    Parameters
    ----------
    folder : Path
    """
    from matplotlib import pyplot as plt

    for name, (drawn, size) in PICTURES.items():
        figure, axes = plt.subplots(figsize=size, layout="constrained")
        drawn(axes)
        if drawn is not shared_rows:
            axes.axis("off")
        figure.savefig(folder / f"{name}.png", dpi=110)
        plt.close(figure)


def _chain(axes: Any, texts: Sequence[str], y: float, colour: str, gap: float) -> None:
    """Boxes from left to right, with arrows between them."""
    box = {"boxstyle": "round,pad=0.4", "facecolor": colour, "alpha": 0.35, "edgecolor": INK}
    places = [1.2 * i for i in range(len(texts))]
    for i, (x, text) in enumerate(zip(places, texts, strict=True)):
        axes.text(x, y, text, ha="center", va="center", fontsize=9, bbox=box)
        if i:
            axes.annotate(
                "", (x - 0.6 + gap / 2, y), (x - 0.6 - gap / 2, y), arrowprops={"arrowstyle": "->", "color": INK}
            )


if __name__ == "__main__":
    matplotlib.use("Agg")
    draw(DOCS / "pictures")
