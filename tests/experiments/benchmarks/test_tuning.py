"""Searches that are compared."""

import numpy as np
import pytest

from experiments.benchmarks import tuning
from experiments.benchmarks.synthetic import clouds


def test_searches_are_compared_by_cell():
    """The largest difference of a cell counts, whatever the order of the cells; other cells are an error."""

    class Search:
        def __init__(self, cells):
            self.cv_results_ = {
                "params": [{"gamma": gamma, "C": C} for C, gamma, _ in cells],
                "mean_test_score": np.array([score for *_, score in cells]),
            }

    a = tuning.mean_scores(Search([(1, 0.1, 0.9), (2, 0.1, 0.8)]))
    b = tuning.mean_scores(Search([(2, 0.1, 0.803), (1, 0.1, 0.9)]))
    assert tuning.points_apart(a, b) == pytest.approx(0.3)
    with pytest.raises(ValueError, match="same cells"):
        tuning.points_apart(a, {})


def test_searches_have_the_same_folds():
    """Every search has the grid around the set's own gamma, and the folds of all others."""
    case = clouds(3)
    ours, theirs = tuning.Shared(case, 2), tuning.GridOfScikitLearn(case, 2)
    assert len(ours.grid["C"]) * len(ours.grid["gamma"]) == 30
    assert case.gamma in ours.grid["gamma"]
    for (a, b), (c, d) in zip(ours.folds, theirs.folds, strict=True):
        np.testing.assert_array_equal(a, c)
        np.testing.assert_array_equal(b, d)
