"""How many threads `n_jobs` stands for."""

import os
from types import SimpleNamespace

import joblib
import pytest
from distributed import Client, LocalCluster

import dagmar
from dagmar.base import threads
from dagmar.base.threads import (
    MOST_THREADS,
    dask_worker,
    distributed_backend,
    n_threads,
    n_threads_to_decide,
    threads_worth,
    warn_if_distributed,
)


@pytest.mark.parametrize(("n_jobs", "expected"), [(None, 1), (1, 1), (3, 3), (-1, joblib.cpu_count())])
def test_threads_are_those_of_joblib(n_jobs, expected):
    """None is one thread, -1 is one per core."""
    assert n_threads(n_jobs) == expected


@pytest.mark.parametrize(
    ("work", "expected"), [(0, 1), (199, 1), (200, 2), (399, 3), (401, 4), (10**9, 4), (1e300, 4), (float("inf"), 4)]
)
def test_threads_are_those_that_the_work_is_worth(monkeypatch, work, expected):
    """Each thread has enough to do; small work is done by the calling thread, whatever n_jobs says."""
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 100)
    assert threads_worth(4, work) == expected
    assert n_threads_to_decide(4, work) == expected
    assert n_threads_to_decide(None, work) == 1


def test_context_of_joblib_counts():
    """`joblib.parallel_config` sets what None stands for."""
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert n_threads(None) == 2
    assert os.cpu_count() >= 1


@pytest.mark.parametrize("n_jobs", [10**6, 2**31, 10**400])
def test_threads_are_not_more_than_any_machine_has(n_jobs):
    """n_jobs may be any integer."""
    assert n_threads(n_jobs) == MOST_THREADS


# ------------------------------------------------------- distributed back ends


@pytest.fixture
def dask_backend(monkeypatch):
    """A cluster of more threads than this machine has, as the back end of joblib."""
    monkeypatch.setattr(threads._Warned, "once", False)
    with (
        LocalCluster(n_workers=2, threads_per_worker=64, processes=False, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        yield client


def test_threads_of_other_machines_do_not_count(dask_backend):
    """Joblib counts the threads of the whole cluster; here are only those of this machine."""
    assert joblib.effective_n_jobs(-1) == 128
    assert n_threads(-1) == n_threads(None) == joblib.cpu_count()
    assert distributed_backend()
    assert dask_worker() is None


def test_a_task_uses_at_most_the_threads_of_its_worker(dask_backend, monkeypatch):
    """In a task of a cluster, -1 is not all cores of the machine, and there is no warning."""
    found = joblib.Parallel()(joblib.delayed(in_a_task)() for _ in range(2))
    assert found == [(64, "LocalWorker")] * 2
    assert not threads._Warned.once


def test_a_worker_process_uses_one_thread_and_is_silent(monkeypatch):
    """The usual workers are daemonic processes, in which joblib warns; a warning would fail this test."""
    monkeypatch.setattr(threads, "dask_worker", lambda: SimpleNamespace(state=SimpleNamespace(nthreads=4)))
    assert n_threads(3) == 3
    monkeypatch.setattr(threads, "current_process", lambda: SimpleNamespace(daemon=True))
    assert n_threads(-1) == n_threads(None) == 1


def in_a_task():
    warn_if_distributed("SVC")
    X, y = [[0.0], [1.0]], [0, 1]
    dagmar.SVC(n_jobs=-1).fit(X, y)
    return n_threads(10**6), "LocalWorker" if dask_worker() is not None else None


def test_classifiers_warn_once(dask_backend):
    """A search warns, naming the class that distributes; the fit at its end does not warn again."""
    X, y = [[float(x)] for x in range(20)], [0, 1] * 10
    with pytest.warns(UserWarning, match=r"dagmar\.dask\.SVCCV trains on the workers") as caught:
        dagmar.SVCCV(Cs=[1.0], gammas=[1.0], cv=2).fit(X, y)
    dagmar.SVC().fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_local_back_ends_do_not_warn():
    """Threads and processes of this machine are no cluster."""
    for backend in ("threading", "loky", "multiprocessing"):
        with joblib.parallel_config(backend=backend):
            assert not distributed_backend()
            warn_if_distributed("SVC")
