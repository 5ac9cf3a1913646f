"""Where the vertices of a graph are in a picture."""

from __future__ import annotations

import numpy as np

from ..base.typing import Array, Index
from .decision_graph import DecisionGraph, Unfolded

# The nodes of a layer that are one unit apart; in a larger layer they are closer.
WIDEST = 60


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
    """Return the positions of the vertices of a graph in layers, shape (n_vertices, 2).

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
    layers = np.bincount(depth[: graph.n_nodes][depth[: graph.n_nodes] >= 0])
    width = max(len(reached), int(min(layers.max(initial=1), WIDEST)))
    x[_first_met(graph)] = np.linspace(0, width - 1, len(reached))
    for node in graph.in_order[::-1]:
        x[node] = x[graph.children[node]].mean()
    for layer in range(1, int(bottom)):
        inside = np.flatnonzero(depth[: graph.n_nodes] == layer)
        x[inside] = _spread(x[inside], width)
    x[depth < 0] = np.nan
    y[depth < 0] = np.nan
    return np.stack([x, y], axis=1)


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


def _spread(x: Array, width: float) -> Array:
    """Move the vertices of a layer apart so that none is on another, and keep their order."""
    n = len(x)
    step = min(1.0, (width - 1) / max(1, n - 1)) * np.arange(n)
    order = np.argsort(x, kind="stable")
    # Pushed to the right, and pushed to the left: gaps of the mean of both are wide enough as well.
    right = np.maximum.accumulate(x[order] - step) + step
    left = np.minimum.accumulate((x[order] - step)[::-1])[::-1] + step
    moved = np.minimum(np.maximum((left + right) / 2, step), width - 1 - step[::-1])
    out = np.empty(n)
    out[order] = moved
    return out
