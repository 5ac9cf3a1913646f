"""The graph of a structure as its vertices and edges, which text, DOT and pictures all read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.frozen import FrozenArrays
from ..base.typing import Array, Index
from ..problem.tasks import Tasks
from ..structures.ddag import order_of
from ..structures.plans import GraphPlan, KnockoutPlan, is_node, leaf_class

# Entries of `classes` up to which it is stored: 16 MB. Larger graphs are never drawn with their lists.
CLASSES_STORED = 2**24


class Unfolded(NamedTuple):
    """A graph as a tree: a vertex with several ways to it occurs several times.

    Attributes
    ----------
    vertex : ndarray of shape (n_items,), int64
        The vertex of the graph; item 0 is the root, and parents come before their children.
    children : ndarray of shape (n_items, 2), int64
        The items after a negative and after a positive value; -1 at the ends.
    depth : ndarray of shape (n_items,), int64
    """

    vertex: Index
    children: Index
    depth: Index


@dataclass(frozen=True, eq=False)
class DecisionGraph(FrozenArrays):
    """A decision graph with numbered vertices: first its nodes, then its lists of classes, then a leaf for every class.

    Attributes
    ----------
    n_classes : int
    root : int
        The vertex where a walk starts.
    machine : ndarray of shape (n_nodes,), int64
        The machine of each node.
    children : ndarray of shape (n_nodes, 2), int64
        The vertices after a negative and after a positive value.
    tasks : Tasks
        The question of each machine.
    lists : tuple of ndarray
        The classes of each list, which are decided as in a DDAG: its first and last class meet, and the loser leaves it.
    order : ndarray of shape (n_classes,) or (0,), int64
        For Platt's triangle, the list of classes at its root; otherwise empty.
    stored_classes : ndarray of shape (n_nodes, n_classes) or (0, 0), bool
        The classes still possible at each node, if the plan has them.

    Examples
    --------
    >>> import dagmar
    >>> from dagmar.pictures.decision_graph import DecisionGraph
    >>> from sklearn.datasets import load_iris
    >>> clf = dagmar.SVC(structure="ddag").fit(*load_iris(return_X_y=True))
    >>> graph = DecisionGraph.of(clf.plan_, clf.bank_.tasks)
    >>> graph.children.tolist()
    [[1, 2], [3, 4], [4, 5]]
    >>> graph.follow([-1.0, 2.0])
    [0, 1, 4]
    """

    n_classes: int
    root: int
    machine: Index
    children: Index
    tasks: Tasks
    lists: tuple[Index, ...]
    order: Index
    stored_classes: NDArray[np.bool_]

    @classmethod
    def of(cls, plan: GraphPlan, tasks: Tasks) -> DecisionGraph:
        """Describe the graph of a plan over machines with the given tasks."""
        n_nodes, n_lists = len(plan.machine), len(plan.list_begin) - 1

        def vertex(edge: Index) -> Index:
            # Behind the nodes, plans have the leaves before the lists.
            end = leaf_class(edge)
            beyond = np.where(end < plan.n_classes, n_nodes + n_lists + end, n_nodes + end - plan.n_classes)
            return np.where(is_node(edge), edge, beyond)

        order = order_of(plan)
        return cls(
            n_classes=plan.n_classes,
            root=int(vertex(np.array([plan.root]))[0]),
            machine=plan.machine,
            children=np.stack([vertex(plan.on_negative), vertex(plan.on_positive)], axis=1),
            tasks=tasks,
            lists=tuple(
                plan.list_classes[plan.list_begin[k] : plan.list_begin[k + 1]].astype(np.int64) for k in range(n_lists)
            ),
            order=np.zeros(0, dtype=np.int64) if order is None else order,
            stored_classes=plan.node_classes,
        )

    @classmethod
    def of_ranked(cls, plan: KnockoutPlan, tasks: Tasks, max_nodes: int) -> DecisionGraph | None:
        """Describe the graph that the rule "ranked" walks; None if it has more than `max_nodes` nodes.

        A node is a class that has not lost, with the set of classes that have not lost either; their number can grow
        exponentially with the number of classes.
        """
        n, rivals = plan.n_classes, plan.rivals.tolist()
        start = (int(plan.order[0]), frozenset(range(n)))
        number = {start: 0}
        queue, machine, ends = [start], [], []
        for state in queue:  # it grows on the way
            if len(queue) > max_nodes:
                return None
            one, left = state
            other = next(r for r in rivals[one] if r in left)
            machine.append(int(plan.machine_of[one, other]))
            after = []
            for winner, loser in [(min(one, other), max(one, other)), (max(one, other), min(one, other))]:
                following = (winner, left - {loser})
                if len(following[1]) > 1 and following not in number:
                    number[following] = len(queue)
                    queue.append(following)
                after.append(following)
            ends.append(after)
        children = [[number[s] if len(s[1]) > 1 else len(queue) + s[0] for s in pair] for pair in ends]
        in_play = np.zeros((len(queue), n), dtype=bool)
        for row, (_, left) in zip(in_play, queue, strict=True):
            row[list(left)] = True
        return cls(n, 0, np.array(machine), np.array(children), tasks, (), np.zeros(0, dtype=np.int64), in_play)

    # ----------------------------------------------------------- vertices

    @property
    def n_nodes(self) -> int:
        """Number of nodes, the vertices that ask a machine."""
        return len(self.machine)

    @property
    def n_vertices(self) -> int:
        """Number of nodes, lists and leaves."""
        return self.n_nodes + len(self.lists) + self.n_classes

    def is_node(self, vertex: int) -> bool:
        """Whether a vertex asks a machine."""
        return vertex < self.n_nodes

    def ends(self, vertex: int) -> list[int]:
        """Return the class of a leaf, or the classes of a list."""
        if self.is_node(vertex):
            raise ValueError(f"vertex {vertex} is not an end")
        number = vertex - self.n_nodes
        return self.lists[number].tolist() if number < len(self.lists) else [number - len(self.lists)]

    def sides(self, node: int) -> tuple[list[int], list[int]]:
        """Return the classes on the negative and on the positive side of the machine of a node."""
        negative, positive = self.tasks.sides_of(int(self.machine[node]))
        return negative.tolist(), positive.tolist()

    def follow(self, values: Sequence[float] | Array) -> list[int]:
        """Return the vertices on the path of a sample, from the values of the machines that it consulted.

        If the path ends in a list, the rest of the values are those of the list.
        """
        vertices = [self.root]
        for value in values:
            if not self.is_node(vertices[-1]):
                break
            vertices.append(int(self.children[vertices[-1], int(value >= 0)]))
        return vertices

    # -------------------------------------------------- the whole graph

    @cached_property
    def depth(self) -> Index:
        """The longest way from the root to each vertex, in steps; -1 if there is none."""
        depth = np.full(self.n_vertices, -1, dtype=np.int64)
        depth[self.root] = 0
        for node in self.in_order:
            if depth[node] >= 0:
                children = self.children[node]
                depth[children] = np.maximum(depth[children], depth[node] + 1)
        return depth

    @cached_property
    def ways(self) -> list[int]:
        """The number of ways from the root to each vertex: how often it occurs in the tree."""
        ways = [0] * self.n_vertices
        ways[self.root] = 1
        for node in self.in_order:
            for child in self.children[node].tolist():
                ways[child] += ways[node]
        return ways

    @property
    def n_unfolded(self) -> int:
        """The number of items of `unfolded`."""
        return sum(self.ways)

    @property
    def scattered(self) -> list[int]:
        """The classes with several leaves in the tree, those of lists included."""
        count = [0] * self.n_classes
        for vertex in range(self.n_nodes, self.n_vertices):
            for c in self.ends(vertex):
                count[c] += self.ways[vertex]
        return [c for c, n in enumerate(count) if n > 1]

    @cached_property
    def classes(self) -> NDArray[np.bool_]:
        """The classes still possible at each vertex, shape (n_vertices, n_classes); shape (0, 0) if that is too large."""
        if self.n_vertices * self.n_classes > CLASSES_STORED:
            return np.zeros((0, 0), dtype=bool)
        possible = np.zeros((self.n_vertices, self.n_classes), dtype=bool)
        for vertex in range(self.n_nodes, self.n_vertices):
            possible[vertex, self.ends(vertex)] = True
        if len(self.stored_classes):
            possible[: self.n_nodes] = self.stored_classes
        else:  # the answers that can be reached from a node
            for node in self.in_order[::-1]:
                possible[node] = possible[self.children[node]].any(axis=0)
        return possible

    def classes_of(self, vertex: int) -> list[int]:
        """Return the classes still possible at a vertex, in the order of the triangle if it is one; [] if not known."""
        if not len(self.classes):
            return []
        possible = self.classes[vertex]
        return (self.order[possible[self.order]] if len(self.order) else np.flatnonzero(possible)).tolist()

    def unfolded(self) -> Unfolded:
        """Return the graph as a tree; see `n_unfolded` for its size first."""
        vertices, children, depth = [self.root], [], [0]
        item = 0
        while item < len(vertices):
            node = vertices[item]
            if self.is_node(node):
                children.append((len(vertices), len(vertices) + 1))
                vertices += self.children[node].tolist()
                depth += [depth[item] + 1] * 2
            else:
                children.append((-1, -1))
            item += 1
        return Unfolded(np.array(vertices), np.array(children), np.array(depth))

    @cached_property
    def in_order(self) -> list[int]:
        """The nodes that can be reached, each before its children."""
        seen = {self.root}
        stack, reached = [self.root], []
        while stack:
            vertex = stack.pop()
            if self.is_node(vertex):
                reached.append(vertex)
                fresh = set(self.children[vertex].tolist()) - seen
                seen |= fresh
                stack += fresh
        waiting = dict.fromkeys(reached, 0)
        for node in reached:
            for child in self.children[node].tolist():
                if child in waiting:
                    waiting[child] += 1
        ready, ordered = [node for node in reached if not waiting[node]], []
        while ready:
            node = ready.pop()
            ordered.append(node)
            for child in self.children[node].tolist():
                if child in waiting:
                    waiting[child] -= 1
                    if not waiting[child]:
                        ready.append(child)
        return ordered
