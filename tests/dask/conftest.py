"""One small cluster for all tests of a process, with two workers of one thread each in this process."""

import pytest
from distributed import Client, LocalCluster

from dagmar.dask.cluster import Cluster


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
