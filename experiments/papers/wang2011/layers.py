"""The errors of the layers of a tree, for Equation 3."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagmar import SVC
from dagmar.base.typing import Index
from dagmar.structures.plans import GraphPlan, is_node, leaf_class

from ...data import Split
from ..study import Found


def layer_errors(clf: SVC, split: Split) -> Found:
    """Errors of the layers of a tree, in percent of all test samples.

    Every test sample goes through the whole tree. Where a machine sends it to a child without its class, this is an error of
    the layer, and the sample goes on in the other child. So all layers are asked about the same samples. The error of the
    tree is the share of samples that are wrong in one layer or more; if the layers err independently, Equation 3 gives it.

    Parameters
    ----------
    clf : SVC
        With a tree.
    split : Split
        With the classes 0, 1, ...

    Returns
    -------
    dict
        ``errors`` of the layers from the root down, and ``wrong``, the number of samples wrong in one layer or more.
    """
    plan = clf.plan_
    if not isinstance(plan, GraphPlan):
        raise TypeError(f"only a tree has layers, not {type(plan).__name__}")
    wrong = layers(plan, clf.pair_decisions(split.X_test) >= 0, split.y_test)
    return {"errors": (100.0 * wrong.mean(axis=1)).tolist(), "wrong": int(wrong.any(axis=0).sum())}


def layers(plan: GraphPlan, positive: NDArray[np.bool_], y: Index) -> NDArray[np.bool_]:
    """Whether each sample is sent away from its class in each layer.

    Parameters
    ----------
    plan : GraphPlan
    positive : ndarray of shape (n_samples, n_machines), bool
        The answers of all machines.
    y : ndarray of shape (n_samples,)

    Returns
    -------
    ndarray of shape (n_layers, n_samples), bool
    """
    rows, edge = np.arange(len(y)), np.full(len(y), plan.root, dtype=np.int64)
    out = []
    while (inside := is_node(edge)).any():
        here, node = rows[inside], edge[inside]
        told = positive[here, plan.machine[node]]
        sides = [plan.on_negative[node], plan.on_positive[node]]
        possible = [_has_class(plan, side, y[here]) for side in sides]
        right = np.where(told, possible[1], possible[0])
        goes_positive = np.where(right, told, ~told)
        edge[here] = np.where(goes_positive, sides[1], sides[0])
        layer = np.zeros(len(y), dtype=bool)
        layer[here] = ~right
        out.append(layer)
    return np.array(out, dtype=bool).reshape(len(out), len(y))


def _has_class(plan: GraphPlan, edge: Index, y: Index) -> NDArray[np.bool_]:
    """Whether the class of each sample is among those of the node or leaf that an edge leads to."""
    node = is_node(edge)
    out = np.empty(len(y), dtype=bool)
    out[node] = plan.node_classes[edge[node], y[node]]
    out[~node] = leaf_class(edge[~node]) == y[~node]
    return out
