"""Plans as operators: from the values of all machines to the class of each sample.

All samples take a step together. As in the core, a value that is not negative is for the positive side.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..base.typing import Index
from ..interop.outgoing import VOTES
from ..structures.plans import GraphPlan, KnockoutPlan, Plan, is_node, leaf_edge, list_number
from .graph import Graph

# The factor for values whose sum may overflow: a power of two, below one over the number of classes.
SMALLER = 2.0**-30


def add_decisions(graph: Graph, plan: Plan, values: str) -> str:
    """Add the operators that follow a plan, and return the class of each sample, shape (n_samples,).

    Parameters
    ----------
    graph : Graph
    plan : Plan
    values : str
        The values of all machines, shape (n_samples, n_machines).

    Returns
    -------
    str
    """
    if isinstance(plan, GraphPlan):
        return _walk(graph, plan, values)
    if not isinstance(plan, KnockoutPlan):
        return _largest(graph, values)
    if plan.rule in VOTES:
        return _vote(graph, plan, values)
    return _ranked(graph, plan, values) if plan.rule == "ranked" else _bracket(graph, plan, values)


def _largest(graph: Graph, scores: str) -> str:
    return graph.add("ArgMax", scores, axis=1, keepdims=0)


def _only_column(graph: Graph, column: str) -> str:
    return graph.add("Squeeze", column, graph.constant([1]))


def _positive(graph: Graph, values: str) -> str:
    """Add whether values are for the positive side."""
    return graph.add("Not", graph.add("Less", values, graph.constant(0.0)))


# -------------------------------------------------------------------- graphs


def _walk(graph: Graph, plan: GraphPlan, values: str) -> str:
    """Walk from the root to a leaf. The state is the edge of each sample, as a column."""
    root, machine, on_negative, on_positive = without_lists(plan)
    edge = graph.repeated([root], values)
    if len(machine):
        machines, negative, positive = (graph.constant(table) for table in (machine, on_negative, on_positive))
        zero = graph.constant(0)

        def step(_: str, edge: str) -> list[str]:
            node = graph.add("Max", edge, zero)  # at a leaf any node will do, as it is not followed
            value = graph.add("GatherElements", values, graph.add("Gather", machines, node), axis=1)
            ends = (graph.add("Gather", table, node) for table in (positive, negative))
            there = graph.add("Where", _positive(graph, value), *ends)
            return [graph.add("Where", graph.add("Less", edge, zero), edge, there)]

        (edge,) = graph.loop(depth_of(root, on_negative, on_positive), step, (edge, np.int64))
    return graph.add("Sub", graph.constant(-1), _only_column(graph, edge))  # the class of a leaf


def without_lists(plan: GraphPlan) -> tuple[int, Index, Index, Index]:
    """Return root, machine, on_negative and on_positive of a graph in which lists of classes are nodes as well.

    A list is left from either end, so its nodes are its sections of two classes or more.
    """
    n = plan.n_classes
    entry = {}  # the edge that replaces the edge to each list
    machine, on_negative, on_positive = (list(t.tolist()) for t in (plan.machine, plan.on_negative, plan.on_positive))
    for number in range(len(plan.list_begin) - 1):
        classes = plan.list_classes[plan.list_begin[number] : plan.list_begin[number + 1]].tolist()
        node = {}
        for size in range(2, len(classes) + 1):
            for first in range(len(classes) - size + 1):
                node[first, size] = len(machine)
                a, b = classes[first], classes[first + size - 1]
                last_is_out, first_is_out = (
                    leaf_edge(classes[p]) if size == 2 else node[p, size - 1] for p in (first, first + 1)
                )
                machine.append(int(plan.machine_of[min(a, b), max(a, b)]))
                on_negative.append(last_is_out if a < b else first_is_out)
                on_positive.append(first_is_out if a < b else last_is_out)
        entry[number] = leaf_edge(classes[0]) if len(classes) == 1 else node[0, len(classes)]

    def replaced(edge: int) -> int:
        return entry.get(list_number(n, edge), edge) if not is_node(edge) else edge

    def table(numbers: Iterable[int]) -> Index:
        return np.array(list(numbers), dtype=np.int64)

    return replaced(plan.root), table(machine), table(map(replaced, on_negative)), table(map(replaced, on_positive))


def depth_of(root: int, on_negative: Index, on_positive: Index) -> int:
    """Return the largest number of nodes on a walk."""
    depth, here = 0, np.array([root])
    while len(here := np.unique(here[is_node(here)])):
        depth, here = depth + 1, np.concatenate([on_negative[here], on_positive[here]])
    return depth


# ----------------------------------------------------------------- knockouts


def _vote(graph: Graph, plan: KnockoutPlan, values: str) -> str:
    """Find the class with most wins; ties go to the lower index."""
    n = plan.n_classes
    # Entry (a, b) of the square is whether a beats b. A positive value is for the later class.
    square = graph.add("Gather", _positive(graph, values), graph.constant(_machine_table(plan)), axis=1)
    earlier = np.triu(np.ones((n, n), dtype=bool), 1)
    wins = graph.add("Xor", square, graph.constant(earlier.ravel()))
    wins = graph.add("And", wins, graph.constant(~np.eye(n, dtype=bool).ravel()))
    return _largest(graph, _row_sums(graph, graph.cast(wins, np.float32), n))


def add_scores(graph: Graph, plan: KnockoutPlan, values: str) -> str:
    """Add the scores of classes by votes and confidence, as `decision_function` has them; shape (n_samples, n_classes)."""
    n = plan.n_classes
    later = np.tril(np.ones((n, n)), -1)
    square = graph.add("Gather", values, graph.constant(_machine_table(plan)), axis=1)
    signed = graph.add("Mul", square, graph.constant((later - later.T).ravel()))
    # As in `decision_function`, 0 is a vote for the earlier class.
    strict = graph.add("And", graph.add("Greater", signed, graph.constant(0.0)), graph.constant(later.ravel() > 0))
    loose = graph.add("Not", graph.add("Less", signed, graph.constant(0.0)))
    loose = graph.add("And", loose, graph.constant(later.T.ravel() > 0))
    votes = _row_sums(graph, graph.cast(graph.add("Or", strict, loose), graph.dtype), n)
    # Where values are so large that a sum may overflow, all terms of the formula are made smaller.
    largest = graph.add("ReduceMax", graph.add("Abs", values), axes=[1], keepdims=1)
    huge = graph.add("Greater", largest, graph.constant(float(np.finfo(graph.dtype).max) * SMALLER))
    one = graph.add("Where", huge, graph.constant(SMALLER), graph.constant(1.0))
    confidence = _row_sums(graph, graph.add("Mul", signed, one), n)
    scale = graph.add("Add", graph.add("Abs", confidence), one)
    share = graph.add("Div", confidence, graph.add("Mul", scale, graph.constant(3.0)))
    return graph.add("Add", votes, share)


def add_tie_breaking(graph: Graph, plan: KnockoutPlan, values: str) -> str:
    """Add the decisions of Max Wins with ties broken by `add_scores`."""
    return _largest(graph, add_scores(graph, plan, values))


def _machine_table(plan: KnockoutPlan) -> Index:
    """Return the machine of each pair of classes, flat; on the diagonal any will do."""
    table: Index = np.where(plan.machine_of < 0, 0, plan.machine_of).ravel()
    return table


def _row_sums(graph: Graph, squares: str, n: int) -> str:
    """Add the sums over the rows of squares that are given flat."""
    cubes = graph.add("Reshape", squares, graph.constant([0, n, n]))
    return graph.add("ReduceSum", cubes, graph.constant([2]), keepdims=0)


def _winners(graph: Graph, table: str, n_classes: int, values: str, a: str, b: str) -> str:
    """Add the winners of some meetings of classes; the table has the machine of each pair."""
    place = graph.add("Add", graph.add("Mul", a, graph.constant(n_classes)), b)
    machine = graph.add("Gather", table, place)
    value = graph.add("GatherElements", values, machine, axis=1)
    return graph.add("Where", _positive(graph, value), graph.add("Max", a, b), graph.add("Min", a, b))


def _ranked(graph: Graph, plan: KnockoutPlan, values: str) -> str:
    """Let each winner meet the first of its rivals that has not lost. The state: the winner, and the classes still in."""
    n = plan.n_classes
    rivals, table = graph.constant(plan.rivals), graph.constant(_machine_table(plan))
    first = graph.repeated(plan.order[:1].astype(np.int64), values)

    def step(_: str, winner: str, alive: str) -> list[str]:
        of_winner = graph.add("Gather", rivals, _only_column(graph, winner))
        there = graph.add("GatherElements", alive, of_winner, axis=1)
        rank = graph.add("ArgMax", there, axis=1, keepdims=1)
        rival = graph.add("GatherElements", of_winner, rank, axis=1)
        new = _winners(graph, table, n, values, winner, rival)
        loser = graph.add("Sub", graph.add("Add", winner, rival), new)
        none = graph.add("Mul", graph.cast(loser, np.float32), graph.constant(0.0, np.float32))
        return [new, graph.add("ScatterElements", alive, loser, none, axis=1)]

    everyone = graph.cast(graph.repeated(np.ones(n, dtype=np.int64), values), np.float32)
    winner, _ = graph.loop(n - 1, step, (first, np.int64), (everyone, np.float32))
    return _only_column(graph, winner)


def _bracket(graph: Graph, plan: KnockoutPlan, values: str) -> str:
    """Play the rounds: the first of the list meets the last, the second meets the second last, and so on."""
    left = graph.repeated(plan.order.astype(np.int64), values)
    table = graph.constant(_machine_table(plan))
    size = plan.n_classes
    while size > 1:
        games = np.arange(size // 2)
        a, b, middle = (
            graph.add("Gather", left, graph.constant(places), axis=1)
            for places in (games, size - 1 - games, np.arange(size // 2, size - size // 2))
        )
        left = graph.add("Concat", _winners(graph, table, plan.n_classes, values, a, b), middle, axis=1)
        size -= size // 2
    return _only_column(graph, left)
