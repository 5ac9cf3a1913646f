"""Plans: how the machines of a bank are consulted, as plain arrays.

A plan is made by a structure, once, and followed by the core for every sample. There are three kinds: a graph is walked
from its root, in a knockout the next pair depends on who has won so far, and a poll asks every machine.
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
    """Walk from a root.

    Node v asks `machine[v]`; a negative value leads along `on_negative[v]`, any other along `on_positive[v]`. An edge
    e >= 0 leads to node e. An edge e < 0 ends the graph: at the leaf of class -1 - e, or, from -1 - n_classes down, at list
    number -1 - n_classes - e, whose first and last class meet until one is left.

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
            self.n_classes,
            getattr(_core.Rule, self.rule),
            np.ascontiguousarray(self.machine_of).ravel(),
            self.order,
            np.ascontiguousarray(self.rivals).ravel(),
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
