"""Warnings about the scores of a search: scores that are not finite, and scores that cannot guide a choice."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.dummy import DummyClassifier

from ..base.exceptions import GridEdgeWarning
from ..base.pairs import pair_classes
from ..base.typing import Array
from .cv_results import CVResults
from .scoring import Scoring
from .trials import Samples

# Warnings to give: category and text.
Notes = list[tuple[type[Warning], str]]
# Scores that differ by less are equal.
ROUNDING = 1e-12


def not_finite(table: CVResults) -> Notes:
    """Return a warning for each metric whose mean score is NaN or infinite in some cell, in the words of `GridSearchCV`.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.tuning.cv_results import CVResults
    >>> from dagmar.tuning.score_notes import not_finite
    >>> not_finite(CVResults(mean_test_score=np.array([0.5, np.nan]), rank_test_score=[1, 2]))
    [(<class 'UserWarning'>, 'One or more of the test scores are non-finite: [0.5 nan]')]
    """
    means = [table[f"mean_test_{metric}"] for metric in table.metrics]
    return [
        (UserWarning, f"One or more of the test scores are non-finite: {mean}")
        for mean in means
        if not np.isfinite(mean).all()
    ]


def no_guidance(scores: Array, best: float, constant: float | None) -> Notes:
    """Return a warning if scores cannot guide a choice: all cells tie, or the best is no better than a constant answer.

    Parameters
    ----------
    scores : ndarray of shape (n_cells,) or (n_pairs, n_cells)
        Mean scores. Cells tie if they do so for every pair. A tie of perfect scores, which are 1, is no reason to warn, and
        neither is a single cell.
    best : float
        The score of the best cell.
    constant : float or None
        The score of always answering the largest class; None if it is not known.

    Returns
    -------
    list of (type, str)
        At most one warning.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.tuning.score_notes import no_guidance
    >>> no_guidance(np.array([0.7, 0.7]), 0.7, 0.5)[0][1]
    'All 2 cells have the same score (0.7), which does not say which is best. Other values of C and gamma may be better.'
    """
    n_cells = scores.shape[-1]
    if n_cells == 1:  # there is nothing to choose
        return []
    tie = bool((np.ptp(scores, axis=-1) <= ROUNDING).all()) and best < 1 - ROUNDING
    useless = constant is not None and best <= constant + ROUNDING
    said = [f"All {n_cells} cells have the same score ({best:.4g}), which does not say which is best."] if tie else []
    if useless:
        said.append(
            f"The best score ({best:.4g}) is not above that of always answering the largest class ({constant:.4g}). C and "
            "gamma may be far from useful values: scale the features, for example by scaler=StandardScaler(), and try "
            "gammas='scale-grid'."
        )
    elif tie:
        said.append("Other values of C and gamma may be better.")
    return [(GridEdgeWarning, " ".join(said))] if said else []


def constant_score(scoring: Scoring, metric: str, samples: Samples) -> float | None:
    """Return the mean score of always answering the largest class of the training samples.

    Parameters
    ----------
    scoring : Scoring
    metric : str
        The name of the score that chooses the best cell.
    samples : Samples

    Returns
    -------
    float or None
        None if the score is a function of the user, which may expect an `SVC`.
    """
    alone = scoring.alone(metric)
    if alone is None:
        return None
    score, found = alone.scorer(), []
    for fold in samples.folds:
        constant = DummyClassifier(strategy="most_frequent")
        constant.fit(np.zeros((len(fold.train), 1)), samples.y[fold.train], samples.weight[fold.train])
        weight = samples.weight[fold.test] if samples.weighted else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some metrics warn about classes that are never the answer
            found.append(score(constant, np.zeros((len(fold.test), 1)), samples.y[fold.test], weight)["score"])
    return float(np.mean(found))


def constant_pair_scores(samples: Samples) -> Array:
    """Return the accuracy of always answering the larger class of each pair, for every fold.

    Parameters
    ----------
    samples : Samples

    Returns
    -------
    ndarray of shape (n_pairs, n_folds)
        NaN if the fold has no test samples of the pair.
    """
    i, j = pair_classes(len(samples.classes))
    scores = np.full((len(i), len(samples.folds)), np.nan)
    for f, fold in enumerate(samples.folds):
        trained, tested = (
            np.bincount(samples.class_index[rows], samples.weight[rows], len(samples.classes))
            for rows in (fold.train, fold.test)
        )
        right = np.where(trained[i] > trained[j], tested[i], tested[j])
        right = np.where(trained[i] == trained[j], np.maximum(tested[i], tested[j]), right)
        both = tested[i] + tested[j]
        np.divide(right, both, out=scores[:, f], where=both > 0)
    return scores
