"""Steps that ask why: what the solver's tolerance changes, what dimension does, other classifiers, rows per class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import joblib
import numpy as np
from scipy.spatial.distance import cdist
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from dagmar import PairwiseClassifier
from dagmar.base.typing import Array, Index

from ..study import Found, Lab
from .machines import divide, fit_pairs, follow, separation, sizes_of, table_of, unconverged, vote
from .sources import Source, rows_of, split

CLASSIFIERS: dict[str, Any] = {
    "logistic regression": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
    "decision tree": lambda: DecisionTreeClassifier(random_state=0),
    "naive Bayes": lambda: make_pipeline(StandardScaler(), GaussianNB(var_smoothing=1e-6)),
}
MOST_DISTANCES = 500  # rows of which all distances are computed


def tolerance(lab: Lab, name: str, source: Found, share: int, tols: Sequence[float]) -> Found:
    """How many support vectors a decision needs if the solver stops earlier or later.

    Parameters
    ----------
    lab, name, source, share
        As of `experiments.trials`; the split is that of its first trial.
    tols : sequence of float

    Returns
    -------
    dict
        Lists over tolerances: vectors per decision of "OvsO", of "DDAG" and of DCSVM by theta, and "unconverged" machines.
    """
    X, y = rows_of(lab, Source(**source))
    train, test = split(y, share / 100, lab.rng("split", name, share, 1))
    found: dict[str, list[float]] = {}
    for tol in tols:
        clf = fit_pairs(X[train], y[train], "e1071", lab.n_jobs, tol=tol)
        sizes, values, table = sizes_of(clf), clf.pair_decisions(X[test]), table_of(clf, X[train], y[train])
        path = clf.decision_path(X[test])
        row: dict[str, float] = {
            "OvsO": float(sizes.sum()),
            "DDAG": float(sizes[path.machines].sum() / len(test)),
            **{
                f"accuracy {percent}": float(follow(divide(table, percent, "accuracy"), values, sizes).vectors.mean())
                for percent in ("0.01", "2")
            },
            "unconverged": unconverged(clf),
        }
        for key, value in row.items():
            found.setdefault(key, []).append(value)
    return {"tols": list(tols), **found}


def dimension(
    lab: Lab, name: str, source: Found, share: int, n_trials: int, kept: Sequence[float], added: Sequence[int]
) -> Found:
    """What a machine separates if there are fewer features, or more that say nothing.

    Parameters
    ----------
    lab, name, source, share, n_trials
        As of `experiments.curve`.
    kept : sequence of float
        Parts of the features, which are drawn anew in every trial.
    added : sequence of int
        For each feature as many copies are added, whose values are shuffled over all rows.

    Returns
    -------
    dict
        "features", "trained" and "tested" rows, and for every part ("kept 0.25", "kept 1", "added 3") lists over trials:
        "separation" at theta 0 in percent, "steps" at theta 0, "accuracy", "sparsity" (how far the nearest training row is,
        as a part of the mean distance), and "unconverged" machines.
    """
    X, y = rows_of(lab, Source(**source))
    found: dict[str, Any] = {"features": X.shape[1]}
    for trial in range(1, n_trials + 1):
        rng = lab.rng("dimension", name, trial)
        train, test = split(y, share / 100, rng)
        found |= {"trained": len(train), "tested": len(test)}
        order = rng.permutation(X.shape[1])
        parts = {f"kept {part:g}": X[:, order[: max(2, round(part * len(order)))]] for part in kept}
        shuffled = [rng.permuted(X, axis=0) for _ in range(max(added))]
        parts |= {f"added {n}": np.hstack([X, *shuffled[:n]]) for n in added}
        for key, of in parts.items():
            for figure, value in _separated(of, y, train, test, lab.n_jobs).items():
                found.setdefault(key, {}).setdefault(figure, []).append(value)
    return found


def _separated(X: Array, y: Index, train: Index, test: Index, n_jobs: int) -> Found:
    # Each feature is scaled: features that are constant within a pair must not switch the scaling of the others off.
    clf = fit_pairs(X[train], y[train], "each", n_jobs)
    table = table_of(clf, X[train], y[train])
    told = follow(divide(table, "0", "accuracy"), clf.pair_decisions(X[test]), sizes_of(clf))
    return {
        "separation": separation(table, 0.0),
        "steps": float(told.steps.mean()),
        "accuracy": float(100 * np.mean(told.classes == y[test])),
        "sparsity": sparsity(StandardScaler().fit_transform(X[train])[:MOST_DISTANCES]),
        "unconverged": unconverged(clf),
    }


def sparsity(X: Array) -> float:
    """How far the nearest row is, as a part of the mean distance of two rows: near 0 if rows crowd, near 1 if they are lonely.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.papers.don2018.checks import sparsity
    >>> sparsity(np.eye(5))
    1.0
    """
    distances = cdist(X, X)
    np.fill_diagonal(distances, np.inf)
    nearest = distances.min(axis=1).mean()
    np.fill_diagonal(distances, 0.0)
    return float(nearest / (distances.sum() / (len(X) * (len(X) - 1))))


def classifiers(lab: Lab, name: str, source: Found, share: int, n_trials: int, theta: str) -> Found:
    """DCSVM over other binary classifiers.

    Parameters
    ----------
    lab, name, source, share, n_trials
        As of `experiments.curve`.
    theta : str
        In percent.

    Returns
    -------
    dict
        "classes", "trained" and "tested" rows, and for every classifier lists over trials: accuracies of "OvsO" and
        "DCSVM", and the "steps" of DCSVM.
    """
    X, y = rows_of(lab, Source(**source))
    found: dict[str, Any] = {"classes": int(y.max()) + 1}
    for trial in range(1, n_trials + 1):
        train, test = split(y, share / 100, lab.rng("split", name, share, trial))
        found |= {"trained": len(train), "tested": len(test)}
        for key, make in CLASSIFIERS.items():
            with joblib.parallel_config(backend="threading"):
                clf = PairwiseClassifier(make(), structure="ddag", n_jobs=1).fit(X[train], y[train])
            values, table = clf.pair_decisions(X[test]), table_of(clf, X[train], y[train])
            no_sizes = np.zeros(values.shape[1], dtype=np.int64)
            told = follow(divide(table, theta, "accuracy"), values, no_sizes)
            row = {
                "OvsO": float(100 * np.mean(vote(values, no_sizes, found["classes"]).classes == y[test])),
                "DCSVM": float(100 * np.mean(told.classes == y[test])),
                "steps": float(told.steps.mean()),
            }
            for figure, value in row.items():
                found.setdefault(key, {}).setdefault(figure, []).append(value)
    return found


def class_rows(lab: Lab, source: Found, shares: Sequence[int], n_splits: int) -> Found:
    """How many rows of a class are trained on, if all rows are split at random and not class by class.

    Parameters
    ----------
    lab : Lab
    source : dict
        The fields of the `Source` of the rows.
    shares : sequence of int
        In percent.
    n_splits : int

    Returns
    -------
    dict
        "rows" of each class, and by share "least" and "most" trained rows of each.
    """
    _, y = rows_of(lab, Source(**source))
    n_classes = int(y.max()) + 1
    found: Found = {"rows": np.bincount(y).tolist()}
    for share in shares:
        trained = [split(y, share / 100, lab.rng("class rows", share, n), by_class=False)[0] for n in range(n_splits)]
        counts = np.array([np.bincount(y[rows], minlength=n_classes) for rows in trained])
        found[str(share)] = {"least": counts.min(axis=0).tolist(), "most": counts.max(axis=0).tolist()}
    return found
