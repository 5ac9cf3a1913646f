"""The dispatcher gives up nothing that was lost, and refuses what no worker can hold."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from clusters import a_problem
from distributed import KilledWorker
from distributed.client import ClosedClientError

import dagmar
from dagmar.dask import dispatch
from dagmar.dask.batches import Lot
from dagmar.dask.blocks import Published
from dagmar.dask.dispatch import Dispatcher
from dagmar.dask.jobs import UnfitWorker
from dagmar.problem.tasks import all_pairs


@pytest.fixture
def published(client, seven_blobs):
    """Three blocks of seven classes."""
    blocks = Published(client, a_problem(*seven_blobs), np.array([0, 2, 4, 7]), "dispatch")
    yield blocks
    blocks.release()


def a_lot(published, row_bytes=1.0):
    tasks = all_pairs(7)
    return Lot(tasks, np.full(len(tasks), 1e8), np.full(7, row_bytes), published.block_of, published.sizes)


def run(cluster, published, lot, task, rows_memory=1e6):
    """Have a function called for every batch; return the places that were received."""
    received = []

    def submit(batch, memory, blocks, options):
        return cluster.client.submit(task, batch.tolist(), **options)

    Dispatcher(cluster, published, rows_memory).run(lot, submit, lambda batch, result: received.extend(result))
    return received


def test_the_dispatcher_knows_where_the_blocks_are(cluster, published):
    """Scattered blocks are on some worker from the start, so its first batches are theirs."""
    held = Dispatcher(cluster, published, 1e6)._held
    assert set(held) <= set(cluster.workers)
    assert np.sum(list(held.values()), axis=0).tolist() == [1, 1, 1]


def test_all_tasks_are_received_once(cluster, published):
    """Every place comes back, in several batches."""
    assert sorted(run(cluster, published, a_lot(published), lambda batch: (batch, 0.3))) == list(range(21))


KILLED = KilledWorker("pairs", SimpleNamespace(address="tcp://x:1"), 3)
LOSSES = []  # errors that the next batches end with; the workers are in this process


@pytest.mark.parametrize(("share", "expected"), [(0.25, False), (0.0, True)])
def test_copies_of_blocks_are_kept_during_a_run_if_there_is_room(cluster, published, monkeypatch, share, expected):
    """Dask's memory manager would drop them every two seconds; after the run, and after an error, it runs again."""
    monkeypatch.setattr(dispatch, "KEPT_SHARE", share)
    found = []

    def watch(batch, result):
        found.append(cluster.client.amm.running())
        raise RuntimeError("enough")

    def submit(batch, memory, blocks, options):
        return cluster.client.submit(lambda batch: (batch, 0.3), batch.tolist(), **options)

    cluster.client.amm.start()
    with pytest.raises(RuntimeError, match="enough"):
        Dispatcher(cluster, published, 1e6).run(a_lot(published), submit, watch)
    assert found == [expected]
    assert cluster.client.amm.running()


def lose(batch):
    """Raise an error that is still to come, or end well."""
    if LOSSES:
        raise LOSSES.pop()
    return batch, 0.1


@pytest.mark.parametrize("error", [KILLED, UnfitWorker("old")], ids=["killed", "unfit"])
def test_lost_batches_are_handed_out_again(cluster, published, error):
    """The first batch is lost once; all tasks come back all the same."""
    LOSSES.append(error)
    assert sorted(run(cluster, published, a_lot(published), lose)) == list(range(21))
    assert not LOSSES


def test_a_fit_ends_if_no_worker_fits(cluster, published):
    """All workers were replaced by older ones."""
    LOSSES.extend([UnfitWorker("old")] * 4)
    with pytest.raises(dagmar.ClusterError, match="no worker has the instruction set"):
        run(cluster, published, a_lot(published), lose)
    LOSSES.clear()


def test_a_batch_that_ends_its_workers_again_and_again_is_an_error(cluster, published):
    """It is not tried for ever."""

    def task(batch):
        raise KILLED

    with pytest.raises(dagmar.ClusterError, match="workers ended 6 times"):
        run(cluster, published, a_lot(published), task)


def test_other_errors_are_those_of_the_task(cluster, published):
    """They reach the caller, and the other batches are cancelled."""

    def task(batch):
        raise ValueError("not finite")

    with pytest.raises(ValueError, match="not finite"):
        run(cluster, published, a_lot(published), task)


def test_a_task_too_large_for_every_worker_is_refused_with_the_figure(cluster, published):
    """The message has what it needs and what there is."""
    most = max(facts.memory for facts in cluster.workers.values())
    with pytest.raises(dagmar.ClusterError, match=rf"needs \d+ MB .* worker has {most / 2**20:.0f} MB"):
        run(cluster, published, a_lot(published, row_bytes=most), None)


def test_a_task_too_large_for_a_share_runs_alone(cluster, published):
    """It may use the whole memory of a worker, one at a time."""
    least = min(facts.memory for facts in cluster.workers.values())
    lot = a_lot(published, row_bytes=0.7 * least / 4)
    assert lot.needs().max() > least / 2
    assert sorted(run(cluster, published, lot, lambda batch: (batch, 0.1))) == list(range(21))


@pytest.mark.parametrize("error", [OSError("reset"), ClosedClientError("closed")])
def test_a_scheduler_that_cannot_be_reached_is_lost(cluster, published, error):
    """Whatever Dask raises, before the client has noticed the loss."""

    def submit(*_):
        raise error

    with pytest.raises(dagmar.ClusterError, match="scheduler is lost"):
        Dispatcher(cluster, published, 1e6).run(a_lot(published), submit, None)


def test_a_lost_scheduler_is_told(cluster, published, monkeypatch):
    """The message says what a checkpoint keeps."""
    monkeypatch.setattr(dispatch, "LOOK", 0.05)
    monkeypatch.setattr(type(cluster), "alive", property(lambda self: False))
    with pytest.raises(dagmar.ClusterError, match=r"scheduler is lost, or the client was closed\. With checkpoint="):
        run(cluster, published, a_lot(published), lambda batch: time.sleep(0.3))
