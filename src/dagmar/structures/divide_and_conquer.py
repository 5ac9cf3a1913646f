"""Divide and conquer: DCSVM. One machine of a pair divides many classes."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..base.frozen import FrozenArrays
from ..base.parameters import Check, check_parameters, none, number, one_of
from ..base.typing import Array, Index, Labels
from ..machines.workshop import AnyWorkshop
from .base import Structure
from .grow import ClassSet, Split, grow
from .plans import GraphPlan
from .tree import NODE_CHECKS, SLACK

ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)  # in each byte


@dataclass(frozen=True, eq=False)
class PredictionsTable(FrozenArrays):
    """The all-predictions table: how every machine sees every class.

    Attributes
    ----------
    pairs : ndarray of shape (n_machines, 2)
        The classes i < j of each machine.
    for_later : ndarray of shape (n_machines, n_classes)
        Training samples of each class, by their weights, that the machine calls j.
    sizes : ndarray of shape (n_classes,)
        Training samples of each class that were looked at.
    labels : ndarray of shape (n_classes,)
        What the user calls the classes.
    """

    pairs: Index
    for_later: Array
    sizes: Array
    labels: Labels

    @property
    def shares(self) -> Array:
        """C_ij(l, i) and C_ij(l, j), shape (n_machines, n_classes, 2)."""
        later = self.for_later / self.sizes
        return np.stack([1.0 - later, later], axis=2)

    def decided(self, theta: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which classes are definitely i and definitely j to each machine, both of shape (n_machines, n_classes).

        A share equal to theta but for rounding counts as equal.
        """
        allowed = (theta + SLACK) * self.sizes
        return self.for_later <= allowed, self.sizes - self.for_later <= allowed

    def to_frame(self) -> Any:
        """The table for pandas: a row per machine, and for each class its two shares."""
        import pandas as pd

        rows = pd.MultiIndex.from_arrays(self.labels[self.pairs].T, names=["i", "j"])
        columns = pd.MultiIndex.from_product([self.labels, ["i", "j"]], names=["class", "called"])
        return pd.DataFrame(self.shares.reshape(len(self.pairs), -1), index=rows, columns=columns)

    def _repr_html_(self) -> str:
        html: str = self.to_frame().to_html(float_format=lambda v: f"{v:.1%}", max_rows=40)
        return html


@dataclass(frozen=True, eq=False)
class DividePlan(GraphPlan):
    """A graph plan, with the table it was made from."""

    predictions_table: PredictionsTable | None = None


def purity(table: PredictionsTable, theta: float, classes: ClassSet | None = None) -> Index:
    """Number of undecided classes of each machine; small is good.

    Parameters
    ----------
    table : PredictionsTable
    theta : float
        A class is decided if at most this share of it is on the other side.
    classes : ndarray of shape (n_classes,), bool, optional
        The classes in play, all by default.

    Returns
    -------
    ndarray of shape (n_machines,), int64
    """
    earlier, later = _sides(table, theta, classes)
    in_play = len(table.sizes) if classes is None else int(classes.sum())
    return in_play - earlier - later


def balance(table: PredictionsTable, theta: float, classes: ClassSet | None = None) -> Index:
    """The smaller of the numbers of classes definitely on either side; large is good. Parameters as of `purity`."""
    return np.minimum(*_sides(table, theta, classes))


def score(table: PredictionsTable) -> Array:
    """Mean accuracy of each machine on its own two classes; large is good."""
    row = np.arange(len(table.pairs))
    i, j = table.pairs.T
    for_later, sizes = table.for_later, table.sizes
    correct: Array = ((1.0 - for_later[row, i] / sizes[i]) + for_later[row, j] / sizes[j]) / 2
    return correct


def _sides(table: PredictionsTable, theta: float, classes: ClassSet | None) -> tuple[Index, Index]:
    z = np.ones(len(table.sizes), dtype=bool) if classes is None else classes
    earlier, later = table.decided(theta)
    return earlier[:, z].sum(axis=1), later[:, z].sum(axis=1)


class DivideAndConquer(Structure):
    """Ask, of all pairs left, the machine that tells most classes apart; drop every class it has decided against.

    Trains N(N-1)/2 machines; consults between ⌈log2 N⌉ and N-1. With the table of how each machine sees the training
    samples of every class, the next machine is the one that leaves fewest classes undecided (purity), then divides them
    most evenly (balance), then errs least on its own two classes (score), then comes first.

    Parameters
    ----------
    theta : float in [0, 0.5), default=0.0
        A class goes to one side only if at most this share of its training samples falls on the other. A larger theta
        makes shorter paths and more errors.
    prefer : {"speed", "accuracy"}, default="speed"
        "accuracy" looks at the score first, then at purity and balance.
    max_nodes : int, default=4096
        Beyond this many different sets of classes, the rest is decided as in a DDAG.
    max_samples : int, optional
        Look at no more than this many training samples of a class for the table; by default at all.

    Notes
    -----
    The shares are measured on the training data, so theta is an optimistic error. The plan keeps the table as
    ``plan_.predictions_table``. Where training errors leave a machine's own two classes undecided, j leaves on the
    negative side and i on the positive all the same: so sets shrink at every step.

    References
    ----------
    Don & Iacob, DCSVM: fast multi-class classification using support vector machines, 2018.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = dagmar.SVC(C=10, structure=dagmar.DivideAndConquer(theta=0.01)).fit(X, y)
    >>> bool(clf.decision_cost(X).machines.mean() < 9)
    True
    """

    _checks: ClassVar[dict[str, Check]] = {
        "theta": number(0.0, 0.5, "left"),
        "prefer": one_of(["speed", "accuracy"]),
        "max_nodes": NODE_CHECKS["max_nodes"],
        "max_samples": none | number(1, np.inf, "left", Integral),
    }

    def __init__(
        self, theta: float = 0.0, prefer: str = "speed", max_nodes: int = 4096, max_samples: int | None = None
    ) -> None:
        self.theta = theta
        self.prefer = prefer
        self.max_nodes = max_nodes
        self.max_samples = max_samples

    def build(self, workshop: AnyWorkshop) -> DividePlan:
        """Train all pairs, make the table, divide."""
        check_parameters(type(self).__name__, self.get_params(), self._checks)
        machines = workshop.train(self.tasks(workshop.n_classes))
        workshop.keep(machines)
        for_later, sizes = workshop.predictions(np.arange(len(machines)), self.max_samples)
        bank = workshop.bank
        table = PredictionsTable(bank.pairs, for_later, sizes, workshop.labels)
        return replace(self.divide(table), machine_of=bank.machine_of)

    def divide(self, table: PredictionsTable) -> DividePlan:
        """The graph that a table leads to; machines are its rows."""
        divider = _Divider(table, self.theta, self.prefer)
        graph = grow(len(table.sizes), lambda level: [divider.split(classes) for classes in level], self.max_nodes)
        return DividePlan(**{f.name: getattr(graph, f.name) for f in fields(GraphPlan)}, predictions_table=table)


class _Divider:
    """The best machine for a set of classes, and how it divides them."""

    def __init__(self, table: PredictionsTable, theta: float, prefer: str) -> None:
        self.table = table
        self.prefer = prefer
        self.earlier, self.later = table.decided(theta)

    @cached_property
    def _as_bits(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        return np.packbits(self.earlier, axis=1), np.packbits(
            self.later, axis=1
        )  # of many machines a set takes some rows

    @cached_property
    def _score(self) -> Array:
        return np.round(score(self.table), 9)  # rounding breaks no ties

    def split(self, classes: ClassSet) -> Split:
        i, j = self.table.pairs.T
        rows = np.flatnonzero(classes[i] & classes[j])
        in_play = np.packbits(classes)
        n_earlier, n_later = (ONES[side[rows] & in_play].sum(axis=1, dtype=np.int64) for side in self._as_bits)
        purity, balance, own = classes.sum() - n_earlier - n_later, np.minimum(n_earlier, n_later), self._score[rows]
        # The last key is the first looked at; among equals the first row comes first.
        keys = (-own, -balance, purity) if self.prefer == "speed" else (-balance, purity, -own)
        m = int(rows[np.lexsort(keys)[0]])
        negative, positive = classes & ~self.later[m], classes & ~self.earlier[m]
        negative[i[m]], negative[j[m]] = True, False
        positive[j[m]], positive[i[m]] = True, False
        return Split(m, negative, positive)
