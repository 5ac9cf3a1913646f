"""A batch on a worker has the machines of the whole problem."""

import threading
import time

import numpy as np
import pytest
from clusters import a_problem

from dagmar import _core
from dagmar.dask.blocks import ClassBlock
from dagmar.dask.jobs import Batch, Shared, Stopped, UnfitWorker, check_level, stopper, train_batch
from dagmar.machines.training import TrainSettings, train
from dagmar.problem.per_pair import PerPair
from dagmar.problem.tasks import some_pairs

STARTED, STOPPED = threading.Event(), threading.Event()  # the workers are in this process


def test_a_batch_has_the_machines_of_the_whole_problem(seven_blobs):
    """Coefficients are the same, and samples are numbered as in the whole problem."""
    problem = a_problem(*seven_blobs, C=2.0)
    tasks = some_pairs([(1, 5), (1, 2), (5, 6)])
    blocks = [ClassBlock.of(problem, 4, 7), ClassBlock.of(problem, 0, 3)]
    machines, seconds = train_batch(Batch.of(problem, tasks, TrainSettings()), *blocks)
    whole = train(problem, tasks, TrainSettings())
    for name in ("begin", "sample", "coef", "bias"):
        assert np.array_equal(getattr(machines, name), getattr(whole, name))
    assert machines.tasks is tasks
    assert seconds > 0


def test_the_problem_of_some_classes(seven_blobs):
    """Its samples are those of the classes, in the order of the training data if that is asked for."""
    X, y = seven_blobs
    problem = a_problem(X, y)
    blocks = [ClassBlock.of(problem, 0, 4)]
    for in_row_order in (False, True):
        part, places = Shared.of(problem).problem(blocks, np.array([1, 3]), PerPair(), in_row_order)
        assert np.array_equal(part.X[part.order], X[problem.order[places]])
        assert np.array_equal(y[problem.order[places]], np.repeat([1, 3], 40))
    assert np.array_equal(part.X, X[np.sort(problem.order[places])])
    whole, _ = Shared.of(problem).problem(blocks, np.arange(4), PerPair())
    assert whole.X is blocks[0].X


def test_a_level_that_the_worker_lacks_is_refused(monkeypatch):
    """The client gives the batch to another worker."""
    monkeypatch.setattr(_core, "best_level", lambda: _core.Level.plain)
    check_level(_core.Level.plain)
    with pytest.raises(UnfitWorker, match="avx2"):
        check_level(_core.Level.avx2)


def test_a_cancelled_task_stops(client):
    """Outside of a task there is nothing to stop; inside, training ends soon after the client cancels it."""
    assert stopper() is None
    future = client.submit(until_stopped, pure=False)
    assert STARTED.wait(20)
    client.cancel([future], force=True)
    assert client.submit(wait_stopped, pure=False).result(timeout=20)


def until_stopped():
    look = stopper()
    STARTED.set()
    try:
        for _ in range(2000):
            time.sleep(0.005)
            look()
    except Stopped:
        STOPPED.set()
        raise


def wait_stopped():
    return STOPPED.wait(10)
