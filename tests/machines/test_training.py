"""Training: machines handed over as they are finished, joined, and gathered in a bank."""

import threading

import numpy as np
import pytest
from helpers import letter_like, problem_of, values_of
from hypothesis import given
from hypothesis import strategies as st
from reference.kernels import kernel_matrix

from dagmar.machines.training import TrainedMachines, TrainSettings, assemble
from dagmar.machines.training import train as train_machines
from dagmar.problem.tasks import all_pairs


@pytest.fixture(scope="module")
def seven_machines(seven_blobs):
    """A problem of seven classes and its 21 machines."""
    problem = problem_of(*seven_blobs, gamma=0.1)
    return problem, train_machines(problem, all_pairs(7), TrainSettings())


@pytest.mark.parametrize("n_threads", [1, 2])
def test_finished_machines_are_handed_over_once(n_threads):
    """Every machine is handed over once, on the calling thread, as it stands in the end."""
    problem = problem_of(*letter_like(seed=6, n_classes=40, per_class=25), C=5.0)
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
    problem = problem_of(rng.random((1200, 4)), np.arange(1200) % 30, C=1000.0)  # noise takes long
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
        train_machines(problem_of(X, y), all_pairs(8), TrainSettings(n_threads=n_threads), finished=refuse)


@given(order=st.permutations(range(21)), cuts=st.lists(st.integers(0, 21), max_size=3).map(sorted))
def test_machines_may_be_taken_apart_and_put_together(seven_machines, order, cuts):
    """Any lots of the machines, selected and joined again, are the machines in that order, with their reports."""
    _, whole = seven_machines
    order = np.array(order)
    lots = [lot for lot in np.split(order, cuts) if len(lot)]
    joined = TrainedMachines.join([whole.select(lot) for lot in lots])
    np.testing.assert_array_equal(joined.tasks.pairs, whole.tasks.pairs[order])
    np.testing.assert_array_equal(joined.report.iterations, whole.report.iterations[order])
    for place, m in enumerate(order):
        for name in ("sample", "coef"):
            ours = getattr(joined, name)[joined.begin[place] : joined.begin[place + 1]]
            np.testing.assert_array_equal(ours, getattr(whole, name)[whole.begin[m] : whole.begin[m + 1]])
    np.testing.assert_array_equal(joined.bias, whole.bias[order])


def test_bank_holds_the_samples_that_machines_use(seven_machines):
    """The pool has each sample of nonzero coefficient once, in class order, and values are the sums over them."""
    problem, machines = seven_machines
    bank = assemble(problem, machines)
    used = np.unique(machines.sample)
    np.testing.assert_array_equal(bank.support, problem.order[used])
    np.testing.assert_array_equal(bank.vectors, problem.X[problem.order[used]])
    np.testing.assert_array_equal(bank.class_start, np.searchsorted(used, problem.class_start))
    np.testing.assert_array_equal(bank.support[bank.index], problem.order[machines.sample])
    X = problem.X[:20]
    K = kernel_matrix("rbf", X, problem.X[problem.order], problem.kernel.gamma)
    for m in range(bank.n_machines):
        own = slice(machines.begin[m], machines.begin[m + 1])
        expected = K[:, machines.sample[own]] @ machines.coef[own] + machines.bias[m]
        np.testing.assert_allclose(values_of(bank, X)[:, m], expected, atol=1e-9)
