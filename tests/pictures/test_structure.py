"""StructureDisplay: each structure as what it is, at 3, 10 and 26 classes."""

import numpy as np
import pytest
from classifiers import NearestMean
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar.pictures import StructureDisplay
from dagmar.pictures.structure import _title_of
from dagmar.structures import STRUCTURES


@pytest.mark.parametrize("n", [3, 10])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_every_structure_is_drawn(structure, n, fitted):
    """With and without a sample; the title has the number of classes and the answer."""
    clf, X, _ = fitted(structure, n)
    for x in (None, X[1]):
        display = StructureDisplay.from_estimator(clf, x)
        assert display.plot() is display
        assert display.figure_ is display.ax_.figure
        title = display.ax_.get_title()
        assert f"of {n} classes" in title
        if x is None:
            assert display.answer is None
        else:
            assert title.endswith(f"answer {clf.predict(X[1:2])[0]}")
            np.testing.assert_array_equal(display.values, clf.decision_path(X[1:2])[0][1])
    kinds = {"bracket": "tournament", "max_wins": None, "and_gate": None, "one_vs_rest": None}
    drawn = kinds.get(structure, "graph")
    assert (display.graph is not None) == (drawn == "graph")
    assert (display.tournament is not None) == (drawn == "tournament")


@pytest.mark.parametrize("structure", ["ddag", "bracket", "max_wins"])
def test_26_classes(structure, fitted):
    """Their pictures can be drawn to the end, and every class is named."""
    clf, X, _ = fitted(structure, 26)
    names = [chr(65 + c) for c in range(26)]
    display = StructureDisplay.from_estimator(clf, X[0], class_names=names).plot()
    display.figure_.canvas.draw()
    written = [t.get_text() for t in display.ax_.texts] + [t.get_text() for t in display.ax_.get_xticklabels()]
    written += [t.get_text() for t in display.ax_.get_yticklabels()]
    assert set(names) <= set(written)


def test_max_wins_numbers_its_steps(fitted, texts):
    """As many numbers in the cells as machines were consulted."""
    clf, X, _ = fitted("max_wins", 10)
    display = StructureDisplay.from_estimator(clf, X[0]).plot()
    assert texts(display.ax_) == [str(k + 1) for k in range(len(clf.decision_path(X[:1])[0][0]))]


def test_other_estimators(three_blobs, ax):
    """A pipeline, a search and a PairwiseClassifier are drawn as well, in given axes."""
    X, y = three_blobs
    labels = np.array(["a$x$", "b", "c"])[y]
    for estimator in (
        make_pipeline(StandardScaler(), dagmar.SVC(structure="ddag")),
        dagmar.SVCCV(Cs=[1.0], gammas=[1.0], cv=2, structure="ddag", scaler=StandardScaler()),
        dagmar.PairwiseClassifier(NearestMean(), structure="ddag"),
    ):
        display = StructureDisplay.from_estimator(estimator.fit(X, labels), X[0]).plot(ax)
        assert display.ax_ is ax
        assert display.names == ["a$x$", "b", "c"]
        assert display.names[display.answer] == estimator.predict(X[:1])[0]


def test_two_classes(two_moons):
    """Every structure has a picture of two classes."""
    X, y = two_moons
    clf = dagmar.SVC().fit(X, y)
    for structure in STRUCTURES:
        display = StructureDisplay.from_estimator(clf.restructure(structure, X, y), X[0]).plot()
        assert display.ax_.get_title().endswith(f"answer {clf.predict(X[:1])[0]}")


def test_a_graph_that_is_too_large_is_refused(fitted, monkeypatch):
    """With a message that says how to read it instead."""
    clf, _, _ = fitted("divide_and_conquer", 10)
    monkeypatch.setattr("dagmar.pictures.structure.LAYERED_NODES", 3)
    with pytest.raises(ValueError, match=r"cannot be drawn; the limit is 3\. export_text"):
        StructureDisplay.from_estimator(clf).plot()


def test_an_adaptive_ddag_without_a_graph_is_half_a_matrix(fitted, monkeypatch):
    """If its graph has too many nodes, its pairs are drawn, with the steps of the sample."""
    monkeypatch.setattr("dagmar.pictures.structure.RANKED_NODES", 3)
    clf, X, _ = fitted("adaptive_ddag", 10)
    display = StructureDisplay.from_estimator(clf, X[0]).plot()
    assert display.graph is None
    assert len(display.ax_.texts) == 9


@pytest.mark.parametrize(
    ("structure", "title"),
    [
        (dagmar.AdaptiveDDAG(), "Adaptive DDAG"),
        (dagmar.DDAG(), "DDAG"),
        (dagmar.OneVsRest(), "One vs rest"),
        (dagmar.MaxWins(), "Max wins"),
    ],
)
def test_titles_are_words(structure, title):
    """The name of the class, in words."""
    assert _title_of(structure) == title
