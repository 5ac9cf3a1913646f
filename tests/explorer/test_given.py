"""What `explore` is given, taken apart."""

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar.explorer.given import Given


def test_pipeline_is_taken_apart(three_blobs):
    """Samples go through the steps; the page gets the user's own features and the steps."""
    X, y = three_blobs
    model = make_pipeline(StandardScaler(), dagmar.SVC()).fit(X, y)
    given = Given.of(model, X, y)
    assert given.svc is model[-1]
    assert np.array_equal(given.samples, model[:-1].transform(X))
    table, names, after, steps = given.features()
    assert np.array_equal(table.numbers, X)
    assert (names, after, len(steps)) == (None, None, 2)


def test_other_steps_show_what_comes_out_of_them(three_blobs):
    """With a step that the page cannot compute, its features are those that the classifier sees, with their names."""
    X, y = three_blobs
    model = make_pipeline(StandardScaler(), PCA(2), dagmar.SVC()).fit(X, y)
    table, names, after, steps = Given.of(model, X, y).features()
    assert np.array_equal(table.numbers, model[:-1].transform(X))
    assert (names, after, steps) == (["pca0", "pca1"], "StandardScaler, PCA", [])


def test_names_that_the_classifier_knows(three_blobs):
    """A classifier that was fitted on a frame gives its names to samples without."""
    X, y = three_blobs
    clf = dagmar.SVC().fit(pd.DataFrame(X, columns=["width", "height"]), y)
    _, names, _, _ = Given.of(clf, pd.DataFrame(X, columns=["width", "height"]), None).features()
    assert names == ["width", "height"]


def test_search_gives_its_best_estimator(three_blobs):
    """An SVCCV is taken apart into scaler and classifier, if it has one."""
    X, y = three_blobs
    search = dagmar.SVCCV(Cs=[1.0], gammas=[0.1], cv=2).fit(X, y)
    assert isinstance(Given.of(search, X, y).svc, dagmar.SVC)


def test_any_machines(three_blobs):
    """A PairwiseClassifier, alone and in a pipeline."""
    X, y = three_blobs
    clf = dagmar.PairwiseClassifier(LogisticRegression()).fit(X, y)
    assert Given.of(clf, X, y).svc is clf
    model = make_pipeline(StandardScaler(), clf).fit(X, y)
    assert Given.of(model, X, y).svc is model[-1]


def test_labels_that_the_model_does_not_know(three_blobs):
    """They are numbered after the classes, in the order in which they appear."""
    X, y = three_blobs
    clf = dagmar.SVC().fit(X, np.array(["a", "b", "c"])[y])
    given = Given.of(clf, X[:4], np.array(["z", "b", "y", "z"]))
    assert given.truth.tolist() == [3, 1, 4, 3]
    assert given.others == ["z", "y"]


def test_missing_labels_are_one_label(three_blobs):
    """However many are missing."""
    X, y = three_blobs
    given = Given.of(dagmar.SVC().fit(X, y), X[:3], np.array([np.nan, 1.0, np.nan]))
    assert given.truth.tolist() == [3, 1, 3]
    assert given.others == ["missing"]


def test_kernel_values_are_no_features(three_blobs):
    """With a precomputed kernel there is nothing to show or to move."""
    X, y = three_blobs
    clf = dagmar.SVC(kernel="precomputed").fit(X @ X.T, y)
    assert Given.of(clf, X @ X.T, y).features() == (None, None, None, [])


def test_wrong_uses_are_refused(three_blobs):
    """Another classifier, one that is not fitted, labels of another length."""
    X, y = three_blobs
    with pytest.raises(TypeError, match="LogisticRegression"):
        Given.of(LogisticRegression().fit(X, y), X, y)
    with pytest.raises(NotFittedError):
        Given.of(dagmar.SVC(), X, y)
    with pytest.raises(NotFittedError):
        Given.of(dagmar.PairwiseClassifier(LogisticRegression()), X, y)
    with pytest.raises(ValueError, match="one label for each of the 90 rows"):
        Given.of(dagmar.SVC().fit(X, y), X, y[:5])
