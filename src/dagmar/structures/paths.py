"""Decision paths: which machines were consulted for a sample, and what that cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..base.frozen import FrozenArrays
from ..base.lists import join_begins
from ..base.typing import Array, Index
from ..machines.bank import Bank
from .plans import GraphPlan, Plan, is_leaf, is_node, leaf_class, list_number


@dataclass(frozen=True, eq=False)
class DecisionPath(FrozenArrays):
    """The machines consulted for each sample, in order, with their values.

    ``path[i]`` is a pair of arrays for sample i, machines and values. Iterating gives one such pair per sample.

    Attributes
    ----------
    begin : ndarray of shape (n_samples + 1,), int64
        Sample i has the entries ``begin[i]:begin[i+1]`` of `machines` and `values`.
    machines : ndarray of int64
        Indices of machines in the bank; ``bank_.pairs[machines]`` are their classes.
    values : ndarray of float
        Values of these machines; positive for the later class of the pair.
    answers : ndarray of shape (n_samples,), int
        The class index at the end of each path.
    """

    begin: Index
    machines: Index
    values: Array
    answers: Index

    @classmethod
    def join(cls, parts: Sequence[DecisionPath]) -> DecisionPath:
        """Return the paths of several batches of samples as one, in the order of the batches."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            begin=join_begins([p.begin for p in parts]),
            machines=np.concatenate([p.machines for p in parts]),
            values=np.concatenate([p.values for p in parts]),
            answers=np.concatenate([p.answers for p in parts]),
        )

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, i: int) -> tuple[Index, Array]:
        i = range(len(self))[i]
        here = slice(self.begin[i], self.begin[i + 1])
        return self.machines[here], self.values[here]

    def __iter__(self) -> Iterator[tuple[Index, Array]]:
        return (self[i] for i in range(len(self)))


def scores_along(plan: Plan, path: DecisionPath) -> Array:
    """Return a score per class from the path to the answer.

    A class that was ruled out at step t scores between t and t + 1/2: the closer that decision, the higher. The answer has
    the highest score.

    Parameters
    ----------
    plan : GraphPlan
        It must have `node_classes`.
    path : DecisionPath

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    if not isinstance(plan, GraphPlan) or not len(plan.node_classes):
        raise ValueError("the plan does not say which classes are in play at its nodes")
    if plan.node_classes.shape != (len(plan.machine), plan.n_classes):
        raise ValueError("node_classes of the plan must have the shape (n_nodes, n_classes)")
    scores = np.zeros((len(path), plan.n_classes))
    for i, (machines, values) in enumerate(path):
        edge, list_left = plan.root, np.zeros(0, dtype=np.int64)
        in_play = np.ones(plan.n_classes, dtype=bool)
        for step in range(len(machines)):
            positive = values[step] >= 0
            left = np.zeros(plan.n_classes, dtype=bool)
            if is_node(edge):
                edge = int((plan.on_positive if positive else plan.on_negative)[edge])
                if is_node(edge):
                    left = plan.node_classes[edge]
                elif is_leaf(plan.n_classes, edge):
                    left[leaf_class(edge)] = True
                else:
                    number = list_number(plan.n_classes, edge)
                    list_left = plan.list_classes[plan.list_begin[number] : plan.list_begin[number + 1]].astype(
                        np.int64
                    )
                    left[list_left] = True
            else:
                last_wins = positive == (list_left[0] < list_left[-1])
                list_left = list_left[1:] if last_wins else list_left[:-1]
                left[list_left] = True
            dropped = in_play & ~left
            scores[i, dropped] = step + 0.5 / (1.0 + abs(values[step]))
            in_play = left
        scores[i, path.answers[i]] = len(machines) + 0.5 - 0.5 / (1.0 + np.abs(values).min(initial=np.inf))
    return scores


@dataclass(frozen=True, eq=False)
class MachineCost(FrozenArrays):
    """The cost of predictions per sample with machines of any kind.

    Attributes
    ----------
    machines : ndarray of shape (n_samples,), int64
        Machines consulted.
    """

    machines: Index

    def __str__(self) -> str:
        return f"{self.machines.mean():.1f} machines per sample"


@dataclass(frozen=True, eq=False)
class DecisionCost(MachineCost):
    """The cost of predictions per sample with kernel machines, counted as in the papers.

    Attributes
    ----------
    machines : ndarray of shape (n_samples,), int64
        Machines consulted.
    kernel_evaluations : ndarray of shape (n_samples,), int64
        Distinct support vectors in them. If each pair has its own gamma, distinct combinations of vector and gamma.
    support_vectors : ndarray of shape (n_samples,), int64
        Sum of their numbers of support vectors; a vector in several machines counts several times.
    size_in_parameters : int
        Size of the whole classifier: stored feature values, coefficients and biases.
    """

    kernel_evaluations: Index
    support_vectors: Index
    size_in_parameters: int

    @classmethod
    def of(cls, bank: Bank, path: DecisionPath) -> DecisionCost:
        """Count the cost of the given paths."""
        sizes = np.diff(bank.begin)[path.machines]
        summed = np.concatenate([[0], np.cumsum(sizes)])
        return cls(
            machines=np.diff(path.begin),
            kernel_evaluations=bank.native.distinct_vectors(path.begin, path.machines),
            support_vectors=np.diff(summed[path.begin]),
            size_in_parameters=bank.size_in_parameters,
        )

    def __str__(self) -> str:
        return (
            f"{self.machines.mean():.1f} machines, {self.kernel_evaluations.mean():.1f} kernel evaluations and "
            f"{self.support_vectors.mean():.1f} summed support vectors per sample; "
            f"{self.size_in_parameters / 1000:.1f} thousand parameters in all"
        )
