"""The choice of kernel and C, which the paper made on a hold-out and printed only the outcome of."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedShuffleSplit

from dagmar import SVC, SVCCV
from dagmar.base.typing import Array, Index

from ..measure import percent_wrong
from ..study import Found, Lab
from .experiments import STRUCTURE
from .published import HOLD_OUT
from .sets import Prepared, prepared

MOST_STEPS = 100_000  # of the solver, for a machine: of the Gaussian ones in Table 1, none needs as many


def choose(lab: Lab, data: str, rule: str, kernels: list[dict[str, Any]], Cs: list[float], **reading: Any) -> Found:
    """The best of some kernels and values of C for one rule, by the hold-out; then trained on all rows and tested.

    Parameters
    ----------
    lab : Lab
    data : str
    rule : str
        As Table 1 calls it.
    kernels : list of dict
        Each with `sigmas` for Gaussians, or with `degree` and `coef0` for a polynomial of <x, z> over the mean of <x, x>.
    Cs : list of float
    **reading : Any
        Of the data, see `sets.prepared`.

    Returns
    -------
    dict
        ``best`` (with its validation and test errors, and which of its answers on the hold-out are right), the validation
        errors of all ``cells``, and how many of them were stopped before they had converged.
    """
    split = prepared(lab, data, **reading)
    X, y, fold = _with_validation(lab, data, split)
    scale = 1 / float(np.mean(np.einsum("ij,ij->i", split.X, split.X)))
    cells: list[Found] = []
    models: list[dict[str, Any]] = []  # the parameters of each cell's classifier
    stopped = 0
    for kernel in kernels:
        fixed = {"structure": STRUCTURE[rule], "max_iter": MOST_STEPS, "n_jobs": lab.n_jobs, **_options(kernel)}
        gammas = [1 / (2 * sigma**2) for sigma in kernel["sigmas"]] if "sigmas" in kernel else [scale]
        search = SVCCV(Cs, gammas, [fold], refit=False, **fixed)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", ConvergenceWarning)
            search.fit(X, y)
        stopped += sum(int(n) for w in said for n in re.findall(r"Cells not converged: (\d+) of", str(w.message)))
        results = search.cv_results_
        for params, score in zip(results["params"], results["mean_test_score"], strict=True):
            cells.append({**_cell(kernel, params), "validation_error": 100 * (1 - float(score))})
            models.append({**fixed, **params})
    best = min(range(len(cells)), key=lambda i: float(cells[i]["validation_error"]))
    answers = _answers(models[best], X, y, fold)
    return {"best": {**cells[best], **answers, **_tested(models[best], split)}, "cells": cells, "stopped": stopped}


def _options(kernel: dict[str, Any]) -> dict[str, Any]:
    return {"kernel": "rbf"} if "sigmas" in kernel else {"kernel": "poly", **kernel}


def _cell(kernel: dict[str, Any], params: dict[str, Any]) -> Found:
    if "sigmas" in kernel:
        return {"sigma": float((2 * params["gamma"]) ** -0.5), "C": float(params["C"])}
    return {"degree": kernel["degree"], "coef0": kernel["coef0"], "C": float(params["C"])}


def _with_validation(lab: Lab, data: str, split: Prepared) -> tuple[Array, Index, tuple[Index, Index]]:
    """What is searched over, and its rows to train on and to hold out: Covertype has a validation part of its own.

    The hold-out depends on the seed only, so that all kernels and rules answer for the same rows.
    """
    if data != "covertype":
        held_out = StratifiedShuffleSplit(1, test_size=HOLD_OUT, random_state=lab.settings.seed)
        return split.X, split.y, next(held_out.split(split.X, split.y))
    other = prepared(lab, data, part="val")
    n, n_other = len(split.y), len(other.y_test)
    fold = np.arange(n), np.arange(n, n + n_other)
    return np.concatenate([split.X, other.X_test]), np.concatenate([split.y, other.y_test]), fold


def _answers(parameters: dict[str, Any], X: Array, y: Index, fold: tuple[Index, Index]) -> Found:
    """Which rows of the hold-out are answered rightly, for tests between kernels."""
    train, held_out = fold
    clf = _fit(parameters, X[train], y[train])
    right = clf.predict(X[held_out]) == y[held_out]
    return {
        "held_out": len(held_out),
        "right": packed(right),
        "converged_on_hold_out": bool(clf.report_.converged.all()),
    }


def packed(right: NDArray[np.bool_]) -> str:
    """Booleans as hexadecimal digits, four in each, as they go into the record."""
    return np.packbits(right).tobytes().hex()


def unpacked(digits: str, n: int) -> NDArray[np.bool_]:
    """The `n` booleans of `packed`."""
    return np.unpackbits(np.frombuffer(bytes.fromhex(digits), dtype=np.uint8))[:n].astype(bool)


def _fit(parameters: dict[str, Any], X: Array, y: Index) -> SVC:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it is in the record
        return SVC(**parameters).fit(X, y)


def _tested(parameters: dict[str, Any], split: Prepared) -> Found:
    clf = _fit(parameters, split.X, split.y)
    error = percent_wrong(clf.predict(split.X_test), split.y_test)
    return {"test_error": error, "converged": bool(clf.report_.converged.all())}
