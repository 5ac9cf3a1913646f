"""Labels of `dagmar.SVC` and `sklearn.svm.SVC` with only the import swapped, row by row.

As a program it compares on every data set in the folders that DAGMAR_DATA names and on noisy made data, or on those named::

    PYTHONPATH=tests python -m agreement.labels [letter "noisy 0" ...] [--settings default linear ...]
"""

import argparse
import sys
from dataclasses import dataclass

import numpy as np
import sklearn.svm
from datasets import arrays, names
from sklearn.datasets import make_classification
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar

SETTINGS = {
    "default": {},
    "C=100": {"C": 100.0},
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "coef0": 1.0},
    "balanced": {"class_weight": "balanced"},
    "break_ties": {"break_ties": True, "gamma": 0.01},
}


@dataclass(frozen=True)
class Comparison:
    """How the labels of two fits compare.

    Attributes
    ----------
    rows : int
        Test rows.
    differ : int
        Rows whose labels differ.
    near_zero : int
        Rows on which some pair is within tol of zero, by its value in scikit-learn; whether labels differ or not.
    unexplained : int
        Rows whose labels differ although some pair that changed its sign is farther than tol from zero in both libraries, or
        none changed.
    farthest : float
        The largest value, in either library, of a pair that changed its sign where labels differ.
    """

    rows: int
    differ: int
    near_zero: int
    unexplained: int
    farthest: float


def compare(X, y, T, ours=None, **parameters):
    """Fit both on X and y, scaled, and compare their labels on T; `ours` has further parameters of ours."""
    svcs = dagmar.SVC(**parameters, **(ours or {})), sklearn.svm.SVC(**parameters)
    mine, theirs = (make_pipeline(StandardScaler(), svc).fit(X, y) for svc in svcs)
    differ = mine.predict(T) != theirs.predict(T)
    a = mine[-1].pair_decisions(mine[0].transform(T))
    b = theirs.set_params(svc__decision_function_shape="ovo", svc__break_ties=False).decision_function(T)
    b = b[:, None] if b.ndim == 1 else -b  # only with two classes is a positive value for the later one
    tol = theirs[-1].tol
    changed = ((a >= 0) != (b >= 0)) & differ[:, None]
    size = np.where(changed, np.maximum(np.abs(a), np.abs(b)), 0.0).max(axis=1)
    near = np.abs(b).min(axis=1) <= tol
    explained = changed.any(axis=1) & (np.where(changed, np.minimum(np.abs(a), np.abs(b)), 0.0).max(axis=1) <= tol)
    return Comparison(
        rows=len(T),
        differ=int(differ.sum()),
        near_zero=int(near.sum()),
        unexplained=int((differ & ~explained).sum()),
        farthest=float(size.max(initial=0.0)),
    )


def real_set(name, n_train=3000, n_test=None):
    """Training rows, their labels and test rows of a data set, the same ones every time."""
    stored = arrays(name)
    rng = np.random.default_rng(0)
    if "X_train" in stored:
        X, y, T = stored["X_train"], stored["y_train"], stored["X_test"]
        train, test = rng.permutation(len(y))[:n_train], rng.permutation(len(T))[:n_test]
        return X[train].astype(float), y[train], T[test].astype(float)
    X, y = stored["X"].astype(float), stored["y"]
    order = rng.permutation(len(y))
    n = min(n_train, 2 * len(y) // 3)
    return X[order[:n]], y[order[:n]], X[order[n:]][:n_test]


def noisy_set(seed, n_train=3000, n_test=3000, n_classes=10):
    """Made data with overlapping classes, of whose labels three in ten are wrong."""
    X, y = make_classification(
        n_train + n_test, 20, n_informative=8, n_classes=n_classes, flip_y=0.3, class_sep=0.7, random_state=seed
    )
    return X[:n_train], y[:n_train], X[n_train:]


def main():
    """Print a line per set and setting, and the totals."""
    cases = {name: lambda name=name: real_set(name) for name in names()}
    cases |= {f"noisy {seed}": lambda seed=seed: noisy_set(seed) for seed in range(3)}
    parser = argparse.ArgumentParser(description="labels of dagmar.SVC against those of sklearn.svm.SVC")
    parser.add_argument("sets", nargs="*", help="names of data sets; all by default")
    parser.add_argument("--settings", nargs="+", choices=SETTINGS, default=list(SETTINGS))
    arguments = parser.parse_args()
    total = np.zeros(4, dtype=int)
    print("set, setting: rows, labels that differ, rows with a pair within tol of zero, unexplained, farthest")
    for name in arguments.sets or cases:
        X, y, T = cases[name]()
        for setting in arguments.settings:
            found = compare(X, y, T, **SETTINGS[setting])
            counts = (found.rows, found.differ, found.near_zero, found.unexplained)
            total += counts
            print(f"{name}, {setting}: {', '.join(map(str, counts))}, {found.farthest:.2g}", flush=True)
    print(f"in all: {', '.join(map(str, total.tolist()))}")
    return int(total[3] > 0)


if __name__ == "__main__":
    sys.exit(main())
