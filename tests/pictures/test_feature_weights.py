"""FeatureWeightsDisplay: the largest weights as bars."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar.pictures import FeatureWeightsDisplay
from dagmar.tuning import FeatureWeights


@pytest.fixture
def model(seven_blobs):
    X, y = seven_blobs
    return make_pipeline(StandardScaler(), FeatureWeights([1.0, 4.0, 0.0, 2.0, 3.0]), dagmar.SVC()).fit(X, y)


def test_the_largest_are_on_top(model, ax):
    """As many as wanted, in descending order, at the places of their names."""
    display = FeatureWeightsDisplay.from_estimator(model, top=3).plot(ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    np.testing.assert_array_equal(display.weights, [2.0, 1.5, 1.0])
    assert [bar.get_width() for bar in ax.patches] == [2.0, 1.5, 1.0]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["x1", "x4", "x3"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert ax.get_title(loc="left") == "The 3 largest of 5 feature weights"


def test_names_and_all_weights(model):
    """A dollar sign begins no formula, and a figure is made."""
    display = FeatureWeightsDisplay.from_estimator(model, top=None, feature_names=["a", "$b", "c", "d", "e"]).plot()
    assert display.names == ["$b", "e", "d", "a", "c"]
    assert display.ax_.get_yticklabels()[0].get_text() == r"\$b"
    assert display.ax_.get_title(loc="left") == "Feature weights"
    display.figure_.canvas.draw()
    plt.close(display.figure_)


def test_what_cannot_be_drawn_is_refused(model):
    with pytest.raises(ValueError, match="this SVC has no feature weights; a pipeline with"):
        FeatureWeightsDisplay.from_estimator(model[-1])
    with pytest.raises(ValueError, match="there are 5 features, but 2 feature_names"):
        FeatureWeightsDisplay.from_estimator(model, feature_names=["a", "b"])
    with pytest.raises(dagmar.InvalidParameterError, match="'top'"):
        FeatureWeightsDisplay.from_estimator(model, top=0)
