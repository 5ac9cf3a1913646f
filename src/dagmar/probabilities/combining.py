"""Combining: from the values of the machines of a model to the probabilities of its classes.

With machines for all pairs the sigmoids are coupled, for any structure. With one machine per class they are normalised. Those
of a tree are multiplied along its paths.
"""

from __future__ import annotations

import numpy as np

from ..base.pairs import pair_classes
from ..base.typing import Array, Index
from ..machines.bank import Bank
from ..structures.plans import GraphPlan, Plan, PollPlan, is_leaf, leaf_class, list_number
from .coupling import couple
from .sigmoid import Sigmoids


def check_combinable(bank: Bank, plan: Plan) -> None:
    """Raise ValueError if the machines of a model do not determine probabilities of the classes."""
    tree = isinstance(plan, GraphPlan) and len(plan.node_classes) > 0
    if not (tree or isinstance(plan, PollPlan) or bank.machine_of_pairs is not None):
        raise ValueError(
            "probability=True needs machines for all pairs of classes, one machine per class, or a tree that stores the "
            "classes of its nodes; the structure has none of these"
        )


def class_probabilities(bank: Bank, plan: Plan, sigmoids: Sigmoids, values: Array) -> Array:
    """Return the probabilities of the classes, with the sum 1.

    Parameters
    ----------
    bank : Bank
    plan : Plan
    sigmoids : Sigmoids
        Those of the machines of the bank.
    values : ndarray of shape (n_samples, n_machines)
        The values of the machines.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    check_combinable(bank, plan)
    positive = sigmoids.of(values)
    if bank.machine_of_pairs is not None:
        return couple(positive[:, bank.machine_of_pairs], bank.n_classes)
    if isinstance(plan, GraphPlan):
        return multiply_along(plan, positive)
    normalised: Array = positive / positive.sum(axis=1, keepdims=True)
    return normalised


def multiply_along(plan: GraphPlan, positive: Array) -> Array:
    """Return the probability of reaching each class if every node of a graph is left to either side with its probability.

    If several paths lead to a class, their probabilities add up. A list of classes has machines for all pairs of them, which
    are coupled.

    Parameters
    ----------
    plan : GraphPlan
        It must have `node_classes`.
    positive : ndarray of shape (n_samples, n_machines)
        The probability of the positive side of each machine.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    # By edge: the probability of getting there. A node comes after all nodes with more classes, so after those that lead to it.
    reached: dict[int, Array] = {plan.root: np.ones(len(positive))}
    for node in np.argsort(-plan.node_classes.sum(axis=1), kind="stable").tolist():
        here = reached.pop(node)
        share = positive[:, plan.machine[node]]
        for edge, there in ((plan.on_negative[node], here * (1.0 - share)), (plan.on_positive[node], here * share)):
            reached[int(edge)] = reached.get(int(edge), 0.0) + there
    out = np.zeros((len(positive), plan.n_classes))
    for edge, there in reached.items():
        if is_leaf(plan.n_classes, edge):
            out[:, leaf_class(edge)] += there
        else:
            number = list_number(plan.n_classes, edge)
            classes = plan.list_classes[plan.list_begin[number] : plan.list_begin[number + 1]].astype(np.int64)
            out[:, classes] += there[:, None] * couple(_pairs_of(plan, classes, positive), len(classes))
    return out


def _pairs_of(plan: GraphPlan, classes: Index, positive: Array) -> Array:
    """Return the probabilities of the later class of each pair of some classes, which are ascending."""
    i, j = pair_classes(len(classes))
    return positive[:, plan.machine_of[classes[i], classes[j]]]
