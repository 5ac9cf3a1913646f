"""Plans: how the machines of a bank are consulted, as plain arrays.

A structure makes a plan once; the core follows it for every sample. There are three kinds. A graph is walked from its root.
In a knockout the next pair depends on the winners so far. A poll asks every machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.frozen import FrozenArrays
from ..base.showing import counted
from ..base.typing import Index

# An edge of a graph is one number: e >= 0 leads to node e; below that stand the leaves, one per class, and below those the
# lists. Only these functions know the code (in the core: plan.hpp). They take numbers or arrays.
Edge = TypeVar("Edge", int, Index)


def leaf_edge(c: Edge) -> Edge:
    """The edge to the leaf of class c."""
    return -1 - c


def list_edge(n_classes: int, number: int) -> int:
    """The edge to a list of classes."""
    return leaf_edge(n_classes + number)


@overload
def is_node(edge: int) -> bool: ...
@overload
def is_node(edge: Index) -> NDArray[np.bool_]: ...
def is_node(edge: int | Index) -> bool | NDArray[np.bool_]:
    """Whether an edge leads to a node, whose number it then is."""
    return edge >= 0


def is_leaf(n_classes: int, edge: int) -> bool:
    """Whether an edge leads to the leaf of a class."""
    return not is_node(edge) and leaf_class(edge) < n_classes


def leaf_class(edge: Edge) -> Edge:
    """The class of the leaf that an edge leads to."""
    return -1 - edge


def list_number(n_classes: int, edge: int) -> int:
    """The number of the list that an edge leads to."""
    return leaf_class(edge) - n_classes


@dataclass(frozen=True, eq=False)
class GraphPlan(FrozenArrays):
    """A decision graph, walked from its root.

    Node v asks `machine[v]`. A negative value follows the edge `on_negative[v]`, any other the edge `on_positive[v]`. An edge
    leads to a node (`is_node`), to the leaf of a class (`leaf_class`), or to a list of classes (`list_number`): its first and
    last class meet, and the loser leaves the list, until one is left.

    Attributes
    ----------
    n_classes : int
    root : int
        The edge where the walk starts.
    machine, on_negative, on_positive : ndarray of shape (n_nodes,), int64
    machine_of : ndarray of shape (n_classes, n_classes), int64
        The machine of every pair, -1 if there is none; used for lists and if `unanimous`.
    unanimous : bool
        Whether a class that wins all its pairs is always the answer (true for a DDAG, not for trees).
    node_classes : ndarray of shape (n_nodes, n_classes), bool
        The classes still possible at each node; empty if the plan does not store them (a DDAG, because of its size).
    list_begin, list_classes : ndarray
        The lists, one after another: list l is ``list_classes[list_begin[l]:list_begin[l+1]]``.
    """

    n_classes: int
    root: int
    machine: Index
    on_negative: Index
    on_positive: Index
    machine_of: Index = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    unanimous: bool = False
    node_classes: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))
    list_begin: Index = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    list_classes: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    def __repr__(self) -> str:
        n_lists = len(self.list_begin) - 1
        lists = f", {counted(n_lists, 'list')}" if n_lists else ""
        return f"{type(self).__name__}({self.n_classes} classes, {counted(len(self.machine), 'node')}{lists})"

    @cached_property
    def native(self) -> _core.Plan:
        """The plan as an object of the C++ core."""
        return _core.Plan.graph(
            n_classes=self.n_classes,
            root=self.root,
            machine=self.machine,
            on_negative=self.on_negative,
            on_positive=self.on_positive,
            list_begin=self.list_begin,
            list_classes=self.list_classes,
            machine_of=np.ascontiguousarray(self.machine_of),
            unanimous=self.unanimous,
        )


@dataclass(frozen=True, eq=False)
class KnockoutPlan(FrozenArrays):
    """Classes meet in pairs; the next pair depends on the winners so far.

    Attributes
    ----------
    n_classes : int
    machine_of : ndarray of shape (n_classes, n_classes), int64
        The machine of each pair, -1 on the diagonal.
    rule : {"fewest_losses", "ranked", "bracket", "everyone"}
        "fewest_losses": the class with the fewest losses meets the one with the next fewest that it has not met yet, until
        it has met all. The answer is that of Max Wins with ties to the lower index, without asking every machine.
        "ranked": class `order[0]` meets the first of its `rivals`; then each winner meets the first of its own rivals that
        has not lost.
        "bracket": the first class of the list `order` meets the last, the second meets the second last, and so on; the
        winners are the next list.
        "everyone": all pairs are asked, and the class with the fewest losses wins.
    order : ndarray of int32
        For "ranked", the first class; for "bracket", the list of all classes.
    rivals : ndarray of shape (n_classes, n_classes - 1), int32
        For "ranked", the opponents of each class, in the order in which it prefers them.
    """

    n_classes: int
    machine_of: Index
    rule: str = "fewest_losses"
    order: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    rivals: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int32))

    def __repr__(self) -> str:
        return f"KnockoutPlan({self.n_classes} classes, rule {self.rule!r})"

    @cached_property
    def native(self) -> _core.Plan:
        """The plan as an object of the C++ core."""
        return _core.Plan.knockout(
            n_classes=self.n_classes,
            rule=_core.Rule[self.rule],
            machine_of=np.ascontiguousarray(self.machine_of),
            order=self.order,
            rivals=np.ascontiguousarray(self.rivals),
        )


@dataclass(frozen=True)
class PollPlan(FrozenArrays):
    """All machines are asked. The value of machine c is for class c; the largest wins, ties go to the lower index."""

    n_classes: int

    def __repr__(self) -> str:
        return f"PollPlan({self.n_classes} classes)"

    @cached_property
    def native(self) -> _core.Plan:
        """The plan as an object of the C++ core."""
        return _core.Plan.poll(self.n_classes)


Plan: TypeAlias = GraphPlan | KnockoutPlan | PollPlan
