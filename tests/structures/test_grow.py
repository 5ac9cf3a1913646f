"""Graphs grown from sets of classes."""

from itertools import pairwise

import numpy as np
import pytest
from helpers import blobs
from hypothesis import given
from hypothesis import strategies as st
from reference import tree
from sklearn.linear_model import LogisticRegression
from tables import children

import dagmar
from dagmar.problem.tasks import all_pairs
from dagmar.structures.grow import Split, grow

seeds = st.integers(0, 2**32 - 1)


def as_mask(classes, n_classes):
    mask = np.zeros(n_classes, dtype=bool)
    mask[sorted(classes)] = True
    return mask


def random_rule(seed, n_classes):
    """A rule that divides sets of classes at random, the same set always in the same way, and counts its calls."""
    number = {tuple(pair): m for m, pair in enumerate(all_pairs(n_classes).pairs.tolist())}
    asked = []

    def split(classes):
        asked.append(classes)
        rng = np.random.default_rng([seed, *sorted(classes)])
        i, j = sorted(rng.choice(sorted(classes), 2, replace=False).tolist())
        where = rng.integers(0, 3, n_classes)  # left, right, both
        left = frozenset(c for c in classes if where[c] != 1) - {j} | {i}
        right = frozenset(c for c in classes if where[c] != 0) - {i} | {j}
        return ((i,), (j,)), left, right

    def split_level(level):
        out = []
        for mask in level:
            (negative, positive), left, right = split(frozenset(np.flatnonzero(mask).tolist()))
            machine = number[negative[0], positive[0]]
            out.append(Split(machine, as_mask(left, n_classes), as_mask(right, n_classes)))
        return out

    return split, split_level, asked


@given(n_classes=st.integers(2, 10), seed=seeds)
def test_graph_has_the_nodes_of_the_recursion(n_classes, seed):
    """Growth by levels and by recursion gives the same sets, machines and children; each set is divided once."""
    split, split_level, asked = random_rule(seed, n_classes)
    plan = grow(n_classes, split_level, 10**6)
    assert len(asked) == len(set(asked)) == len(plan.machine)
    memo = tree.nodes(n_classes, split)
    pairs = all_pairs(n_classes).pairs
    assert len(memo) == len(plan.machine)
    for node, row in enumerate(plan.node_classes):
        question, left, right = memo[frozenset(np.flatnonzero(row).tolist())]
        assert tuple(pairs[plan.machine[node]].tolist()) == (question[0][0], question[1][0])
        assert children(plan, node) == [left, right]
    assert len(plan.list_classes) == 0
    assert plan.list_begin.tolist() == [0]


@given(n_classes=st.integers(2, 10), seed=seeds, max_nodes=st.integers(1, 30))
def test_cap_is_kept_and_lists_hold_the_rest(n_classes, seed, max_nodes):
    """There are at most max_nodes nodes; the sets beyond are lists in ascending order, each once."""
    split, split_level, _ = random_rule(seed, n_classes)
    plan = grow(n_classes, split_level, max_nodes)
    memo = tree.capped_nodes(n_classes, split, max_nodes)
    assert len(plan.machine) == len(memo) <= max_nodes
    sets = {frozenset(np.flatnonzero(row).tolist()) for row in plan.node_classes}
    assert sets == set(memo)
    lists = [plan.list_classes[b:e].tolist() for b, e in pairwise(plan.list_begin)]
    assert all(one == sorted(one) for one in lists)
    beyond = {child for _, left, right in memo.values() for child in (left, right) if len(child) > 1} - set(memo)
    assert len(lists) == len(set(map(tuple, lists)))
    assert {frozenset(one) for one in lists} == beyond


@pytest.mark.parametrize("n_classes", [2, 7])
def test_two_classes_are_one_node(n_classes):
    """The root holds all classes; with two it has two leaves."""
    _, split_level, _ = random_rule(0, n_classes)
    plan = grow(n_classes, split_level, 4096)
    assert plan.root == 0
    assert plan.node_classes[0].all()
    if n_classes == 2:
        assert (plan.on_negative.tolist(), plan.on_positive.tolist()) == ([-1], [-2])


def test_types_are_those_of_the_core():
    """The arrays for the core need no conversion, also if they are empty."""
    for max_nodes in (1, 4096):
        plan = grow(5, random_rule(0, 5)[1], max_nodes)
        assert {a.dtype for a in (plan.machine, plan.on_negative, plan.on_positive, plan.list_begin)} == {
            np.dtype(np.int64)
        }
        assert plan.list_classes.dtype == np.int32
        assert plan.node_classes.dtype == bool


@pytest.mark.parametrize("structure", [dagmar.DivideAndConquer, dagmar.FisherTree, dagmar.CenteredTree])
@pytest.mark.parametrize("machine", ["kernel", "estimator"])
def test_graph_that_is_cut_warns_and_counts_the_samples_in_lists(structure, machine):
    """The warning names the limit and says how many training samples leave the nodes for a list."""
    X, y = blobs(5, 7, 25, 4, spread=2.5)
    model = dagmar.SVC(gamma=0.1) if machine == "kernel" else dagmar.PairwiseClassifier(LogisticRegression())
    with pytest.warns(UserWarning, match="max_nodes=3") as caught:
        clf = model.set_params(structure=structure(max_nodes=3)).fit(X, y)
    plan, told = clf.plan_, str(caught[0].message)
    inside = 0
    for _, values in clf.decision_path(X):
        edge = plan.root
        for value in values:
            if edge >= 0:
                edge = (plan.on_positive if value >= 0 else plan.on_negative)[edge]
        inside += edge < -plan.n_classes
    assert inside > 0
    assert f"{inside} of {len(y)} training samples end in lists" in told


def test_by_default_a_graph_is_whole():
    """A graph of more than 4096 nodes has no list."""

    def split_level(level):
        """A random pair decides nothing but between its own classes, so very many sets are reached."""
        out = []
        for classes in level:
            inside = np.flatnonzero(classes)
            i, j = np.random.default_rng(inside).choice(inside, 2, replace=False)
            left, right = classes.copy(), classes.copy()
            left[j] = right[i] = False
            out.append(Split(0, left, right))
        return out

    structures = (dagmar.DivideAndConquer(), dagmar.FisherTree(), dagmar.CenteredTree())
    assert [structure.max_nodes for structure in structures] == [10**6] * 3
    plan = grow(18, split_level, structures[0].max_nodes)
    assert len(plan.machine) > 4096
    assert len(plan.list_begin) == 1
