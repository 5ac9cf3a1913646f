"""Divide and conquer: each machine of a pair rules out as many classes as it can (DCSVM)."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..base.frozen import FrozenArrays
from ..base.parameters import Check, check_parameters, none, number, one_of
from ..base.showing import MOST_LINES, html_table, pandas
from ..base.typing import Array, Index, Labels
from ..machines.workshop import AnyWorkshop
from ..problem.naming import plain_labels
from .base import Structure
from .grow import MAX_NODES, ClassSet, Split, grow, warn_if_cut
from .plans import GraphPlan
from .tree import NODE_CHECKS, SLACK

# Counts of classes in memory at once, while the sets of a level are compared with all machines.
COUNTS_AT_ONCE = 2**20


@dataclass(frozen=True, eq=False)
class PredictionsTable(FrozenArrays):
    """The all-predictions table: how every machine classifies the training samples of every class.

    Attributes
    ----------
    pairs : ndarray of shape (n_machines, 2)
        The classes i < j of each machine.
    for_later : ndarray of shape (n_machines, n_classes)
        Total weight of the training samples of each class that the machine assigns to j.
    sizes : ndarray of shape (n_classes,)
        Total weight of the training samples of each class that were used.
    labels : ndarray of shape (n_classes,)
        The user's labels of the classes.
    """

    pairs: Index
    for_later: Array
    sizes: Array
    labels: Labels

    @property
    def shares(self) -> Array:
        """The shares C_ij(l, i) and C_ij(l, j) of class l assigned to i and to j, shape (n_machines, n_classes, 2)."""
        later = self.for_later / self.sizes
        return np.stack([1.0 - later, later], axis=2)

    def decided(self, theta: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which classes are definitely i, and which are definitely j, for each machine.

        A class is definitely i if at most the share `theta` of its samples is assigned to j, and the other way round.
        Shares that differ from theta only by rounding count as equal to it.

        Returns
        -------
        definitely_i, definitely_j : ndarray of shape (n_machines, n_classes), bool
        """
        allowed = (theta + SLACK) * self.sizes
        return self.for_later <= allowed, self.sizes - self.for_later <= allowed

    def __repr__(self) -> str:
        n = int(((self.for_later > 0) & (self.for_later < self.sizes)).sum())
        return f"PredictionsTable({len(self.pairs)} machines, {len(self.sizes)} classes, {n} entries divided)"

    def to_frame(self) -> Any:
        """Return the table as a pandas DataFrame: one row per machine and, for each class, its two shares."""
        pd = pandas()
        rows = pd.MultiIndex.from_arrays(self.labels[self.pairs].T, names=["i", "j"])
        columns = pd.MultiIndex.from_product([self.labels, ["i", "j"]], names=["class", "called"])
        return pd.DataFrame(self.shares.reshape(len(self.pairs), -1), index=rows, columns=columns)

    def _repr_html_(self) -> str:
        few = slice(MOST_LINES)
        names = plain_labels(self.labels)
        pairs = [f"{names[i]}, {names[j]}" for i, j in self.pairs[few].tolist()]
        later = self.for_later[few] / self.sizes
        classes = {f"{names[c]}": [f"{share:.1%}" for share in later[:, c]] for c in range(min(len(names), MOST_LINES))}
        notes = ["The share of the training samples of each class that the machine (i, j) assigns to j."]
        notes += [f"{len(names) - MOST_LINES} more classes"] if len(names) > MOST_LINES else []
        return html_table(repr(self), {"machine (i, j)": pairs, **classes}, len(self.pairs), notes)


@dataclass(frozen=True, eq=False, repr=False)
class DividePlan(GraphPlan):
    """A graph plan together with the table it was made from."""

    predictions_table: PredictionsTable | None = None


def purity(table: PredictionsTable, theta: float, classes: ClassSet | None = None) -> Index:
    """Return the number of undecided classes of each machine; small is good.

    Parameters
    ----------
    table : PredictionsTable
    theta : float
        A class is decided if at most this share of its samples is on the other side.
    classes : ndarray of shape (n_classes,), bool, optional
        The classes to count; by default all.

    Returns
    -------
    ndarray of shape (n_machines,), int64
    """
    earlier, later = _sides(table, theta, classes)
    in_play = len(table.sizes) if classes is None else int(classes.sum())
    return in_play - earlier - later


def balance(table: PredictionsTable, theta: float, classes: ClassSet | None = None) -> Index:
    """Return, for each machine, min(number of classes definitely i, number definitely j); large is good.

    The parameters are those of `purity`.
    """
    return np.minimum(*_sides(table, theta, classes))


def score(table: PredictionsTable) -> Array:
    """Return the mean accuracy of each machine on the training samples of its two classes; large is good."""
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
    """Consult the machine that separates most of the remaining classes, and drop every class it rules out.

    Trains N(N-1)/2 machines and consults at most N-1. If every machine divides the remaining classes evenly, it consults at
    most ⌈log2 N⌉; uneven divisions give some samples fewer and others more. A table holds how each machine classifies the
    training samples of every class. The machine of a node is a pair of its remaining classes. It is the one that leaves the
    fewest of them undecided (purity); ties go to the most even division (balance), then to the highest accuracy on its own
    two classes (score), then to the first pair.

    Parameters
    ----------
    theta : float in [0, 0.5), default=0.0
        A class is kept on one side only if at most this share of its training samples falls on the other side; otherwise
        it is kept on both. A larger theta gives shorter paths and more errors.
    prefer : {"speed", "accuracy"}, default="speed"
        "speed" compares purity, then balance, then score. "accuracy" compares score, then purity, then balance.
    max_nodes : int, default=1_000_000
        The largest number of nodes, each of some hundred bytes. A graph that needs more is cut with a warning: the sets of
        classes beyond are decided as in a DDAG.
    max_samples : int, optional
        Use at most this many training samples of each class for the table. By default all are used.

    See Also
    --------
    FisherTree : Trains only the machines that its nodes need.
    dagmar.pictures.ThetaDisplay : Accuracy and cost for several thetas.

    Notes
    -----
    The shares are measured on the training data, so the error of a decision on new samples may be larger than theta. The
    plan keeps the table as ``plan_.predictions_table``. Training errors can leave class i or j undecided for its own
    machine (i, j). Nevertheless j is always dropped on the negative side and i on the positive side, so that the sets of
    classes shrink at every step.

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
        self, theta: float = 0.0, prefer: str = "speed", max_nodes: int = MAX_NODES, max_samples: int | None = None
    ) -> None:
        self.theta = theta
        self.prefer = prefer
        self.max_nodes = max_nodes
        self.max_samples = max_samples

    def build(self, workshop: AnyWorkshop) -> DividePlan:
        """Train all pairs, make the table and return the graph."""
        check_parameters(type(self).__name__, self.get_params(), self._checks)
        machines = workshop.train(self.tasks(workshop.n_classes))
        workshop.keep(machines)
        for_later, sizes = workshop.predictions(np.arange(len(machines)), self.max_samples)
        bank = workshop.bank
        table = PredictionsTable(bank.pairs, for_later, sizes, workshop.labels)
        plan = replace(self.divide(table), machine_of=bank.machine_of)
        warn_if_cut(type(self).__name__, plan, workshop, self.max_nodes)
        return plan

    def divide(self, table: PredictionsTable) -> DividePlan:
        """Return the graph for a table; machine m of the graph is row m of the table."""
        divider = _Divider(table, self.theta, self.prefer)
        graph = grow(len(table.sizes), divider.split_level, self.max_nodes)
        return DividePlan(**{f.name: getattr(graph, f.name) for f in fields(GraphPlan)}, predictions_table=table)


class _Divider:
    """Finds the best machine for sets of classes, and how it divides them."""

    def __init__(self, table: PredictionsTable, theta: float, prefer: str) -> None:
        self.table = table
        self.prefer = prefer
        self.earlier, self.later = table.decided(theta)
        # Counts of classes are exact in float32, whose matrix products are quickest.
        self._for_earlier, self._for_later = (side.T.astype(np.float32) for side in (self.earlier, self.later))
        # Rounded, so that rounding errors do not break ties. The best accuracy has rank 0.
        distinct, self._rank = np.unique(-np.round(score(table), 9), return_inverse=True)
        self._n_ranks = len(distinct)

    def split_level(self, level: list[ClassSet]) -> list[Split]:
        at_once = max(1, COUNTS_AT_ONCE // len(self.table.pairs))
        blocks = [np.stack(level[first : first + at_once]) for first in range(0, len(level), at_once)]
        return [split for sets in blocks for split in self._split(sets)]

    def _split(self, sets: NDArray[np.bool_]) -> list[Split]:
        i, j = self.table.pairs.T
        best = np.argmin(np.where(sets[:, i] & sets[:, j], self._order(sets), np.iinfo(np.int64).max), axis=1)
        row = np.arange(len(sets))
        negative, positive = sets & ~self.later[best], sets & ~self.earlier[best]
        negative[row, i[best]], negative[row, j[best]] = True, False
        positive[row, j[best]], positive[row, i[best]] = True, False
        return [Split(*parts) for parts in zip(best.tolist(), negative, positive, strict=True)]

    def _order(self, sets: NDArray[np.bool_]) -> Index:
        """Return numbers that compare machines for each set as `prefer` says; the smallest is best."""
        n = len(self.table.sizes) + 1
        in_play = sets.astype(np.float32)
        n_earlier, n_later = ((in_play @ side).astype(np.int64) for side in (self._for_earlier, self._for_later))
        undecided = sets.sum(axis=1)[:, None] - n_earlier - n_later
        # A class can be on both sides if it has no weight, so purity may be negative.
        impurity, imbalance = undecided + n, n - np.minimum(n_earlier, n_later)
        divided = impurity * n + imbalance
        order: Index = divided * self._n_ranks + self._rank
        return order if self.prefer == "speed" else self._rank * (2 * n * n + 1) + divided
