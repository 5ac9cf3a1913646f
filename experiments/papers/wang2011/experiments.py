"""Tables 2 to 5 and Figure 1: the protocol."""

from __future__ import annotations

from typing import Any

import numpy as np

from dagmar import SVC, SVCCV, CenteredTree, FisherTree, Structure
from dagmar.base.typing import Index

from ...data import Split
from ..measure import costs, fitted, percent_wrong, sizes, timed_labels
from ..study import Found, Lab
from .layers import layer_errors
from .loops import looped
from .published import K
from .readings import Neighbours, Reading
from .regions import regions
from .samples import samples, some

# What each method of the paper is here: a structure, soft labels or not, and whose C and gamma it takes.
METHODS: dict[str, tuple[str, bool, str]] = {
    "OAO": ("max_wins", False, "OAO"),
    "OAA": ("one_vs_rest", False, "OAA"),
    "c-BTS": ("centered_tree", False, "OAO"),
    "PPSVM OAO": ("max_wins", True, "PPSVM OAO"),
    "PPSVM OAA": ("one_vs_rest", True, "PPSVM OAA"),
    "BTPPSVM": ("fisher_tree", True, "PPSVM OAO"),
    "Fisher tree, plain": ("fisher_tree", False, "OAO"),  # not in the paper: tells tree and labels apart
}
LOOPS = 3  # how often a loop over machines is timed
CHOSEN = ("OAO", "OAA", "PPSVM OAO", "PPSVM OAA")
CS = (1.0, 4.0, 16.0, 64.0)
GAMMAS = {
    "letter": (0.25, 0.5, 1.0, 2.0, 4.0),
    "optdigits": (1 / 64, 1 / 32, 1 / 16, 1 / 8),
    "pendigits": (0.125, 0.25, 0.5, 1.0),
    "mnist7x7": (1 / 16, 1 / 8, 1 / 4, 1 / 2),
}


def grid(lab: Lab, data: str) -> dict[str, Any]:
    """The values of C and gamma that are tried."""
    Cs, gammas = CS, GAMMAS[data]
    return {"Cs": Cs[1:3], "gammas": gammas[1:2]} if lab.quick else {"Cs": Cs, "gammas": gammas}


def choose(lab: Lab, data: str, method: str, rows: int) -> Found:
    """C and gamma of a method, by five-fold cross-validation.

    Parameters
    ----------
    lab : Lab
    data : str
    method : str
    rows : int
        Training rows used, drawn by the seed if there are more.
    """
    split = samples(lab, data)
    structure, soft, _ = METHODS[method]
    part = some(lab, len(split.y), rows, data, "choice")
    # The same labels as soft_labels=K gives; neighbours are found once for all cells.
    labels = Reading(K, Neighbours()) if soft else None
    return chosen(lab, split, data, part, structure, labels)


def chosen(lab: Lab, split: Split, data: str, part: Index, structure: str, labels: Reading | None) -> Found:
    """The best cell of the grid on some rows."""
    search = SVCCV(
        **grid(lab, data), cv=5, structure=structure, soft_labels=labels, refit=False, n_jobs=lab.n_jobs
    ).fit(split.X[part], split.y[part])
    return {
        "C": float(search.best_params_["C"]),
        "gamma": float(search.best_params_["gamma"]),
        "cv_error": 100.0 - 100.0 * float(search.best_score_),
        "rows": len(part),
        "cells": len(search.cv_results_["params"]),
        "unconverged": len(search.unconverged_),
    }


def tabled(lab: Lab, data: str, method: str) -> Found:
    """Train a method on all rows and measure all that Tables 2 to 5 print; and layers of trees, and regions of the others."""
    split = samples(lab, data)
    structure, soft, whose = METHODS[method]
    choice = lab.found[f"choice/{data}/{whose}"]
    clf = SVC(
        C=choice["C"],
        gamma=choice["gamma"],
        structure=structure,
        soft_labels=K if soft else None,
        n_jobs=lab.n_jobs,
    )
    clf, times = fitted(clf, split.X, split.y)
    repeats = 15 if data == "letter" else 5  # Table 5 is of Letter
    more = {"layers": layer_errors(clf, split)} if "tree" in structure else {"regions": regions(clf, split)}
    return {
        **measured(clf, split, repeats),
        **times,
        **looped(clf, split.X_test, LOOPS),
        **more,
        "C": choice["C"],
        "gamma": choice["gamma"],
    }


def measured(clf: SVC, split: Split, repeats: int = 1) -> Found:
    """Error, vectors and machines of a fitted classifier."""
    labels, seconds = timed_labels(clf, split.X_test, repeats)
    n = len(split.y)
    cost = costs(clf, split.X_test)
    below = np.unique(clf.bank_.index[np.abs(clf.bank_.coef) < np.max(clf.C) * (1 - 1e-9)])
    return {
        "error": percent_wrong(labels, split.y_test),
        "wrong": np.flatnonzero(labels != split.y_test).tolist(),
        "vectors_percent": 100.0 * len(clf.support_) / n,
        "asked_vectors_percent": 100.0 * cost["kernel_evaluations"] / n,
        "below_C_percent": 100.0 * len(below) / n,
        "test_seconds": seconds,
        "train_rows": n,
        "test_rows": len(split.y_test),
        "features": split.X.shape[1],
        "classes": len(clf.classes_),
        "unconverged": int((~clf.report_.converged).sum()),
        **sizes(clf),
        **cost,
    }


BRIEFLY = ("error", "vectors_percent", "asked_vectors_percent", "below_C_percent", "machines", "machines_consulted")


def briefly(clf: SVC, split: Split, *more: str) -> Found:
    """As `measured`, less what is not compared."""
    found = measured(clf, split)
    return {name: found[name] for name in (*BRIEFLY, "unconverged", *more)}


def both(lab: Lab, split: Split, C: float, gamma: float, labels: Reading | None) -> Found:
    """One-against-one, and the Fisher tree over the same machines."""
    pairs = SVC(C=C, gamma=gamma, structure="max_wins", soft_labels=labels, n_jobs=lab.n_jobs).fit(split.X, split.y)
    tree = pairs.restructure("fisher_tree", split.X, split.y)
    return {"C": C, "gamma": gamma, "OAO": briefly(pairs, split, "wrong"), "tree": briefly(tree, split, "wrong")}


def neighbourhoods(lab: Lab, data: str, ks: list[int]) -> Found:
    """Figure 1: k varied, C and gamma those of the canonical machines."""
    split = samples(lab, data)
    choice = lab.found[f"choice/{data}/OAO"]
    neighbours = Neighbours()
    return {str(k): both(lab, split, choice["C"], choice["gamma"], Reading(k, neighbours)) for k in ks}


def neighbourhood_chosen(lab: Lab, data: str, k: int, rows: int) -> Found:
    """Figure 1 again, with C and gamma chosen for this k."""
    split = samples(lab, data)
    part = some(lab, len(split.y), rows, data, "choice")
    labels = Reading(k, Neighbours())
    choice = chosen(lab, split, data, part, "max_wins", labels)
    return {**choice, **both(lab, split, choice["C"], choice["gamma"], labels)}


def trees(lab: Lab, data: str, tree: str) -> Found:
    """Other readings of a tree: shares that may fall on the other side, and machines of groups."""
    split = samples(lab, data)
    kind = {"fisher_tree": FisherTree, "centered_tree": CenteredTree}[tree]
    choice = lab.found[f"choice/{data}/OAO"]
    pairs = SVC(C=choice["C"], gamma=choice["gamma"], structure="max_wins", n_jobs=lab.n_jobs).fit(split.X, split.y)
    forms: dict[str, Structure] = {f"{t:g}": kind(threshold=t) for t in (0.0, 0.01, 0.05, 0.2)}
    forms["groups"] = kind(machines="groups")
    return {name: briefly(pairs.restructure(form, split.X, split.y), split) for name, form in forms.items()}
