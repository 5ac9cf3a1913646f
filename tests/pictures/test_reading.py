"""Reading classifiers: also in pipelines, and with clear errors."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import dagmar
from dagmar.pictures.reading import classifier_of, path_of, prepared


def test_a_pipeline_is_its_last_step(three_blobs):
    """Its samples go through the other steps first."""
    X, y = three_blobs
    pipeline = make_pipeline(StandardScaler(), dagmar.SVC()).fit(X, y)
    clf = classifier_of(pipeline)
    assert clf is pipeline[-1]
    np.testing.assert_array_equal(prepared(pipeline, X), pipeline[0].transform(X))
    np.testing.assert_array_equal(prepared(clf, X), X)
    assert clf.classes_[path_of(pipeline, X[3]).answers[0]] == pipeline.predict(X[3:4])[0]


def test_what_cannot_be_read_is_refused(three_blobs):
    """Another library's classifier, one that is not fitted, a search without a model, and several samples."""
    X, y = three_blobs
    with pytest.raises(TypeError, match=r"a dagmar.SVC, SVCCV or PairwiseClassifier is needed.*got SVC"):
        classifier_of(SVC().fit(X, y))
    with pytest.raises(NotFittedError):
        classifier_of(dagmar.SVC())
    with pytest.raises(NotFittedError, match="refit=False"):
        classifier_of(dagmar.SVCCV(Cs=[1.0], gammas=[1.0], cv=2, refit=False).fit(X, y))
    with pytest.raises(ValueError, match="x must be one sample; got 2"):
        path_of(dagmar.SVC().fit(X, y), X[:2])
