"""Plans: how the machines of a bank are consulted, as plain arrays.

A plan is made by a structure, once, and followed by the core for every sample. There are three kinds: a graph is walked
from its root, in a knockout the next pair depends on who has won so far, and a poll asks every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from . import _core
from .frozen import FrozenArrays
from .typing import Index


@dataclass(frozen=True, eq=False)
class GraphPlan(FrozenArrays):
    """Walk from a root.

    Node v asks `machine[v]`; a negative value leads along `on_negative[v]`, any other along `on_positive[v]`. An edge
    e >= 0 leads to node e, an edge e < 0 to the leaf of class -1 - e.

    Attributes
    ----------
    n_classes : int
    root : int
        The edge at which the walk begins.
    machine, on_negative, on_positive : ndarray of shape (n_nodes,), int64
    machine_of : ndarray of shape (n_classes, n_classes), int64, or None
        The machine of every pair, if a class that wins all its pairs is always the answer (DDAG yes, trees no).
    """

    n_classes: int
    root: int
    machine: Index
    on_negative: Index
    on_positive: Index
    machine_of: Index | None = None

    def native(self) -> _core.Plan:
        """The core's form of the plan."""
        unanimous = None if self.machine_of is None else np.ascontiguousarray(self.machine_of).ravel()
        return _core.Plan.graph(self.n_classes, self.root, self.machine, self.on_negative, self.on_positive, unanimous)


@dataclass(frozen=True, eq=False)
class KnockoutPlan(FrozenArrays):
    """The class with the fewest losses meets the next such class, until it has met all.

    The answer is that of Max Wins with ties to the lower index, found without asking every machine.

    Attributes
    ----------
    n_classes : int
    machine_of : ndarray of shape (n_classes, n_classes), int64
        The machine of each pair, -1 on the diagonal.
    """

    n_classes: int
    machine_of: Index

    def native(self) -> _core.Plan:
        """The core's form of the plan."""
        return _core.Plan.knockout(self.n_classes, np.ascontiguousarray(self.machine_of).ravel())


@dataclass(frozen=True)
class PollPlan:
    """Ask all; machine c speaks for class c, the largest value wins, ties to the lower index."""

    n_classes: int

    def native(self) -> _core.Plan:
        """The core's form of the plan."""
        return _core.Plan.poll(self.n_classes)


Plan: TypeAlias = GraphPlan | KnockoutPlan | PollPlan
