"""Plans: how the machines of a bank are consulted, as plain arrays.

A structure makes a plan once; the core follows it for every sample. There are three kinds. A graph is walked from its root.
In a knockout the next pair depends on the winners so far. A poll asks every machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.frozen import FrozenArrays
from ..base.typing import Index


@dataclass(frozen=True, eq=False)
class GraphPlan(FrozenArrays):
    """A decision graph, walked from its root.

    Node v asks `machine[v]`. A negative value follows the edge `on_negative[v]`, any other the edge `on_positive[v]`. An edge
    e >= 0 leads to node e. An edge e < 0 leads out of the graph: to the leaf of class -1 - e if e >= -n_classes, otherwise to
    list number -1 - n_classes - e. The first and the last class of a list meet, and the loser leaves it, until one is left.

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

    @cached_property
    def native(self) -> _core.Plan:
        """The plan as an object of the C++ core."""
        return _core.Plan.graph(
            self.n_classes,
            self.root,
            self.machine,
            self.on_negative,
            self.on_positive,
            self.list_begin,
            self.list_classes,
            np.ascontiguousarray(self.machine_of).ravel(),
            self.unanimous,
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

    @cached_property
    def native(self) -> _core.Plan:
        """The plan as an object of the C++ core."""
        return _core.Plan.knockout(
            self.n_classes,
            getattr(_core.Rule, self.rule),
            np.ascontiguousarray(self.machine_of).ravel(),
            self.order,
            np.ascontiguousarray(self.rivals).ravel(),
        )


@dataclass(frozen=True)
class PollPlan(FrozenArrays):
    """All machines are asked. The value of machine c is for class c; the largest wins, ties go to the lower index."""

    n_classes: int

    @cached_property
    def native(self) -> _core.Plan:
        """The plan as an object of the C++ core."""
        return _core.Plan.poll(self.n_classes)


Plan: TypeAlias = GraphPlan | KnockoutPlan | PollPlan
