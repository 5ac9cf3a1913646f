"""Small drawings of plans."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from helpers import blobs

import dagmar
from dagmar.pictures.decision_graph import DecisionGraph
from dagmar.pictures.sketch import MOST_CLASSES, MOST_NODES, _bracket, _graph, _triangle, sketch
from dagmar.structures import STRUCTURES


def plan_of(structure, n, spread=1.0):
    """A plan and the tasks of its machines."""
    X, y = blobs(seed=9, n_classes=n, per_class=6, n_features=3, spread=spread)
    clf = dagmar.SVC(gamma=0.1, structure=structure).fit(X, y)
    return clf.plan_, clf.bank_.tasks


@pytest.mark.parametrize("structure", list(STRUCTURES))
@pytest.mark.parametrize("n", [2, 3, 10])
def test_every_structure_is_drawn(structure, n):
    """The drawing is well-formed, small, and names each class once; all numbers are on the page."""
    labels = [f"class {c}" for c in range(n)]
    drawn = sketch(*plan_of(structure, n), labels)
    assert len(drawn) < 6000
    root = ET.fromstring(drawn)
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert sorted(texts) == labels
    width, height = map(float, root.get("viewBox").split()[2:])
    for x, y in re.findall(r"[ML]([-\d.e]+) ([-\d.e]+)", drawn):
        assert 0 <= float(x) <= width
        assert 0 <= float(y) <= height


def test_labels_are_cut_and_escaped():
    """Markup is shown as text, and a long label gets an ellipsis."""
    drawn = sketch(*plan_of("ddag", 3), ["<b>x</b>", "a & b", "x" * 100])
    texts = [text.text for text in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["<b>x</b>", "a & b", "x" * 7 + "…" + "x" * 4]
    assert "<b>" not in drawn


def test_colours_are_those_of_the_page():
    """Only the colour of the surrounding text is used."""
    drawn = sketch(*plan_of("bracket", 5), list("abcde"))
    assert set(re.findall(r'(?:stroke|fill)="([^"]*)"', drawn)) == {"currentColor", "none"}


def test_too_large_is_not_drawn():
    """Many classes, or a tree of many nodes, have no drawing."""
    assert sketch(*plan_of("max_wins", MOST_CLASSES + 1), range(MOST_CLASSES + 1)) is None
    tree, tasks = plan_of("fisher_tree", 20, spread=5.0)
    assert len(tree.machine) > MOST_NODES
    assert sketch(tree, tasks, range(20)) is None


def test_triangle_has_the_order_of_the_list():
    """The leaves stand in the order of the list; every pair has a node, and two diagonals cross in it."""
    shape = _triangle(np.array([3, 1, 4, 0, 2]))
    assert shape.order.tolist() == [3, 1, 4, 0, 2]
    assert (shape.points.shape, shape.lines.shape) == ((10, 2), (8, 2, 2))
    assert shape.points.max(axis=0).tolist() == [3.5, 2.0]


def test_bracket_keeps_opponents_together():
    """The first meets the last: they are neighbours, and n classes play n - 1 matches."""
    shape = _bracket(np.array([0, 1, 2, 3, 4]))
    assert abs(shape.leaves[0] - shape.leaves[4]).tolist() == [1.0, 0.0]
    assert abs(shape.leaves[1] - shape.leaves[3]).tolist() == [1.0, 0.0]
    assert len(shape.points) == 4
    assert shape.points[-1, 1] == 3.0


def test_graph_has_every_node_and_class():
    """Each node is drawn once below its parents, and classes are at the bottom."""
    plan, tasks = plan_of("divide_and_conquer", 8, spread=2.0)
    shape = _graph(DecisionGraph.of(plan, tasks))
    assert (len(shape.points), len(shape.lines)) == (len(plan.machine), 2 * len(plan.machine))
    assert sorted(shape.order.tolist()) == list(range(8))
    assert (shape.lines[:, 1, 1] < shape.lines[:, 0, 1]).all()
    assert (shape.leaves[:, 1] == shape.lines[..., 1].min()).all()


def test_lists_of_a_cut_graph_are_points():
    """A graph that was cut ends in lists of classes, which are drawn as points; only its leaves are named."""
    X, y = blobs(seed=9, n_classes=9, per_class=6, n_features=3, spread=3.0)
    with pytest.warns(UserWarning, match="max_nodes"):
        clf = dagmar.SVC(gamma=0.1, structure=dagmar.DivideAndConquer(max_nodes=3)).fit(X, y)
    shape = _graph(DecisionGraph.of(clf.plan_, clf.bank_.tasks))
    assert len(shape.points) == len(clf.plan_.machine) + len(clf.plan_.list_begin) - 1
    assert sketch(clf.plan_, clf.bank_.tasks, list("abcdefghi")).startswith("<svg")
