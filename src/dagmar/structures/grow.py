"""Graphs grown from sets of classes, for divide and conquer and the trees.

A node stands for a set of classes and asks one machine. Each child stands for the classes that are still possible after the
verdict. Undecided classes go to both children, so the same set occurs on many branches; all its occurrences share one node.
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
