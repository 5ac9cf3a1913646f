"""One small cluster for all tests of a process, with two workers of one thread each in this process."""

import numpy as np
import pytest
from distributed import Client, LocalCluster
from helpers import letter_like

from dagmar.dask import sharded_training
from dagmar.dask.cluster import Cluster
from dagmar.problem.reductions import BLOCK_ROWS


@pytest.fixture(scope="session")
def client():
    """A client of a cluster on 127.0.0.1; it is not the default one."""
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=False,
            dashboard_address="127.0.0.1:0",
            protocol="tcp",
            host="127.0.0.1",
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def cluster(client):
    return Cluster(client)


@pytest.fixture
def X(rng):
    """Rows of three blocks of a reduction, with some zeros."""
    X = rng.normal(size=(2 * BLOCK_ROWS + 700, 3))
    return np.where(np.abs(X) < 0.2, 0.0, X)


@pytest.fixture
def ten_classes(monkeypatch):
    """Ten classes in several blocks, one of them of a single class; pairs wait in more than one lot."""
    monkeypatch.setattr(sharded_training, "BLOCK_BYTES", 30 * 4 * 8 * 3 + 1)
    monkeypatch.setattr(sharded_training, "PAIRS_AT_ONCE", 10)
    X, y = letter_like(seed=2, n_classes=10, per_class=30)
    return np.ascontiguousarray(X[:, :4]), np.array([f"label {c}" for c in "abcdefghij"])[y]
