"""Probabilities as operators: sigmoids of the values, combined as in `probabilities.combining`. All of it is in float64."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..base.pairs import pair_classes, pair_numbers
from ..machines.bank import Bank
from ..probabilities.combining import check_combinable
from ..probabilities.sigmoid import LARGEST, Sigmoids
from ..structures.plans import GraphPlan, Plan, is_leaf, leaf_class, list_number
from .graph import Graph

DOUBLE = np.float64
# A pivot is at least this share of its diagonal entry: what is smaller is rounding.
LEAST_PIVOT = float(np.finfo(np.float64).eps)


def add_probabilities(graph: Graph, bank: Bank, plan: Plan, sigmoids: Sigmoids, values: str) -> str:
    """Add the operators from values to the probabilities of the classes, shape (n_samples, n_classes).

    Parameters
    ----------
    graph : Graph
    bank : Bank
    plan : Plan
    sigmoids : Sigmoids
    values : str
        The values of all machines, shape (n_samples, n_machines).

    Returns
    -------
    str
    """
    check_combinable(bank, plan)
    positive = _sigmoids(graph, sigmoids, values)
    if bank.machine_of_pairs is not None:
        machines = bank.machine_of[pair_classes(bank.n_classes)]
        out = add_coupling(graph, _columns(graph, machines, positive), bank.n_classes)
    elif isinstance(plan, GraphPlan):
        out = _multiplied(graph, plan, positive)
    else:
        out = graph.add("Div", positive, graph.add("ReduceSum", positive, graph.constant([1]), keepdims=1))
    return out if graph.dtype == DOUBLE else graph.cast(out, graph.dtype)


def _number(graph: Graph, value: float) -> str:
    return graph.constant(float(value), DOUBLE)


def _columns(graph: Graph, places: ArrayLike, of: str) -> str:
    return graph.add("Gather", of, graph.constant(places), axis=1)


def _sigmoids(graph: Graph, sigmoids: Sigmoids, values: str) -> str:
    """Add the probabilities of the positive sides."""
    values = values if graph.dtype == DOUBLE else graph.cast(values, DOUBLE)
    scaled = graph.add("Mul", values, graph.constant(sigmoids.slope, DOUBLE))
    exponent = graph.add("Add", scaled, graph.constant(sigmoids.offset, DOUBLE))
    exponent = graph.add("Clip", exponent, _number(graph, -LARGEST), _number(graph, LARGEST))
    return graph.add("Reciprocal", graph.add("Add", graph.add("Exp", exponent), _number(graph, 1.0)))


def add_coupling(graph: Graph, later: str, n: int) -> str:
    """Add what `probabilities.coupling` computes: the solutions of Q p = e, divided by their sums.

    ONNX has no operator that solves systems, so they are solved by elimination. All entries of Q outside the diagonal are
    negative and remain so, hence all sums have terms of one sign, and only the pivots can lose digits. That does no harm if the
    likely classes come last: the last pivots determine little more than the scale of p.

    Parameters
    ----------
    graph : Graph
    later : str
        The probability of the later class of each pair, shape (n_samples, n (n - 1) / 2).
    n : int
        Number of classes.

    Returns
    -------
    str
    """
    earlier = graph.add("Sub", _number(graph, 1.0), later)
    if n == 2:
        return graph.add("Concat", earlier, later, axis=1)
    # Entry (a, b) of a square is the probability of a against b.
    numbers, pairs = pair_numbers(n), n * (n - 1) // 2
    table = np.where(np.triu(np.ones((n, n), dtype=bool), 1), numbers + pairs, np.maximum(numbers, 0))
    both = graph.add("Concat", later, earlier, axis=1)
    flat = graph.add("Gather", both, graph.constant(table.ravel()), axis=1)
    square = graph.add("Reshape", flat, graph.constant([0, n, n]))
    r = graph.add("Mul", square, graph.constant(1.0 - np.eye(n), DOUBLE))
    losses = graph.add("ReduceSum", r, graph.constant([1]), keepdims=0)
    diagonal = graph.add("ReduceSum", graph.add("Mul", r, r), graph.constant([1]), keepdims=0)
    # The class that loses most comes first.
    _, order = graph.add_several("TopK", 2, losses, graph.constant([n]), axis=1)
    minus = graph.add("Mul", r, graph.add("Transpose", r, perm=[0, 2, 1]))
    for axis, others in ((1, 2), (2, 1)):
        places = graph.add("Expand", graph.add("Unsqueeze", order, graph.constant([others])), graph.add("Shape", minus))
        minus = graph.add("GatherElements", minus, places, axis=axis)
    p = _solution(graph, minus, graph.add("GatherElements", diagonal, order, axis=1), n)
    share = graph.add("Div", p, graph.add("ReduceSum", p, graph.constant([1]), keepdims=1))
    return graph.add("ScatterElements", share, order, share, axis=1)  # all places are written


def _solution(graph: Graph, minus: str, diagonal: str, n: int) -> str:
    """Add the elimination; `minus` has the entries of Q outside its diagonal, times -1.

    Each step is over whole matrices, with zeros for the rows and columns that it leaves alone.
    """
    count = graph.constant(np.arange(n))
    least = graph.add("Mul", diagonal, _number(graph, LEAST_PIVOT))
    ones = graph.add("Div", diagonal, diagonal)

    def column(of: str, t: str) -> str:
        """Add column t, shape (n_samples, 1)."""
        return graph.add("Gather", of, graph.add("Unsqueeze", t, graph.constant([0])), axis=1)

    def only(values: str, places: str) -> str:
        return graph.add("Mul", values, graph.cast(places, DOUBLE))

    def forward(t: str, minus: str, pivot: str, p: str) -> list[str]:
        pivot = graph.add("Where", graph.add("Equal", count, t), graph.add("Max", pivot, least), pivot)
        row = only(graph.add("Gather", minus, t, axis=1), graph.add("Greater", count, t))
        factor = graph.add("Div", row, column(pivot, t))
        outer = graph.add(
            "Mul",
            graph.add("Unsqueeze", factor, graph.constant([2])),
            graph.add("Unsqueeze", row, graph.constant([1])),
        )
        return [
            graph.add("Add", minus, outer),
            graph.add("Sub", pivot, graph.add("Mul", factor, row)),
            graph.add("Add", p, graph.add("Mul", factor, column(p, t))),
        ]

    def backward(number: str, p: str) -> list[str]:
        t = graph.add("Sub", graph.constant(n - 1), number)
        p = graph.add("Where", graph.add("Equal", count, t), graph.add("Div", p, pivot), p)
        of_t = only(graph.add("Gather", minus, t, axis=2), graph.add("Less", count, t))
        return [graph.add("Add", p, graph.add("Mul", of_t, column(p, t)))]

    minus, pivot, p = graph.loop(n, forward, (minus, DOUBLE), (diagonal, DOUBLE), (ones, DOUBLE))
    return graph.loop(n, backward, (p, DOUBLE))[0]


def _multiplied(graph: Graph, plan: GraphPlan, positive: str) -> str:
    """Add the probabilities of reaching each class along the paths of a tree, as `combining.multiply_along` does."""
    terms: dict[int, list[str]] = {}  # by class: probabilities that add up, as columns
    reached: dict[int, str] = {plan.root: graph.cast(graph.repeated([1], positive), DOUBLE)}
    for node in np.argsort(-plan.node_classes.sum(axis=1), kind="stable").tolist():
        here = reached.pop(node)
        share = _columns(graph, [plan.machine[node]], positive)
        rest = graph.add("Sub", _number(graph, 1.0), share)
        for edge, part in ((int(plan.on_negative[node]), rest), (int(plan.on_positive[node]), share)):
            there = graph.add("Mul", here, part)
            reached[edge] = graph.add("Add", reached[edge], there) if edge in reached else there
    for edge, there in reached.items():
        if is_leaf(plan.n_classes, edge):
            terms.setdefault(leaf_class(edge), []).append(there)
            continue
        number = list_number(plan.n_classes, edge)
        classes = plan.list_classes[plan.list_begin[number] : plan.list_begin[number + 1]].astype(np.int64)
        i, j = pair_classes(len(classes))
        pairs = _columns(graph, plan.machine_of[classes[i], classes[j]], positive)
        coupled = add_coupling(graph, pairs, len(classes))
        for place, c in enumerate(classes.tolist()):
            terms.setdefault(c, []).append(graph.add("Mul", there, _columns(graph, [place], coupled)))
    nothing = graph.cast(graph.repeated([0], positive), DOUBLE)
    sums = [graph.add("Sum", *terms.get(c, [nothing])) for c in range(plan.n_classes)]
    return graph.add("Concat", *sums, axis=1)
