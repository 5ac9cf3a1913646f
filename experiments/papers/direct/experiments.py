"""Crammer & Singer's machine against structures of binary machines, and structures of other binary classifiers."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from dagmar import SVC, SVCCV, GridEdgeWarning, PairwiseClassifier
from dagmar.base.typing import Index

from ...crammer_singer import CrammerSinger
from ...data import Split
from ..measure import fitted, percent_wrong
from ..study import Found, Lab
from .samples import number, splits

CRAMMER_SINGER = "crammer_singer"
STRUCTURES = ("max_wins", "ddag", "one_vs_rest", "adaptive_ddag", "divide_and_conquer", "fisher_tree")
CS = (1.0, 8.0, 64.0, 512.0)
GAMMAS = (
    1 / 16,
    1 / 4,
    1.0,
    4.0,
)  # times the number of features, as squared distances of standardised rows grow with it
FOLDS = 5
# Crammer & Singer's machine is searched with LIBLINEAR's default tolerance for this problem, and trained in the end with that
# of SVC, 0.001, which takes about seven times as long. On Vowel, svmguide4 and Vehicle the finer one changed no mean accuracy
# over the folds by more than 0.007.
SEARCH_TOL = 0.1

# Structures over the machines of all pairs: over the same machines, only the way they are consulted differs.
OVER_PAIRS = ("max_wins", "ddag", "adaptive_ddag", "divide_and_conquer", "fisher_tree")
BASES: dict[str, Callable[[], ClassifierMixin]] = {
    "logistic regression": lambda: LogisticRegression(max_iter=1000),
    "decision tree": lambda: DecisionTreeClassifier(random_state=0),
    "nearest neighbours": lambda: KNeighborsClassifier(5),
    "naive Bayes": lambda: GaussianNB(),
}

Folds = Sequence[tuple[Index, Index]]
Grid = Sequence[tuple[float, float]]  # C, and gamma times the number of features


def grid(quick: bool) -> Grid:
    """The cells that are tried; of equally good ones, the first is chosen, as by SVCCV."""
    return list(product(CS[:2], GAMMAS[1:3])) if quick else list(product(CS, GAMMAS))


# ------------------------------------------------------------- one machine for all classes


def compare(lab: Lab, data: str, trials: int) -> Found:
    """Every scheme on the same splits, each with C and gamma of its own choice, by the same grid and folds.

    Parameters
    ----------
    lab : Lab
    data : str
    trials : int

    Returns
    -------
    dict
        The sizes, and for every scheme lists with an entry per trial.
    """
    parts = splits(lab, data, trials)
    cells = grid(lab.quick)
    seeds = [number(lab, data, "folds", trial) for trial in range(trials)]
    # Trials are independent, and scikit-learn's machine uses one core, so trials run side by side.
    found = Parallel(n_jobs=lab.n_jobs)(delayed(one_trial)(*task, cells) for task in zip(parts, seeds, strict=True))
    return {**sizes(parts[0]), "schemes": {scheme: lists([trial[scheme] for trial in found]) for scheme in found[0]}}


def one_trial(split: Split, seed: int, cells: Grid) -> Found:
    """What every scheme finds on one split."""
    with warnings.catch_warnings():
        # Glass has a class of six training rows; some trials of a quick run have fewer than folds.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(split.X, split.y))
    schemes = {structure: structured(split, folds, cells, structure) for structure in STRUCTURES}
    return {**schemes, CRAMMER_SINGER: direct(split, folds, cells)}


def structured(split: Split, folds: Folds, cells: Grid, structure: str) -> Found:
    """A structure of binary kernel machines."""
    Cs, gammas = (list(dict.fromkeys(values)) for values in zip(*cells, strict=True))
    n_features = split.X.shape[1]
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", GridEdgeWarning
        )  # the grid is part of the protocol; the choices are in the record
        search = SVCCV(
            Cs, [gamma / n_features for gamma in gammas], folds, structure=structure, refit=False, n_jobs=1
        ).fit(split.X, split.y)
    searched = time.perf_counter() - begun
    C, gamma = float(search.best_params_["C"]), float(search.best_params_["gamma"])
    clf, times = fitted(SVC(C=C, gamma=gamma, structure=structure, n_jobs=1), split.X, split.y)
    return {
        "accuracy": accuracy(clf, split),
        "C": C,
        "gamma": round(gamma * n_features, 9),
        "search_seconds": searched,
        "fit_seconds": times["wall_seconds"],
        "vectors": len(clf.support_),
        "unconverged": len(search.unconverged_) + int(np.sum(~clf.report_.converged)),
    }


def direct(split: Split, folds: Folds, cells: Grid) -> Found:
    """Crammer & Singer's machine."""
    n_features = split.X.shape[1]
    unconverged = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # counted below
        begun = time.perf_counter()
        scores = []
        for C, gamma in cells:
            right = []
            for train, test in folds:
                clf = CrammerSinger(C, gamma=gamma / n_features, tol=SEARCH_TOL).fit(split.X[train], split.y[train])
                right.append(clf.score(split.X[test], split.y[test]))
                unconverged += not clf.converged_
            scores.append(float(np.mean(right)))
        searched = time.perf_counter() - begun
        C, gamma = cells[int(np.argmax(scores))]
        clf, times = fitted(CrammerSinger(C, gamma=gamma / n_features), split.X, split.y)
    return {
        "accuracy": accuracy(clf, split),
        "C": C,
        "gamma": gamma,
        "search_seconds": searched,
        "fit_seconds": times["wall_seconds"],
        "vectors": len(clf.support_),
        "unconverged": unconverged + (not clf.converged_),
    }


# -------------------------------------------------------- other classifiers at the nodes


def nodes(lab: Lab, data: str, trials: int) -> Found:
    """Structures over pairs of other classifiers, all structures over the same machines.

    Parameters
    ----------
    lab : Lab
    data : str
    trials : int

    Returns
    -------
    dict
        The sizes, and for every classifier and structure the accuracy and the machines consulted, an entry per trial;
        for every classifier the machines that did not converge, over all trials.
    """
    parts = splits(lab, data, trials)
    found = Parallel(n_jobs=lab.n_jobs)(delayed(of_bases)(split) for split in parts)
    bases = {
        base: {
            "unconverged": sum(trial[base]["unconverged"] for trial in found),
            "structures": {name: lists([trial[base]["structures"][name] for trial in found]) for name in OVER_PAIRS},
        }
        for base in BASES
    }
    return {**sizes(parts[0]), "bases": bases}


def of_bases(split: Split) -> Found:
    """Every classifier in every structure, on one split."""
    found: Found = {}
    for base, make in BASES.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # counted below
            first = PairwiseClassifier(make(), OVER_PAIRS[0], n_jobs=1).fit(split.X, split.y)
        found[base] = {"unconverged": sum(at_limit(machine) for machine in first.estimators_), "structures": {}}
        for name in OVER_PAIRS:
            clf = first.restructure(name, split.X, split.y)
            found[base]["structures"][name] = {
                "accuracy": accuracy(clf, split),
                "machines_consulted": float(clf.decision_cost(split.X_test).machines.mean()),
            }
    return found


def at_limit(machine: Any) -> bool:
    """Whether a machine that is trained in iterations stopped because of their limit."""
    return bool(np.max(getattr(machine, "n_iter_", 0)) >= getattr(machine, "max_iter", np.inf))


# ------------------------------------------------------------------------------ both


def accuracy(clf: Any, split: Split) -> float:
    """In percent, on the test part."""
    return 100.0 - percent_wrong(clf.predict(split.X_test), split.y_test)


def sizes(split: Split) -> Found:
    """Of a split: rows to train on and to test with, features, classes."""
    n_train, n_features = split.X.shape
    return {
        "train_rows": n_train,
        "test_rows": len(split.y_test),
        "features": n_features,
        "classes": len(np.unique(split.y)),
    }


def lists(trials: Sequence[Found]) -> Found:
    """Dicts of numbers, one per trial, as a dict of lists."""
    return {name: [trial[name] for trial in trials] for name in trials[0]}
