"""Model files of real sets: a fresh process computes the same bits, for every structure and every kernel."""

import hashlib
import json
import subprocess
import sys
import warnings

import numpy as np
import pytest
from datasets import arrays, names
from sklearn.exceptions import ConvergenceWarning

import dagmar
from dagmar.structures import STRUCTURES

KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")

FRESH = """
import hashlib, json, sys
from pathlib import Path
import numpy as np
import dagmar
folder, found = Path(sys.argv[1]), {}
for path in sorted(folder.glob("*.dagmar")):
    model = dagmar.load(path)
    X = np.load(folder / ("matrix.npy" if model.kernel == "precomputed" else "X.npy"))
    found[path.stem] = [hashlib.sha256(a.tobytes()).hexdigest() for a in (model.pair_decisions(X), model.predict(X))]
print(json.dumps(found))
"""


def first_rows(name, n_rows=2000):
    """The first rows of a set, scaled to [-1, 1], and their classes."""
    stored = arrays(name)
    X, y = (stored[f"{part}_train"] if f"{part}_train" in stored else stored[part] for part in "Xy")
    X = X[:n_rows].astype(float)
    low, high = X.min(axis=0), X.max(axis=0)
    return 2.0 * (X - low) / np.where(high > low, high - low, 1.0) - 1.0, y[:n_rows]


@pytest.mark.slow
@pytest.mark.parametrize("name", names() or ["iris"])
def test_a_fresh_process_computes_the_same_bits(name, tmp_path):
    """Values of all machines, and labels. Machines are trained once per kernel, and consulted by every structure."""
    X, y = first_rows(name)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "matrix.npy", X @ X.T / X.shape[1])
    expected = {}
    for kernel in KERNELS:
        samples = np.load(tmp_path / ("matrix.npy" if kernel == "precomputed" else "X.npy"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a sigmoid is no kernel of a convex problem
            pairs = dagmar.SVC(C=10, kernel=kernel, structure="max_wins", max_iter=20_000).fit(samples, y)
            for structure in STRUCTURES:
                clf = pairs.restructure(structure, samples, y)
                dagmar.save(clf, tmp_path / f"{kernel}-{structure}.dagmar")
                answers = (clf.pair_decisions(samples), clf.predict(samples))
                expected[f"{kernel}-{structure}"] = [hashlib.sha256(a.tobytes()).hexdigest() for a in answers]
    done = subprocess.run([sys.executable, "-c", FRESH, tmp_path], capture_output=True, text=True, check=True)
    assert len(expected) == len(KERNELS) * len(STRUCTURES)
    assert json.loads(done.stdout) == expected
