"""Names and weights of features, found in fitted pipelines and searches."""

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar.base.fitted_steps import weights_of
from dagmar.tuning import FeatureWeights


@pytest.fixture
def frame(three_blobs):
    X, y = three_blobs
    return pd.DataFrame(X, columns=["width", "height"]), y


def weighted():
    return make_pipeline(StandardScaler(), FeatureWeights([3.0, 1.0]), dagmar.SVC())


def test_weights_are_found_wherever_they_are(frame):
    """In a pipeline, in a pipeline inside of another, in a search, and as the scaler of `SVCCV`."""
    X, y = frame
    nested = Pipeline([("before", weighted()[:-1]), ("svc", dagmar.SVC())])
    searches = GridSearchCV(weighted(), {"svc__C": [1.0]}, cv=2), dagmar.SVCCV([1.0], [0.5], 2, scaler=weighted()[:-1])
    for model in (weighted(), nested, *searches):
        found = weights_of(model.fit(X, y))
        assert found.weights.tolist() == [1.5, 0.5]
        assert found.names == ["width", "height"]
    assert weights_of(weighted()[1].fit(X)).names == ["width", "height"]


def test_names_without_a_frame(frame):
    """Features of plain arrays have the names that the steps before tell, or numbers."""
    X, y = frame[0].to_numpy(), frame[1]
    assert weights_of(make_pipeline(FeatureWeights([3.0, 1.0]), dagmar.SVC()).fit(X, y)).names == ["0", "1"]
    after = make_pipeline(PCA(2), FeatureWeights([3.0, 1.0]), dagmar.SVC()).fit(X, y)
    assert weights_of(after).names == ["pca0", "pca1"]


def test_models_without_weights(frame):
    X, y = frame
    for model in (dagmar.SVC(), dagmar.SVCCV([1.0], [0.5], 2), make_pipeline(StandardScaler(), dagmar.SVC())):
        assert weights_of(model.fit(X, y)) is None
    assert weights_of(dagmar.SVCCV([1.0], [0.5], 2, refit=False).fit(X, y)) is None
    assert weights_of(FeatureWeights()) is None


def test_the_largest_come_first():
    found = weights_of(FeatureWeights([1.0, 5.0, 0.0, 5.0]).fit(np.zeros((1, 4))))
    assert found.largest().tolist() == [1, 3, 0, 2]
    assert found.largest(2).tolist() == [1, 3]
