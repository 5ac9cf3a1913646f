"""The machines as R's e1071 would train them, and answers read off their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import joblib
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from dagmar import SVC, AndGate, DivideAndConquer, PairwiseClassifier
from dagmar.base.typing import Array, Index
from dagmar.structures.divide_and_conquer import PredictionsTable
from dagmar.structures.plans import GraphPlan, is_node, leaf_class

NO_LIMIT = 10**6  # of nodes: all class sets are divided, as in the paper
LARGE = 1500  # rows per class, from which one machine is worth several threads


class AllOrNothingScaler(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Scale as e1071 does (`svm.default` in its R/svm.R): all features to mean 0 and variance 1, but none if one is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.papers.don2018.machines import AllOrNothingScaler
    >>> AllOrNothingScaler().fit_transform(np.array([[0.0, 5.0], [2.0, 5.0]]))
    array([[0., 5.],
           [2., 5.]])
    """

    mean_: Array
    scale_: Array

    def fit(self, X: Array, y: Any = None) -> Self:
        """Find means and deviations.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        y : ignored
        """
        self.n_features_in_ = X.shape[1]
        self.mean_, self.scale_ = np.zeros(X.shape[1]), np.ones(X.shape[1])
        if not np.any(np.ptp(X, axis=0) == 0):
            self.mean_, self.scale_ = X.mean(axis=0), X.std(axis=0, ddof=1)
        return self

    def transform(self, X: Array) -> Array:
        """The samples, scaled or as they are."""
        scaled: Array = (X - self.mean_) / self.scale_
        return scaled


def machine(scaling: str, n_jobs: int, C: float = 1.0, tol: float = 1e-3) -> Pipeline:
    """A machine with the defaults of e1071: C = 1, gamma = 1 / n_features, tolerance 0.001, after scaling.

    Parameters
    ----------
    scaling : {"e1071", "each"}
        "each" scales every feature that is not constant, whatever the others are.
    n_jobs : int
    C, tol : float
    """
    scaler = AllOrNothingScaler() if scaling == "e1071" else StandardScaler()
    return make_pipeline(scaler, SVC(C=C, gamma="auto", tol=tol, n_jobs=n_jobs))


def fit_pairs(X: Array, y: Index, scaling: str, n_jobs: int, C: float = 1.0, tol: float = 1e-3) -> PairwiseClassifier:
    """All pairs, each scaled by its own two classes: what a loop over ``svm`` in R trains.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    scaling : {"e1071", "each"}
    n_jobs : int
    C, tol : float

    Returns
    -------
    PairwiseClassifier
        In a DDAG, which says most with least; other structures are read off its machines.
    """
    within = n_jobs if len(y) > LARGE * (int(y.max()) + 1) else 1
    each = machine(scaling, within, C, tol)
    clf = PairwiseClassifier(each, structure="ddag", n_jobs=n_jobs if within == 1 else 1)
    with joblib.parallel_config(backend="threading"):  # the core works without the interpreter's lock
        return clf.fit(X, y)


def sizes_of(clf: PairwiseClassifier) -> Index:
    """Support vectors of each machine."""
    return np.array([len(pipeline[-1].support_) for pipeline in clf.estimators_])


def unconverged(clf: PairwiseClassifier) -> int:
    """How many machines did not converge."""
    return sum(pipeline[-1].fit_status_ != 0 for pipeline in clf.estimators_)


@dataclass(frozen=True)
class Answers:
    """What a structure answers, and what it asked for that.

    Attributes
    ----------
    classes : ndarray of shape (n_samples,)
    steps, vectors : ndarray of shape (n_samples,)
        Machines consulted, and their support vectors summed.
    """

    classes: Index
    steps: Index
    vectors: Index


def vote(values: Array, sizes: Index, n_classes: int) -> Answers:
    """One-versus-one: every machine is asked, most wins, ties to the first class."""
    n = len(values)
    return Answers(np.argmax(AndGate.wins(values, n_classes), axis=1), np.full(n, len(sizes)), np.full(n, sizes.sum()))


def follow(plan: GraphPlan, values: Array, sizes: Index) -> Answers:
    """Walk a graph without lists, over values of all machines that are known already.

    Parameters
    ----------
    plan : GraphPlan
    values : ndarray of shape (n_samples, n_machines)
    sizes : ndarray of shape (n_machines,)
        Support vectors of each machine.
    """
    at = np.full(len(values), plan.root)
    steps, vectors = np.zeros((2, len(values)), dtype=np.int64)
    while len(walking := np.flatnonzero(is_node(at))):
        node = at[walking]
        asked = plan.machine[node]
        steps[walking] += 1
        vectors[walking] += sizes[asked]
        at[walking] = np.where(values[walking, asked] >= 0, plan.on_positive[node], plan.on_negative[node])
    return Answers(leaf_class(at), steps, vectors)


def divide(table: PredictionsTable, percent: str, prefer: str) -> GraphPlan:
    """The graph of DCSVM for a theta in percent."""
    return DivideAndConquer(theta=float(percent) / 100, prefer=prefer, max_nodes=NO_LIMIT).divide(table)


def table_of(clf: PairwiseClassifier, X: Array, y: Index) -> PredictionsTable:
    """The all-predictions table of fitted pairs, over their training samples."""
    plan: Any = clf.restructure(DivideAndConquer(), X, y).plan_
    table: PredictionsTable = plan.predictions_table
    return table


def separation(table: PredictionsTable, percent: float) -> float:
    """Decided cells of the all-predictions table, in percent of all."""
    earlier, later = table.decided(percent / 100)
    return float(100 * np.mean(earlier | later))


@dataclass(frozen=True)
class Shape:
    """How large a graph is, and the tree that has a node of its own at the end of every path, as the paper draws it.

    Attributes
    ----------
    nodes : int
        Of the graph: one per set of classes.
    tree_nodes : int
        Of the tree, without leaves.
    depth : int
        Machines on the longest path.
    leaf_depth : float
        Machines on a path, on average over the leaves of the tree.
    """

    nodes: int
    tree_nodes: int
    depth: int
    leaf_depth: float


def shape_of(plan: GraphPlan) -> Shape:
    """Count the nodes of a graph and of its tree, from the smallest sets of classes to the root."""
    leaf = (1, 0, 0)  # leaves below, the sum of their depths, the largest depth
    below: dict[int, tuple[int, int, int]] = {}
    for node in np.argsort(plan.node_classes.sum(axis=1), kind="stable").tolist():
        sides = [below.get(edge, leaf) for edge in (int(plan.on_negative[node]), int(plan.on_positive[node]))]
        leaves = sum(side[0] for side in sides)
        below[node] = (leaves, sum(side[1] for side in sides) + leaves, 1 + max(side[2] for side in sides))
    leaves, depths, depth = below.get(int(plan.root), leaf)
    return Shape(len(plan.machine), leaves - 1, depth, depths / leaves)
