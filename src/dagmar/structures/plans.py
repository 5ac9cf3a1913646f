"""Plans: how the machines of a bank are consulted, as plain arrays.

A plan is made by a structure, once, and followed by the core for every sample. There are three kinds: a graph is walked
from its root, in a knockout the next pair depends on who has won so far, and a poll asks every machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.frozen import FrozenArrays
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
    """Walk from a root.

    Node v asks `machine[v]`; a negative value leads along the edge `on_negative[v]`, any other along `on_positive[v]`. An
    edge leads to a node (`is_node`), to the leaf of a class (`leaf_class`), or to a list of classes (`list_number`), whose
    first and last class meet until one is left.

    Attributes
    ----------
    n_classes : int
    root : int
        The edge at which the walk begins.
    machine, on_negative, on_positive : ndarray of shape (n_nodes,), int64
    machine_of : ndarray of shape (n_classes, n_classes), int64
        The machine of every pair, -1 where there is none; needed for lists and for unanimity.
    unanimous : bool
        Whether a class that wins all its pairs is always the answer (DDAG yes, trees no).
    node_classes : ndarray of shape (n_nodes, n_classes), bool
        The classes still in play at each node; empty where the plan does not say (a DDAG, for its size).
    list_begin, list_classes : ndarray
        The lists, one after the other.
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

    @cached_property
    def native(self) -> _core.Plan:
        """The core's form of the plan."""
        return _core.Plan.graph(
            n_classes=self.n_classes,
            root=self.root,
            machine=self.machine,
            on_negative=self.on_negative,
            on_positive=self.on_positive,
            list_begin=self.list_begin,
            list_classes=self.list_classes,
            machine_of=np.ascontiguousarray(self.machine_of).ravel(),
            unanimous=self.unanimous,
        )


@dataclass(frozen=True, eq=False)
class KnockoutPlan(FrozenArrays):
    """Classes meet in pairs, by a rule that depends on who has won so far.

    Attributes
    ----------
    n_classes : int
    machine_of : ndarray of shape (n_classes, n_classes), int64
        The machine of each pair, -1 on the diagonal.
    rule : {"fewest_losses", "ranked", "bracket", "everyone"}
        "fewest_losses": the class with the fewest losses meets the next such class, until it has met all; the answer is
        that of Max Wins with ties to the lower index, found without asking every machine.
        "ranked": `order[0]` meets the first of its `rivals`, then the winner the first of its own that is not out.
        "bracket": first of the list `order` against last, second against second last; the winners are the next list.
        "everyone": all pairs are asked, and the fewest losses win.
    order : ndarray of int32
    rivals : ndarray of shape (n_classes, n_classes - 1), int32
    """

    n_classes: int
    machine_of: Index
    rule: str = "fewest_losses"
    order: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    rivals: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int32))

    @cached_property
    def native(self) -> _core.Plan:
        """The core's form of the plan."""
        return _core.Plan.knockout(
            n_classes=self.n_classes,
            rule=_core.Rule[self.rule],
            machine_of=np.ascontiguousarray(self.machine_of).ravel(),
            order=self.order,
            rivals=np.ascontiguousarray(self.rivals).ravel(),
        )


@dataclass(frozen=True)
class PollPlan(FrozenArrays):
    """Ask all; machine c speaks for class c, the largest value wins, ties to the lower index."""

    n_classes: int

    @cached_property
    def native(self) -> _core.Plan:
        """The core's form of the plan."""
        return _core.Plan.poll(self.n_classes)


Plan: TypeAlias = GraphPlan | KnockoutPlan | PollPlan
