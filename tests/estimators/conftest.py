"""One estimator of each kind."""

import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import dagmar

ALL = [
    dagmar.SVC(),
    dagmar.SVCCV(Cs=[1.0], gammas=[0.5], cv=2),
    dagmar.PairwiseClassifier(LogisticRegression()),
]


@pytest.fixture(params=ALL, ids=lambda clf: type(clf).__name__)
def unfitted(request):
    """One estimator of each kind."""
    return clone(request.param)
