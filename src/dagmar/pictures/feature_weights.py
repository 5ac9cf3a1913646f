"""The weights of features as bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Self

import numpy as np

from ..base.fitted_steps import weights_of
from ..base.parameters import check_parameters, none, number
from ..base.typing import Array
from .drawing import BLUE, FAINT, INK, axes
from .labels import short_names


@dataclass(eq=False)
class FeatureWeightsDisplay:
    """The largest weights of the features of a model, the largest on top.

    Use `from_estimator` to make one. A line marks the mean weight of all features, 1.

    Attributes
    ----------
    weights : ndarray of shape (n_shown,)
        The largest weights, in descending order.
    names : list of n_shown str
        Their features.
    n_features : int
        Number of all features.
    ax_, figure_ : matplotlib axes and figure
        Where it was drawn last.

    See Also
    --------
    dagmar.tuning.FeatureWeights : Learns the weights.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(StandardScaler(), dagmar.tuning.FeatureWeights(), dagmar.SVC()).fit(X, y)
    >>> display = dagmar.pictures.FeatureWeightsDisplay.from_estimator(model, top=2)
    >>> display.names
    ['petal width (cm)', 'petal length (cm)']
    """

    weights: Array
    names: list[str]
    n_features: int
    ax_: Any = field(init=False, default=None, repr=False)
    figure_: Any = field(init=False, default=None, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, top: int | None = 20, feature_names: Sequence[Any] | None = None
    ) -> Self:
        """Read the weights of a fitted model.

        Parameters
        ----------
        estimator : FeatureWeights, SVCCV, or a pipeline or search that has feature weights
        top : int or None, default=20
            How many of the largest weights to show; None for all.
        feature_names : sequence of n_features names, optional
            Names of the features; by default those that the model knows, else their numbers.

        Returns
        -------
        FeatureWeightsDisplay
        """
        check_parameters("from_estimator", {"top": top}, {"top": number(1, np.inf, "left", Integral) | none})
        found = weights_of(estimator)
        if found is None:
            raise ValueError(
                f"this {type(estimator).__name__} has no feature weights; a pipeline with dagmar.tuning.FeatureWeights has them"
            )
        names = found.names if feature_names is None else [str(name) for name in feature_names]
        if len(names) != len(found.weights):
            raise ValueError(f"there are {len(found.weights)} features, but {len(names)} feature_names")
        largest = found.largest(top)
        return cls(found.weights[largest], [names[k] for k in largest.tolist()], len(found.weights))

    def plot(self, ax: Any = None) -> Self:
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        FeatureWeightsDisplay
            This display, with `ax_` and `figure_`.
        """
        n = len(self.weights)
        self.ax_ = ax = axes(ax, 6.0, float(np.clip(0.28 * n + 1.0, 2.0, 12.0)))
        self.figure_ = ax.figure
        ax.barh(range(n), self.weights, color=BLUE, height=0.7)
        ax.axvline(1.0, color=INK, linestyle="--", linewidth=0.8)
        ax.set_yticks(range(n), short_names(self.names, 28), fontsize=9 if n <= 30 else 6)
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(n - 0.5, -0.5)
        ax.set_xlabel("weight; the dashed line is the mean")
        shown = "Feature weights" if n == self.n_features else f"The {n} largest of {self.n_features} feature weights"
        ax.set_title(shown, fontsize="medium", loc="left")
        ax.grid(axis="x", color=FAINT, linewidth=0.4)
        ax.set_axisbelow(True)
        ax.spines[["top", "right", "left"]].set_visible(False)
        return self
