"""DDAG: a decision graph that rules out one class per node (DAGSVM)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..base.exceptions import InvalidParameterError
from ..base.kept import kept_for_few_classes
from ..base.pairs import n_pairs, pair_classes, pair_numbers
from ..base.typing import Index
from ..machines.bank import AnyBank
from ..problem.tasks import Tasks
from .base import Structure
from .plans import GraphPlan, leaf_edge


class DDAG(Structure):
    """Decision directed acyclic graph over all pairs of classes.

    The first and the last class of a list meet, and the loser leaves the list. This repeats until one class is left: the
    answer. Trains N(N-1)/2 machines and consults N-1.

    Parameters
    ----------
    order : sequence of int, optional
        The list at the start: a permutation of 0 ... N-1, the indices of the classes in ``classes_``. The default is
        0, 1, ..., N-1.

    See Also
    --------
    AdaptiveDDAG : An order that depends on the sample.
    MaxWins : The default; the labels of scikit-learn.
    SVC.generalization_bound : Platt's bounds on the error of a DDAG.

    References
    ----------
    Platt, Cristianini & Shawe-Taylor, Large margin DAGs for multiclass classification, NIPS 1999.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = dagmar.SVC(structure=dagmar.DDAG(order=[2, 0, 1])).fit(X, y)
    >>> clf.decision_cost(X[:1]).machines.tolist()
    [2]
    """

    def __init__(self, order: Sequence[int] | None = None) -> None:
        self.order = order

    def tasks(self, n_classes: int) -> Tasks:
        """Return all pairs, after checking `order`: a wrong one raises an error before anything is trained."""
        if self.order is not None:
            self._order(n_classes)
        return super().tasks(n_classes)

    def plan(self, bank: AnyBank) -> GraphPlan:
        """Return the graph, Platt's triangle of nodes."""
        self._require(bank, "pairs of classes")
        # A copy over the same arrays: the kept plan must not hold an object of the core until the process ends.
        return _ascending(bank.n_classes).bare() if self.order is None else _triangle(self._order(bank.n_classes))

    def eliminate(self, n_classes: int, verdict: Callable[[int, int], int]) -> int:
        """Return the answer by the list rule, which gives the same answers as the graph.

        Parameters
        ----------
        n_classes : int
        verdict : callable
            ``verdict(a, b)`` returns the winner of the two classes.

        Returns
        -------
        int
            The class that is left.
        """
        left = self._order(n_classes).tolist()
        while len(left) > 1:
            winner = verdict(left[0], left[-1])
            left.pop(-1 if winner == left[0] else 0)
        return int(left[0])

    def _order(self, n_classes: int) -> Index:
        if self.order is None:
            return np.arange(n_classes, dtype=np.int64)
        order = np.asarray(self.order)
        whole = order.ndim == 1 and order.dtype.kind in "iu"
        if not whole or not np.array_equal(np.sort(order), np.arange(n_classes)):
            raise InvalidParameterError(
                f"The 'order' parameter of DDAG must be a permutation of 0 ... {n_classes - 1}. "
                f"Got {self.order!r} instead."
            )
        return order.astype(np.int64)


def _triangle(order: Index) -> GraphPlan:
    """Return the graph for a list of classes, over the machines of all pairs.

    Layer q = 0 ... N-2 has q + 1 nodes. Node p of layer q stands for the list ``order[p] ... order[N-1-q+p]`` and asks
    the machine of the first and the last class of the list. It leads to nodes p and p + 1 of the next layer.
    """
    n = len(order)
    machine_of = pair_numbers(n)
    layer, place = np.tril_indices(n - 1)
    first, last = order[place], order[n - 1 - layer + place]
    next_layer = (layer + 1) * (layer + 2) // 2

    def edge(p: Index) -> Index:
        # Below the last layer of nodes are the leaves, one per class.
        return np.where(layer == n - 2, leaf_edge(order[p]), next_layer + p)

    last_is_out, first_is_out = edge(place), edge(place + 1)
    # A positive value is for the class with the larger index, which may be at either end of the list.
    later_first = first > last
    return GraphPlan(
        n_classes=n,
        root=0,
        machine=machine_of[first, last],
        on_negative=np.where(later_first, first_is_out, last_is_out),
        on_positive=np.where(later_first, last_is_out, first_is_out),
        machine_of=machine_of,
        unanimous=True,
    )


def order_of(plan: GraphPlan) -> Index | None:
    """Return the list at the start of a DDAG, read from its plan; None if the plan is not Platt's triangle.

    Examples
    --------
    >>> import dagmar
    >>> from dagmar.structures.ddag import order_of
    >>> from sklearn.datasets import load_iris
    >>> clf = dagmar.SVC(structure=dagmar.DDAG(order=[2, 0, 1])).fit(*load_iris(return_X_y=True))
    >>> order_of(clf.plan_).tolist()
    [2, 0, 1]
    """
    n = plan.n_classes
    if not plan.unanimous or plan.root != 0 or len(plan.machine) != n_pairs(n) or len(plan.list_begin) > 1:
        return None
    # The last n - 1 nodes ask about neighbours in the list.
    pairs = np.stack(pair_classes(n), axis=1)[plan.machine[-(n - 1) :]]
    order = pairs[0]
    if n > 2:
        order = np.array([np.setdiff1d(pairs[0], pairs[1]).max(initial=0)])
        for pair in pairs:
            order = np.append(order, pair[0] if pair[1] == order[-1] else pair[1])
    if not np.array_equal(np.sort(order), np.arange(n)):
        return None
    made = _triangle(order)
    same = all(
        np.array_equal(getattr(made, name), getattr(plan, name)) for name in ("machine", "on_negative", "on_positive")
    )
    return order if same else None


@kept_for_few_classes
def _ascending(n_classes: int) -> GraphPlan:
    return _triangle(np.arange(n_classes, dtype=np.int64))
