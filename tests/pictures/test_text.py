"""Structures as text: following the text by hand gives the answers of the classifier."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import dagmar
from dagmar.structures import STRUCTURES

GRAPHS = ["ddag", "divide_and_conquer", "fisher_tree", "centered_tree", dagmar.FisherTree(machines="groups")]


def parse(text):
    """The lines of a text as (depth, words)."""
    return [
        ((len(line) - len(line.lstrip("| "))) // 4, line.lstrip("| ").removeprefix("--- ")) for line in text.split("\n")
    ]


def answer_of(text, beats):
    """Follow a text from its beginning; `beats(verdict)` says whether a line's verdict is true."""
    lines = parse(text)
    start = {}
    for k, (_, words) in enumerate(lines):
        if words.startswith("["):
            start.setdefault(words[1 : words.index("]")], k)
    at, depth = 0, 0
    while True:
        words = lines[at][1]
        assert lines[at][0] == depth
        if words.startswith("class: "):
            return words.removeprefix("class: ")
        if words.startswith("as at ["):
            at = start[words[7 : words.index("]")]]
            depth = lines[at][0]
        elif beats(words.split("] ")[-1]):
            at, depth = at + 1, depth + 1
        else:  # the other verdict of the node: the next line of this depth
            at = next(k for k in range(at + 1, len(lines)) if lines[k][0] == depth)


@pytest.mark.parametrize("structure", GRAPHS, ids=str)
def test_the_text_decides_as_the_classifier(structure, fitted):
    """For every sample, at nine classes, with shared nodes."""
    clf, X, _ = fitted(structure, 9)
    text = dagmar.export_text(clf, max_depth=None)
    values = clf.pair_decisions(X[:30])
    tasks = [clf.bank_.tasks.sides_of(m) for m in range(clf.bank_.n_machines)]
    for row, answer in zip(values, clf.predict(X[:30]), strict=True):
        true = set()
        for (negative, positive), value in zip(tasks, row, strict=True):
            sides = [", ".join(map(str, side)) for side in (negative, positive)]
            winner, loser = sides[:: -1 if value >= 0 else 1]
            true.add(f"{winner} beats {loser}")
        assert answer_of(text, true.__contains__) == str(answer)


def test_other_structures_name_their_rule_and_pairs(fitted):
    """The rule first; then pairs, matches, lists of rivals or machines."""
    text = {name: dagmar.export_text(fitted(name, 5)[0]).split("\n") for name in STRUCTURES}
    assert text["max_wins"][0].startswith("The class that wins most of its pairs")
    assert text["and_gate"][0].startswith("The class that wins all its pairs")
    assert text["max_wins"][1:] == [f"|--- {i} or {j}" for i in range(5) for j in range(i + 1, 5)]
    assert text["one_vs_rest"][1:] == [f"|--- {c} against the rest" for c in range(5)]
    assert text["bracket"][1:4] == ["round 1", "|--- match 1: 0 or 4", "|--- match 2: 1 or 3"]
    assert text["bracket"][-2:] == ["round 3", "|--- match 4: winner of match 3 or winner of match 2"]
    plan = fitted("adaptive_ddag", 5)[0].plan_
    first = plan.order[0]
    assert text["adaptive_ddag"][0] == f"{first} and {plan.rivals[first, 0]} meet first."
    assert text["adaptive_ddag"][2 + 3] == f"|--- 3 meets {', '.join(map(str, plan.rivals[3]))}"


def test_parameters(fitted):
    """Names, depth, lines and spacing are as asked for."""
    clf, _, _ = fitted("ddag", 5)
    named = dagmar.export_text(clf, class_names=list("abcde"), max_depth=1)
    assert named.split("\n") == [
        "|--- a beats e",
        "|   |--- truncated: 4 classes left",
        "|--- e beats a",
        "|   |--- truncated: 4 classes left",
    ]
    assert dagmar.export_text(clf, spacing=1).split("\n")[1] == "| |- 0 beats 3"
    short = dagmar.export_text(clf, max_lines=4).split("\n")
    assert len(short) == 5
    assert short[-1] == "... (the text ends here: max_lines=4)"
    with pytest.raises(dagmar.InvalidParameterError, match="max_depth"):
        dagmar.export_text(clf, max_depth=0)
    with pytest.raises(ValueError, match="a name for each of the 5 classes"):
        dagmar.export_text(clf, class_names=["a"])


def test_lists_are_named(seven_blobs):
    """A graph that was cut says that the rest is decided by lists."""
    X, y = seven_blobs
    with pytest.warns(UserWarning, match="max_nodes"):
        clf = dagmar.SVC(structure=dagmar.FisherTree(max_nodes=2)).fit(X, y)
    assert "list: " in dagmar.export_text(clf)


def test_labels_stay_on_their_lines():
    """A label with a line break does not make a line of its own."""
    X, y = load_iris(return_X_y=True)
    clf = dagmar.SVC(structure="ddag").fit(X, np.array(["a\nb", "c", "d"])[y])
    assert dagmar.export_text(clf).split("\n")[0] == "|--- a b beats d"
