"""Real data sets, from the folder that DAGMAR_DATA names."""

import os
from pathlib import Path

import numpy as np
import pytest


def arrays(name):
    """The arrays of a data set by their names; the test is skipped where the set is not there."""
    folder = os.environ.get("DAGMAR_DATA")
    if not folder:
        pytest.skip("DAGMAR_DATA does not name a folder of data sets")
    path = Path(folder) / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    with np.load(path) as stored:
        return dict(stored)
