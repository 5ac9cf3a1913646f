"""Positions: none on another, children below their parents."""

import numpy as np
import pytest

from dagmar.pictures.decision_graph import DecisionGraph
from dagmar.pictures.layout import LANE, NODE, _spread, layered, layered_places, tree_places


def graph_of(clf):
    return DecisionGraph.of(clf.plan_, clf.bank_.tasks)


def no_two_at_one_place(places):
    return len(np.unique(places.round(6), axis=0)) == len(places)


def test_a_tree_has_its_ends_side_by_side(fitted):
    """Ends have whole numbers 0, 1, ...; a parent is in the middle of its children, one row above."""
    tree = graph_of(fitted("fisher_tree", 5)[0]).unfolded()
    places = tree_places(tree)
    ends = tree.children[:, 0] < 0
    assert sorted(places[ends, 0].tolist()) == list(range(ends.sum()))
    for item in np.flatnonzero(~ends):
        assert places[item, 0] == places[tree.children[item], 0].mean()
        assert (places[tree.children[item], 1] == places[item, 1] - 1).all()
    assert no_two_at_one_place(places)


@pytest.mark.parametrize("structure", ["divide_and_conquer", "fisher_tree", "ddag"])
def test_layers(structure, fitted):
    """Every edge goes down, leaves are in the lowest row, and no vertex is on another."""
    graph = graph_of(fitted(structure, 9)[0])
    places = layered_places(graph)
    reached = graph.depth >= 0
    assert np.isfinite(places[reached]).all()
    for node in range(graph.n_nodes):
        assert (places[graph.children[node], 1] < places[node, 1]).all()
    assert set(places[graph.n_nodes :, 1][reached[graph.n_nodes :]]) == {places[reached, 1].min()}
    assert no_two_at_one_place(places[reached])


def test_vertices_that_cannot_be_reached_have_no_place(fitted):
    """A graph walked from another root does not draw what is beside it."""
    from dataclasses import replace

    graph = replace(graph_of(fitted("ddag", 5)[0]), root=1, order=np.zeros(0, dtype=np.int64))
    places = layered_places(graph)
    assert np.isnan(places[0]).all()
    assert np.isnan(places[-1]).all()  # class 4 is out at node 1
    assert np.isfinite(places[1]).all()


def test_spread_keeps_order_and_distance():
    """Neighbours are a unit apart, or as far as the width lets them, inside it and in their order."""
    rng = np.random.default_rng(0)
    for n, width in [(1, 5), (4, 10), (10, 10), (30, 10)]:
        x = rng.uniform(0, width - 1, n)
        moved = _spread(x, np.full(n, 0.5), width)
        assert moved.min() >= -1e-9
        assert moved.max() <= width - 1 + 1e-9
        np.testing.assert_array_equal(np.argsort(moved), np.argsort(x))
        gap = min(1.0, (width - 1) / max(1, n - 1))
        assert np.diff(np.sort(moved)).min(initial=gap) >= gap - 1e-9


def test_spread_gives_each_part_its_room():
    """A lane needs less room than a node."""
    halves = np.array([NODE, LANE, NODE, LANE])
    moved = _spread(np.full(4, 3.0), halves, 10)
    np.testing.assert_allclose(np.diff(moved), [NODE + LANE] * 3)


@pytest.mark.parametrize("n", [9, 12])
def test_edges_pass_between_the_nodes_of_a_layer(n, fitted):
    """A route goes down from its parent to its child, and in every layer between it is beside all nodes."""
    graph = graph_of(fitted("divide_and_conquer", n)[0])
    layers = layered(graph, lanes=True)
    places = layers.places
    assert no_two_at_one_place(places[graph.depth >= 0])
    long = 0
    for node in np.flatnonzero(graph.depth[: graph.n_nodes] >= 0).tolist():
        for child in graph.children[node].tolist():
            route = layers.route(node, child)
            np.testing.assert_array_equal(route[[0, -1]], places[[node, child]])
            assert (np.diff(route[:, 1]) < 0).all()
            for row in range(int(-places[node, 1]) + 1, int(-places[child, 1])):
                # Straight down past the boxes of the layer, at least half a node away from their middles.
                here = route[np.abs(route[:, 1] + row) < 0.5, 0]
                assert np.ptp(here) == 0
                inside = places[: graph.n_nodes][places[: graph.n_nodes, 1] == -row, 0]
                assert np.abs(inside - here[0]).min(initial=1) >= NODE + LANE - 1e-9
                long += 1
    assert long > 0
