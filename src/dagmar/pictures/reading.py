"""Reading fitted classifiers for pictures: their public attributes only, also those of the last step of a pipeline."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..problem.frames import as_row
from ..structures.paths import DecisionPath


def classifier_of(estimator: Any) -> Any:
    """Return a fitted classifier with a structure: the estimator, or the last step of a pipeline.

    Raises
    ------
    NotFittedError
        If it is not fitted.
    TypeError
        If it has no structure.
    """
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    if not hasattr(type(last), "plan_"):
        raise TypeError(
            f"a dagmar.SVC, SVCCV or PairwiseClassifier is needed, or a pipeline that ends with one; got {type(last).__name__}"
        )
    check_is_fitted(last)
    if not hasattr(last, "plan_"):
        raise NotFittedError(f"This {type(last).__name__} has no model: it was fitted with refit=False.")
    return last


def prepared(estimator: Any, X: Any) -> Any:
    """Return samples as the classifier of `classifier_of` expects them: through the other steps of a pipeline."""
    if isinstance(estimator, Pipeline) and len(estimator.steps) > 1:
        return estimator[:-1].transform(X)
    return X


def path_of(estimator: Any, x: Any) -> DecisionPath:
    """Return the decision path of one sample; raise ValueError if there are several.

    Parameters
    ----------
    estimator : fitted classifier or pipeline
    x : array-like of shape (n_features,) or (1, n_features)

    Returns
    -------
    DecisionPath
        Of length 1.
    """
    path: DecisionPath = classifier_of(estimator).decision_path(prepared(estimator, as_row(x)))
    if len(path) != 1:
        raise ValueError(f"x must be one sample; got {len(path)}")
    return path
