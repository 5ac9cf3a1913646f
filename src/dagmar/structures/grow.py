"""Graphs grown from sets of classes, for divide and conquer and the trees.

A node stands for a set of classes and asks one machine. Each child stands for the classes that are still possible after the
verdict. Undecided classes go to both children, so the same set occurs on many branches; all its occurrences share one node.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..base.typing import Index
from ..machines.workshop import AnyWorkshop
from .plans import GraphPlan, is_node, leaf_edge, list_edge
from .walks import trace

ClassSet = NDArray[np.bool_]
# The default of `max_nodes`. A node takes some hundred bytes.
MAX_NODES = 1_000_000


@dataclass(frozen=True)
class Split:
    """How a set of classes is divided: the machine, and the classes kept after a negative and after a positive value."""

    machine: int
    negative: ClassSet
    positive: ClassSet


def grow(n_classes: int, split_level: Callable[[list[ClassSet]], list[Split]], max_nodes: int) -> GraphPlan:
    """Grow a graph level by level, starting from the set of all classes.

    Parameters
    ----------
    n_classes : int
    split_level : callable
        Takes the new sets of a level, each of two or more classes, and returns the split of each. The children of a split
        must be smaller than its set.
    max_nodes : int
        The largest number of nodes. The sets of a level that would exceed it are not divided but become lists: the first
        and the last class of a list meet, and the loser leaves it, until one class is left, as in a DDAG. Paths still have
        at most n_classes - 1 machines.

    Returns
    -------
    GraphPlan
        Its `machine_of` is -1 everywhere; the caller fills it in if there are lists.
    """
    # Sets are kept as bytes, a bit per class. `edge` has the edge to each set.
    edge = {_key(np.arange(n_classes) == c): leaf_edge(c) for c in range(n_classes)}
    nodes: list[bytes] = []
    machines: list[int] = []
    children: list[tuple[bytes, bytes]] = []
    listed: list[Index] = []
    level = [np.ones(n_classes, dtype=bool)]
    while level:
        if len(nodes) + len(level) > max_nodes:
            for classes in level:
                edge[_key(classes)] = list_edge(n_classes, len(listed))
                listed.append(np.flatnonzero(classes))
            break
        for classes in level:
            key = _key(classes)
            edge[key] = len(nodes)
            nodes.append(key)
        following: dict[bytes, ClassSet] = {}
        for split in split_level(level):
            keys = _key(split.negative), _key(split.positive)
            machines.append(split.machine)
            children.append(keys)
            for key, child in zip(keys, (split.negative, split.positive), strict=True):
                if key not in edge:
                    following.setdefault(key, child)
        level = list(following.values())

    packed = np.frombuffer(b"".join(nodes), dtype=np.uint8).reshape(len(nodes), -1)
    return GraphPlan(
        n_classes=n_classes,
        root=0,
        machine=np.array(machines, dtype=np.int64),
        on_negative=np.array([edge[negative] for negative, _ in children], dtype=np.int64),
        on_positive=np.array([edge[positive] for _, positive in children], dtype=np.int64),
        machine_of=np.full((n_classes, n_classes), -1, dtype=np.int64),
        node_classes=np.unpackbits(packed, axis=1, count=n_classes).astype(bool).reshape(-1, n_classes),
        list_begin=np.cumsum([0, *(len(c) for c in listed)]).astype(np.int64),
        list_classes=np.concatenate([np.zeros(0), *listed]).astype(np.int32),
    )


def _key(classes: ClassSet) -> bytes:
    return np.packbits(classes).tobytes()


def warn_if_cut(name: str, plan: GraphPlan, workshop: AnyWorkshop, max_nodes: int) -> None:
    """Warn if the graph of a structure met `max_nodes`, and say how many training samples end in its lists."""
    if len(plan.list_begin) == 1:
        return
    total = inside = 0
    for X in workshop.sample_blocks():
        total += X.shape[0]
        inside += count_in_lists(plan, workshop, X)
    warnings.warn(
        f"The graph of {name} needs more than max_nodes={max_nodes} nodes. {inside} of {total} training samples end in lists "
        "of classes, which are decided as in a DDAG. A larger max_nodes builds more of the graph.",
        stacklevel=2,
    )


def count_in_lists(plan: GraphPlan, workshop: AnyWorkshop, X: object) -> int:
    """Return how many samples leave the nodes of the graph for one of its lists."""
    path = trace(workshop.bank, plan, X)
    at = np.full(len(path), plan.root, dtype=np.int64)
    walking, step = np.flatnonzero(is_node(at)), 0
    while len(walking):
        values = path.values[path.begin[walking] + step]
        node = at[walking]
        at[walking] = np.where(values >= 0, plan.on_positive[node], plan.on_negative[node])
        walking, step = walking[is_node(at[walking])], step + 1
    return int((at < leaf_edge(plan.n_classes - 1)).sum())
