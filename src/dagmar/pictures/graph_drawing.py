"""Drawing decision graphs: Platt's triangle, trees, and graphs in layers, with the path of a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..base.typing import Array, Index
from .decision_graph import DecisionGraph
from .drawing import BLUE, FAINT, INK, PALE, SKY, VERMILLION, bare
from .labels import listed, plain, shortened
from .layout import layered, layered_places, tree_places
from .triangle import places, write_leaves

WIDTH = 0.58  # of a character, in parts of the size of its font
BOXES = 120  # items of a picture up to which each has a box with text
ROW = 26  # items of a row up to which each has a box with text
PATH = 40  # steps of a path up to which all are written beside a graph without boxes
UNFOLDED = 56  # items of a tree up to which it is drawn as a tree; larger graphs share their nodes
EDGES = 40_000  # edges that are drawn; more would be a black area


@dataclass(frozen=True)
class Placed:
    """A graph with the positions of its items, ready to be drawn.

    Attributes
    ----------
    vertex : ndarray of shape (n_items,), int64
        The vertex of the graph that each item shows.
    places : ndarray of shape (n_items, 2)
    edges : ndarray of shape (n_edges, 2), int64
        Pairs of items, from parent to child.
    path : list of int
        The items on the path of the sample; empty if there is none.
    routes : list of n_edges ndarrays of shape (n_points, 2), or None
        The lines that the edges are drawn as; None for straight lines.
    """

    vertex: Index
    places: Array
    edges: Index
    path: list[int]
    routes: list[Array] | None = None

    @property
    def lines(self) -> list[Array]:
        """The points of every edge."""
        return list(self.places[self.edges]) if self.routes is None else self.routes

    @property
    def path_line(self) -> Array:
        """The points of the path, shape (n_points, 2)."""
        lines = self.lines
        number = {(parent, child): k for k, (parent, child) in enumerate(self.edges.tolist())}
        taken = [lines[number[edge]][1:] for edge in pairwise(self.path)]
        return np.concatenate([self.places[self.path[:1]], *taken])


def place(graph: DecisionGraph, values: Array | None) -> Placed:
    """Place the vertices of a graph: as a triangle, as a tree if that is small, or in layers.

    Parameters
    ----------
    graph : DecisionGraph
    values : ndarray or None
        The values of the machines on the path of a sample.

    Returns
    -------
    Placed
    """
    path = [] if values is None else graph.follow(values)
    if len(graph.order):
        leaves = np.stack([np.argsort(graph.order), np.zeros(graph.n_classes)], axis=1)
        where = np.concatenate([places(graph.tasks.pairs[graph.machine], graph.order), leaves])
        return Placed(np.arange(graph.n_vertices), where, _edges(graph.children), path)
    if graph.n_unfolded <= UNFOLDED:
        tree = graph.unfolded()
        inner = tree.children[:, 0] >= 0
        items = [0] if path else []
        for vertex in path[1:]:
            here = tree.children[items[-1]]
            items.append(int(here[list(tree.vertex[here]).index(vertex)]))
        return Placed(tree.vertex, tree_places(tree), _edges(tree.children[inner], np.flatnonzero(inner)), items)
    where = layered_places(graph)
    shown = np.flatnonzero(graph.depth >= 0)
    number = np.full(graph.n_vertices, -1)
    number[shown] = np.arange(len(shown))
    nodes = shown[shown < graph.n_nodes]
    edges = _edges(number[graph.children[nodes]], number[nodes])
    drawn = Placed(shown, where[shown], edges, number[path].tolist())
    if not has_boxes(drawn):
        return drawn
    layers = layered(graph, lanes=True)  # boxes would hide edges
    routes = [layers.route(parent, child) for parent, child in shown[edges].tolist()]
    return replace(drawn, places=layers.places[shown], routes=routes)


def has_boxes(drawn: Placed) -> bool:
    """Whether every item has a box with text: there are few, and no row of them is crowded."""
    rows = np.unique(drawn.places[:, 1], return_counts=True)[1]
    return len(drawn.vertex) <= BOXES and int(rows.max()) <= ROW


def _edges(children: Index, parents: Index | None = None) -> Index:
    parents = np.arange(len(children)) if parents is None else parents
    return np.stack([np.repeat(parents, 2), children.ravel()], axis=1)


def draw_graph(ax: Any, graph: DecisionGraph, names: Sequence[str], values: Array | None) -> None:
    """Draw a graph with the names of the classes, and the path of a sample if its values are given.

    Parameters
    ----------
    ax : matplotlib axes
    graph : DecisionGraph
    names : sequence of n_classes str
    values : ndarray or None
    """
    from matplotlib.collections import LineCollection

    drawn = place(graph, values)
    where, path = drawn.places, drawn.path
    bare(ax)
    boxes = has_boxes(drawn)
    if len(drawn.edges) <= EDGES:
        width = 1.0 if boxes else 0.5 if len(drawn.edges) < 2000 else 0.15
        ax.add_collection(LineCollection(drawn.lines, colors=FAINT, linewidths=width, zorder=1))
    if path:
        ax.plot(*drawn.path_line.T, color=VERMILLION, linewidth=2.5, zorder=2 if boxes else 3.5, solid_capstyle="round")
    pen = _Pen(ax, graph, names, drawn, boxes)
    if not boxes:
        is_end = drawn.vertex >= graph.n_nodes
        dots = BLUE if len(drawn.vertex) < 5000 else SKY
        for which, marker, colour in [(~is_end, "o", dots), (is_end, "s", INK)]:
            size = float(np.clip(8000.0 / len(drawn.vertex), 1.5, 14.0))
            ax.scatter(*where[which].T, s=size, marker=marker, color=colour, linewidths=0, zorder=3)
    for item in range(len(drawn.vertex)) if boxes else _told(path, values):
        pen.write(item, values)
    is_triangle = bool(len(graph.order))
    if is_triangle and not boxes:
        write_leaves(ax, [names[c] for c in graph.order])
    elif not boxes:
        pen.write_ends()
    x, y = where.T
    ax.set_xlim(x.min() - 0.6, x.max() + 0.6)
    ax.set_ylim(y.min() - (0.35 if is_triangle else 0.5), y.max() + (0.35 if is_triangle else 0.5))


def _told(path: list[int], values: Array | None) -> list[int]:
    """Return the items of a path that get a text: all; of a very long path, its ends and the closest calls."""
    if len(path) <= PATH or values is None:
        return path
    closest = np.argsort(np.abs(values[: len(path) - 1]), kind="stable")[:PATH].tolist()
    return [path[step] for step in sorted({0, len(path) - 1, *closest})]


def _narrowest(places: Array) -> float:
    """Return the smallest distance of two neighbours in a row of a picture; of all rows with a single item, 2."""
    found = 2.0
    for y in np.unique(places[:, 1]):
        row = np.sort(places[places[:, 1] == y, 0])
        found = min(found, float(np.diff(row).min(initial=2.0)))
    return found


class _Pen:
    """Writes the texts of the items that are placed."""

    def __init__(self, ax: Any, graph: DecisionGraph, names: Sequence[str], drawn: Placed, boxes: bool) -> None:
        self.ax, self.graph, self.drawn, self.boxes = ax, graph, drawn, boxes
        self.scattered = set(graph.scattered) if boxes and not len(graph.order) else set()
        # The width that the most crowded row of items leaves for each.
        extent, dpi = ax.get_window_extent(), ax.figure.dpi
        unit = extent.width / dpi / (float(np.ptp(drawn.places[:, 0])) + 1.2)
        self.column = unit * _narrowest(drawn.places) if boxes else unit
        longest = max(map(len, shortened(names, 16)))
        # A smaller font rather than a question of two lines, down to what can be read.
        self.size = float(np.clip(self.column * 72 / (WIDTH * (2 * longest + 6)), 6.0, 8.5)) if boxes else 6.5
        if boxes and self.column * 72 < 6.0 * WIDTH * (longest + 3):
            self.size = 5.0
        self.room = int(self.column * 72 / (WIDTH * self.size)) - 1 if boxes else 20  # characters of a line
        rows = len(np.unique(drawn.places[:, 1]))
        self.lines = max(1, int(0.85 * extent.height / dpi * 72 / rows / (1.15 * self.size)))  # of a box
        self.names = shortened(names, int(np.clip(self.room, 3, 16)) if boxes else 8)

    def question(self, node: int) -> str:
        sides = [listed([self.names[c] for c in side], 3) for side in self.graph.sides(node)]
        if len(self.graph.order):  # the class at the front of the list is on the left
            first = self.graph.classes_of(node)
            sides = [self.names[first[0]], self.names[first[-1]]] if first else sides
        line = " vs ".join(sides)
        return line if len(line) <= self.room or not self.boxes else f"{sides[0]}\nvs {sides[1]}"

    def write(self, item: int, values: Array | None) -> None:
        vertex = int(self.drawn.vertex[item])
        x, y = self.drawn.places[item]
        step = self.drawn.path.index(item) if item in self.drawn.path else None
        lit = step is not None
        if self.graph.is_node(vertex):
            text = self.question(vertex)
            if lit and values is not None:
                # With a box for every node, values are below the question; in a crowd they follow it.
                text += f"{chr(10) if self.boxes and self.lines > 1 else '  '}{values[step]:+.2g}"
            elif self.boxes:
                text += self._list(vertex, self.lines - 1 - text.count(chr(10)))
            style = {"facecolor": "#FCE5D6" if lit else PALE, "edgecolor": VERMILLION if lit else "0.6"}
        else:
            classes = self.graph.ends(vertex)
            text = listed([self.names[c] for c in classes], 4)
            far = len(classes) == 1 and classes[0] in self.scattered
            style = {"facecolor": "white" if far else SKY, "edgecolor": VERMILLION if lit else BLUE}
            style |= {"linestyle": "--"} if far else {}
        ends = not self.graph.is_node(vertex)
        self.ax.text(
            x,
            y,
            plain(text),
            ha="center",
            va="center",
            fontsize=self.size + (1 if ends and self.boxes else 0),
            color=INK,
            fontweight="bold" if lit and ends else "normal",
            linespacing=1.05,
            zorder=5 if lit else 4,
            bbox={"boxstyle": "round,pad=0.2", "linewidth": 1.8 if lit else 0.8, **style},
        )

    def _list(self, node: int, lines_left: int) -> str:
        """The list of classes at a node, on lines of its own, as in Platt's Figure 1; nothing for two classes."""
        classes = self.graph.classes_of(node)
        if len(classes) <= 2 or lines_left < 1:
            return ""
        names = [self.names[c] for c in classes]
        if sum(len(name) + 2 for name in names) > min(2, lines_left) * self.room:
            most = len(names)
            while most > 3 and len(listed(names, most)) > self.room:
                most -= 1
            line = listed(names, most)
            return f"\n{line if len(line) <= self.room + 2 else f'{len(names)} classes'}"
        lines = [""]
        for name in names:
            if len(lines[-1]) + len(name) > self.room:
                lines.append("")
            lines[-1] += f"{name}, "
        return "\n" + "\n".join(line.strip() for line in lines).rstrip(",")

    def write_ends(self) -> None:
        """Write the names of the leaves below a graph in layers."""
        ends = np.flatnonzero(self.drawn.vertex >= self.graph.n_nodes)
        ends = ends[np.argsort(self.drawn.places[ends, 0])]
        step = -(-len(ends) // 40)
        texts = [listed([self.names[c] for c in self.graph.ends(int(self.drawn.vertex[e]))], 3) for e in ends[::step]]
        turned = max(map(len, texts), default=0) * len(texts) > 100
        self.ax.set_xticks(
            self.drawn.places[ends[::step], 0], [plain(t) for t in texts], rotation=90 if turned else 0, fontsize=8
        )
        self.ax.tick_params(length=0)
