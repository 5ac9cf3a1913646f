"""Structures as DOT: every node and edge once, labels escaped, and Graphviz reads it."""

import io
import re
import shutil
import subprocess

import numpy as np
import pytest
from sklearn.datasets import load_iris

import dagmar
from dagmar.pictures.decision_graph import DecisionGraph

LABEL = r'"((?:[^"\\]|\\.)*)"'


def read(dot):
    """The labels of nodes, and the edges, of a DOT text."""
    nodes = {int(v): label for v, label in re.findall(rf"^(\d+) \[label={LABEL}", dot, re.MULTILINE)}
    edges = [(int(a), int(b)) for a, b in re.findall(r"^(\d+) -> (\d+)", dot, re.MULTILINE)]
    return nodes, edges


@pytest.mark.parametrize("structure", ["ddag", "divide_and_conquer", "centered_tree", "adaptive_ddag"])
def test_nodes_and_edges_are_those_of_the_graph(structure, fitted):
    """Each vertex that can be reached has a label, each node two edges."""
    clf, _, _ = fitted(structure, 7)
    if structure == "adaptive_ddag":
        graph = DecisionGraph.of_ranked(clf.plan_, clf.bank_.tasks, 10_000)
    else:
        graph = DecisionGraph.of(clf.plan_, clf.bank_.tasks)
    nodes, edges = read(dagmar.export_graphviz(clf))
    assert set(nodes) == set(np.flatnonzero(graph.depth >= 0).tolist())
    expected = [(v, child) for v in range(graph.n_nodes) for child in graph.children[v].tolist()]
    assert sorted(edges) == sorted(expected)
    negative, positive = graph.sides(graph.root)
    assert nodes[graph.root].startswith(f"{negative[0]} or {positive[0]}")


def test_depth_and_limits(fitted):
    """Beyond max_depth there are dashed boxes; too many nodes are refused, and less depth helps."""
    clf, _, _ = fitted("ddag", 10)
    nodes, edges = read(dagmar.export_graphviz(clf, max_depth=2))
    assert len(nodes) == 6
    assert len(edges) == 6
    assert nodes[3] == "0, 1, 2, 3, 4, 5, 6, 7"
    with pytest.raises(ValueError, match=r"more than max_nodes=20 nodes; pass a smaller max_depth"):
        dagmar.export_graphviz(clf, max_nodes=20)
    assert dagmar.export_graphviz(clf, max_nodes=20, max_depth=3).count("->") == 12
    with pytest.raises(ValueError, match=r"more than max_nodes=5 nodes\. export_text"):
        dagmar.export_graphviz(fitted("adaptive_ddag", 10)[0], max_nodes=5)


@pytest.mark.parametrize(
    ("structure", "reason"),
    [("max_wins", "compares the votes of pairs"), ("and_gate", "votes"), ("one_vs_rest", "values of all machines")],
)
def test_what_is_no_graph_is_refused(structure, reason, fitted):
    """With the reason, and what describes it."""
    with pytest.raises(ValueError, match=f"has no graph: .*{reason}.*export_text"):
        dagmar.export_graphviz(fitted(structure, 5)[0])


def test_a_bracket_has_its_matches(fitted):
    """Every match has two entrants, and leads to the next until the final."""
    nodes, edges = read(dagmar.export_graphviz(fitted("bracket", 5)[0]))
    assert [nodes[v] for v in range(9)] == ["0", "1", "2", "3", "4", "match 1", "match 2", "match 3", "final"]
    assert sorted(edges) == [(0, 5), (1, 6), (2, 7), (3, 6), (4, 5), (5, 7), (6, 8), (7, 8)]


def test_files(fitted, tmp_path):
    """A path, or anything with `write`."""
    clf, _, _ = fitted("ddag", 3)
    text = dagmar.export_graphviz(clf)
    assert dagmar.export_graphviz(clf, tmp_path / "graph.dot") is None
    assert (tmp_path / "graph.dot").read_text(encoding="utf-8") == text
    buffer = io.StringIO()
    dagmar.export_graphviz(clf, buffer, rotate=True, show_classes=False)
    assert "rankdir=LR;" in buffer.getvalue()
    assert "0, 1, 2" not in buffer.getvalue()


def test_graphviz_draws_the_labels_as_they_are():
    """Quotes, backslashes, braces, tags and entities come out of Graphviz as the user wrote them."""
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed")
    import html

    labels = np.array(['say "x" \\N\\', "<b>&lt;</b> {a|b}", "$z$\nüber"])
    X, y = load_iris(return_X_y=True)
    clf = dagmar.SVC(structure="ddag").fit(X, labels[y])
    dot = dagmar.export_graphviz(clf)
    done = subprocess.run(["dot", "-Tsvg"], input=dot.encode(), capture_output=True, timeout=60, check=True)
    assert done.stderr == b""
    drawn = [html.unescape(t) for t in re.findall(r"<text[^>]*>(.*?)</text>", done.stdout.decode())]
    drawn = [t.replace("\u00a0", " ") for t in drawn]
    for label in labels:
        assert " ".join(label.split()) in drawn
