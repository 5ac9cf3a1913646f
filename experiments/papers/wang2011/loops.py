"""Test times of a loop over machines, as the authors ran it: each machine computes the kernel values of its own vectors."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from dagmar import SVC
from dagmar._core import Walks
from dagmar.base.typing import Array, Index
from dagmar.structures.plans import GraphPlan

from ..study import Found

ROWS_AT_ONCE = 500  # whose kernel values are held in memory


class Loop:
    """The machines of a fitted classifier one by one.

    Parameters
    ----------
    clf : SVC
        With the Gaussian kernel.
    """

    def __init__(self, clf: SVC) -> None:
        bank = clf.bank_
        self.gamma, self.bias, self.plan = bank.kernel.gamma, bank.bias, clf.plan_
        self.pairs = bank.pairs if bank.tasks.pairwise else None
        self.n_classes = bank.n_classes
        parts = [slice(*bank.begin[m : m + 2]) for m in range(bank.n_machines)]
        self.vectors = [np.ascontiguousarray(bank.vectors[bank.index[part]]) for part in parts]
        self.squares = [np.einsum("ij,ij->i", vectors, vectors) for vectors in self.vectors]
        self.coef = [bank.coef[part] for part in parts]

    def value(self, machine: int, X: Array) -> Array:
        """The values of a machine."""
        out = np.empty(len(X))
        for first in range(0, len(X), ROWS_AT_ONCE):
            block = X[first : first + ROWS_AT_ONCE]
            square = np.einsum("ij,ij->i", block, block)
            distance = square[:, None] + self.squares[machine] - 2.0 * block @ self.vectors[machine].T
            out[first : first + len(block)] = np.exp(-self.gamma * distance) @ self.coef[machine] + self.bias[machine]
        return out

    def predict(self, X: Array) -> Index:
        """Class indices: by a walk through a tree, by the votes of all pairs, or by the largest value."""
        if isinstance(self.plan, GraphPlan):
            return self._walk(X)
        return self._poll(X) if self.pairs is None else self._vote(X, self.pairs)

    def _walk(self, X: Array) -> Index:
        walks = Walks(self.plan.native, len(X))
        while (asked := walks.next()).max() >= 0:
            values = np.zeros(len(X))
            for machine in np.unique(asked[asked >= 0]).tolist():
                rows = np.flatnonzero(asked == machine)
                values[rows] = self.value(machine, X[rows])
            walks.tell(values >= 0)
        return walks.answers().astype(np.int64)

    def _vote(self, X: Array, pairs: Index) -> Index:
        votes = np.zeros((len(X), self.n_classes), dtype=np.int64)
        rows = np.arange(len(X))
        for machine, (i, j) in enumerate(pairs.tolist()):
            votes[rows, np.where(self.value(machine, X) >= 0, j, i)] += 1
        winner: Index = np.argmax(votes, axis=1)
        return winner

    def _poll(self, X: Array) -> Index:
        values = np.stack([self.value(machine, X) for machine in range(len(self.coef))], axis=1)
        largest: Index = np.argmax(values, axis=1)
        return largest


def looped(clf: SVC, X: Array, repeats: int) -> Found:
    """Seconds of the loop on one thread, the least of a few; and on how many samples its class is that of the bank."""
    loop = Loop(clf)
    with threadpool_limits(1):
        laps, answers = zip(*(_lap(loop.predict, X) for _ in range(repeats)), strict=True)
    same = float(np.mean(clf.classes_[answers[0]] == clf.predict(X)))
    return {"loop_seconds": min(laps), "loop_rows": len(X), "loop_agrees": same}


def _lap(predict: Callable[[Array], Index], X: Array) -> tuple[float, Index]:
    begun = time.perf_counter()
    answers = predict(X)
    return time.perf_counter() - begun, answers
