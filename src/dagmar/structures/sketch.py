"""A small drawing of a plan as SVG text, for notebooks: a triangle, a tree, a bracket, a vote or a poll."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from ..base.typing import Array, Index
from .plans import GraphPlan, KnockoutPlan, Plan, is_leaf, is_node, leaf_class

# Beyond these the drawing would be too large or too dense to read.
MOST_CLASSES = 30
MOST_NODES = 150  # of trees; a triangle is regular, so more can be told apart
WIDTH, HEIGHT = 520.0, 170.0
MANY_LINES = 200  # from here on lines are fainter, so that they do not become one surface
MARGIN = np.array([34.0, 12.0])  # half a label fits beside the drawing
# Room for turned labels and for a line of labels, the letters of a label, and the letters of all labels that fit in a line.
BELOW, LINE_BELOW, LETTERS, LETTERS_IN_A_LINE = 64.0, 20.0, 12, 80


@dataclass(frozen=True)
class _Shape:
    """Points and lines of a drawing, in units of its own; y grows downwards."""

    points: Array  # shape (n_points, 2)
    lines: Array  # shape (n_lines, 2, 2): from and to
    leaves: Array  # shape (n_classes, 2)
    order: Index  # the class of each leaf
    around: bool = False  # whether the leaves are on a circle


def sketch(plan: Plan, labels: Sequence[Any]) -> str | None:
    """Draw a plan as SVG.

    Lines and letters have the colour of the text around the drawing, so it can be read on dark and on light pages.

    Parameters
    ----------
    plan : Plan
    labels : sequence of n_classes labels
        Written at the leaves, cut to a few letters, as text whatever they are.

    Returns
    -------
    str or None
        None if there are too many classes or nodes for a small drawing.

    Examples
    --------
    >>> import dagmar
    >>> from dagmar.structures.sketch import sketch
    >>> from sklearn.datasets import load_iris
    >>> clf = dagmar.SVC(structure="ddag").fit(*load_iris(return_X_y=True))
    >>> sketch(clf.plan_, clf.classes_.tolist())[:4]
    '<svg'
    """
    if plan.n_classes > MOST_CLASSES:
        return None
    if isinstance(plan, GraphPlan):
        if not _is_triangle(plan) and len(plan.machine) > MOST_NODES:
            return None
        shape = _triangle(plan) if _is_triangle(plan) else _graph(plan)
    elif not isinstance(plan, KnockoutPlan):
        shape = _fan(plan.n_classes)
    elif plan.rule == "bracket":
        shape = _bracket(plan.order.tolist())
    else:
        shape = _circle(plan)
    return _svg(shape, [str(label) for label in labels])


# ------------------------------------------------------------------- shapes


def _is_triangle(plan: GraphPlan) -> bool:
    n = plan.n_classes
    return plan.unanimous and n > 2 and len(plan.machine) == n * (n - 1) // 2


def _triangle(plan: GraphPlan) -> _Shape:
    """Platt's triangle: every leaf has a diagonal to each side, and the nodes are where diagonals cross."""
    n = plan.n_classes
    last = slice(len(plan.machine) - n + 1, None)  # the last layer of nodes leads to neighbours in the list of classes
    leaves = (leaf_class(edges[last]).tolist() for edges in (plan.on_negative, plan.on_positive))
    sides = [set(pair) for pair in zip(*leaves, strict=True)]
    order = [(sides[0] - sides[1]).pop()]
    for side in sides:
        order.append((side - {order[-1]}).pop())
    i, j = np.triu_indices(n, k=1)
    leaf = np.arange(n, dtype=np.float64)
    bottom = np.stack([leaf, np.full(n, n - 1.0)], axis=1)
    up_right = np.stack([bottom, np.stack([(leaf + n - 1) / 2, leaf], axis=1)], axis=1)
    up_left = np.stack([bottom, np.stack([leaf / 2, n - 1 - leaf], axis=1)], axis=1)
    nodes = np.stack([(i + j) / 2, n - 1.0 - (j - i)], axis=1)
    return _Shape(nodes, np.concatenate([up_right[:-1], up_left[1:]]), bottom, np.array(order))


def _graph(plan: GraphPlan) -> _Shape:
    """A tree or another graph: leaves side by side, nodes in layers above the middle of what they lead to."""
    children = np.stack([plan.on_negative, plan.on_positive], axis=1).tolist()
    met: dict[int, None] = {}  # edges to leaves and lists, in the order in which a walk from the root meets them
    first_seen: list[int] = []  # nodes, parents before their first children
    stack, seen = [plan.root], set()
    while stack:
        edge = stack.pop()
        if not is_node(edge):
            met.setdefault(edge)
        elif edge not in seen:
            seen.add(edge)
            first_seen.append(edge)
            stack += children[edge][::-1]
    depth = dict.fromkeys(first_seen, 0)
    for _ in range(plan.n_classes):  # the longest way from the root; no path has more nodes than classes
        for node in first_seen:
            for child in filter(is_node, children[node]):
                depth[child] = max(depth[child], depth[node] + 1)
    bottom = 1 + max(depth.values(), default=0)
    x: dict[int, float] = {edge: float(k) for k, edge in enumerate(met)}
    for node in sorted(first_seen, key=lambda node: -depth[node]):
        x[node] = (x[children[node][0]] + x[children[node][1]]) / 2
    for layer in range(1, bottom):
        _spread([node for node in first_seen if depth[node] == layer], x, len(met) - 1.0)
    at = {edge: (x[edge], depth.get(edge, bottom)) for edge in x}
    lines = [(at[node], at[child]) for node in first_seen for child in children[node]]
    # A list of classes that is not drawn further is a point; its classes have their leaves elsewhere.
    leaves = {leaf_class(edge): at[edge] for edge in met if is_leaf(plan.n_classes, edge)}
    lists = [at[edge] for edge in met if not is_leaf(plan.n_classes, edge)]
    points = _points([*(at[node] for node in first_seen), *lists])
    return _Shape(points, _lines(lines), _points(leaves.values()), np.array(list(leaves), dtype=np.int64))


def _spread(layer: list[int], x: dict[int, float], width: float) -> None:
    """Space the nodes of a layer evenly if two of them would touch."""
    layer.sort(key=lambda node: x[node])
    if len(layer) > 1 and min(np.diff([x[node] for node in layer])) < 0.3:
        for node, place in zip(layer, np.linspace(0.0, width, len(layer) + 2)[1:-1].tolist(), strict=True):
            x[node] = place


def _bracket(order: list[int]) -> _Shape:
    """The first class of the list meets the last, and so on; opponents are drawn next to each other."""
    tree: list[Any] = list(order)
    while len(tree) > 1:
        half = len(tree) // 2
        tree = [[tree[k], tree[-1 - k]] for k in range(half)] + tree[half : len(tree) - half]
    leaves: list[int] = []
    points: list[tuple[float, float]] = []
    lines: list[tuple[tuple[float, float], tuple[float, float]]] = []

    def place(entrant: Any) -> tuple[float, float]:
        if not isinstance(entrant, list):
            leaves.append(entrant)
            return len(leaves) - 1.0, 0.0
        (a, high), (b, low) = (place(one) for one in entrant)
        here = (a + b) / 2, min(high, low) - 1.0
        lines.extend([((a, high), (a, here[1])), ((b, low), (b, here[1])), ((a, here[1]), (b, here[1]))])
        points.append(here)
        return here

    place(tree[0])
    return _Shape(_points(points), _lines(lines), _points((k, 0.0) for k in range(len(leaves))), np.array(leaves))


def _circle(plan: KnockoutPlan) -> _Shape:
    """Classes around a circle: a line for every pair that votes; of an adaptive DDAG, from each class to its first rival."""
    n = plan.n_classes
    angle = 2 * np.pi * np.arange(n) / n - np.pi / 2
    leaves = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    if plan.rule == "ranked" and n > 1:
        i, j = np.arange(n), plan.rivals[:, 0].astype(np.int64)
        first = leaves[plan.order[:1]]
    else:
        (i, j), first = np.triu_indices(n, k=1), np.zeros((0, 2))
    return _Shape(first, np.stack([leaves[i], leaves[j]], axis=1), leaves, np.arange(n), around=True)


def _fan(n: int) -> _Shape:
    """One machine per class: all of them lead to the answer."""
    leaves = np.stack([np.arange(n, dtype=np.float64), np.ones(n)], axis=1)
    top = np.array([[(n - 1) / 2, 0.0]])
    return _Shape(top, np.stack([leaves, np.broadcast_to(top, leaves.shape)], axis=1), leaves, np.arange(n))


def _points(places: Any) -> Array:
    return np.array(list(places), dtype=np.float64).reshape(-1, 2)


def _lines(places: Any) -> Array:
    return np.array(list(places), dtype=np.float64).reshape(-1, 2, 2)


# ---------------------------------------------------------------------- SVG


def _svg(shape: _Shape, labels: list[str]) -> str:
    # The labels of a circle are on all sides of it, those of other drawings below.
    size = np.array([HEIGHT, HEIGHT]) if shape.around else np.array([WIDTH, HEIGHT])
    names = [labels[c] for c in shape.order.tolist()]
    names = [name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…" for name in names]
    turned = not shape.around and max(map(len, names), default=0) * len(names) > LETTERS_IN_A_LINE
    before = np.array([BELOW, LINE_BELOW]) if shape.around else MARGIN
    after = before if shape.around else np.array([MARGIN[0], BELOW if turned else LINE_BELOW])
    everything = np.concatenate([shape.points, shape.leaves, shape.lines.reshape(-1, 2)])
    low, high = everything.min(axis=0), everything.max(axis=0)
    scale = np.where(high > low, size / np.where(high > low, high - low, 1.0), 0.0)
    start = before + np.where(high > low, 0.0, size / 2)

    def to_page(places: Array) -> list[Any]:
        at: list[Any] = np.round((places - low) * scale + start, 1).tolist()
        return at

    lines = "".join(f"M{_xy(a)}L{_xy(b)}" for a, b in to_page(shape.lines))
    nodes, ends = ("".join(f"M{_xy(p)}h0" for p in to_page(places)) for places in (shape.points, shape.leaves))
    middle = (before + size / 2).tolist() if shape.around else None
    texts = "".join(
        _text(x, y, name, middle, turned) for (x, y), name in zip(to_page(shape.leaves), names, strict=True)
    )
    w, h = (before + size + after).tolist()
    faint = 0.55 if len(shape.lines) < MANY_LINES else 0.25
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w:g} {h:g}" width="{w:g}" style="max-width:100%;height:auto;'
        f'font:10px sans-serif" role="img" aria-label="The structure, {len(names)} classes" fill="none" '
        f'stroke="currentColor" stroke-linecap="round"><path d="{lines}" stroke-width="0.7" opacity="{faint}"/>'
        f'<path d="{ends}" stroke-width="3"/><path d="{nodes}" stroke-width="5"/>'
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
