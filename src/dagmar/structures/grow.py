"""Graphs grown from sets of classes: what divide and conquer and the trees have in common.

A node stands for a set of classes and asks one machine; each child stands for the classes that may still be the answer.
Undecided classes go both ways, so the same set comes up on many branches: it is one node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..base.typing import Index
from .plans import GraphPlan, leaf_edge, list_edge

ClassSet = NDArray[np.bool_]


@dataclass(frozen=True)
class Split:
    """How a set of classes divides: a machine, and who stays on its negative and on its positive side."""

    machine: int
    negative: ClassSet
    positive: ClassSet


def grow(n_classes: int, split_level: Callable[[list[ClassSet]], list[Split]], max_nodes: int) -> GraphPlan:
    """Grow a graph, level by level, from the set of all classes.

    Parameters
    ----------
    n_classes : int
    split_level : callable
        Takes the new sets of a level, each of two classes or more, and returns how each divides. The sets must shrink.
    max_nodes : int
        When a level would go beyond this many nodes, its sets are not divided: each becomes a list, whose first and last
        class meet until one is left, as in a DDAG. The path stays at most n_classes - 1 long.

    Returns
    -------
    GraphPlan
        Without `machine_of`, which the caller adds where there are lists.
    """
    node_of: dict[bytes, int] = {}
    sets: list[ClassSet] = []
    splits: list[Split] = []
    lists: dict[bytes, int] = {}
    listed: list[Index] = []
    level = [np.ones(n_classes, dtype=bool)]
    while level:
        if len(sets) + len(level) > max_nodes:
            for classes in level:
                lists[classes.tobytes()] = len(listed)
                listed.append(np.flatnonzero(classes))
            break
        for classes in level:
            node_of[classes.tobytes()] = len(sets)
            sets.append(classes)
        new = split_level(level)
        splits += new
        following: dict[bytes, ClassSet] = {}
        for split in new:
            for child in (split.negative, split.positive):
                key = child.tobytes()
                if child.sum() > 1 and key not in node_of:
                    following.setdefault(key, child)
        level = list(following.values())

    def edge(classes: ClassSet) -> int:
        key = classes.tobytes()
        if classes.sum() == 1:
            return leaf_edge(int(np.flatnonzero(classes)[0]))
        return node_of[key] if key in node_of else list_edge(n_classes, lists[key])

    return GraphPlan(
        n_classes=n_classes,
        root=0,
        machine=np.array([s.machine for s in splits], dtype=np.int64),
        on_negative=np.array([edge(s.negative) for s in splits], dtype=np.int64),
        on_positive=np.array([edge(s.positive) for s in splits], dtype=np.int64),
        machine_of=np.full((n_classes, n_classes), -1, dtype=np.int64),
        node_classes=np.array(sets, dtype=bool).reshape(-1, n_classes),
        list_begin=np.cumsum([0, *(len(c) for c in listed)]).astype(np.int64),
        list_classes=np.concatenate([np.zeros(0), *listed]).astype(np.int32),
    )
