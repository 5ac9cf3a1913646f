"""The base class of structures, and structures by name."""

import numpy as np
import pytest
from helpers import dialled_pairs
from sklearn.base import clone

import dagmar
from dagmar.base.exceptions import InvalidParameterError
from dagmar.problem.tasks import all_pairs
from dagmar.structures import DDAG, STRUCTURES, MaxWins, Structure, as_structure
from dagmar.structures.plans import KnockoutPlan


def test_every_name_makes_its_structure():
    """Each name of the list stands for a structure with default parameters."""
    for name, kind in STRUCTURES.items():
        assert type(as_structure(name)) is kind


@pytest.mark.parametrize("name", ["max_wins", "and_gate", "bracket", "one_vs_rest"])
def test_some_structures_have_no_parameters(name):
    """A structure without parameters says so, clones and prints."""
    structure = as_structure(name)
    assert structure.get_params() == {}
    assert type(clone(structure)) is STRUCTURES[name]
    assert repr(structure) == f"{STRUCTURES[name].__name__}()"


def test_objects_are_cloned():
    """The structure of a fitted estimator is not the user's object."""
    mine = DDAG(order=[1, 0])
    made = as_structure(mine)
    assert made is not mine
    assert made.order == [1, 0]


@pytest.mark.parametrize("structure", ["dag", "DDAG", None, 3, DDAG, object()])
def test_anything_else_is_refused(structure):
    """An invalid structure raises an error that lists the names."""
    with pytest.raises(InvalidParameterError, match=r"'ddag', .*'max_wins', 'one_vs_rest'"):
        as_structure(structure)


def test_tasks_are_all_pairs_unless_said_otherwise():
    """The default tasks are all pairs."""
    np.testing.assert_array_equal(MaxWins().tasks(4).pairs, all_pairs(4).pairs)


def test_plan_is_for_subclasses():
    """The base class has no plan."""
    with pytest.raises(NotImplementedError):
        Structure().plan(dialled_pairs(3))


class Reversed(Structure):
    """A structure as a user may write it: Max Wins over the pairs."""

    def __init__(self, unused=1):
        self.unused = unused

    def plan(self, bank):
        """Return a knockout by fewest losses."""
        return KnockoutPlan(bank.n_classes, bank.machine_of)


def test_users_structures_work(three_blobs):
    """A subclass with `plan` is enough to add a structure."""
    X, y = three_blobs
    clf = dagmar.SVC(structure=Reversed(unused=2)).fit(X, y)
    np.testing.assert_array_equal(clf.predict(X), clf.restructure("max_wins").predict(X))
    assert clf.get_params()["structure__unused"] == 2
