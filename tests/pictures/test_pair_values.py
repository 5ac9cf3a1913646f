"""PairValuesDisplay: the values of all pairs, for the class of the row."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba

import dagmar
from dagmar.pictures import PairValuesDisplay
from dagmar.pictures.drawing import VERMILLION


@pytest.mark.parametrize("n", [2, 3, 10, 26])
def test_values_are_those_of_the_machines(n, fitted):
    """A matrix with opposite signs on both sides of the diagonal; colours are its values, and the answer is outlined."""
    clf, X, _ = fitted("max_wins", n)
    display = PairValuesDisplay.from_estimator(clf, X[0]).plot()
    values = clf.pair_decisions(X[:1])[0]
    for (i, j), value in zip(clf.bank_.pairs.tolist(), values, strict=True):
        assert display.values[j, i] == value
        assert display.values[i, j] == -value
    assert np.isnan(np.diag(display.values)).all()
    image = display.ax_.images[0]
    np.testing.assert_array_equal(image.get_array().filled(np.nan), display.values)
    assert image.get_clim() == (-np.abs(values).max(), np.abs(values).max())
    assert display.answer == clf.predict(X[:1])[0]
    assert display.wins.sum() == n * (n - 1) // 2
    outline = display.ax_.patches[0]
    assert outline.get_y() == display.answer - 0.5
    assert outline.get_edgecolor() == to_rgba(VERMILLION)
    assert f"wins {display.wins[display.answer]} of {n - 1}" in display.ax_.get_title()
    assert len(display.ax_.texts) == (n * (n - 1) if n <= 12 else 0)


def test_a_tie_is_for_the_later_class():
    """A value of exactly 0 counts as in a decision."""
    display = PairValuesDisplay(np.array([[np.nan, -0.0], [0.0, np.nan]]), ["a", "b"], 1)
    assert display.wins.tolist() == [0, 1]


def test_machines_that_are_no_pairs_are_refused(fitted):
    """One-vs-rest has no pairs, a tree lacks some."""
    with pytest.raises(ValueError, match="machines that are not pairs"):
        PairValuesDisplay.from_estimator(fitted("one_vs_rest", 5)[0], np.zeros(4))
    clf, X, _ = fitted("fisher_tree", 10)
    display = PairValuesDisplay.from_estimator(clf, X[0])
    assert np.isfinite(display.values).sum() == 2 * clf.bank_.n_machines < 90


def test_names_are_given(three_blobs, ax):
    """In given axes, with names of the user."""
    X, y = three_blobs
    display = PairValuesDisplay.from_estimator(dagmar.SVC().fit(X, y), X[0], class_names=["$a", "b", "c"]).plot(ax)
    assert display.ax_ is ax
    assert [t.get_text() for t in ax.get_yticklabels()] == [r"\$a", "b", "c"]
