"""A small drawing of a plan as SVG text, for notebooks: a triangle, a tree, a bracket, a vote or a poll."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from ..base.typing import Array, Index
from ..problem.tasks import Tasks
from ..structures.ddag import order_of
from ..structures.plans import GraphPlan, KnockoutPlan, Plan
from .decision_graph import DecisionGraph
from .labels import shorten
from .layout import layered_places
from .tournament import Tournament
from .tournament_drawing import tournament_places
from .triangle import places

# Beyond these the drawing would be too large or too dense to read.
MOST_CLASSES = 30
MOST_NODES = 150  # of trees; a triangle is regular, so more can be distinguished
WIDTH, HEIGHT = 520.0, 170.0
MANY = 200  # from here on lines are fainter and points smaller, so that they do not become one surface
MARGIN = np.array([34.0, 12.0])  # half a label fits beside the drawing
# Room for turned labels and for a line of labels, the letters of a label, and the letters of all labels that fit in a line.
BELOW, LINE_BELOW, LETTERS, LETTERS_IN_A_LINE = 76.0, 20.0, 12, 80


@dataclass(frozen=True)
class _Shape:
    """Points and lines of a drawing, in units of its own."""

    points: Array  # shape (n_points, 2)
    lines: Array  # shape (n_lines, 2, 2): from and to
    leaves: Array  # shape (n_classes, 2)
    order: Index  # the class of each leaf
    around: bool = False  # whether the leaves are on a circle


def sketch(plan: Plan, tasks: Tasks, labels: Sequence[Any]) -> str | None:
    """Draw a plan as SVG.

    Lines and letters have the colour of the text around the drawing, so it can be read on dark and on light pages.

    Parameters
    ----------
    plan : Plan
    tasks : Tasks
        The question of each machine.
    labels : sequence of n_classes labels
        Written at the leaves, cut to a few letters, as text whatever they are.

    Returns
    -------
    str or None
        None if there are too many classes or nodes for a small drawing.

    Examples
    --------
    >>> import dagmar
    >>> from dagmar.pictures.sketch import sketch
    >>> from sklearn.datasets import load_iris
    >>> clf = dagmar.SVC(structure="ddag").fit(*load_iris(return_X_y=True))
    >>> sketch(clf.plan_, clf.bank_.tasks, clf.classes_.tolist())[:4]
    '<svg'
    """
    if plan.n_classes > MOST_CLASSES:
        return None
    if isinstance(plan, GraphPlan):
        order = order_of(plan)
        if order is None and len(plan.machine) > MOST_NODES:
            return None
        shape = _graph(DecisionGraph.of(plan, tasks)) if order is None else _triangle(order)
    elif not isinstance(plan, KnockoutPlan):
        shape = _fan(plan.n_classes)
    elif plan.rule == "bracket":
        shape = _bracket(plan.order.astype(np.int64))
    else:
        shape = _circle(plan)
    return _svg(shape, [shorten(str(label), LETTERS) for label in labels])


# ------------------------------------------------------------------- shapes


def _triangle(order: Index) -> _Shape:
    """Platt's triangle: every leaf has a diagonal to each side, and the nodes are where diagonals cross."""
    n = len(order)
    leaf = np.arange(n, dtype=np.int64)
    i, j = np.triu_indices(n, k=1)
    nodes = places(np.stack([i, j], axis=1), leaf)
    bottom = np.stack([leaf.astype(np.float64), np.zeros(n)], axis=1)
    up_right = np.stack([bottom[:-1], nodes[j == n - 1]], axis=1)
    up_left = np.stack([bottom[1:], nodes[i == 0]], axis=1)
    return _Shape(nodes, np.concatenate([up_right, up_left]), bottom, order)


def _graph(graph: DecisionGraph) -> _Shape:
    """A tree or another graph: leaves side by side, nodes in layers; a list of classes is a point without a name."""
    at = layered_places(graph)
    first_leaf = graph.n_nodes + len(graph.lists)
    reached = np.isfinite(at[:, 0])
    nodes = np.flatnonzero(reached[: graph.n_nodes])
    ends = np.stack([np.repeat(nodes, 2), graph.children[nodes].ravel()], axis=1)
    classes = np.flatnonzero(reached[first_leaf:])
    return _Shape(at[:first_leaf][reached[:first_leaf]], at[ends], at[first_leaf + classes], classes)


def _bracket(order: Index) -> _Shape:
    """A knockout tournament: opponents are next to each other, and the final is at the top."""
    cup = Tournament.of(order)
    n = cup.n_classes
    at = tournament_places(cup)[:, ::-1] * [-1.0, 1.0]
    first, second, winner = at[cup.matches[:, 0]], at[cup.matches[:, 1]], at[n:]
    sides = [np.stack([player, np.stack([player[:, 0], winner[:, 1]], axis=1)], axis=1) for player in (first, second)]
    return _Shape(winner, np.concatenate([*sides, np.stack([s[:, 1] for s in sides], axis=1)]), at[:n], np.arange(n))


def _circle(plan: KnockoutPlan) -> _Shape:
    """Classes around a circle: a line for every pair that votes; of an adaptive DDAG, from each class to its first rival."""
    n = plan.n_classes
    angle = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    leaves = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    if plan.rule == "ranked" and n > 1:
        i, j = np.arange(n), plan.rivals[:, 0].astype(np.int64)
        first = leaves[plan.order[:1]]
    else:
        (i, j), first = np.triu_indices(n, k=1), np.zeros((0, 2))
    return _Shape(first, np.stack([leaves[i], leaves[j]], axis=1), leaves, np.arange(n), around=True)


def _fan(n: int) -> _Shape:
    """One machine per class: all of them lead to the answer."""
    leaves = np.stack([np.arange(n, dtype=np.float64), np.zeros(n)], axis=1)
    top = np.array([[(n - 1) / 2, 1.0]])
    return _Shape(top, np.stack([leaves, np.broadcast_to(top, leaves.shape)], axis=1), leaves, np.arange(n))


# ---------------------------------------------------------------------- SVG


def _svg(shape: _Shape, labels: list[str]) -> str:
    # The labels of a circle are on all sides of it, those of other drawings below.
    size = np.array([HEIGHT, HEIGHT]) if shape.around else np.array([WIDTH, HEIGHT])
    names = [labels[c] for c in shape.order.tolist()]
    turned = not shape.around and max(map(len, names), default=0) * len(names) > LETTERS_IN_A_LINE
    before = np.array([BELOW, LINE_BELOW]) if shape.around else MARGIN
    after = before if shape.around else np.array([MARGIN[0], BELOW if turned else LINE_BELOW])
    everything = np.concatenate([shape.points, shape.leaves, shape.lines.reshape(-1, 2)])
    low, high = everything.min(axis=0), everything.max(axis=0)
    scale = np.where(high > low, size / np.where(high > low, high - low, 1.0), 0.0)
    start = before + np.where(high > low, 0.0, size / 2)

    def to_page(points: Array) -> list[Any]:
        above = np.stack([points[..., 0] - low[0], high[1] - points[..., 1]], axis=-1)  # y of a page grows downwards
        at: list[Any] = np.round(above * scale + start, 1).tolist()
        return at

    lines = "".join(f"M{_xy(a)}L{_xy(b)}" for a, b in to_page(shape.lines))
    nodes, ends = ("".join(f"M{_xy(p)}h0" for p in to_page(points)) for points in (shape.points, shape.leaves))
    middle = (before + size / 2).tolist() if shape.around else None
    texts = "".join(
        _text(x, y, name, middle, turned) for (x, y), name in zip(to_page(shape.leaves), names, strict=True)
    )
    w, h = (before + size + after).tolist()
    faint = 0.55 if len(shape.lines) < MANY else 0.25
    dot = 5 if len(shape.points) < MANY else 3.5
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w:g} {h:g}" width="{w:g}" style="max-width:100%;height:auto;'
        f'font:10px sans-serif" role="img" aria-label="The structure, {len(names)} classes" fill="none" '
        f'stroke="currentColor" stroke-linecap="round"><path d="{lines}" stroke-width="0.7" opacity="{faint}"/>'
        f'<path d="{ends}" stroke-width="3"/><path d="{nodes}" stroke-width="{dot}"/>'
        f'<g fill="currentColor" stroke="none">{texts}</g></svg>'
    )


def _xy(place: Sequence[float]) -> str:
    return f"{place[0]:g} {place[1]:g}"


def _text(x: float, y: float, name: str, middle: list[float] | None, turned: bool) -> str:
    """Write a label at a leaf: below it; around a circle, away from its middle."""
    if turned:
        return f'<text transform="translate({x - 3:g} {y + 7:g})rotate(90)">{escape(name)}</text>'
    anchor, dx, dy = "middle", 0.0, 14.0
    if middle is not None and abs(x - middle[0]) > 1:
        anchor, dx, dy = ("start", 6.0, 3.5) if x > middle[0] else ("end", -6.0, 3.5)
    elif middle is not None and y < middle[1]:
        dy = -5.0
    return f'<text x="{x + dx:g}" y="{y + dy:g}" text-anchor="{anchor}">{escape(name)}</text>'
