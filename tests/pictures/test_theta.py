"""ThetaDisplay: what divide and conquer does for each theta."""

import numpy as np
import pytest

import dagmar
from dagmar.pictures import ThetaDisplay


@pytest.mark.parametrize("n", [3, 10])
def test_curves_are_measured(n, fitted):
    """Each point is the accuracy, cost and separation of a model built with that theta."""
    clf, X, y = fitted("max_wins", n)
    thetas = [0.0, 0.1, 0.3]
    display = ThetaDisplay.from_estimator(clf, X, y, X, y, thetas=thetas).plot()
    for k, theta in enumerate(thetas):
        divided = dagmar.SVC(C=10, gamma=0.1, structure=dagmar.DivideAndConquer(theta=theta)).fit(X, y)
        assert display.accuracy[k] == divided.score(X, y)
        assert display.steps[k] == divided.decision_cost(X).machines.mean()
        decided = np.logical_or(*divided.plan_.predictions_table.decided(theta))
        assert display.separation[k] == decided.mean()
    assert display.reference == clf.score(X, y)
    for ax, values in zip(display.ax_, (display.accuracy, display.steps / 100, display.separation), strict=True):
        np.testing.assert_allclose(ax.lines[0].get_xydata(), 100 * np.column_stack([thetas, values]))
    assert display.ax_[1].lines[1].get_ydata()[0] == n - 1


def test_separation_grows_with_theta(fitted):
    """More classes are decided, and no path becomes longer."""
    clf, X, y = fitted("max_wins", 10)
    display = ThetaDisplay.from_estimator(clf, X, y, X, y, thetas=[0.0, 0.2, 0.4])
    assert (np.diff(display.separation) >= 0).all()
    assert display.steps[2] < display.steps[0]


def test_wrong_axes_and_estimators(fitted, three_blobs, ax):
    """Three axes are needed, and a classifier that can be restructured."""
    clf, X, y = fitted("max_wins", 3)
    with pytest.raises(ValueError, match="three axes; got 1"):
        ThetaDisplay.from_estimator(clf, X, y, X, y, thetas=[0.0]).plot(ax)
    X, y = three_blobs
    search = dagmar.SVCCV(Cs=[1.0], gammas=[1.0], cv=2).fit(X, y)
    if not hasattr(search, "restructure"):
        with pytest.raises(TypeError, match="has no restructure"):
            ThetaDisplay.from_estimator(search, X, y, X, y)
