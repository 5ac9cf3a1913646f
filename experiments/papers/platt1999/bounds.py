"""Theorems 1 and 2: the margins of DAGSVM's nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dagmar import GeneralizationBound

from ..study import Found, Lab
from .experiments import trained
from .sets import prepared

ARRAYS = ("labels", "pairs", "margins", "margins_placed", "misplaced", "norms", "slacks", "class_sizes", "order")
NUMBERS = ("radius", "radius_from", "radius_at_least", "delta", "base")


def bounds(lab: Lab, data: str, sigma: float, C: float, delta: float, test_rows: int | None = None) -> Found:
    """The margins of DAGSVM's nodes on the training data, all that the bounds are made of, and test errors by class.

    Parameters
    ----------
    lab : Lab
    data : str
    sigma, C : float
    delta : float
        The probability that a bound does not hold.
    test_rows : int, optional
        Count errors on this many test rows drawn at random; on all by default.
    """
    split = prepared(lab, data, test_rows)
    clf, _ = trained("ddag", sigma, C, split.X, split.y)
    bound = clf.set_params(n_jobs=lab.n_jobs).generalization_bound(split.X, split.y, delta)
    arrays = {name: getattr(bound, name).tolist() for name in ARRAYS}
    # JSON has no NaN: a node with no sample on its own side has no margin over such.
    arrays["margins_placed"] = [None if np.isnan(margin) else margin for margin in arrays["margins_placed"]]
    wrong = split.y_test[clf.predict(split.X_test) != split.y_test]
    tested = {
        "class_rows": np.bincount(split.y_test, minlength=len(clf.classes_)).tolist(),
        "class_wrong": np.bincount(wrong, minlength=len(clf.classes_)).tolist(),
        "converged": bool(clf.report_.converged.all()),
    }
    return {**arrays, **{name: getattr(bound, name) for name in NUMBERS}, **tested}


def restored(found: Found) -> GeneralizationBound:
    """The bound that a step found."""
    kinds = {"pairs": np.int64, "misplaced": np.int64, "class_sizes": np.int64, "order": np.int64}
    arrays: dict[str, Any] = {name: np.array(found[name], dtype=kinds.get(name, np.float64)) for name in ARRAYS}
    arrays["labels"] = np.array(found["labels"])
    return GeneralizationBound(**arrays, **{name: found[name] for name in NUMBERS})
