"""The all-predictions table of divide and conquer, as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ..base.typing import Array, Index
from .drawing import DIVERGING, NUMBERED, READABLE, axes, heat_map, name_ticks
from .labels import class_names as names_of
from .labels import short_names
from .reading import classifier_of


@dataclass(eq=False)
class AllPredictionsDisplay:
    """How every machine of a divide-and-conquer model classifies the training samples of every class (DCSVM's Figure 2).

    Row (i, j) and column l have the share of class l that the machine of i and j assigns to j. At 0 % and 100 % the machine
    decides the class; in between, the class goes to both children of a node unless the share is within theta of an end.

    Use `from_estimator` to make one.

    Attributes
    ----------
    for_later : ndarray of shape (n_machines, n_classes)
        The share of each class that a machine assigns to the later class of its pair.
    pairs : ndarray of shape (n_machines, 2), int64
    names : list of n_classes str
    ax_, figure_ : matplotlib axes and figure
        Where it was drawn last.

    See Also
    --------
    dagmar.DivideAndConquer : The structure that the table is for.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> clf = dagmar.SVC(structure="divide_and_conquer").fit(*load_iris(return_X_y=True))
    >>> display = dagmar.pictures.AllPredictionsDisplay.from_estimator(clf)
    >>> display.for_later.round(2).tolist()
    [[0.0, 1.0, 1.0], [0.0, 0.98, 1.0], [0.0, 0.04, 0.96]]
    """

    for_later: Array
    pairs: Index
    names: list[str]
    ax_: Any = field(init=False, default=None, repr=False)
    figure_: Any = field(init=False, default=None, repr=False)

    @classmethod
    def from_estimator(cls, estimator: Any, *, class_names: Sequence[Any] | None = None) -> Self:
        """Read the table of a fitted classifier.

        Parameters
        ----------
        estimator : SVC, SVCCV, PairwiseClassifier, or a pipeline that ends with one
            Fitted with the structure "divide_and_conquer".
        class_names : sequence of n_classes names, optional
            Names for the classes; by default their labels.

        Returns
        -------
        AllPredictionsDisplay
        """
        clf = classifier_of(estimator)
        table = getattr(clf.plan_, "predictions_table", None)
        if table is None:
            raise ValueError(
                f'only the structure "divide_and_conquer" has an all-predictions table; this model has {clf.structure_!r}'
            )
        return cls(table.shares[:, :, 1].copy(), table.pairs, names_of(clf.classes_, class_names))

    def plot(self, ax: Any = None) -> Self:
        """Draw the heat map; shares are written in its cells if there are few.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        AllPredictionsDisplay
            This display, with `ax_` and `figure_`.
        """
        from matplotlib.ticker import PercentFormatter

        n_machines, n = self.for_later.shape
        cell = 0.5 if n <= NUMBERED else 0.22
        height = float(np.clip((0.24 if n_machines <= 66 else 0.03) * n_machines + 1.2, 3, 11))
        self.ax_ = ax = axes(ax, max(4.2, cell * n + 2.4), height)
        self.figure_ = ax.figure
        words = None
        if n_machines <= 66:
            words = np.array([[f"{100 * share:.3g}" for share in row] for row in self.for_later])
        # Orange and purple as for values: the earlier class of the pair, the later one.
        image = heat_map(ax, self.for_later, words=words, cmap=DIVERGING, vmin=0, vmax=1, aspect="auto")
        bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, format=PercentFormatter(xmax=1))
        bar.set_label("assigned to the later class", fontsize="small")
        name_ticks(ax.xaxis, self.names, turned=True)
        step = 1 if n_machines <= 66 else n_machines // READABLE + 1
        short = short_names(self.names, 10)
        rows = [f"{short[i]} vs {short[j]}" for i, j in self.pairs[::step].tolist()]
        ax.set_yticks(range(0, n_machines, step), rows, fontsize=7)
        ax.tick_params(which="major", length=0)
        ax.set_xlabel("class of the training samples")
        ax.set_title("All predictions", fontsize="medium")
        return self
