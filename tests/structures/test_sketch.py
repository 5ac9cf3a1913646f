"""Small drawings of plans."""

import re
import xml.etree.ElementTree as ET

import pytest
from helpers import blobs

import dagmar
from dagmar.structures import STRUCTURES
from dagmar.structures.sketch import MOST_CLASSES, MOST_NODES, _bracket, _graph, _triangle, sketch


def plan_of(structure, n, spread=1.0):
    X, y = blobs(seed=9, n_classes=n, per_class=6, n_features=3, spread=spread)
    return dagmar.SVC(gamma=0.1, structure=structure).fit(X, y).plan_


@pytest.mark.parametrize("structure", list(STRUCTURES))
@pytest.mark.parametrize("n", [2, 3, 10])
def test_every_structure_is_drawn(structure, n):
    """The drawing is well-formed, small, and names each class once; all numbers are on the page."""
    labels = [f"class {c}" for c in range(n)]
    drawn = sketch(plan_of(structure, n), labels)
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
    drawn = sketch(plan_of("ddag", 3), ["<b>x</b>", "a & b", "x" * 100])
    texts = [text.text for text in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["<b>x</b>", "a & b", "x" * 11 + "…"]
    assert "<b>" not in drawn


def test_colours_are_those_of_the_page():
    """Only the colour of the surrounding text is used."""
    drawn = sketch(plan_of("bracket", 5), list("abcde"))
    assert set(re.findall(r'(?:stroke|fill)="([^"]*)"', drawn)) == {"currentColor", "none"}


def test_too_large_is_not_drawn():
    """Many classes, or a tree of many nodes, have no drawing."""
    assert sketch(plan_of("max_wins", MOST_CLASSES + 1), range(MOST_CLASSES + 1)) is None
    tree = plan_of("fisher_tree", 20, spread=5.0)
    assert len(tree.machine) > MOST_NODES
    assert sketch(tree, range(20)) is None


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [3, 1, 4, 0, 2]])
def test_triangle_has_the_order_of_the_list(order):
    """The leaves stand in the order of the list at the root, from either end; every pair has a node."""
    shape = _triangle(plan_of(dagmar.DDAG(order=order), 5))
    assert shape.order.tolist() in (order, order[::-1])
    assert len(shape.points) == 10


def test_bracket_keeps_opponents_together():
    """The first meets the last: they are neighbours, and n classes play n - 1 matches."""
    shape = _bracket([0, 1, 2, 3, 4])
    assert shape.order.tolist() == [0, 4, 2, 1, 3]
    assert len(shape.points) == 4


def test_graph_has_every_node_and_class():
    """Each node is drawn once below its parents, and classes are at the bottom."""
    plan = plan_of("divide_and_conquer", 8, spread=2.0)
    shape = _graph(plan)
    nodes = {0, *plan.on_negative.tolist(), *plan.on_positive.tolist()} - set(range(-8, 0))
    assert len(shape.points) == len(nodes)
    assert sorted(shape.order.tolist()) == list(range(8))
    assert (shape.lines[:, 1, 1] > shape.lines[:, 0, 1]).all()
    assert (shape.leaves[:, 1] == shape.lines[:, 1, 1].max()).all()


def test_lists_of_a_cut_graph_are_points():
    """A graph that was cut ends in lists of classes, which are drawn as points; only its leaves are named."""
    X, y = blobs(seed=9, n_classes=9, per_class=6, n_features=3, spread=3.0)
    with pytest.warns(UserWarning, match="max_nodes"):
        clf = dagmar.SVC(gamma=0.1, structure=dagmar.DivideAndConquer(max_nodes=3)).fit(X, y)
    shape = _graph(clf.plan_)
    assert len(shape.points) == len(clf.plan_.machine) + len(clf.plan_.list_begin) - 1
    assert sketch(clf.plan_, list("abcdefghi")).startswith("<svg")
