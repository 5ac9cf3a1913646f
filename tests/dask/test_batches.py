"""Batches follow the blocks that a worker holds, and the measured pace."""

import numpy as np
import pytest

from dagmar.dask.batches import LONGEST, SHORTEST, Lot, Pace
from dagmar.problem.tasks import all_pairs, each_against_rest, groups

BLOCK_OF = np.array([0, 0, 1, 1, 2, 2])
BLOCK_BYTES = np.array([10.0, 20.0, 40.0])


def a_lot(tasks=None):
    """Pairs of six classes in three blocks, each one unit of work."""
    tasks = all_pairs(6) if tasks is None else tasks
    return Lot(tasks, np.ones(len(tasks)), np.full(6, 4.0), BLOCK_OF, BLOCK_BYTES)


def measured(seconds_per_unit=1.0):
    pace = Pace()
    pace.measure(1.0, seconds_per_unit)
    return pace


def take(lot, held=(), seconds=100.0, memory=np.inf, holders=(0, 0, 0)):
    mine = np.zeros(3, dtype=bool)
    mine[list(held)] = True
    return lot.take(mine, np.array(holders), seconds, measured(), memory)


def test_a_worker_gets_the_pairs_of_the_blocks_it_holds():
    """With blocks 0 and 1, the pairs within and between them come first."""
    lot = a_lot()
    batch = take(lot, held=[0, 1], seconds=6.0)
    assert set(lot.tasks.classes[np.isin(np.repeat(np.arange(15), 2), batch)].tolist()) <= {0, 1, 2, 3}
    assert len(batch) == 6


def test_a_worker_without_blocks_begins_where_the_fewest_bytes_are_moved():
    """Of equally small moves, the blocks that few others have are begun."""
    assert np.array_equal(a_lot().blocks_of(take(a_lot(), seconds=1.0)), [0])
    even = Lot(all_pairs(4), np.ones(6), np.full(4, 4.0), np.array([0, 0, 1, 1]), np.array([10.0, 10.0]))
    batch = even.take(np.zeros(2, dtype=bool), np.array([1, 0]), 1.0, measured(), np.inf)
    assert np.array_equal(even.blocks_of(batch), [1])


def test_every_task_is_taken_once():
    """Batches of any length and memory cover the lot; what is put back is taken again."""
    lot, taken = a_lot(), []
    while len(lot):
        batch = take(lot, seconds=2.0, memory=60.0)
        assert len(batch) == 1 or lot.memory_of(batch) <= 60.0
        if not taken:
            lot.put_back(batch)
        taken.append(batch)
    assert lot.left == pytest.approx(0.0)
    assert sorted(np.concatenate(taken[1:]).tolist()) == list(range(15))
    assert len(take(lot)) == 0


def test_memory_counts_blocks_and_two_copies_of_the_rows():
    """The pair (0, 5) needs blocks 0 and 2, and two classes twice."""
    lot = a_lot()
    place = lot.tasks.pairs.tolist().index([0, 5])
    assert lot.memory_of(np.array([place])) == 10.0 + 40.0 + 2 * 8.0
    assert lot.needs()[place] == 66.0
    assert np.array_equal(lot.needs(), [lot.memory_of(np.array([t])) for t in range(15)])


def test_tasks_of_groups_need_the_blocks_of_all_their_classes():
    """One class against the rest needs everything; a small group only its own."""
    assert a_lot(each_against_rest(6)).blocks_of(np.array([3])).tolist() == [0, 1, 2]
    assert a_lot(groups([([0], [1]), ([2, 3], [0])])).blocks_of(np.array([1])).tolist() == [0, 1]


def test_keep_leaves_only_some_tasks():
    """The others do not wait."""
    lot = a_lot()
    lot.keep(np.array([3, 7]))
    assert len(lot) == 2
    assert lot.left == 2.0
    assert sorted(take(lot).tolist()) == [3, 7]


def test_length_of_a_batch():
    """Short before anything is measured, a share of the rest afterwards, and never beyond the limits."""
    assert Pace().length(1e20, 2) == SHORTEST
    pace = measured(2.0)
    assert pace.length(30.0, 4) == pytest.approx(5.0)
    assert pace.length(1e9, 4) == LONGEST
    assert pace.length(0.0, 4) == SHORTEST


def test_the_pace_forgets_slowly():
    """Later batches count more."""
    pace = measured(1.0)
    for _ in range(50):
        pace.measure(1.0, 3.0)
    assert pace.seconds_of(1.0) == pytest.approx(3.0, rel=0.01)


def test_a_task_that_is_longer_than_a_batch_comes_first():
    """A fit ends with its longest machine, so that it is begun first, although its blocks must be moved."""
    work = np.ones(15)
    place = all_pairs(6).pairs.tolist().index([4, 5])
    work[place] = 6.0
    for n_threads, first in ((1, False), (4, True)):  # a third of 20 units is 6.7; a twelfth is 1.7
        lot = Lot(all_pairs(6), work, np.full(6, 4.0), BLOCK_OF, BLOCK_BYTES)
        batch = lot.take(np.array([True, True, False]), np.zeros(3), 1.0, measured(), np.inf, n_threads)
        assert (batch.tolist() == [place]) is first, n_threads
        lot.put_back(batch)
        assert lot.left == pytest.approx(20.0)
