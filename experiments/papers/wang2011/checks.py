"""What the differences come from: other readings, wrong labels, fewer samples, other choices of C and gamma."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from dagmar import SVC, SVCCV
from dagmar.base.typing import Array, Index

from ...data import Split
from ..measure import percent_wrong
from ..study import Found, Lab
from .experiments import METHODS, both, briefly, chosen, measured
from .published import K
from .readings import Neighbours, Reading
from .samples import samples, some

AS_PRINTED, PUT_BACK = "as in Table 2", "a flipped label keeps side and size"
EDITED = "flipped left out, the others hard"
# Readings of the soft label, by what each has that the first has not.
READINGS: dict[str, dict[str, Any]] = {
    AS_PRINTED: {},
    "the sample itself does not count": {"itself": False},
    "neighbours in all classes": {"everywhere": True},
    PUT_BACK: {"flipped": "unflipped"},
    "a flipped sample is left out": {"flipped": "dropped"},
    EDITED: {"flipped": "dropped", "hard": True},
    "windows, exp(-16 gamma d²)": {"window": 16.0},
}


def reading(lab: Lab, data: str, name: str, rows: int) -> Found:
    """One reading of the soft label, with the canonical C and gamma and with its own."""
    split = samples(lab, data)
    canonical = lab.found[f"choice/{data}/OAO"]
    options = dict(READINGS[name])
    if "window" in options:
        options["window"] *= canonical["gamma"]
    labels = Reading(K, Neighbours(), **options)
    part = some(lab, len(split.y), rows, data, "choice")
    own = chosen(lab, split, data, part, "max_wins", labels)
    return {
        "fixed": both(lab, split, canonical["C"], canonical["gamma"], labels),
        "chosen": {**own, **both(lab, split, own["C"], own["gamma"], labels)},
    }


def hard_instead(lab: Lab, data: str, method: str) -> Found:
    """Hard labels with the C and gamma that were chosen for soft ones: what the labels do, and what the choice does."""
    split = samples(lab, data)
    structure, _, whose = METHODS[method]
    choice = lab.found[f"choice/{data}/{whose}"]
    clf = SVC(C=choice["C"], gamma=choice["gamma"], structure=structure, n_jobs=lab.n_jobs).fit(split.X, split.y)
    return briefly(clf, split)


def flipped_share(lab: Lab, data: str, ks: list[int]) -> Found:
    """How many soft labels have the other sign than their sample's class, in percent of all labels of all pairs."""
    split = samples(lab, data)
    neighbours = Neighbours()
    out = {}
    for k in ks:
        counted = _Counted(Reading(k, neighbours))
        SVC(structure="max_wins", soft_labels=counted, max_iter=-1, n_jobs=lab.n_jobs).fit(split.X, split.y)
        out[str(k)] = 100.0 * counted.flipped / counted.total
    return {"percent": out}


class _Counted:
    """A reading that counts what it flips."""

    def __init__(self, labels: Reading) -> None:
        self.labels, self.flipped, self.total = labels, 0, 0

    def __call__(self, X: Array, rows: Index, sign: Array) -> Array:
        y = self.labels(X, rows, sign)
        self.flipped += int((y * sign < 0).sum())
        self.total += len(y)
        return y


def fewer_rows(lab: Lab, data: str, sizes: list[int], ks: list[int]) -> Found:
    """Parts of the training set, with hard labels (k = 1) and soft ones."""
    split = samples(lab, data)
    choice = lab.found[f"choice/{data}/OAO"]
    out = {}
    for size in sizes:
        rows = some(lab, len(split.y), size, data, "fewer", size)
        part = Split(split.X[rows], split.y[rows], split.X_test, split.y_test)
        neighbours = Neighbours()
        out[str(len(rows))] = {str(k): _pairs(lab, part, choice, Reading(k, neighbours)) for k in ks}
    return out


def _pairs(lab: Lab, split: Split, choice: Found, labels: Reading) -> Found:
    clf = SVC(C=choice["C"], gamma=choice["gamma"], structure="max_wins", soft_labels=labels, n_jobs=lab.n_jobs)
    return briefly(clf.fit(split.X, split.y), split)


def standardised(lab: Lab, data: str, ks: list[int]) -> Found:
    """Features with mean 0 and variance 1, in which neighbours are others."""
    split = samples(lab, data)
    scaler = StandardScaler().fit(split.X)
    other = Split(scaler.transform(split.X), split.y, scaler.transform(split.X_test), split.y_test)
    choice = lab.found[f"choice/{data}/OAO"]
    # Distances grow by the features' variance, so gamma shrinks by it.
    same = {"C": choice["C"], "gamma": choice["gamma"] * float(split.X.var(axis=0).mean())}
    neighbours = Neighbours()
    return {str(k): _pairs(lab, other, same, Reading(k, neighbours)) for k in ks}


# ------------------------------------------------------------------- wrong labels


def with_wrong(y: Index, share: float, rng: np.random.Generator) -> Index:
    """Labels of which this share has become another class, each equally likely."""
    n_classes = int(y.max()) + 1
    wrong = rng.random(len(y)) < share
    out = y.copy()
    out[wrong] = (y[wrong] + rng.integers(1, n_classes, int(wrong.sum()))) % n_classes
    return out


def noise(lab: Lab, data: str, share: float, Cs: list[float], ks: list[int], rows: int) -> Found:
    """Hard and soft labels where a share of the training labels is wrong; the test labels are right.

    Parameters
    ----------
    lab : Lab
    data : str
    share : float
    Cs : list of float
        Each tried as it is; and the best of them by cross-validation on the wrong labels.
    ks : list of int
        Neighbours; 1 is the canonical machine.
    rows : int
        Training rows, drawn by the seed if there are more.
    """
    split = samples(lab, data)
    part = some(lab, len(split.y), rows, data, "noise")
    X, y = split.X[part], with_wrong(split.y[part], share, lab.rng("wang2011", data, "wrong", share))
    gamma = lab.found[f"choice/{data}/OAO"]["gamma"]
    neighbours = Neighbours()
    found: Found = {"gamma": gamma, "rows": len(y), "k": {}}
    for k in ks:
        labels = None if k == 1 else Reading(k, neighbours)
        wrong: dict[str, list[int]] = {}
        errors, vectors = {}, {}
        for C in Cs:
            clf = SVC(C=C, gamma=gamma, structure="max_wins", soft_labels=labels, n_jobs=lab.n_jobs).fit(X, y)
            labelled = clf.predict(split.X_test)
            errors[f"{C:g}"] = percent_wrong(labelled, split.y_test)
            wrong[f"{C:g}"] = np.flatnonzero(labelled != split.y_test).tolist()
            vectors[f"{C:g}"] = 100.0 * len(clf.support_) / len(y)
        search = SVCCV(
            Cs=Cs, gammas=[gamma], cv=5, structure="max_wins", soft_labels=labels, refit=False, n_jobs=lab.n_jobs
        ).fit(X, y)
        best = f"{search.best_params_['C']:g}"
        found["k"][str(k)] = {
            "errors": errors,
            "vectors": vectors,
            "best_C": best,
            "chosen_error": errors[best],
            "wrong": wrong,
        }
    return found


# ------------------------------------------------------------------- other choices


def landscape(lab: Lab, data: str, structure: str, gammas: list[float], Cs: list[float], rows: int) -> Found:
    """Test error and vectors of canonical machines over a wide grid: where the paper's figures lie."""
    split = samples(lab, data)
    part = some(lab, len(split.y), rows, data, "landscape")
    split = Split(split.X[part], split.y[part], split.X_test, split.y_test)
    cells = []
    for gamma in gammas:
        for C in Cs:
            clf = SVC(C=C, gamma=gamma, structure=structure, n_jobs=lab.n_jobs).fit(split.X, split.y)
            cells.append({"C": C, "gamma": gamma, **briefly(clf, split)})
    return {"cells": cells, "rows": len(part)}


def best_case(lab: Lab) -> Found:
    """Eight classes at the corners of a cube, far apart: what the Fisher tree does where nothing overlaps."""
    rng = lab.rng("wang2011", "cube")
    corners = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], dtype=float) * [4.0, 2.0, 1.0]
    y = np.repeat(np.arange(8), 40)
    X = corners[y] + 0.05 * rng.normal(size=(len(y), 3))
    clf = SVC(C=10, gamma=0.05, structure="fisher_tree", soft_labels=K, n_jobs=lab.n_jobs).fit(X, y)
    return {**measured(clf, Split(X, y, X, y)), "wrong": []}
