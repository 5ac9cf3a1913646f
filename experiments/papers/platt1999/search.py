"""The choice of kernel and C, which the paper made on a hold-out and printed only the outcome of."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from dagmar import SVC, SVCCV
from dagmar.base.typing import Array

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
        ``best`` (with its validation and test errors), the validation errors of all ``cells``, and how many of them were
        stopped before they had converged.
    """
    split = prepared(lab, data, **reading)
    X, y, cv = _with_validation(lab, data, split)
    scale = 1 / float(np.mean(np.einsum("ij,ij->i", split.X, split.X)))
    cells: list[Found] = []
    models: list[dict[str, Any]] = []  # the parameters of each cell's classifier
    stopped = 0
    for kernel in kernels:
        fixed = {"structure": STRUCTURE[rule], "max_iter": MOST_STEPS, "n_jobs": lab.n_jobs, **_options(kernel)}
        gammas = [1 / (2 * sigma**2) for sigma in kernel["sigmas"]] if "sigmas" in kernel else [scale]
        search = SVCCV(Cs, gammas, cv, refit=False, random_state=lab.settings.seed, **fixed)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", ConvergenceWarning)
            search.fit(X, y)
        stopped += sum(int(n) for w in said for n in re.findall(r"Cells not converged: (\d+) of", str(w.message)))
        results = search.cv_results_
        for params, score in zip(results["params"], results["mean_test_score"], strict=True):
            cells.append({**_cell(kernel, params), "validation_error": 100 * (1 - float(score))})
            models.append({**fixed, **params})
    best = min(range(len(cells)), key=lambda i: float(cells[i]["validation_error"]))
    return {"best": {**cells[best], **_tested(models[best], split)}, "cells": cells, "stopped": stopped}


def _options(kernel: dict[str, Any]) -> dict[str, Any]:
    return {"kernel": "rbf"} if "sigmas" in kernel else {"kernel": "poly", **kernel}


def _cell(kernel: dict[str, Any], params: dict[str, Any]) -> Found:
    if "sigmas" in kernel:
        return {"sigma": float((2 * params["gamma"]) ** -0.5), "C": float(params["C"])}
    return {"degree": kernel["degree"], "coef0": kernel["coef0"], "C": float(params["C"])}


def _with_validation(lab: Lab, data: str, split: Prepared) -> tuple[Array, Any, Any]:
    """What is searched over, and how it is split: Covertype has a validation part of its own."""
    if data != "covertype":
        return split.X, split.y, HOLD_OUT
    held_out = prepared(lab, data, part="val")
    n, n_held_out = len(split.y), len(held_out.y_test)
    fold = np.arange(n), np.arange(n, n + n_held_out)
    return np.concatenate([split.X, held_out.X_test]), np.concatenate([split.y, held_out.y_test]), [fold]


def _tested(parameters: dict[str, Any], split: Prepared) -> Found:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it is in the record
        clf = SVC(**parameters).fit(split.X, split.y)
    error = percent_wrong(clf.predict(split.X_test), split.y_test)
    return {"test_error": error, "converged": bool(clf.report_.converged.all())}
