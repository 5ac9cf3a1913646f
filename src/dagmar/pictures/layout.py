"""Where the vertices of a graph are in a picture."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..base.typing import Array, Index
from .decision_graph import DecisionGraph, Unfolded

# The nodes of a layer that are one unit apart; in a larger layer they are closer.
WIDEST = 60
# Half the room of a node in its layer, and of an edge that passes the layer.
NODE, LANE = 0.5, 0.18
# An edge leaves a node downwards and comes to the next from above; it goes sideways only between the layers, where no box is.
STUB = 0.33


@dataclass(frozen=True, eq=False)
class Layers:
    """The positions of the vertices of a graph in layers, and where edges pass layers between their ends.

    Attributes
    ----------
    places : ndarray of shape (n_vertices, 2)
        NaN for vertices that cannot be reached.
    lanes : dict of (vertex, layer) to float
        Where the edges to a vertex pass a layer; edges to one vertex pass it together. Empty if edges are straight.
    """

    places: Array
    lanes: dict[tuple[int, int], float]

    def route(self, parent: int, child: int) -> Array:
        """Return the points of an edge, shape (n_points, 2)."""
        ends = self.places[[parent, child]]
        if not self.lanes:
            return ends
        first, last = (-ends[:, 1]).astype(int)
        stops = [ends[0], *((self.lanes[child, layer], -float(layer)) for layer in range(first + 1, last)), ends[1]]
        points = [stops[0]]
        for (from_x, from_y), (to_x, to_y) in pairwise(stops):
            points += [(from_x, from_y - STUB), (to_x, to_y + STUB)]
        return np.array([*points, stops[-1]])


def tree_places(tree: Unfolded) -> Array:
    """Return the positions of the items of a tree, shape (n_items, 2): ends side by side, parents above their children."""
    x = np.zeros(len(tree.vertex))
    # Depth first, so that the ends of a branch are neighbours; without recursion, because trees may be deep.
    stack = [0]
    ends = []
    while stack:
        item = stack.pop()
        negative, positive = tree.children[item]
        if negative < 0:
            ends.append(item)
        else:
            stack += [int(positive), int(negative)]
    x[ends] = np.arange(len(ends))
    for item in range(len(tree.vertex) - 1, -1, -1):  # children come after their parents
        if tree.children[item, 0] >= 0:
            x[item] = x[tree.children[item]].mean()
    return np.stack([x, -tree.depth.astype(np.float64)], axis=1)


def layered_places(graph: DecisionGraph) -> Array:
    """Return the positions of the vertices of a graph in layers, shape (n_vertices, 2), for straight edges."""
    return layered(graph, lanes=False).places


def layered(graph: DecisionGraph, *, lanes: bool) -> Layers:
    """Place the vertices of a graph in layers; with lanes, edges pass between the vertices of a layer and not behind them.

    A vertex is in the layer of its longest way from the root; lists and leaves are below all nodes. Nodes are near the middle
    of the leaves that they lead to, so most edges are short. Vertices that cannot be reached have NaN.
    """
    depth = graph.depth
    bottom = depth.max()
    ends = np.arange(graph.n_nodes, graph.n_vertices)
    reached = ends[depth[ends] >= 0]
    y = -depth.astype(np.float64)
    y[ends] = -bottom
    x = np.full(graph.n_vertices, np.nan)
    nodes = [np.flatnonzero(depth[: graph.n_nodes] == layer) for layer in range(int(bottom))]
    passing = _passing(graph, y) if lanes else [np.zeros(0, dtype=np.int64)] * len(nodes)
    rooms = [2 * (NODE * len(inside) + LANE * len(past)) for inside, past in zip(nodes, passing, strict=True)]
    width = max(len(reached), min(max(rooms, default=1.0), WIDEST))
    x[_first_met(graph)] = np.linspace(0, width - 1, len(reached))
    for node in graph.in_order[::-1]:
        x[node] = x[graph.children[node]].mean()
    found = {}
    for layer in range(1, int(bottom)):
        inside, past = nodes[layer], passing[layer]
        halves = np.repeat([NODE, LANE], [len(inside), len(past)])
        moved = _spread(x[np.concatenate([inside, past])], halves, width)
        x[inside] = moved[: len(inside)]
        found.update(
            {(child, layer): at for child, at in zip(past.tolist(), moved[len(inside) :].tolist(), strict=True)}
        )
    x[depth < 0] = np.nan
    y[depth < 0] = np.nan
    return Layers(np.stack([x, y], axis=1), found)


def _passing(graph: DecisionGraph, y: Array) -> list[Index]:
    """Return, for each layer above the lowest, the vertices below it to which edges from above it lead."""
    highest = np.full(graph.n_vertices, np.inf)  # the layer of the highest parent
    for node in graph.in_order:
        np.minimum.at(highest, graph.children[node], -y[node])
    return [np.flatnonzero((highest < layer) & (layer < -y)) for layer in range(int(-y.min()))]


def _first_met(graph: DecisionGraph) -> Index:
    """Return the lists and leaves that can be reached, in the order in which a search from the root meets them."""
    seen, stack, met = {graph.root}, [graph.root], []
    while stack:
        vertex = stack.pop()
        if not graph.is_node(vertex):
            met.append(vertex)
            continue
        for child in graph.children[vertex, ::-1].tolist():
            if child not in seen:
                seen.add(child)
                stack.append(child)
    return np.array(met, dtype=np.int64)


def _spread(x: Array, halves: Array, width: float) -> Array:
    """Move the parts of a layer apart so that none is on another, and keep their order; `halves` is half the room of each."""
    n = len(x)
    order = np.argsort(x, kind="stable")
    sides = halves[order]
    step = np.concatenate([[0.0], np.cumsum(sides[:-1] + sides[1:])])[:n]
    step *= min(1.0, (width - 1) / max(step.max(initial=0.0), 1e-12))
    # Pushed to the right, and pushed to the left: gaps of the mean of both are wide enough as well.
    right = np.maximum.accumulate(x[order] - step) + step
    left = np.minimum.accumulate((x[order] - step)[::-1])[::-1] + step
    moved = np.minimum(np.maximum((left + right) / 2, step), width - 1 - (step.max(initial=0.0) - step))
    out = np.empty(n)
    out[order] = moved
    return out
