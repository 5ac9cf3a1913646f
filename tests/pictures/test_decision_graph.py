"""The description of a graph: the vertices and edges are those of the plan."""

from itertools import pairwise

import numpy as np
import pytest
from helpers import random_patterns

import dagmar
from dagmar.pictures.decision_graph import DecisionGraph
from dagmar.structures.plans import KnockoutPlan, is_leaf, is_node, leaf_class

GRAPHS = ["ddag", "divide_and_conquer", "fisher_tree", "centered_tree", dagmar.FisherTree(machines="groups")]


def graph_of(clf):
    return DecisionGraph.of(clf.plan_, clf.bank_.tasks)


@pytest.mark.parametrize("structure", GRAPHS, ids=str)
def test_following_a_graph_ends_at_the_answer(structure, fitted):
    """The path of every sample leads along edges to the leaf of its class, and asks the machines that were consulted."""
    clf, X, _ = fitted(structure, 7)
    graph = graph_of(clf)
    path = clf.decision_path(X)
    for (machines, values), answer in zip(path, path.answers, strict=True):
        vertices = graph.follow(values)
        assert graph.machine[vertices[:-1]].tolist() == machines.tolist()
        assert graph.ends(vertices[-1]) == [answer]
        # The answer is among the classes possible at every step, and these become fewer.
        possible = [set(graph.classes_of(v)) for v in vertices]
        assert all(answer in classes for classes in possible)
        assert all(after < before for before, after in pairwise(possible))


@pytest.mark.parametrize("order", [None, [3, 1, 4, 0, 2]])
def test_a_ddag_is_a_triangle(order, fitted):
    """Its list is found, and each node has the part of the list between its two classes."""
    clf, _, _ = fitted(dagmar.DDAG(order=order), 5)
    graph = graph_of(clf)
    order = list(range(5)) if order is None else order
    assert graph.order.tolist() == order
    assert graph.n_nodes == 10
    for node in range(graph.n_nodes):
        classes = graph.classes_of(node)
        first = order.index(classes[0])
        assert classes == order[first : first + len(classes)]
        assert {classes[0], classes[-1]} == {c for side in graph.sides(node) for c in side}


def test_a_tree_is_no_triangle(fitted):
    """Its order is empty, and its node sets are those of the plan."""
    clf, _, _ = fitted("fisher_tree", 7)
    graph = graph_of(clf)
    assert not len(graph.order)
    np.testing.assert_array_equal(graph.classes[: graph.n_nodes], clf.plan_.node_classes)


@pytest.mark.parametrize("structure", GRAPHS, ids=str)
def test_edges_are_those_of_the_plan(structure, fitted):
    """A child is a node of the plan, or the leaf of its class."""
    clf, _, _ = fitted(structure, 5)
    graph, plan = graph_of(clf), clf.plan_
    for node in range(graph.n_nodes):
        for child, edge in zip(graph.children[node], (plan.on_negative[node], plan.on_positive[node]), strict=True):
            if is_node(int(edge)):
                assert child == edge
            else:
                assert is_leaf(5, int(edge))
                assert graph.ends(int(child)) == [leaf_class(int(edge))]


def test_lists_of_a_graph_that_was_cut(seven_blobs):
    """A graph with max_nodes has lists; a path that ends in one stops there, and its classes hold the answer."""
    X, y = seven_blobs
    with pytest.warns(UserWarning, match="max_nodes=2"):
        clf = dagmar.SVC(structure=dagmar.FisherTree(max_nodes=2)).fit(X, y)
    graph = graph_of(clf)
    assert len(graph.lists) == len(clf.plan_.list_begin) - 1 > 0
    path = clf.decision_path(X[:20])
    for (_, values), answer in zip(path, path.answers, strict=True):
        last = graph.follow(values)[-1]
        assert not graph.is_node(last)
        assert answer in graph.ends(last)


def test_depth_ways_and_the_tree(fitted):
    """In a DDAG the ways to a node are binomial; the tree has all of them."""
    clf, _, _ = fitted("ddag", 5)
    graph = graph_of(clf)
    assert graph.depth[: graph.n_nodes].tolist() == [0, 1, 1, 2, 2, 2, 3, 3, 3, 3]
    assert graph.ways[: graph.n_nodes] == [1, 1, 1, 1, 2, 1, 1, 3, 3, 1]
    assert graph.ways[graph.n_nodes :] == [1, 4, 6, 4, 1]
    assert graph.scattered == [1, 2, 3]
    tree = graph.unfolded()
    assert len(tree.vertex) == graph.n_unfolded == 31
    for item, (negative, positive) in enumerate(tree.children.tolist()):
        if negative < 0:
            assert not graph.is_node(tree.vertex[item])
        else:
            assert graph.children[tree.vertex[item]].tolist() == tree.vertex[[negative, positive]].tolist()
            assert tree.depth[negative] == tree.depth[positive] == tree.depth[item] + 1


def test_a_ranked_knockout_is_a_graph(fitted):
    """The graph of an adaptive DDAG leads every sample along its machines to its class."""
    clf, X, _ = fitted("adaptive_ddag", 7)
    graph = DecisionGraph.of_ranked(clf.plan_, clf.bank_.tasks, 1000)
    path = clf.decision_path(X)
    for (machines, values), answer in zip(path, path.answers, strict=True):
        vertices = graph.follow(values)
        assert graph.machine[vertices[:-1]].tolist() == machines.tolist()
        assert graph.ends(vertices[-1]) == [answer]
    assert DecisionGraph.of_ranked(clf.plan_, clf.bank_.tasks, graph.n_nodes - 1) is None


def test_ranked_graph_for_every_outcome(fitted):
    """Also where outcomes are not those of any sample."""
    n = 6
    clf, _, _ = fitted("adaptive_ddag", n)
    plan: KnockoutPlan = clf.plan_
    graph = DecisionGraph.of_ranked(plan, clf.bank_.tasks, 10_000)
    for values in random_patterns(1, n, 50):
        vertex = graph.root
        one, left = int(plan.order[0]), set(range(n))
        while graph.is_node(vertex):
            other = next(r for r in plan.rivals[one].tolist() if r in left)
            machine = plan.machine_of[one, other]
            assert graph.machine[vertex] == machine
            one, lost = (max(one, other), min(one, other))[:: 1 if values[machine] >= 0 else -1]
            left.discard(lost)
            vertex = int(graph.children[vertex, int(values[machine] >= 0)])
        assert graph.ends(vertex) == [one]


def test_ends_of_a_node_are_refused(fitted):
    """A node has no class."""
    with pytest.raises(ValueError, match="vertex 0 is not an end"):
        graph_of(fitted("ddag", 5)[0]).ends(0)
