"""Machines by the user's labels."""

import pickle
from copy import copy, deepcopy
from dataclasses import dataclass, replace

import numpy as np
import pytest

from dagmar.base.typing import Array
from dagmar.problem.naming import MachineNames, Named, plain_labels
from dagmar.problem.tasks import all_pairs, each_against_rest, groups

LABELS = np.array(["ant", "bee", "cat", "dog"])


@dataclass(frozen=True, eq=False)
class Result(Named):
    """Numbers, one per machine."""

    numbers: Array


@pytest.mark.parametrize(
    ("labels", "kind"),
    [(np.array([1, 2]), int), (np.array([0.5, 2.0]), float), (LABELS, str), (np.array([True]), bool)],
)
def test_labels_are_plain_objects(labels, kind):
    """Labels are Python's own objects; those of other types are left as they are."""
    assert [type(label) for label in plain_labels(labels)] == [kind] * len(labels)
    odd = np.array([("a", 1), None], dtype=object)
    assert plain_labels(odd) == [("a", 1), None]


def test_sides_of_pairs_and_groups():
    """The sides are the labels of the classes of each task."""
    pairs = MachineNames(all_pairs(4), LABELS)
    assert pairs.sides(np.array([5, 0])) == [(("cat",), ("dog",)), (("ant",), ("bee",))]
    trees = MachineNames(groups([([0, 2], [1, 3]), ([0], [2])]), LABELS)
    assert trees.sides(np.array([0, 1])) == [(("ant", "cat"), ("bee", "dog")), (("ant",), ("cat",))]


def test_columns_are_labels_or_words():
    """A pair has its labels; a group is written out; all other classes are the rest."""
    numbers = MachineNames(all_pairs(3), np.array([10, 20, 30])).columns(np.array([1, 1, 2]))
    assert {name: side.tolist() for name, side in numbers.items()} == {
        "negative": [10, 10, 20],
        "positive": [30, 30, 30],
    }
    rest = MachineNames(each_against_rest(4), LABELS).columns(np.array([2, 0]))
    assert {name: side.tolist() for name, side in rest.items()} == {
        "negative": ["rest"] * 2,
        "positive": ["cat", "ant"],
    }
    trees = MachineNames(groups([([0, 2], [1, 3])]), LABELS).columns(np.array([0]))
    assert trees["negative"].tolist() == ["ant or cat"]


def test_a_named_result_shares_its_arrays():
    """Naming makes no copy of the numbers, does nothing where the names are the same, and leaves the old result alone."""
    bare, names = Result(np.arange(6.0)), MachineNames(all_pairs(4), LABELS)
    named = bare.named(names)
    assert bare.names is None
    assert named.numbers is bare.numbers
    assert named.named(MachineNames(all_pairs(4), LABELS.copy())) is named
    assert named.named(MachineNames(all_pairs(4), LABELS[::-1].copy())) is not named
    assert named.named(None).names is None
    assert bare.named(None) is bare
    assert named.machine_columns(2)["positive"].tolist() == ["bee", "cat"]
    assert list(bare.machine_columns(2)) == ["machine"]


def test_names_are_kept_by_pickles_and_copies_but_not_by_parts():
    """A pickle and a copy know the names; a changed result does not, for it may have other machines."""
    named = Result(np.arange(6.0)).named(MachineNames(all_pairs(4), LABELS))
    for other in (pickle.loads(pickle.dumps(named)), copy(named), deepcopy(named)):
        assert other.names.labels.tolist() == LABELS.tolist()
        assert not other.numbers.flags.writeable
    assert replace(named, numbers=np.zeros(1)).names is None
    assert pickle.loads(pickle.dumps(Result(np.zeros(1)))).names is None
