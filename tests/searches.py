"""Searches to compare: a grid, the same search by GridSearchCV, and what must be equal."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from dagmar import SVC

# Not in order; cells in which every machine has a free sample, so that its bias is unique.
CS = [4.0, 1.0, 64.0]
GAMMAS = [0.1, 0.02, 0.4]


def grid_search(cv, Cs=CS, gammas=GAMMAS, **parameters):
    """The same search, every fit by itself."""
    grid = {"C": Cs} if gammas is None else {"C": Cs, "gamma": gammas}
    return GridSearchCV(SVC(**parameters), grid, cv=cv, error_score="raise")


def assert_same_search(ours, theirs):
    """Every score of every fold, and what was chosen."""
    assert ours.cv_results_["params"] == list(theirs.cv_results_["params"])
    for name in ours.cv_results_:
        if name.endswith("_test_score"):
            np.testing.assert_allclose(ours.cv_results_[name], theirs.cv_results_[name], rtol=1e-12, atol=1e-15)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-12)
    assert ours.n_splits_ == theirs.n_splits_
