"""Workers that do not fit are refused by name."""

import asyncio
import platform

import pytest
from distributed import Client

import dagmar
from dagmar.dask.cluster import Cluster, WorkerFacts, check_versions, find_client

HERE = WorkerFacts(dagmar.__version__, platform.machine(), "plain")


def test_workers_tell_who_they_are(cluster):
    """Every worker has this version, a number of threads and a memory limit."""
    assert len(cluster.workers) == 2
    for facts in cluster.workers.values():
        assert facts.version == dagmar.__version__
        assert facts.n_threads == 1
        assert 0 < facts.memory < facts.limit < float("inf")
    assert cluster.n_threads == 2
    assert cluster.alive


def test_other_versions_are_refused_by_name():
    """The message names the worker, its version and that of this process."""
    old = WorkerFacts("0.0.1", platform.machine(), "plain")
    with pytest.raises(dagmar.ClusterError, match=rf"dagmar {dagmar.__version__}.*tcp://b:2 has 0.0.1"):
        check_versions({"tcp://a:1": HERE, "tcp://b:2": old})


def test_other_processors_are_refused_by_name():
    """Other kinds of processors compute other bits."""
    with pytest.raises(dagmar.ClusterError, match="tcp://b:2 is vax"):
        check_versions({"tcp://b:2": WorkerFacts(dagmar.__version__, "vax", "plain")})
    check_versions({"tcp://a:1": HERE})


def test_a_worker_without_dagmar_is_refused(client, monkeypatch):
    """The error about a failed import names the worker's address."""
    monkeypatch.setattr(client, "run", lambda *_, **__: {"tcp://c:3": ModuleNotFoundError("No module named 'dagmar'")})
    with pytest.raises(dagmar.ClusterError, match="tcp://c:3 has no dagmar"):
        Cluster(client)


def test_a_cluster_without_workers_is_refused(client, monkeypatch):
    """The fit does not wait for ever."""
    monkeypatch.setattr("dagmar.dask.cluster.PATIENCE", 0.2)
    monkeypatch.setattr(client, "nthreads", dict)
    with pytest.raises(dagmar.ClusterError, match="no workers"):
        Cluster(client)


def test_workers_that_come_and_go_are_noticed(cluster, client, monkeypatch):
    """A worker that is gone is left out; one that comes later with a lower instruction set is not used."""
    there = list(cluster.workers)
    monkeypatch.setattr(client, "nthreads", lambda: {there[0]: 1, "tcp://new:1": 1})
    later = {"tcp://new:1": HERE}
    monkeypatch.setattr(client, "run", lambda *_, **__: later)
    assert not cluster.look()
    assert cluster.look(now=True)
    assert list(cluster.workers) == ([there[0]] if cluster.level.value > 0 else [there[0], "tcp://new:1"])
    later["tcp://new:1"] = WorkerFacts(dagmar.__version__, platform.machine(), cluster.level.name)
    cluster.look(now=True)
    assert list(cluster.workers) == [there[0], "tcp://new:1"]


def test_a_closed_client_is_refused(client):
    """So is a scheduler that cannot be reached."""
    with Client(client.scheduler.address, set_as_default=False) as other:
        pass
    with pytest.raises(dagmar.ClusterError, match="client is closed"):
        find_client(other)


def test_an_address_without_scheduler_is_refused(monkeypatch):
    """The message has the address."""
    monkeypatch.setattr("dagmar.dask.cluster.PATIENCE", 0.3)
    with pytest.raises(dagmar.ClusterError, match=r"tcp://127\.0\.0\.1:9 cannot be reached"):
        find_client("tcp://127.0.0.1:9")


def test_what_is_no_client_is_refused(client):
    """A cluster, a client that does not wait, and an address without a port."""
    with pytest.raises(TypeError, match=r"got LocalCluster. A cluster has cluster.get_client\(\)"):
        find_client(client.cluster)
    with pytest.raises(dagmar.ClusterError, match="nonsense cannot be reached"):
        find_client("nonsense")

    async def ask():
        async with Client(client.scheduler.address, asynchronous=True, set_as_default=False) as other:
            find_client(other)

    with pytest.raises(dagmar.ClusterError, match="the Dask client is asynchronous"):
        asyncio.run(ask())
