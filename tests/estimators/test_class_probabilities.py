"""The methods and attributes of classifiers with probabilities."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from dagmar import SVC, SVCCV


@pytest.mark.parametrize("name", ["predict_proba", "predict_log_proba"])
def test_methods_exist_with_probability_only(name, three_blobs):
    """As in scikit-learn, before and after a fit; a model fitted without says so."""
    assert hasattr(SVC(probability=True), name)
    clf = SVC().fit(*three_blobs)
    assert not hasattr(clf, name)
    with pytest.raises(AttributeError, match=name):
        getattr(clf, name)
    assert clf.probA_.shape == clf.probB_.shape == (0,)
    clf.probability = True
    with pytest.raises(NotFittedError, match="fitted with probability=False"):
        getattr(clf, name)(three_blobs[0])
    with pytest.raises(NotFittedError):
        getattr(SVC(probability=True), name)(three_blobs[0])
    assert not hasattr(SVCCV(), name)
    assert hasattr(SVCCV(probability=True), name)
    assert not hasattr(SVCCV(probability=True, refit=False), name)


def test_sigmoids_have_the_signs_of_libsvm(two_moons):
    """1 / (1 + exp(probA_ * value + probB_)) is the probability of the earlier class, for values that are positive for it."""
    X, y = two_moons
    clf = SVC(probability=True).fit(X, y)
    value_of_earlier = -clf.decision_function(X)
    expected = 1 / (1 + np.exp(clf.probA_[0] * value_of_earlier + clf.probB_[0]))
    np.testing.assert_allclose(clf.predict_proba(X)[:, 0], expected, rtol=1e-6)
    assert clf.probA_[0] < 0
