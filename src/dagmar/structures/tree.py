"""Trees: the machine of one pair divides the other classes of a node by how it classifies their training samples."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import ClassVar

import numpy as np

from ..base.parameters import Check, check_parameters, number, one_of
from ..base.typing import Array, Index
from ..machines.workshop import AnyWorkshop
from ..problem.tasks import groups, some_pairs
from .base import Structure
from .grow import MAX_NODES, ClassSet, Split, grow, warn_if_cut
from .plans import GraphPlan

# A share within this distance of a threshold counts as equal to it, because sums of weights are rounded.
SLACK = 1e-9
NODE_CHECKS: dict[str, Check] = {"max_nodes": number(1, np.inf, "left", Integral)}


class PairTree(Structure):
    """Base class of trees in which a pair of classes divides the classes of each node; `choose_pair` chooses it.

    The machine of the chosen pair (i, j) classifies the training samples of every other class of the node. If at most the
    share `threshold` of a class is assigned to j, the class goes with i. If at most that share is assigned to i, it goes
    with j. Otherwise it goes to both children. Machines are trained level by level, and only those that a node needs.

    With ``machines="groups"`` a class goes to the side of most of its samples. Then the machine of the node is trained on
    all samples of its two groups of classes. The model has N-1 machines and short paths, but large machines near the root.

    Parameters
    ----------
    threshold : float in [0, 0.5), default=0.0
        Only with ``machines="pairs"``. A larger threshold gives shorter paths and more errors.
    machines : {"pairs", "groups"}, default="pairs"
        The machine of a node: that of the chosen pair, or one trained on its two groups of classes.
    max_nodes : int, default=1_000_000
        The largest number of nodes, each of some hundred bytes. A graph that needs more is cut with a warning: the sets of
        classes beyond are decided as in a DDAG.
    """

    _checks: ClassVar[dict[str, Check]] = {
        "threshold": number(0.0, 0.5, "left"),
        "machines": one_of(["pairs", "groups"]),
        **NODE_CHECKS,
    }

    def __init__(self, threshold: float = 0.0, machines: str = "pairs", max_nodes: int = MAX_NODES) -> None:
        self.threshold = threshold
        self.machines = machines
        self.max_nodes = max_nodes

    def choose_pair(self, classes: Index, workshop: AnyWorkshop) -> tuple[int, int]:
        """Return the pair i < j that divides these classes."""
        raise NotImplementedError

    def build(self, workshop: AnyWorkshop) -> GraphPlan:
        """Train the machines level by level and return the graph."""
        check_parameters(type(self).__name__, self.get_params(), self._checks)
        growth = _Growth(self, workshop)
        split_level = growth.by_groups if self.machines == "groups" else growth.by_pairs
        plan = growth.finish(grow(workshop.n_classes, split_level, self.max_nodes))
        warn_if_cut(type(self).__name__, plan, workshop, self.max_nodes)
        return plan


class _Growth:
    """A tree while it grows, with what its machines have predicted so far."""

    def __init__(self, tree: PairTree, workshop: AnyWorkshop) -> None:
        self.tree = tree
        self.workshop = workshop
        self.seen: dict[int, Array] = {}  # per machine: weight of the samples of each class with a positive value

    def by_pairs(self, level: list[ClassSet]) -> list[Split]:
        pairs, machines = self._choose_pairs(level)
        sizes = self.workshop.class_totals
        allowed = (self.tree.threshold + SLACK) * sizes
        out = []
        for classes, (i, j), m in zip(level, pairs, machines, strict=True):
            for_j = self.seen[m]
            negative, positive = classes & ~(sizes - for_j <= allowed), classes & ~(for_j <= allowed)
            negative[i], negative[j], positive[i], positive[j] = True, False, False, True
            out.append(Split(m, negative, positive))
        return out

    def by_groups(self, level: list[ClassSet]) -> list[Split]:
        pairs, machines = self._choose_pairs(level)
        sides = []
        for classes, (i, j), m in zip(level, pairs, machines, strict=True):
            for_j = self.seen[m]
            negative = classes & (for_j <= (0.5 + SLACK) * self.workshop.class_totals)
            negative[i], negative[j] = True, False
            sides.append((negative, classes & ~negative))
        tasks = groups([(np.flatnonzero(n).tolist(), np.flatnonzero(p).tolist()) for n, p in sides])
        trained = self.workshop.train(tasks)
        return [Split(int(m), n, p) for m, (n, p) in zip(trained, sides, strict=True)]

    def _choose_pairs(self, level: list[ClassSet]) -> tuple[list[tuple[int, int]], list[int]]:
        """Return the pairs chosen for a level and their machines, which are trained and have classified every class."""
        pairs = [self.tree.choose_pair(np.flatnonzero(classes), self.workshop) for classes in level]
        machines = self.workshop.train(some_pairs(pairs)).tolist()
        new = np.array(sorted(set(machines) - set(self.seen)), dtype=np.int64)
        if len(new):
            positive, _ = self.workshop.predictions(new)
            self.seen.update(zip(new.tolist(), positive, strict=True))
        return pairs, machines

    def finish(self, graph: GraphPlan) -> GraphPlan:
        """Keep the machines that the graph and its lists use, and number them anew."""
        n = graph.n_classes
        listed = np.split(graph.list_classes.astype(np.int64), graph.list_begin[1:-1])
        inside = np.zeros((n, n), dtype=bool)
        for classes in listed:
            inside[np.ix_(classes, classes)] = True
        i, j = np.nonzero(np.triu(inside, k=1))
        of_lists = self.workshop.train(some_pairs(np.stack([i, j], axis=1)))
        used, place = np.unique(np.concatenate([graph.machine, of_lists]), return_inverse=True)
        self.workshop.keep(used)
        machine_of = graph.machine_of.copy()
        machine_of[i, j] = machine_of[j, i] = place[len(graph.machine) :]
        return replace(graph, machine=place[: len(graph.machine)].astype(np.int64), machine_of=machine_of)
