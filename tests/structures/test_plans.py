"""Plans as plain arrays."""

import time
from dataclasses import FrozenInstanceError, replace
from itertools import product

import numpy as np
import pytest
from helpers import decide, dialled_pairs, dialled_rest, random_patterns, trace
from hypothesis import given, settings
from hypothesis import strategies as st

import dagmar
from dagmar.structures import DDAG, STRUCTURES, MaxWins, OneVsRest
from dagmar.structures.plans import GraphPlan, KnockoutPlan, PollPlan, leaf_edge, list_edge
from fuzzing.truth import _walk_graph as walk_graph


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


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("n_classes", [2, 3, 60])
def test_plans_show_themselves_in_one_line(structure, n_classes, rng):
    """The representation has counts, and no arrays."""
    y = np.arange(4 * n_classes) % n_classes
    X = rng.normal(size=(len(y), 2)) + y[:, None]
    plan = dagmar.SVC(structure=structure).fit(X, y).plan_
    assert repr(plan).startswith(f"{type(plan).__name__}({n_classes} classes")
    assert str(plan) == repr(plan)
    assert len(repr(plan)) < 80
    assert "array" not in repr(plan)


def test_what_plans_say(tree):
    """Nodes, lists and the rule."""
    assert repr(tree) == "GraphPlan(4 classes, 3 nodes)"
    with_lists = replace(tree, list_begin=array(0, 2), list_classes=np.array([0, 1], dtype=np.int32))
    assert repr(with_lists) == "GraphPlan(4 classes, 3 nodes, 1 list)"
    assert repr(KnockoutPlan(3, np.zeros((3, 3)))) == "KnockoutPlan(3 classes, rule 'fewest_losses')"
    assert repr(PollPlan(5)) == "PollPlan(5 classes)"


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


# --------------------------------------------------------------------------- unanimity


def ddag_plan(n_classes):
    return DDAG().plan(dialled_pairs(n_classes))


def keeps_promise(plan):
    """Whether a class that wins all its pairs is the answer, tried with every outcome of all machines."""
    n = plan.n_classes
    pairs = [(int(plan.machine_of[i, j]), i, j) for i in range(n) for j in range(i + 1, n)]
    for positive in product([False, True], repeat=len(pairs)):
        winners = set(range(n)) - {i if positive[m] else j for m, i, j in pairs}
        if winners and walk_graph(plan, lambda m, positive=positive: positive[m]) not in winners:
            return False
    return True


def asks_twice(plan, edge=None, asked=()):
    """Whether a machine decides two pairs, or a path asks one twice, or may do so in a list."""
    if edge is None:
        edge, pairs = plan.root, plan.machine_of[np.triu_indices(plan.n_classes, 1)]
        if len(np.unique(pairs)) < len(pairs):
            return True
    if edge < 0:
        return leaf_edge(edge) >= plan.n_classes and bool(asked)
    m = int(plan.machine[edge])
    return m in asked or any(asks_twice(plan, int(e[edge]), (*asked, m)) for e in (plan.on_negative, plan.on_positive))


def refused(plan):
    try:
        return plan.native is None
    except ValueError as error:
        return "called unanimous" in str(error)


@settings(max_examples=300)
@given(st.data())
def test_promise_of_unanimity_is_checked(data):
    """A changed DDAG is accepted only if it keeps its promise, and refused only if it does not, or uses a machine twice."""
    n = data.draw(st.integers(2, 4))
    plan, n_pairs = ddag_plan(n), n * (n - 1) // 2
    lists = [list(order) for order in data.draw(st.lists(st.permutations(range(n)), max_size=2))]
    lists = [classes[: data.draw(st.integers(1, n))] for classes in lists]
    plan = replace(
        plan,
        list_begin=np.cumsum([0, *map(len, lists)], dtype=np.int64),
        list_classes=np.array([c for classes in lists for c in classes], dtype=np.int32),
    )
    ends = [*(leaf_edge(c) for c in range(n)), *(list_edge(n, number) for number in range(len(lists)))]
    for _ in range(data.draw(st.integers(0, 3))):
        name = data.draw(st.sampled_from(["on_negative", "on_positive", "machine", "machine_of", "root"]))
        if name == "root":
            plan = replace(plan, root=data.draw(st.sampled_from([*range(n_pairs), *ends])))
            continue
        changed = getattr(plan, name).copy()
        if name == "machine_of":
            i, j = sorted(data.draw(st.permutations(range(n)))[:2])
            changed[i, j] = changed[j, i] = data.draw(st.integers(0, n_pairs - 1))
        else:
            v = data.draw(st.integers(0, n_pairs - 1))
            later = [*range(v + 1, n_pairs), *ends]  # edges lead on, so there is no cycle
            edges = st.integers(0, n_pairs - 1) if name == "machine" else st.sampled_from(later)
            changed[v] = data.draw(edges)
        plan = replace(plan, **{name: changed})
    kept = keeps_promise(plan)
    assert refused(plan) <= (not kept or asks_twice(plan))
    assert refused(plan) >= (not kept)
    assert not refused(replace(plan, unanimous=False))


def test_broken_promise_of_unanimity_is_named(tree):
    """A tree that asks two of six pairs is refused if it says that it is unanimous; a class and a leaf are named."""
    plan = replace(tree, machine_of=ddag_plan(4).machine_of, unanimous=True)
    with pytest.raises(
        ValueError, match="called unanimous, but class 2 may win all its pairs and end at the leaf of class 0"
    ):
        decide(dialled_pairs(4), plan, random_patterns(0, 4, 100))
    listed = GraphPlan(3, -4, *[array()] * 3, ddag_plan(3).machine_of, True)
    whole = replace(listed, list_begin=array(0, 3), list_classes=np.array([2, 0, 1], dtype=np.int32))
    np.testing.assert_array_equal(decide(dialled_pairs(3), whole, -np.ones((40, 3))), 0)
    part = replace(listed, list_begin=array(0, 2), list_classes=np.array([2, 0], dtype=np.int32))
    with pytest.raises(ValueError, match="class 1 may win all its pairs and end at a list without it"):
        decide(dialled_pairs(3), part, -np.ones((40, 3)))


def test_check_of_a_large_graph_is_quick():
    """The graph of 600 classes, 179,700 nodes, is checked within a second of processor time."""
    n = 600
    number = np.zeros((n, n), dtype=np.int64)
    first, last = np.triu_indices(n, 1)
    number[first, last] = np.arange(len(first))
    inner = first + 1 < last
    plan = GraphPlan(
        n_classes=n,
        root=int(number[0, n - 1]),
        machine=number[first, last],
        on_negative=np.where(inner, number[first, last - 1], leaf_edge(first)),
        on_positive=np.where(inner, number[np.minimum(first + 1, n - 1), last], leaf_edge(last)),
        machine_of=number + number.T,
        unanimous=True,
    )
    begin = time.process_time()
    assert plan.native is not None
    assert time.process_time() - begin < 1.0
