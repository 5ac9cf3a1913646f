"""Clusters of separate processes, as users start them: `dask scheduler` and `dask worker` on 127.0.0.1, and their faults."""

import _thread
import gc
import signal
import time

import numpy as np
import pytest
from clusters import a_scheduler, assert_same_model, when_training
from distributed import Client, LocalCluster
from helpers import letter_like

import dagmar
import dagmar.dask
from dagmar.dask import batches, cluster
from dagmar.machines import checkpoint


@pytest.fixture(scope="module")
def data():
    return letter_like(seed=9, n_classes=14, per_class=150)


@pytest.fixture(scope="module")
def local(data):
    return dagmar.SVC(C=50).fit(*data)


@pytest.fixture
def short_batches(monkeypatch):
    """Batches of one machine, so that there are many; workers that come and go are noticed soon."""
    monkeypatch.setattr(batches, "SHORTEST", 0.0)
    monkeypatch.setattr(batches, "LONGEST", 0.0)
    monkeypatch.setattr(cluster, "LOOK_EVERY", 0.2)


def leftovers(client):
    """Tasks of a fit that the workers still run, or still hold."""
    for _ in range(100):
        running = [key for keys in client.processing().values() for key in keys]
        held = [key for keys in client.has_what().values() for key in keys]
        if not running and not held:
            return []
        time.sleep(0.1)
    return running + held


@pytest.fixture
def heeds_interrupts():
    """Ctrl-C is heeded, also where the tests were started in the background, by a shell that lets them ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def slow_checkpoint(monkeypatch):
    """Machines are written as they come, and slowly, so that a fit with a checkpoint takes some seconds."""
    add = checkpoint.Checkpoint.add

    def add_slowly(self, machines):
        add(self, machines)
        time.sleep(0.05)

    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    monkeypatch.setattr(checkpoint.Checkpoint, "add", add_slowly)


def test_two_workers_as_commands_with_their_faults(
    tmp_path, data, local, short_batches, slow_checkpoint, heeds_interrupts
):
    """A fit has the bits of a local one, although a worker is killed meanwhile, another one joins, and a fit is interrupted.

    At the end the scheduler is killed: the fit tells it, and a local fit continues from its checkpoint.
    """
    X, y = data
    with a_scheduler(tmp_path) as (scheduler, worker, file):
        first, _ = worker(), worker()
        with Client(scheduler_file=str(file), set_as_default=False, timeout=30) as client:
            client.wait_for_workers(2, timeout=60)
            svc = dagmar.dask.SVC(C=50, client=client)
            assert_same_model(local, svc.fit(X, y))

            killer = when_training(client, first.kill)
            assert_same_model(local, svc.fit(X, y))
            killer.join()
            first.wait()

            joiner = when_training(client, worker)
            assert_same_model(local, svc.fit(X, y))
            joiner.join()
            client.wait_for_workers(2, timeout=60)

            interrupter = when_training(client, _thread.interrupt_main)
            with pytest.raises(KeyboardInterrupt):
                svc.fit(X, y)
            interrupter.join()
            assert leftovers(client) == []
            assert_same_model(local, svc.fit(X, y))

            kept = tmp_path / "machines"

            def end():
                while not list(kept.glob("*.npz")):
                    time.sleep(0.01)
                scheduler.kill()

            ender = when_training(client, end)
            with pytest.raises(dagmar.ClusterError, match="scheduler is lost"):
                svc.set_params(checkpoint=kept).fit(X, y)
            ender.join()
    assert len(list(kept.glob("*.npz"))) > 0
    continued = dagmar.SVC(C=50, checkpoint=kept).fit(X, y)
    assert np.array_equal(continued.bank_.coef, local.bank_.coef)


@pytest.mark.slow
def test_twenty_kills_at_random_moments_give_twenty_identical_models(tmp_path, short_batches):
    """Each fit loses one of its two workers at a random moment, and a new one is started; the model is always the same."""
    X, y = letter_like(seed=9, n_classes=26, per_class=200)
    local, rng = dagmar.SVC(C=50).fit(X, y), np.random.default_rng(11)
    with a_scheduler(tmp_path) as (_, worker, file):
        workers = [worker(), worker()]
        with Client(scheduler_file=str(file), set_as_default=False, timeout=30) as client:
            svc = dagmar.dask.SVC(C=50, client=client)
            seconds = 1.0
            for _ in range(20):
                client.wait_for_workers(2, timeout=60)
                victim = workers.pop(int(rng.integers(2)))
                moment = float(rng.uniform(0, seconds))

                def kill(victim=victim, moment=moment):
                    time.sleep(moment)
                    victim.kill()
                    workers.append(worker())

                begun = time.perf_counter()
                killer = when_training(client, kill)
                assert_same_model(local, svc.fit(X, y))
                seconds = 0.5 * (time.perf_counter() - begun)
                killer.join()
                victim.wait()
                while len(client.nthreads()) > 2:
                    time.sleep(0.1)


@pytest.mark.slow
def test_two_thousand_classes_within_a_gibibyte_per_worker_have_the_bits_of_a_local_fit():
    """1,999,000 machines of 100 rows; no worker is restarted for its memory."""
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(2000), 50)
    X = 3.0 * rng.normal(size=(2000, 20))[y] + 2.0 * rng.normal(size=(len(y), 20))
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1"}
    with LocalCluster(n_workers=2, memory_limit="1GiB", **options) as workers, Client(workers) as client:
        before = client.run(lambda dask_worker: dask_worker.name)
        there = dagmar.dask.SVC(client=client).fit(X, y)
        assert client.run(lambda dask_worker: dask_worker.name) == before
    gc.collect()
    local = dagmar.SVC(n_jobs=1).fit(X, y)
    assert_same_model(local, there)
    assert local.bank_.n_machines == 1_999_000
