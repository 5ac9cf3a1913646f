"""Real data sets, from the folders that DAGMAR_DATA names."""

import numpy as np
import pytest

from experiments.data import data_folders, find_set, listed


def names():
    """The names of all data sets in the folders."""
    return sorted({path.stem for folder in data_folders() for path in folder.glob("*.npz")})


def arrays(name):
    """The arrays of a data set by their names; the test is skipped where the set is not there."""
    folders = data_folders()
    if not folders:
        pytest.skip("DAGMAR_DATA does not name a folder of data sets")
    path = find_set(name, folders)
    if path is None:
        pytest.skip(f"there is no {name}.npz in {listed(folders)}")
    with np.load(path) as stored:
        return dict(stored)


def subset(name, n_rows):
    """Random rows of a data set, the same ones every time, scaled to [-1, 1], and their classes."""
    stored = arrays(name)
    X, y = (stored[f"{part}_train"] if f"{part}_train" in stored else stored[part] for part in "Xy")
    rows = np.random.default_rng(0).permutation(len(y))[:n_rows]
    X = X[rows].astype(float)
    low, high = X.min(axis=0), X.max(axis=0)
    return 2.0 * (X - low) / np.where(high > low, high - low, 1.0) - 1.0, y[rows]
