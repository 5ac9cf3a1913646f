"""Binary questions over classes."""

from itertools import combinations

import numpy as np
import pytest

from dagmar.problem.tasks import Tasks, all_pairs, each_against_rest, groups, some_pairs


@pytest.mark.parametrize("n_classes", [2, 3, 7, 30])
def test_all_pairs_come_in_order(n_classes):
    """Pairs are (0, 1), (0, 2), ..., each once, the later class on the positive side."""
    tasks = all_pairs(n_classes)
    assert list(map(tuple, tasks.pairs.tolist())) == list(combinations(range(n_classes), 2))
    assert len(tasks) == n_classes * (n_classes - 1) // 2
    assert tasks.pairwise
    np.testing.assert_array_equal(tasks.sides.reshape(-1, 2), np.tile([-1, 1], (len(tasks), 1)))


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_each_against_rest_has_a_task_per_class(n_classes):
    """Task c holds every class, c alone on the positive side."""
    tasks = each_against_rest(n_classes)
    assert len(tasks) == n_classes
    for c in range(n_classes):
        here = slice(tasks.begin[c], tasks.begin[c + 1])
        assert sorted(tasks.classes[here]) == list(range(n_classes))
        np.testing.assert_array_equal(tasks.classes[here][tasks.sides[here] == 1], [c])
    assert tasks.pairwise is False


def test_pairs_with_the_earlier_class_positive_are_not_pairwise():
    """The sign of a pair is part of what it is."""
    flipped = Tasks(np.array([0, 2]), np.array([0, 1], dtype=np.int32), np.array([1, -1], dtype=np.int8))
    assert not flipped.pairwise


def test_arrays_have_the_types_of_the_core():
    """What goes to the core needs no conversion."""
    for tasks in (all_pairs(4), each_against_rest(4)):
        assert (tasks.begin.dtype, tasks.classes.dtype, tasks.sides.dtype) == (np.int64, np.int32, np.int8)


def test_keys_are_the_same_for_the_same_question():
    """Whatever the order of classes, and whether all tasks are pairs or not."""
    pairs = some_pairs([(0, 2), (1, 2)])
    mixed = groups([([0], [2]), ([2, 1], [0]), ([1, 2], [0])])
    assert pairs.keys() == [((0,), (2,)), ((1,), (2,))]
    assert mixed.keys() == [((0,), (2,)), ((1, 2), (0,)), ((1, 2), (0,))]
    assert pairs.distinct
    assert not mixed.distinct


def test_same_tasks():
    """Tasks are the same if all their arrays are: another order, or another side, is another list."""
    assert all_pairs(4).same_as(all_pairs(4))
    assert all_pairs(4).same_as(some_pairs(all_pairs(4).pairs))  # whether or not it is the same object
    assert not all_pairs(4).same_as(all_pairs(5))
    assert not all_pairs(4).same_as(all_pairs(4).select(np.arange(6)[::-1]))
    assert not groups([([0], [1])]).same_as(groups([([1], [0])]))


def test_lists_of_one_are_joined_as_they_are():
    """Joining one list returns it; joining several puts one after the other."""
    pairs, rest = all_pairs(3), each_against_rest(3)
    assert Tasks.join([pairs]) is pairs
    both = Tasks.join([pairs, rest])
    assert len(both) == 6
    np.testing.assert_array_equal(both.classes, np.concatenate([pairs.classes, rest.classes]))
