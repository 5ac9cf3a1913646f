"""Centered tree: the two classes nearest the centre divide the others. Tests for all trees are in test_fisher_tree."""

import numpy as np
import pytest
from helpers import random_patterns, trace
from hypothesis import given
from hypothesis import strategies as st
from reference import tree
from tables import (
    REAL,
    TableWorkshop,
    asker,
    assert_follows_on_data,
    by_pair,
    check_graph,
    children,
    random_points,
    random_table,
    real_data,
)

import dagmar
from dagmar.structures import CenteredTree


@given(
    n_classes=st.integers(2, 12),
    seed=st.integers(0, 2**32 - 1),
    threshold=st.sampled_from([0.0, 0.125, 1 / 3]),
    undecided=st.sampled_from([0.0, 0.3, 0.7]),
)
def test_tree_is_that_of_the_recursion(n_classes, seed, threshold, undecided):
    """Nodes, answers and paths are those of the slow reference; every machine is trained once and used."""
    for_later, sizes = random_table(seed, n_classes, undecided=undecided)
    rng = np.random.default_rng(seed)
    points = {**random_points(seed, n_classes), "means": rng.normal(size=(n_classes, 2))}  # ties have their own test
    workshop = TableWorkshop(for_later, sizes, points)
    plan = CenteredTree(threshold=threshold, max_nodes=10**6).build(workshop)

    def accept(classes):
        return tree.centered(classes, points["means"], sizes)

    memo = tree.nodes(n_classes, tree.pair_split(accept, by_pair(for_later), sizes, threshold))
    bank = workshop.bank
    questions = bank.tasks.keys()
    assert len(plan.machine) == len(memo)
    for node, row in enumerate(plan.node_classes):
        found = (questions[plan.machine[node]], *children(plan, node))
        assert found == memo[frozenset(np.flatnonzero(row).tolist())]
    assert sorted(workshop.trained) == sorted(questions) == sorted({question for question, _, _ in memo.values()})
    check_graph(plan, bank.tasks)
    X = random_patterns(seed, 40, 40)[:, : bank.n_machines]
    answers, paths = trace(bank, plan, X)
    for values, answer, path in zip(X, answers, paths, strict=True):
        assert (answer, [questions[m] for m in path]) == tree.walk(n_classes, memo, asker(bank, values))
        assert len(path) == len(set(path)) <= n_classes - 1


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize(
    "structure", [CenteredTree(), CenteredTree(threshold=0.05), CenteredTree(machines="groups")], ids=str
)
def test_real_data_follows_the_reference(name, structure):
    """On real data, labels and paths are those of the slow reference, with counts and means by NumPy."""
    X, y, T, parameters = real_data(name)
    sizes = np.bincount(y)
    means = np.array([X[y == c].mean(axis=0) for c in range(len(sizes))])
    assert_follows_on_data(X, y, T, parameters, structure, lambda classes: tree.centered(classes, means, sizes))


def test_root_is_the_pair_in_the_middle():
    """Of seven blobs on a line the root takes the two nearest to the mean of all samples, for any class sizes."""
    rng = np.random.default_rng(3)
    y = np.repeat(np.arange(7), [5, 5, 5, 5, 5, 60, 5])
    X = 10.0 * y[:, None] + rng.uniform(-1, 1, size=(len(y), 1))
    clf = dagmar.SVC(kernel="linear", C=100, structure="centered_tree").fit(X, y)
    centre = X.mean()
    nearest = sorted(np.argsort([abs(X[y == c].mean() - centre) for c in range(7)])[:2].tolist())
    assert clf.bank_.pairs[clf.plan_.machine[0]].tolist() == nearest == [4, 5]


@pytest.mark.parametrize("move", [0.0, 0.1, 1000.3])
@pytest.mark.parametrize("n_classes", [5, 7])
def test_ties_go_to_the_lower_index(n_classes, move):
    """Of two classes at the same distance from the centre the lower index is taken, also for data far from the origin."""
    y = np.repeat(np.arange(n_classes), 4)
    X = (10.0 * y + np.tile([-1.0, 1.0, -0.5, 0.5], n_classes))[:, None] + move
    clf = dagmar.SVC(kernel="linear", C=100, structure="centered_tree").fit(X, y)
    middle = n_classes // 2
    assert clf.bank_.pairs[clf.plan_.machine[0]].tolist() == [middle - 1, middle]
