"""How far apart classes are, as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..base.exceptions import InvalidParameterError
from ..base.typing import Array
from ..problem.kernels import Kernel
from ..problem.making import ProblemParameters, make_problem
from ..problem.separation import Moments, dbtc, dbtc_of_pairs, similarity
from .drawing import VERMILLION, axes, class_matrix, matrix_size
from .labels import class_names as names_of
from .reading import classifier_of, prepared

WORDS = {
    "dbtc": "squared distance of class means in kernel space",
    "fisher": "Fisher ratio",
    "margin": "margin width 1/|w|",
}


@dataclass(eq=False)
class SeparationDisplay:
    """The separation of every two classes, by one of three measures.

    Use `from_estimator` to make one. The smallest separation is outlined.

    Attributes
    ----------
    separation : ndarray of shape (n_classes, n_classes)
        Symmetric, NaN on the diagonal.
    names : list of n_classes str
    measure : {"dbtc", "fisher", "margin"}
        "dbtc": squared distance of the class means in kernel space. "fisher": Fisher ratio in feature space. "margin": width
        ``1/|w|`` of the margin of the machine of the pair.
    ax_, figure_ : matplotlib axes and figure
        Where it was drawn last.

    See Also
    --------
    dagmar.AdaptiveDDAG : The structure that uses the separation.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> display = dagmar.pictures.SeparationDisplay.from_estimator(dagmar.SVC().fit(X, y), X, y)
    >>> display.separation.round(2)[0].tolist()
    [nan, 0.89, 1.39]
    """

    separation: Array
    names: list[str]
    measure: str = "dbtc"
    ax_: Any = field(init=False, default=None, repr=False)
    figure_: Any = field(init=False, default=None, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        measure: str = "dbtc",
        class_names: Sequence[Any] | None = None,
    ) -> Self:
        """Measure the separation of the classes.

        Parameters
        ----------
        estimator : SVC, SVCCV, or a pipeline that ends with one
        X : array-like of shape (n_samples, n_features), optional
            Samples of all classes; needed unless ``measure="margin"``.
        y : array-like of shape (n_samples,), optional
            Their labels.
        measure : {"dbtc", "fisher", "margin"}, default="dbtc"
        class_names : sequence of n_classes names, optional
            Names for the classes; by default their labels.

        Returns
        -------
        SeparationDisplay
        """
        if measure not in WORDS:
            raise InvalidParameterError(f"measure must be one of {', '.join(map(repr, WORDS))}; got {measure!r}")
        clf = classifier_of(estimator)
        kernel = getattr(clf.bank_, "kernel", None)
        if kernel is None:
            raise TypeError(f"{type(clf).__name__} has no kernel machines, whose separation could be measured")
        n = len(clf.classes_)
        names = names_of(clf.classes_, class_names)
        if measure == "margin":
            return cls(_no_diagonal(_margins(clf.bank_, n)), names, measure)
        if X is None or y is None:
            raise ValueError(f"measure={measure!r} needs X and y")
        return cls(_no_diagonal(_measured(estimator, clf, kernel, X, y, measure)), names, measure)

    def plot(self, ax: Any = None) -> Self:
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        SeparationDisplay
            This display, with `ax_` and `figure_`.
        """
        from matplotlib.patches import Rectangle

        n = len(self.names)
        self.ax_ = ax = axes(ax, *matrix_size(n, n))
        self.figure_ = ax.figure
        finite = np.where(np.isfinite(self.separation), self.separation, np.nan)
        class_matrix(ax, finite, self.names, bar=WORDS[self.measure], decimals=2)
        title = "Separation of classes"
        if np.isfinite(finite).any():
            i, j = divmod(int(np.nanargmin(finite)), n)
            # Above the lines between the cells, which would cut it.
            style: dict[str, Any] = {"fill": False, "edgecolor": VERMILLION, "linewidth": 2.5, "zorder": 3}
            for row, column in [(i, j), (j, i)]:
                ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, **style))
            title += "; the smallest is outlined"
        ax.set_title(title, fontsize="medium")
        return self


def _no_diagonal(matrix: Array) -> Array:
    return np.where(np.eye(len(matrix), dtype=bool), np.nan, matrix)


def _margins(bank: Any, n: int) -> Array:
    if not bank.tasks.pairwise:
        raise ValueError("the machines are not pairs of classes, so they have no margins of pairs")
    i, j = bank.pairs.T
    widths = np.full((n, n), np.nan)
    with np.errstate(divide="ignore"):
        widths[i, j] = widths[j, i] = 1.0 / np.sqrt(np.maximum(bank.norm2, 0.0))
    return widths


def _measured(estimator: Any, clf: Any, kernel: Kernel, X: Any, y: Any, measure: str) -> Array:
    """Return the separation in the kernel space of the fitted machines, or in feature space."""
    if callable(clf.kernel):
        raise ValueError("the separation cannot be measured for a callable kernel; pass measure='margin'")
    last = getattr(clf, "best_estimator_", clf)
    ready = prepared(last, prepared(estimator, X))  # a search with a scaler holds a pipeline
    gammas = clf.bank_.gammas
    parameters = ProblemParameters(
        kernel=kernel.name,
        degree=kernel.degree,
        gamma=kernel.gamma,
        coef0=kernel.coef0,
        precision="double",
    )
    problem, _ = make_problem(parameters, ready, y, owner=type(clf).__name__, known=clf.classes_)
    if measure == "fisher":
        return Moments.of(problem).fisher
    if gammas is None:
        return dbtc(similarity(problem))
    of_pairs = np.zeros((problem.n_classes, problem.n_classes))
    i, j = clf.bank_.pairs.T
    of_pairs[i, j] = of_pairs[j, i] = gammas
    return dbtc_of_pairs(problem, of_pairs)
