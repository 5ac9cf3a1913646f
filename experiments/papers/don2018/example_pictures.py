"""Figures 2 and 3: the all-predictions table and the decision tree of glass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...pictures import Picture
from .published import GLASS
from .results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = "10"  # C: all scores are 100 %, as in the paper
# What the paper tells of its tree: nodes are pairs of classes, leaves are classes. Of 2, 3 and 5 it tells nothing more.
PUBLISHED = ((5, 6), ((1, 2), "1", "2, 3, 5"), ((6, 7), "6", "7"))


def example_pictures(results: Results) -> dict[str, Picture]:
    """By name."""
    found = results.found[f"example/{SHOWN}"]
    return {
        "predictions": Picture(
            "predictions",
            f"Figure 2: the all-predictions table of glass on our first split, C = {SHOWN}: percent of the training rows of "
            "each class that machine (i, j) calls j. White cells are undecided at θ=0.",
            lambda figure: draw_predictions(figure, found["pairs"], found["first"]["later"]),
            (6.5, 7.0),
        ),
        "trees": Picture(
            "trees",
            f"Figure 3: (a) the tree as far as the text tells it; (b) the tree of our first split, C = {SHOWN}, with the path "
            "of a test row.",
            lambda figure: draw_trees(figure, found),
            (9.5, 4.5),
        ),
    }


def draw_predictions(figure: Figure, pairs: Sequence[Sequence[int]], later: Sequence[Sequence[float]]) -> None:
    """Figure 2."""
    ax = figure.add_subplot()
    colour = {0.0: "lightblue", 1.0: "moccasin"}
    for row, shares in enumerate(later):
        for column, share in enumerate(shares):
            ax.add_patch(_box(column, row, colour.get(share, "white")))
            ax.text(column, row, f"{100 * share:.1f}", ha="center", va="center", fontsize="small")
    ax.set_xlim(-0.5, len(GLASS) - 0.5)
    ax.set_ylim(len(pairs) - 0.5, -0.5)
    ax.set_xticks(range(len(GLASS)), [str(label) for label in GLASS])
    ax.set_yticks(range(len(pairs)), [f"({i}, {j})" for i, j in pairs])
    ax.set_xlabel("class")
    ax.set_ylabel("machine (i, j)")


def _box(column: int, row: int, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor="gray", linewidth=0.5)


def draw_trees(figure: Figure, found: dict[str, Any]) -> None:
    """Figure 3."""
    left, right = figure.subplots(1, 2, width_ratios=[2, 3])
    draw_tree(left, PUBLISHED, None)
    left.set_ylabel("(a) published")
    path = found["first"]["path"]
    draw_tree(right, _named(found["first"]["tree"], found["pairs"]), path["right"])
    right.set_ylabel(f"(b) ours; a row of class {found['first']['truth']} gets {path['answer']}")


def _named(tree: Any, pairs: Sequence[Sequence[int]]) -> Any:
    if not isinstance(tree, list):
        return str(tree)
    return (tuple(pairs[tree[0]]), *(_named(side, pairs) for side in tree[1:]))


def draw_tree(ax: Axes, tree: Any, path: Sequence[bool] | None) -> None:
    """A tree of pairs and leaves; the path is followed in red."""
    places = iter(range(1000))

    def place(node: Any, depth: int, on_path: int | None) -> float:
        if isinstance(node, str):
            x = float(next(places))
            style = {"facecolor": "moccasin"}
        else:
            sides = []
            for side, below in ((False, node[1]), (True, node[2])):
                follows = on_path is not None and path is not None and path[on_path] == side
                sides.append(
                    (place(below, depth + 1, on_path + 1 if follows and on_path is not None else None), follows)
                )
            x = sum(at for at, _ in sides) / 2
            style = {"facecolor": "lightblue"}
            for at, follows in sides:
                colour, width = ("tab:red", 2.0) if follows else ("gray", 0.8)
                ax.plot([x, at], [-depth, -depth - 1], color=colour, linewidth=width, zorder=1)
        text = node if isinstance(node, str) else f"{node[0][0]}, {node[0][1]}"
        ax.text(x, -depth, text, ha="center", va="center", fontsize="small", zorder=2, bbox=style)
        return x

    place(tree, 0, 0 if path is not None else None)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.margins(0.12)
    for spine in ax.spines.values():
        spine.set_visible(False)
