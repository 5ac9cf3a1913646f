"""Machines one after the other and sample by sample, as in a plain program: how the authors will have run and timed them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.model_selection import StratifiedKFold

from dagmar import SVC
from dagmar.base.typing import Array, Index

from .machines import Search


@dataclass(frozen=True, eq=False)
class Machine:
    """One binary machine with its own support vectors.

    Attributes
    ----------
    vectors : ndarray of shape (n_vectors, n_features)
    coef : ndarray of shape (n_vectors,)
    bias, gamma : float
    """

    vectors: Array
    coef: Array
    bias: float
    gamma: float

    def value(self, x: Array) -> float:
        """The decision value of one sample."""
        apart = self.vectors - x
        kernel = np.exp(-self.gamma * np.einsum("ij,ij->i", apart, apart))
        return float(self.coef @ kernel) + self.bias


def machines_of(clf: SVC) -> list[Machine]:
    """The machines of a bank, each by itself."""
    bank = clf.bank_
    gammas = np.full(bank.n_machines, bank.kernel.gamma) if bank.gammas is None else bank.gammas
    found = []
    for m in range(bank.n_machines):
        terms = slice(bank.begin[m], bank.begin[m + 1])
        vectors = np.ascontiguousarray(bank.vectors[bank.index[terms]], dtype=np.float64)
        found.append(Machine(vectors, bank.coef[terms], float(bank.bias[m]), float(gammas[m])))
    return found


class Pairs:
    """A machine for every pair of classes; a positive value is for the later class.

    Parameters
    ----------
    machines : sequence of Machine
        In the order (0, 1), (0, 2), ..., (1, 2), ...
    separation : ndarray of shape (n_classes, n_classes)
        How far apart two classes are.
    """

    def __init__(self, machines: Sequence[Machine], separation: Array) -> None:
        self.n = len(separation)
        self.separation = separation
        self.pairs = list(combinations(range(self.n), 2))
        self.machine = dict(zip(self.pairs, machines, strict=True))
        # For a class that remains, the next opponents with their machines and the classes of a negative and a positive value.
        ranked = np.argsort(-separation, axis=1, kind="stable").tolist()
        self.rivals = [[self._meeting(c, rival) for rival in ranked[c] if rival != c] for c in range(self.n)]
        self.first = self._meeting(*max(self.pairs, key=lambda pair: separation[pair]))

    def _meeting(self, c: int, rival: int) -> tuple[int, Machine, int, int]:
        i, j = min(c, rival), max(c, rival)
        return rival, self.machine[i, j], i, j

    def adaptive(self, x: Array) -> tuple[int, list[tuple[int, int]]]:
        """The class of one sample in the adaptive order, and the pairs that were asked for it."""
        left, (_, machine, i, j), asked = [True] * self.n, self.first, []
        while True:
            asked.append((i, j))
            winner, loser = (j, i) if machine.value(x) >= 0 else (i, j)
            left[loser] = False
            for rival, machine, i, j in self.rivals[winner]:  # noqa: B007
                if left[rival]:
                    break
            else:
                return winner, asked

    def vote(self, x: Array) -> int:
        """The class with the most votes of all pairs."""
        votes = [0] * self.n
        for (i, j), machine in self.machine.items():
            votes[j if machine.value(x) >= 0 else i] += 1
        return votes.index(max(votes))

    def most_separable(self, asked: Sequence[tuple[int, int]]) -> int:
        """Of the pairs that were asked for a sample, how many were the most separable of all pairs of the classes left."""
        left, found = set(range(self.n)), 0
        for k, pair in enumerate(asked):
            found += self.separation[pair] >= max(self.separation[other] for other in combinations(sorted(left), 2))
            if k + 1 < len(asked):  # the class that is not asked again has lost
                left -= set(pair) - set(asked[k + 1])
        return int(found)


def largest(machines: Sequence[Machine], x: Array) -> int:
    """The class whose machine against the rest has the largest value."""
    values = [machine.value(x) for machine in machines]
    return values.index(max(values))


def seconds_of(loops: Mapping[str, Callable[[Array], object]], X: Array, repeats: int) -> dict[str, float]:
    """The least seconds of several loops over samples, by what decides; they take turns, so that all meet the same load."""
    laps: dict[str, list[float]] = {name: [] for name in loops}
    for _ in range(repeats):
        for name, decide in loops.items():
            begun = time.perf_counter()
            for x in X:
                decide(x)
            laps[name].append(time.perf_counter() - begun)
    return {name: min(of) for name, of in laps.items()}


def training_seconds(X: Array, y: Index, clf: SVC, repeats: int = 3) -> float:
    """Train every machine of a bank again, each by itself, with its own C and gamma; return the least seconds of all."""
    tasks, n = clf.bank_.tasks, clf.bank_.n_machines
    C, gamma = np.broadcast_to(clf.C, n), np.broadcast_to(clf.gamma, n)
    problems = []
    for m in range(n):
        negative, positive = tasks.sides_of(m)
        rows = np.isin(y, [*negative, *positive])
        problems.append((SVC(C=float(C[m]), gamma=float(gamma[m]), n_jobs=1), X[rows], np.isin(y[rows], positive)))
    laps = []
    for _ in range(repeats):
        begun = time.perf_counter()
        for model, samples, sides in problems:
            model.fit(samples, sides)
        laps.append(time.perf_counter() - begun)
    return min(laps)


def gamma_by_distance(X: Array, y: Index, gammas: Sequence[float]) -> float:
    """The gamma of a grid at which the means of two classes are farthest apart, by one kernel matrix after the other."""
    w = np.where(y == y.min(), 1 / np.sum(y == y.min()), -1 / np.sum(y > y.min()))
    distances = cdist(X, X, "sqeuclidean")
    return max(gammas, key=lambda gamma: float(w @ np.exp(-gamma * distances) @ w))


def search(X: Array, y: Index, grid: Search, gammas: Sequence[float], seed: int) -> int:
    """Cross-validate C and gamma of one pair, one training after the other.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Two classes.
    grid : Search
        Has the values of C and the number of folds.
    gammas : sequence of float
    seed : int
        Of the folds.

    Returns
    -------
    int
        The number of trainings.
    """
    n_folds = min(grid.n_folds, int(np.bincount(y)[np.unique(y)].min()))
    folds = list(StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(X, y))
    for gamma in gammas:
        for C in grid.Cs:
            for train, test in folds:
                SVC(C=C, gamma=gamma, n_jobs=1).fit(X[train], y[train]).score(X[test], y[test])
    return len(gammas) * len(grid.Cs) * len(folds)
