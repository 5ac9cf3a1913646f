"""A search with a limit of time, for comparisons in which every scheme may take as long as another one took."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import cross_val_score

from dagmar.base.typing import Array, Labels


class TimedSearch(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Tries cells one after the other while there is time, and keeps the best; the first cell is fitted in any case.

    Parameters
    ----------
    estimator : estimator
    cells : sequence of dict
        Parameters to try, in this order; the first are usually the defaults, ``{}``.
    cv : splitter
    seconds : float
        Processor time for everything. A cell is tried only if it will probably end in time.

    Attributes
    ----------
    best_estimator_ : estimator
        Fitted on all samples.
    best_params_ : dict
    best_score_ : float
        The mean accuracy of the folds; NaN if there was no time to score any cell.
    cv_results_ : dict
        ``params`` and ``mean_test_score`` of the cells that were tried.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import StratifiedKFold
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from experiments.compare.timed import TimedSearch
    >>> tree, cells = DecisionTreeClassifier(random_state=0), [{}, {"max_depth": 1}]
    >>> search = TimedSearch(tree, cells, StratifiedKFold(3), seconds=60.0).fit(*load_iris(return_X_y=True))
    >>> search.best_params_, search.cv_results_["params"]
    ({}, [{}, {'max_depth': 1}])
    >>> search.set_params(seconds=0.0).fit(*load_iris(return_X_y=True)).cv_results_["params"]
    [{}]
    """

    def __init__(self, estimator: Any, cells: Sequence[Mapping[str, Any]], cv: Any, seconds: float) -> None:
        self.estimator = estimator
        self.cells = cells
        self.cv = cv
        self.seconds = seconds

    def fit(self, X: Array, y: Labels) -> Self:
        """Search, and fit the best cell on all samples.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        y : ndarray of shape (n_samples,)

        Returns
        -------
        self : TimedSearch
        """
        begun = time.process_time()
        first = self._of(self.cells[0]).fit(X, y)
        longest = fit_seconds = time.process_time() - begun
        folds = self.cv.get_n_splits()
        tried, scores = [dict(self.cells[0])], [np.nan]
        for place, cell in enumerate(self.cells):
            # The folds of this cell, and the final fit of the best one.
            if time.process_time() - begun + folds * longest + fit_seconds > self.seconds:
                break
            lap = time.process_time()
            score = float(np.mean(cross_val_score(self._of(cell), X, y, cv=self.cv, error_score="raise")))
            longest = max(longest, (time.process_time() - lap) / folds)
            if place:
                tried.append(dict(cell))
                scores.append(score)
            else:
                scores[0] = score
        best = 0 if np.isnan(scores).all() else int(np.nanargmax(scores))
        self.best_params_, self.best_score_ = tried[best], scores[best]
        self.best_estimator_ = self._of(tried[best]).fit(X, y) if best else first
        self.cv_results_ = {"params": tried, "mean_test_score": np.array(scores)}
        self.classes_ = self.best_estimator_.classes_
        return self

    def predict(self, X: Array) -> Labels:
        """Return the labels of `best_estimator_`.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        labels: Labels = self.best_estimator_.predict(X)
        return labels

    def _of(self, cell: Mapping[str, Any]) -> Any:
        return clone(self.estimator).set_params(**cell)
