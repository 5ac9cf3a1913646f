"""One bank of machines, asked in many orders."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from dagmar import DDAG, SVC, AdaptiveDDAG, AndGate, Structure, mcnemar, tuning
from dagmar.base.typing import Array, Index

from ...data import Split
from ...statistics import ALPHA
from ..study import Found, Lab
from .equations import equation_6, equation_9, fisher, means_of_pairs
from .machines import Tuned
from .published import ORDERS


def random_order(n_classes: int, rng: np.random.Generator) -> DDAG:
    """The usual DDAG over a list in random order."""
    return DDAG(order=rng.permutation(n_classes).tolist())


def consult(clf: SVC, split: Split, rng: np.random.Generator, control: bool = True) -> Found:
    """How many test samples are right: in random orders, in as many others as a control, adaptively, and by Max Wins.

    Parameters
    ----------
    clf : SVC
        With machines for all pairs.
    split : Split
        The one it was trained on.
    rng : Generator
        Of the orders.
    control : bool
        Whether to draw the others, too.

    Returns
    -------
    dict
        ``orders``, ``controls``, ``adaptive``, ``max_wins``: test samples right. ``champions``: test samples for which one
        class wins all its pairs; ``champions_right``: of those, on which all orders agree. ``reached``: samples right in
        at least one of the random orders. ``differs``: random orders from which the adaptive one differs by McNemar's exact
        test. ``against_best``, ``against_median``: test samples on which only the adaptive order is right, and only the best
        or the median random order. ``best_against_worst``: the same of the best and the worst. ``unconverged``: machines that
        did not converge.
    """
    X, y, n = split.X_test, split.y_test, len(clf.classes_)
    answers = [clf.restructure(random_order(n, rng)).predict(X) for _ in range(2 * ORDERS if control else ORDERS)]
    right = np.array([labels == y for labels in answers])
    adaptive = clf.restructure("adaptive_ddag", split.X, split.y).predict(X)
    champion = AndGate.unanimous(clf.pair_decisions(X), n)
    ranked = np.argsort(-right[:ORDERS].sum(axis=1), kind="stable")
    best, median, worst = (answers[ranked[k]] for k in (0, ORDERS // 2, -1))
    return {
        "orders": right[:ORDERS].sum(axis=1).tolist(),
        "controls": right[ORDERS:].sum(axis=1).tolist(),
        "adaptive": _right(adaptive, y),
        "max_wins": _right(clf.restructure("max_wins").predict(X), y),
        "champions": int(champion.sum()),
        "champions_right": int(right[0][champion].sum()),
        "reached": int(right[:ORDERS].any(axis=0).sum()),
        "differs": sum(mcnemar(y, adaptive, labels, method="exact").p_value < ALPHA for labels in answers[:ORDERS]),
        "against_best": _only(adaptive, best, y),
        "against_median": _only(adaptive, median, y),
        "best_against_worst": _only(best, worst, y),
        "unconverged": int(np.sum(~clf.report_.converged)),
    }


def consult_otherwise(tuned: Tuned, split: Split, lab: Lab, rng: np.random.Generator) -> dict[str, int]:
    """How many test samples are right in orders that are adaptive in other senses, over the same machines.

    Parameters
    ----------
    tuned : Tuned
        By the paper's protocol.
    split : Split
    lab : Lab
    rng : Generator

    Returns
    -------
    dict of str to int
    """
    choice = tuning.dbtc(split.X, split.y, per_pair=True, n_jobs=lab.n_jobs)
    own = np.asarray(choice.dbtc)
    shared = float(tuning.dbtc(split.X, split.y, n_jobs=lab.n_jobs).gamma)
    n = len(tuned.clf.classes_)
    at_shared = np.asarray(tuning.dbtc(split.X, split.y, [shared], per_pair=True, n_jobs=lab.n_jobs).dbtc)
    means = means_of_pairs(split.X, split.y, np.asarray(choice.gamma))
    structures: dict[str, Structure] = {
        "equation_6": AdaptiveDDAG(table_of(equation_6(means), n)),
        "equation_9": AdaptiveDDAG(table_of(equation_9(means), n)),
        "kernel_fisher": AdaptiveDDAG(table_of(fisher(means), n)),
        "one_gamma": AdaptiveDDAG(table_of(at_shared, n)),
        "fisher": AdaptiveDDAG("fisher"),
        "margin": AdaptiveDDAG("margin"),
        "validated": AdaptiveDDAG(table_of(tuned.pair_scores, n)),
        "list": DDAG(nested_list(table_of(own, n))),
        "least": AdaptiveDDAG(-table_of(own, n)),
        "chance": AdaptiveDDAG(table_of(rng.random(len(own)), n)),
    }
    return {
        name: _right(tuned.clf.restructure(structure, split.X, split.y).predict(split.X_test), split.y_test)
        for name, structure in structures.items()
    }


def nested_list(separation: Array) -> list[int]:
    """A fixed list with the most separable classes at its ends, the most separable of the rest next to them, and so on.

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.papers.yu2011.orders import nested_list
    >>> places = np.array([0.0, 5.0, 1.0, 3.0])
    >>> nested_list(np.abs(places[:, None] - places))
    [0, 2, 3, 1]
    """
    left, first, last = list(range(len(separation))), [], []
    while len(left) > 1:
        a, b = max(combinations(left, 2), key=lambda pair: separation[pair])
        first.append(a)
        last.append(b)
        left = [c for c in left if c not in (a, b)]
    return [*first, *left, *last[::-1]]


def table_of(of_pairs: Any, n_classes: int) -> Array:
    """Numbers of pairs as a symmetric matrix."""
    table = np.zeros((n_classes, n_classes))
    i, j = np.triu_indices(n_classes, k=1)
    table[i, j] = table[j, i] = of_pairs
    return table


def _only(first: Index, second: Index, y: Index) -> list[int]:
    """Samples on which only the first answers are right, and only the second."""
    a, b = first == y, second == y
    return [int(np.sum(a & ~b)), int(np.sum(b & ~a))]


def _right(labels: Index, y: Index) -> int:
    return int(np.sum(labels == y))
