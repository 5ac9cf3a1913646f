"""DecisionRegionsDisplay: the class of every point is the one that is predicted there."""

import numpy as np
import pandas as pd
import pytest
from helpers import blobs
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar.pictures import DecisionRegionsDisplay
from dagmar.structures import STRUCTURES


@pytest.mark.parametrize("structure", STRUCTURES)
def test_regions_are_predictions(structure, three_blobs):
    """For every structure, at random points of the grid."""
    X, y = three_blobs
    labels = np.array(["a", "$b$", "c"])[y]
    clf = dagmar.SVC(structure=structure).fit(X, labels)
    display = DecisionRegionsDisplay.from_estimator(clf, X, labels, grid_resolution=40)
    rng = np.random.default_rng(0)
    for row, column in rng.integers(0, 40, size=(10, 2)):
        point = [[display.horizontal[column], display.vertical[row]]]
        assert display.names[display.regions[row, column]] == clf.predict(point)[0]


@pytest.mark.parametrize("n", [3, 10, 26])
def test_points_regions_and_names_are_drawn(n):
    """All samples in their places, one colour per class, and a name inside each region that has room."""
    X, y = blobs(seed=n, n_classes=n, per_class=10, n_features=2, spread=0.5)
    clf = dagmar.SVC(C=10).fit(X, y)
    display = DecisionRegionsDisplay.from_estimator(clf, X, y, grid_resolution=80, support_vectors=True).plot()
    mesh = display.ax_.collections[0]
    np.testing.assert_array_equal(mesh.get_array().ravel(), display.regions.ravel())
    drawn = [c.get_offsets() for c in display.ax_.collections[1:] if len(c.get_offsets()) > 1]
    assert sum(len(points) for points in drawn) == len(X) + len(clf.support_)
    np.testing.assert_array_equal(display.support, X[clf.support_])
    assert [t.get_text() for t in display.ax_.get_legend().get_texts()] == [str(c) for c in range(n)]
    for c, (x, y_) in display.middles().items():
        assert clf.predict([[x, y_]])[0] == c
        assert str(c) in [t.get_text() for t in display.ax_.texts]
    assert len(set(display._colours())) == n
    display.figure_.canvas.draw()


def test_two_of_many_features(seven_blobs, ax):
    """The others are fixed at their medians, or where the user says."""
    X, y = seven_blobs
    clf = dagmar.SVC().fit(X, y)
    for at in (None, np.zeros(5)):
        display = DecisionRegionsDisplay.from_estimator(clf, X, features=(3, 1), at=at, grid_resolution=10)
        point = (np.median(X, axis=0) if at is None else at).copy()
        point[[3, 1]] = display.horizontal[4], display.vertical[7]
        assert display.regions[7, 4] == clf.predict(point[None])[0]
        assert display.points is None
    display.plot(ax)
    assert ax.get_xlabel() == "feature 3"
    assert len(ax.collections) >= 1


def test_frames_pipelines_and_other_classifiers(three_blobs, recwarn):
    """Columns keep their names, and anything that predicts has regions."""
    X, y = three_blobs
    frame = pd.DataFrame(X, columns=["$a$", "b"])
    clf = make_pipeline(StandardScaler(), dagmar.SVC()).fit(frame, y)
    display = DecisionRegionsDisplay.from_estimator(clf, frame, y, grid_resolution=10, support_vectors=True).plot()
    assert display.ax_.get_xlabel() == r"\$a\$"
    np.testing.assert_array_equal(display.support, X[clf[-1].support_])
    DecisionRegionsDisplay.from_estimator(NearestCentroid().fit(X, y), X, y, grid_resolution=10).plot()
    assert not recwarn.list


def test_wrong_arguments(three_blobs):
    """Features that are not there, a point of another length, no support vectors."""
    X, y = three_blobs
    clf = dagmar.SVC().fit(X, y)
    with pytest.raises(ValueError, match="two different columns"):
        DecisionRegionsDisplay.from_estimator(clf, X, features=(0, 2))
    with pytest.raises(ValueError, match="for each of the 2 features"):
        DecisionRegionsDisplay.from_estimator(clf, X, at=[1.0])
    with pytest.raises(ValueError, match="needs the training samples"):
        DecisionRegionsDisplay.from_estimator(clf, X[:5], support_vectors=True)
    with pytest.raises(ValueError, match="has no support_"):
        DecisionRegionsDisplay.from_estimator(NearestCentroid().fit(X, y), X, support_vectors=True)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_names_that_the_estimator_knows(three_blobs):
    """The axes are named by the frame, or by the frame that the estimator was fitted on; else they are numbered."""
    X, y = three_blobs
    frame = pd.DataFrame(X, columns=["width", "height"])
    named, plain = dagmar.SVC().fit(frame, y), dagmar.SVC().fit(X, y)
    for clf, rows, names in [
        (named, frame, ("width", "height")),
        (named, X, ("width", "height")),
        (plain, X, ("feature 0", "feature 1")),
    ]:
        assert DecisionRegionsDisplay.from_estimator(clf, rows, grid_resolution=5).feature_names == names
