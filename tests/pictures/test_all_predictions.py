"""AllPredictionsDisplay: the table of divide and conquer, row by row."""

import numpy as np
import pytest

from dagmar.pictures import AllPredictionsDisplay


@pytest.mark.parametrize("n", [3, 10, 26])
def test_shares_are_those_of_the_table(n, fitted):
    """A row per machine, a column per class; few are written in numbers."""
    clf, X, y = fitted("divide_and_conquer", n)
    display = AllPredictionsDisplay.from_estimator(clf).plot()
    positive = clf.pair_decisions(X) >= 0
    for c in (0, n - 1):
        np.testing.assert_allclose(display.for_later[:, c], positive[y == c].mean(axis=0))
    image = display.ax_.images[0]
    np.testing.assert_array_equal(image.get_array(), display.for_later)
    assert image.get_clim() == (0, 1)
    rows = [t.get_text() for t in display.ax_.get_yticklabels()]
    assert rows[0] == "0 vs 1"
    assert len(rows) == (len(clf.bank_.pairs) if n <= 10 else 37)
    assert len(display.ax_.texts) == (display.for_later.size if n <= 10 else 0)


def test_only_divide_and_conquer_has_a_table(fitted):
    """Other structures are refused by name."""
    with pytest.raises(ValueError, match=r'only the structure "divide_and_conquer".*DDAG\(\)'):
        AllPredictionsDisplay.from_estimator(fitted("ddag", 5)[0])


def test_names(fitted, ax):
    """Given names, without formulas."""
    display = AllPredictionsDisplay.from_estimator(fitted("divide_and_conquer", 3)[0], class_names=["$a$", 1, "c"])
    display.plot(ax)
    assert [t.get_text() for t in ax.get_yticklabels()] == [r"\$a\$ vs 1", r"\$a\$ vs c", "1 vs c"]
