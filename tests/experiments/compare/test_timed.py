"""The search with a limit of time."""

import numpy as np
import pytest
from comparisons import rows
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from experiments.compare import timed
from experiments.compare.timed import TimedSearch

CELLS = [{}, {"max_depth": 1}, {"max_depth": 3}]


def searched(seconds, monkeypatch, lap=1.0):
    """A search with a clock that goes on by `lap` whenever it is read."""
    clock = iter(np.arange(0.0, 1e4, lap))
    monkeypatch.setattr(timed.time, "process_time", lambda: float(next(clock)))
    search = TimedSearch(DecisionTreeClassifier(random_state=0), CELLS, StratifiedKFold(3), seconds)
    return search.fit(*rows())


def test_without_time_the_first_cell_is_fitted_and_not_scored(monkeypatch):
    """Defaults cost one fit."""
    search = searched(0.0, monkeypatch)
    assert search.best_params_ == {}
    assert np.isnan(search.best_score_)
    assert len(search.cv_results_["params"]) == 1


@pytest.mark.parametrize(("seconds", "cells"), [(6.0, 1), (9.0, 2), (100.0, 3)])
def test_cells_are_tried_while_they_will_end_in_time(seconds, cells, monkeypatch):
    """The next cell takes about as long as the longest before it, and the best must be fitted at the end."""
    search = searched(seconds, monkeypatch)
    assert search.cv_results_["params"] == CELLS[:cells]
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()


def test_best_cell_answers(monkeypatch):
    """The cell with the best score is fitted on all samples."""
    X, y = rows()
    search = searched(1000.0, monkeypatch)
    scores = search.cv_results_["mean_test_score"]
    assert search.best_params_ == CELLS[int(np.argmax(scores))]
    assert search.best_score_ == scores.max()
    expected = DecisionTreeClassifier(random_state=0, **search.best_params_).fit(X, y)
    np.testing.assert_array_equal(search.predict(X), expected.predict(X))
