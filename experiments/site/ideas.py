"""The pictures of docs/how_it_works.md, one per idea: ``python -m experiments.site.ideas`` draws them into docs/pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.patches import Rectangle

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
            axes.add_patch(Rectangle((j, 4 - i), 1, 1, facecolor=colour, edgecolor="white", linewidth=2))
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


def working_set(axes: Any) -> None:
    """Which part of the kernel matrix is used by steps, and which by a pass over all scores."""
    rows = (2, 5, 9, 10, 13)
    size = 16
    axes.add_patch(Rectangle((0, 0), size, size, facecolor=PALE, edgecolor="none"))
    for i in rows:
        axes.add_patch(Rectangle((0, size - 1 - i), size, 1, facecolor=BLUE, alpha=0.45, edgecolor="white"))
        for j in rows:
            axes.add_patch(Rectangle((j, size - 1 - i), 1, 1, facecolor=ORANGE, edgecolor="white"))
    axes.text(size / 2, size + 0.6, "kernel matrix of a pair of classes", ha="center", va="bottom")
    notes = [
        (
            12.5,
            ORANGE,
            "values between the samples of the working set:\nhundreds of steps stay in the first-level cache",
        ),
        (7.0, BLUE, "their rows: computed once; one pass over them\nupdates the scores of all samples"),
        (1.5, PALE, "rows that no step visits are never computed"),
    ]
    for y, colour, text in notes:
        axes.add_patch(Rectangle((size + 1.2, y), 1, 1, facecolor=colour, edgecolor=INK, linewidth=0.6))
        axes.text(size + 2.8, y + 0.5, text, va="center")
    axes.set(xlim=(-0.3, size + 18), ylim=(-0.3, size + 2.2), aspect="equal")


def votes(axes: Any) -> None:
    """When votes are counted, and no class can catch up with the first any more."""
    names, won, left = ["2", "8", "3", "1", "5"], [4, 2, 1, 0, 0], [0, 1, 1, 2, 2]
    axes.barh(names, won, color=GREEN, label="pairs won")
    axes.barh(
        names, left, left=won, color="white", edgecolor=INK, hatch="///", linewidth=0.6, label="pairs not asked yet"
    )
    axes.axvline(4, color=INK, linestyle="--", linewidth=1)
    axes.text(4.1, 2.6, "no class can reach\nclass 2 any more:\nthe other pairs\nare not asked", va="center")
    axes.set(xlim=(0, 6.4), xticks=range(5), xlabel="votes", ylabel="class")
    axes.invert_yaxis()
    axes.legend(loc="lower right", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


def signs(axes: Any) -> None:
    """Values in single precision, with the bound of their error."""
    values, bounds = [-1.3, -0.6, 0.08, 0.9], [0.22, 0.18, 0.2, 0.25]
    for i, (value, bound) in enumerate(zip(values, bounds, strict=True)):
        unsure = abs(value) <= bound
        axes.errorbar(value, i, xerr=bound, fmt="o", capsize=5, color=ORANGE if unsure else GREEN)
        text = "the bound includes 0: computed again in double precision" if unsure else "the sign is certain"
        axes.text(1.4, i, text, va="center")
    axes.axvline(0, color=INK, linewidth=1)
    axes.set(xlim=(-1.8, 4.4), ylim=(-0.6, 3.6), yticks=[], xticks=[-1, 0, 1])
    axes.set_xlabel("value of a machine in single precision, and the bound on its error", loc="left")
    axes.spines[["top", "right", "left"]].set_visible(False)


def search(axes: Any) -> None:
    """What the cells of a search share: the rows of the kernel matrix, and solutions."""
    axes.text(
        *(0.2, 1.0, "kernel rows\nfor one gamma,\neach computed once"),
        **{"ha": "center", "va": "center", "bbox": {"boxstyle": "round,pad=0.5", "facecolor": BLUE, "alpha": 0.35}},
    )
    for fold in range(3):
        y = 2 - fold
        axes.annotate("", (1.35, y), (0.95, 1.0), arrowprops={"arrowstyle": "->", "color": INK})
        _chain(axes, [f"fold {fold + 1}\nC = {C}" for C in (1, 4, 16)], y=y, colour=GREEN, gap=0.5, begin=1.9)
    axes.text(3.1, -0.75, "a machine starts from the solution for the previous C", ha="center", va="center")
    axes.set(xlim=(-0.7, 4.9), ylim=(-1.0, 2.5))


def pool(axes: Any) -> None:
    """A bank: vectors, each stored once, and machines that name them."""
    for i in range(8):
        axes.add_patch(Rectangle((i, 1.6), 0.92, 0.5, facecolor=BLUE, alpha=0.45, edgecolor=INK))
        axes.text(i + 0.46, 1.85, f"vector {i}", ha="center", va="center", fontsize=7)
    axes.text(-0.15, 1.85, "pool", ha="right", va="center", weight="bold")
    machines = {"0 or 1": (0, 2, 3), "0 or 2": (0, 1, 5, 7), "1 or 2": (3, 4, 5, 6)}
    for m, (name, vectors) in enumerate(machines.items()):
        x = 0.6 + 2.7 * m
        text = f"machine {name}\nnumbers {', '.join(map(str, vectors))}\n{len(vectors)} coefficients, a bias"
        box = {"boxstyle": "round,pad=0.4", "facecolor": GREEN, "alpha": 0.35, "edgecolor": INK}
        axes.text(x + 0.7, 0.2, text, ha="center", va="center", fontsize=8, bbox=box)
        for i in vectors:
            axes.plot([x + 0.7, i + 0.46], [0.62, 1.6], color=INK, linewidth=0.6)
    axes.set(xlim=(-0.8, 8.1), ylim=(-0.4, 2.3))


PICTURES: dict[str, tuple[Callable[[Any], None], tuple[float, float]]] = {
    "idea-path": (path, (9.5, 3.2)),
    "idea-rows": (shared_rows, (4.6, 4.6)),
    "idea-champion": (champion, (8.0, 3.2)),
    "idea-working-set": (working_set, (7.6, 4.0)),
    "idea-votes": (votes, (5.6, 2.8)),
    "idea-signs": (signs, (7.2, 2.4)),
    "idea-search": (search, (7.0, 3.4)),
    "idea-pool": (pool, (7.6, 2.6)),
}


WITH_AXES = (shared_rows, votes, signs)


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
        if drawn not in WITH_AXES:
            axes.axis("off")
        figure.savefig(folder / f"{name}.png", dpi=110)
        plt.close(figure)


def _chain(axes: Any, texts: Sequence[str], y: float, colour: str, gap: float, begin: float = 0.0) -> None:
    """Boxes from left to right, with arrows between them."""
    box = {"boxstyle": "round,pad=0.4", "facecolor": colour, "alpha": 0.35, "edgecolor": INK}
    places = [begin + 1.2 * i for i in range(len(texts))]
    for i, (x, text) in enumerate(zip(places, texts, strict=True)):
        axes.text(x, y, text, ha="center", va="center", fontsize=9, bbox=box)
        if i:
            axes.annotate(
                "", (x - 0.6 + gap / 2, y), (x - 0.6 - gap / 2, y), arrowprops={"arrowstyle": "->", "color": INK}
            )


if __name__ == "__main__":
    matplotlib.use("Agg")
    draw(DOCS / "pictures")
