"""Training: machines handed over as they are finished, joined, and gathered in a bank."""

import threading

import numpy as np
import pytest
from helpers import letter_like, pose

from dagmar.machines.training import TrainedMachines, TrainSettings
from dagmar.machines.training import train as train_machines
from dagmar.problem.tasks import all_pairs


@pytest.mark.parametrize("n_threads", [1, 2])
def test_finished_machines_are_handed_over_once(n_threads):
    """Every machine is handed over once, on the calling thread, as it stands in the end."""
    problem = pose(*letter_like(seed=6, n_classes=40, per_class=25), C=5.0)
    tasks = all_pairs(40)
    lots, threads = [], set()

    def finished(places, machines):
        threads.add(threading.get_ident())
        lots.append((places, machines))

    whole = train_machines(problem, tasks, TrainSettings(n_threads=n_threads), finished=finished)
    places = np.concatenate([places for places, _ in lots])
    assert sorted(places.tolist()) == list(range(len(tasks)))
    assert threads == {threading.get_ident()}
    handed, there = TrainedMachines.join([machines for _, machines in lots]), whole.select(places)
    for name in ("begin", "sample", "coef", "bias"):
        np.testing.assert_array_equal(getattr(handed, name), getattr(there, name), err_msg=name)
    np.testing.assert_array_equal(handed.tasks.classes, there.tasks.classes)
    np.testing.assert_array_equal(handed.report.iterations, there.report.iterations)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_finished_machines_come_while_others_train(rng, n_threads):
    """Machines are handed over before the last one is done."""
    problem = pose(rng.random((1200, 4)), np.arange(1200) % 30, C=1000.0)  # noise takes long
    calls = []
    train_machines(
        problem,
        all_pairs(30),
        TrainSettings(n_threads=n_threads),
        finished=lambda places, _: calls.append(len(places)),
    )
    assert len(calls) > 1
    assert min(calls) > 0


@pytest.mark.parametrize("n_threads", [1, 2])
def test_error_of_the_listener_stops_the_training(letters, n_threads):
    """What it raises comes out of the training, whichever call it was."""
    X, y = letters

    def refuse(places, machines):
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        train_machines(pose(X, y), all_pairs(8), TrainSettings(n_threads=n_threads), finished=refuse)
