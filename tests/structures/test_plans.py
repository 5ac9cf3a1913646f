"""Plans as plain arrays."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from helpers import decide, dialled_pairs, dialled_rest, random_patterns, trace

from dagmar.structures import DDAG, MaxWins, OneVsRest
from dagmar.structures.plans import GraphPlan, KnockoutPlan, PollPlan


def array(*values):
    return np.array(values, dtype=np.int64)


@pytest.fixture
def tree():
    """A tree over four classes that asks two of the six pairs: (0, 1) at the root, then (2, 3) on either side."""
    return GraphPlan(
        n_classes=4,
        root=0,
        machine=array(0, 5, 5),
        on_negative=array(1, -1, -3),
        on_positive=array(2, -2, -4),
    )


@pytest.mark.parametrize("batch", [1, 5, 30, 200])
def test_any_graph_is_walked(tree, batch):
    """A graph that is no DDAG is followed to its leaves; a class that wins all its pairs need not be the answer."""
    X = random_patterns(0, 4, batch)
    left, right = X[:, 0] < 0, X[:, 5] < 0
    expected = np.where(left, np.where(right, 0, 1), np.where(right, 2, 3))
    bank = dialled_pairs(4)
    np.testing.assert_array_equal(decide(bank, tree, X), expected)
    answers, paths = trace(bank, tree, X)
    np.testing.assert_array_equal(answers, expected)
    assert all(path == [0, 5] for path in paths)


def test_root_may_be_any_node(tree):
    """The walk begins where the plan says."""
    plan = GraphPlan(4, 2, tree.machine, tree.on_negative, tree.on_positive)
    np.testing.assert_array_equal(decide(dialled_pairs(4), plan, random_patterns(0, 4, 40) * 0 - 1), 2)


def test_root_may_be_a_leaf():
    """A plan without a node has one answer."""
    plan = GraphPlan(3, -2, array(), array(), array())
    for batch in (1, 100):
        np.testing.assert_array_equal(decide(dialled_pairs(3), plan, random_patterns(0, 3, batch)), 1)


def test_zero_goes_the_positive_way(tree):
    """An exact zero is for the later class, as in LIBSVM."""
    assert decide(dialled_pairs(4), tree, np.zeros((1, 6)))[0] == 3
    assert decide(dialled_pairs(4), tree, np.zeros((100, 6)))[99] == 3


@pytest.mark.parametrize("structure", [DDAG(), MaxWins()])
def test_plans_are_frozen(structure):
    """Neither the fields nor the arrays of a plan can be changed."""
    plan = structure.plan(dialled_pairs(4))
    with pytest.raises(FrozenInstanceError):
        plan.n_classes = 3
    for value in vars(plan).values():
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable


def test_kinds_of_plan():
    """DDAG walks a graph, Max Wins is a knockout, one against the rest a poll."""
    assert isinstance(DDAG().plan(dialled_pairs(3)), GraphPlan)
    assert isinstance(MaxWins().plan(dialled_pairs(3)), KnockoutPlan)
    assert isinstance(OneVsRest().plan(dialled_rest(3)), PollPlan)
