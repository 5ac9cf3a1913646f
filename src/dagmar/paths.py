"""What happened on the way to a decision, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .bank import Bank
from .frozen import FrozenArrays
from .typing import Array, Index


@dataclass(frozen=True, eq=False)
class DecisionPath(FrozenArrays):
    """The machines consulted for each sample, in order, with their values.

    ``path[i]`` is a pair of arrays, machines and values, for sample i; iterating gives one such pair per sample.

    Attributes
    ----------
    begin : ndarray of shape (n_samples + 1,), int64
        Sample i has places ``begin[i]:begin[i+1]`` of the two others.
    machines : ndarray of int64
        Machines of the bank; ``bank_.pairs[machines]`` are their classes.
    values : ndarray of float
        Positive for the later class of the pair.
    answers : ndarray of shape (n_samples,), int
        The class index at the end of each path.
    """

    begin: Index
    machines: Index
    values: Array
    answers: Index

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, i: int) -> tuple[Index, Array]:
        i = range(len(self))[i]
        here = slice(self.begin[i], self.begin[i + 1])
        return self.machines[here], self.values[here]

    def __iter__(self) -> Iterator[tuple[Index, Array]]:
        return (self[i] for i in range(len(self)))


@dataclass(frozen=True, eq=False)
class DecisionCost(FrozenArrays):
    """What deciding costs, sample by sample, counted as the papers count.

    Attributes
    ----------
    machines : ndarray of shape (n_samples,), int64
        Machines consulted.
    kernel_evaluations : ndarray of shape (n_samples,), int64
        Distinct support vectors in them.
    support_vectors : ndarray of shape (n_samples,), int64
        Their support vectors added up, repeats counted.
    size_in_parameters : int
        Of the whole classifier: stored feature values, coefficients, thresholds.
    """

    machines: Index
    kernel_evaluations: Index
    support_vectors: Index
    size_in_parameters: int

    @classmethod
    def of(cls, bank: Bank, path: DecisionPath) -> DecisionCost:
        """Count along the paths."""
        sizes = np.diff(bank.begin)[path.machines]
        summed = np.concatenate([[0], np.cumsum(sizes)])
        return cls(
            machines=np.diff(path.begin),
            kernel_evaluations=bank.machines.distinct_vectors(path.begin, path.machines),
            support_vectors=np.diff(summed[path.begin]),
            size_in_parameters=bank.size_in_parameters,
        )

    def __str__(self) -> str:
        return (
            f"{self.machines.mean():.1f} machines, {self.kernel_evaluations.mean():.1f} kernel evaluations and "
            f"{self.support_vectors.mean():.1f} summed support vectors per sample; "
            f"{self.size_in_parameters / 1000:.1f} thousand parameters in all"
        )
