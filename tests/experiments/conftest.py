"""A folder with two tiny data sets."""

import numpy as np
import pytest


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
