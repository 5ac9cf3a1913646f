"""The values of all pairs of classes on one sample, as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..base.typing import Array, Index
from ..problem.frames import as_row
from .drawing import DIVERGING, VERMILLION, axes, class_matrix, matrix_size
from .labels import class_names as names_of
from .labels import short_names
from .reading import classifier_of, path_of, prepared


@dataclass(eq=False)
class PairValuesDisplay:
    """The value of every pair of classes on one sample.

    A row shows how its class does against the others: a positive value is for the class of the row. A class that wins all
    its pairs has a row of positive values.

    Use `from_estimator` to make one.

    Attributes
    ----------
    values : ndarray of shape (n_classes, n_classes)
        The value for the class of the row against the class of the column; NaN where there is no machine.
    names : list of n_classes str
    answer : int
        The class of the sample, which is outlined.
    wins : ndarray of shape (n_classes,), int64
        How many pairs each class wins.
    ax_, figure_ : matplotlib axes and figure
        Where it was drawn last.

    See Also
    --------
    dagmar.SVC.pair_decisions : The values.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> display = dagmar.pictures.PairValuesDisplay.from_estimator(dagmar.SVC().fit(X, y), X[0])
    >>> display.wins.tolist(), display.answer
    ([2, 1, 0], 0)
    """

    values: Array
    names: list[str]
    answer: int
    ax_: Any = field(init=False, default=None, repr=False)
    figure_: Any = field(init=False, default=None, repr=False)

    @property
    def wins(self) -> Index:
        """How many pairs each class wins; a value of exactly 0 is for the later class."""
        earlier = np.arange(len(self.values))[:, None] < np.arange(len(self.values))
        wins: Index = ((self.values > 0) | ((self.values == 0) & ~earlier)).sum(axis=1)
        return wins

    @classmethod
    def from_estimator(cls, estimator: Any, x: ArrayLike, *, class_names: Sequence[Any] | None = None) -> Self:
        """Compute the values of all pairs on one sample.

        Parameters
        ----------
        estimator : SVC, SVCCV, PairwiseClassifier, or a pipeline that ends with one
            Its machines must be pairs of classes.
        x : array-like of shape (n_features,) or (1, n_features)
        class_names : sequence of n_classes names, optional
            Names for the classes; by default their labels.

        Returns
        -------
        PairValuesDisplay
        """
        clf = classifier_of(estimator)
        if not clf.bank_.tasks.pairwise:
            raise ValueError(f"{clf.structure_!r} has machines that are not pairs of classes")
        path = path_of(estimator, x)
        of_pairs = clf.pair_decisions(prepared(estimator, as_row(x)))[0]
        n = len(clf.classes_)
        i, j = clf.bank_.pairs.T
        values = np.full((n, n), np.nan)
        values[i, j], values[j, i] = -of_pairs, of_pairs  # a positive value is for the later class
        return cls(values, names_of(clf.classes_, class_names), int(path.answers[0]))

    def plot(self, ax: Any = None) -> Self:
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        PairValuesDisplay
            This display, with `ax_` and `figure_`.
        """
        from matplotlib.patches import Rectangle

        n = len(self.names)
        self.ax_ = ax = axes(ax, *matrix_size(n, n))
        self.figure_ = ax.figure
        most = max(float(np.nanmax(np.abs(self.values), initial=0.0)), 1e-12)
        bar = "value for the class of the row"
        class_matrix(ax, self.values, self.names, bar=bar, decimals=2, cmap=DIVERGING, vmin=-most, vmax=most)
        # Above the lines between the cells, which would cut it.
        style: dict[str, Any] = {
            "fill": False,
            "edgecolor": VERMILLION,
            "linewidth": 2.5,
            "clip_on": False,
            "zorder": 3,
        }
        ax.add_patch(Rectangle((-0.5, self.answer - 0.5), n, 1, **style))
        ax.set_xlabel("against")
        answer = short_names(self.names)[self.answer]
        ax.set_title(
            f"Values of all pairs: answer {answer} wins {self.wins[self.answer]} of {n - 1}", fontsize="medium"
        )
        return self
