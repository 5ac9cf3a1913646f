"""The steps of fitted pipelines: names and weights of the features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from .frozen import FrozenArrays
from .typing import Array, Index, Labels


@dataclass(frozen=True, eq=False)
class WeightedFeatures(FrozenArrays):
    """The weights of the features of a model.

    Attributes
    ----------
    weights : ndarray of shape (n_features,)
        Their mean is 1.
    names : list of n_features str
        Names of the features, or their numbers as texts if there are no names.
    """

    weights: Array
    names: list[str]

    def largest(self, top: int | None = None) -> Index:
        """Return the places of the largest weights, largest first; of all weights by default."""
        order: Index = np.argsort(-self.weights, kind="stable")
        return order[:top]


def weights_of(estimator: Any) -> WeightedFeatures | None:
    """Return the feature weights of a fitted model; None if it has none.

    Parameters
    ----------
    estimator : estimator, Pipeline or search
        A step that has `feature_weights_`, such as `dagmar.tuning.FeatureWeights`; a pipeline with one, or a search such as
        `SVCCV` whose best estimator has one. If there are several, the last.

    Returns
    -------
    WeightedFeatures or None

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> import dagmar
    >>> from dagmar.base.fitted_steps import weights_of
    >>> model = make_pipeline(dagmar.tuning.FeatureWeights([3.0, 1.0]), dagmar.SVC())
    >>> weights_of(model.fit([[0.0, 1.0], [1.0, 0.0]], ["no", "yes"])).weights.tolist()
    [1.5, 0.5]
    """
    found = None
    for step, names in _named_steps(estimator, None):
        weights = getattr(step, "feature_weights_", None)
        if weights is not None:
            known = getattr(step, "feature_names_in_", names)
            found = weights, list(map(str, range(len(weights)) if known is None else known))
    return None if found is None else WeightedFeatures(*found)


def _named_steps(estimator: Any, names: Labels | None) -> Iterator[tuple[Any, Labels | None]]:
    """Return the single steps of a model, each with the names of the features that it gets."""
    names = getattr(estimator, "feature_names_in_", names)
    if getattr(estimator, "best_estimator_", None) is not None:
        yield from _named_steps(estimator.best_estimator_, names)
    elif hasattr(estimator, "steps"):
        for k, (_, step) in enumerate(estimator.steps):
            yield from _named_steps(step, names if k == 0 else names_after(estimator[:k], names))
    else:
        yield estimator, names


def names_after(steps: Any, names: Labels | None) -> Labels | None:
    """Return the names of the features after the steps of a pipeline; None if the steps cannot tell them.

    Parameters
    ----------
    steps : Pipeline
        Fitted transformers.
    names : ndarray of shape (n_features,) or None
        Names of the features before them, if they are known.

    Returns
    -------
    ndarray of shape (n_features_out,) or None
    """
    try:
        named: Labels = steps.get_feature_names_out(names)
    except (AttributeError, NotFittedError, TypeError, ValueError):  # of transformers without names
        return None
    return named
