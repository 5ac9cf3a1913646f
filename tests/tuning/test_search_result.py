"""Fitted attributes of a search are read from its result."""

import numpy as np
import pytest

from dagmar.problem.making import Learned
from dagmar.tuning.cv_results import CVResults
from dagmar.tuning.search_result import SearchResult, found


class Search:
    """An estimator with two fitted attributes."""

    n_splits_ = found("n_splits", "Number of folds.")
    best_score_ = found("best_score", "The best score.")


def test_attributes_are_there_if_the_result_has_them():
    """Not before a fit, and not if nothing was chosen; they cannot be assigned."""
    search = Search()
    assert not hasattr(search, "n_splits_")
    learned = Learned(np.array([0, 1]), np.ones(2), (4, 1))
    search._result = SearchResult(learned, 3, CVResults(), None, np.zeros(0, dtype=np.int64))
    assert search.n_splits_ == 3
    with pytest.raises(AttributeError, match="'Search' object has no attribute 'best_score_'"):
        _ = search.best_score_
    with pytest.raises(AttributeError):
        search.n_splits_ = 4
    assert Search.n_splits_.__doc__ == "Number of folds."
