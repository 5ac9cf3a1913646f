"""Data for tests of the experiments: a folder with two tiny sets, and the real sets where there are any."""

import os

import numpy as np
import pytest

from experiments.data import DataSets


@pytest.fixture
def data_folder(tmp_path):
    """One set with an official split and one without."""
    folder = tmp_path / "data"
    folder.mkdir()
    X = np.arange(12, dtype=np.int16).reshape(6, 2)
    y = np.array([0, 1, 0, 1, 0, 1], dtype=np.uint8)
    np.savez(folder / "tiny.npz", X_train=X[:4], y_train=y[:4], X_test=X[4:], y_test=y[4:])
    np.savez(folder / "whole.npz", X=X, y=y)
    return folder


@pytest.fixture(scope="session")
def real_data():
    """The real data sets; tests that need them skip where DAGMAR_DATA names no folder."""
    if not os.environ.get("DAGMAR_DATA"):
        pytest.skip("DAGMAR_DATA does not name a folder of data sets")
    return DataSets()
