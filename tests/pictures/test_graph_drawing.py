"""Graphs: every node is there with its question, and the path is drawn along its edges."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from sklearn.datasets import load_iris

import dagmar
from dagmar.pictures.decision_graph import DecisionGraph
from dagmar.pictures.drawing import VERMILLION
from dagmar.pictures.graph_drawing import PATH, _told, draw_graph, place
from dagmar.pictures.triangle import places


def graph_of(clf):
    return DecisionGraph.of(clf.plan_, clf.bank_.tasks)


@pytest.mark.parametrize("n", [2, 3, 5, 10])
def test_a_triangle_has_its_questions_and_lists(n, fitted, ax, texts):
    """As many boxes as nodes and leaves, at the places of the triangle; the root has the list of all classes."""
    ax.figure.set_size_inches(3 * n, 8)
    clf, _, _ = fitted("ddag", n)
    names = [f"c{k}" for k in range(n)]
    draw_graph(ax, graph_of(clf), names, None)
    assert len(texts(ax)) == n * (n - 1) // 2 + n
    questions = {text.get_text().split("\n")[0]: text.get_position() for text in ax.texts}
    where = places(clf.bank_.pairs, np.arange(n))
    for (i, j), at in zip(clf.bank_.pairs.tolist(), where, strict=True):
        assert questions[f"c{i} vs c{j}"] == pytest.approx(tuple(at))
    root = next(t for t in texts(ax) if t.startswith(f"c0 vs c{n - 1}"))
    if n in (3, 5):
        assert root.replace(",\n", ", ").split("\n", 1)[1] == ", ".join(names)
    edges = ax.collections[0].get_segments()
    assert len(edges) == n * (n - 1)


def test_the_path_is_drawn_with_its_values(fitted, ax, texts):
    """A thick line through the nodes of the path; its boxes have the values, and the leaf of the answer is bold."""
    clf, X, _ = fitted("ddag", 5)
    graph = graph_of(clf)
    (machines, values), answer = clf.decision_path(X[:1])[0], clf.decision_path(X[:1]).answers[0]
    draw_graph(ax, graph, list("abcde"), values)
    vertices = graph.follow(values)
    where = place(graph, values).places[vertices]
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), where)
    assert to_rgba(ax.lines[0].get_color()) == to_rgba(VERMILLION)
    for value in values:
        assert any(text.endswith(f"\n{value:+.2g}") for text in texts(ax))
    bold = [text.get_text() for text in ax.texts if text.get_fontweight() == "bold"]
    assert bold == ["abcde"[answer]]
    assert len(machines) == 4


def test_scattered_classes_have_dashed_frames(ax):
    """A class with several leaves in a tree is drawn as often as it occurs, with a dashed frame."""
    clf = dagmar.SVC(C=10, structure="fisher_tree").fit(*load_iris(return_X_y=True))
    graph = graph_of(clf)
    drawn = place(graph, None)
    draw_graph(ax, graph, list("abc"), None)
    dashed = [text.get_text() for text in ax.texts if text.get_bbox_patch().get_linestyle() == "--"]
    leaves = [graph.ends(int(v))[0] for v in drawn.vertex if v >= graph.n_nodes]
    assert dashed == ["abc"[c] for c in leaves if c in graph.scattered]
    assert graph.scattered
    assert len(leaves) > 3


@pytest.mark.parametrize("structure", ["ddag", "divide_and_conquer"])
def test_many_classes_are_dots_with_a_readable_path(structure, fitted, ax, texts):
    """26 classes: all nodes are dots, only the path has texts, and every leaf has its name."""
    clf, X, _ = fitted(structure, 26)
    graph = graph_of(clf)
    values = clf.decision_path(X[:1])[0][1]
    names = [chr(65 + c) for c in range(26)]
    draw_graph(ax, graph, names, values)
    dots = sum(len(c.get_offsets()) for c in ax.collections[1:])
    assert dots == len(place(graph, values).vertex) == (graph.depth >= 0).sum()
    assert len(texts(ax)) == len(values) + 1
    assert next(t for t in texts(ax) if " vs " in t).endswith(f"{values[0]:+.2g}")
    assert sorted(label.get_text() for label in ax.get_xticklabels()) == names


def test_edges_of_a_picture_are_those_of_the_graph(fitted):
    """As a tree, and in layers, items that are joined show vertices that are."""
    for structure, n in [("fisher_tree", 3), ("divide_and_conquer", 9), (dagmar.FisherTree(machines="groups"), 9)]:
        graph = graph_of(fitted(structure, n)[0])
        drawn = place(graph, None)
        for parent, child in drawn.vertex[drawn.edges].tolist():
            assert child in graph.children[parent]
        assert drawn.path == []


def test_no_edge_is_behind_a_box(fitted):
    """A graph in layers: an edge touches the boxes of its two ends only, and the path goes along its edges."""
    clf, X, _ = fitted("divide_and_conquer", 12)
    display = dagmar.pictures.StructureDisplay.from_estimator(clf, X[0]).plot()
    ax, drawn = display.ax_, place(display.graph, display.values)
    display.figure_.draw_without_rendering()
    assert drawn.routes is not None
    boxes = [text.get_bbox_patch().get_window_extent() for text in ax.texts]
    hidden = []
    for (parent, child), line in zip(drawn.edges.tolist(), ax.collections[0].get_segments(), strict=True):
        points = ax.transData.transform(line)
        between = np.linspace(points[:-1], points[1:], 20).reshape(-1, 2)
        for item, box in enumerate(boxes):
            if item not in (parent, child) and any(box.contains(*point) for point in between):
                hidden.append((parent, child, item))
    assert hidden == []
    path = ax.lines[0].get_xydata().tolist()
    assert [place for place in path if place in drawn.places.tolist()] == drawn.places[drawn.path].tolist()


def test_labels_are_no_formulas(fitted, ax, texts):
    """Dollar signs are escaped, long names are shortened."""
    clf, _, _ = fitted("ddag", 3)
    draw_graph(ax, graph_of(clf), ["$a$", "b" * 50, "c"], None)
    assert r"\$a\$ vs c" in {text.split("\n")[0] for text in texts(ax)}
    assert not any("b" * 17 in text for text in texts(ax))
    ax.figure.canvas.draw()


def test_of_a_very_long_path_the_closest_calls_are_told():
    """Both ends and the smallest values; all steps if there are few."""
    values = np.linspace(5, 1, 200)
    path = list(range(1000, 1201))
    told = _told(path, values)
    assert told[0] == 1000
    assert told[-1] == 1200
    assert told[1:-1] == path[200 - PATH : 200]
    assert _told(path[:10], values[:9]) == path[:10]
