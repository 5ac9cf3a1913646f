"""How much work the samples cost, as histograms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..base.typing import Index
from .drawing import BLUE, FAINT, GREEN, INK, VERMILLION
from .reading import classifier_of, prepared

BINS = 30


@dataclass(eq=False)
class CostDisplay:
    """How many machines, and how many kernel evaluations, the samples of a data set need.

    Use `from_estimator` to make one. A dashed line marks the mean, a dotted line what a poll of all machines would cost.

    Attributes
    ----------
    machines : ndarray of shape (n_samples,), int64
        Machines consulted.
    kernel_evaluations : ndarray of shape (n_samples,), int64, or None
        Distinct support vectors in them; None if the machines have none.
    n_machines : int
        Machines of the model.
    n_vectors : int or None
        Support vectors of the model.
    ax_, figure_ : matplotlib axes and figure
        Where it was drawn last; `ax_` is an array of axes if there are two histograms.

    See Also
    --------
    dagmar.DecisionCost : The numbers.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> display = dagmar.pictures.CostDisplay.from_estimator(dagmar.SVC(structure="ddag").fit(X, y), X)
    >>> display.machines.max(), display.n_machines
    (np.int64(2), 3)
    """

    machines: Index
    kernel_evaluations: Index | None
    n_machines: int
    n_vectors: int | None = None
    ax_: Any = field(init=False, default=None, repr=False)
    figure_: Any = field(init=False, default=None, repr=False)

    @classmethod
    def from_estimator(cls, estimator: Any, X: ArrayLike) -> Self:
        """Count the cost of every sample.

        Parameters
        ----------
        estimator : SVC, SVCCV, PairwiseClassifier, or a pipeline that ends with one
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        CostDisplay
        """
        clf = classifier_of(estimator)
        cost = clf.decision_cost(prepared(estimator, X))
        support = getattr(clf.bank_, "support", None)
        return cls(
            cost.machines,
            getattr(cost, "kernel_evaluations", None),
            clf.bank_.n_machines,
            None if support is None else len(support),
        )

    def plot(self, ax: Any = None) -> Self:
        """Draw the histograms.

        Parameters
        ----------
        ax : matplotlib axes, or two of them, optional
            Where to draw; by default in a new figure. On one axes, only the machines are drawn.

        Returns
        -------
        CostDisplay
            This display, with `ax_` and `figure_`.
        """
        parts = [("machines consulted", self.machines, self.n_machines, BLUE)]
        if self.kernel_evaluations is not None and self.n_vectors is not None:
            parts.append(("kernel evaluations", self.kernel_evaluations, self.n_vectors, GREEN))
        if ax is None:
            from matplotlib import pyplot as plt

            _, ax = plt.subplots(1, len(parts), figsize=(1.0 + 3.6 * len(parts), 3.0), layout="constrained")
        each = np.atleast_1d(ax).ravel().tolist()
        self.ax_, self.figure_ = ax, each[0].figure
        for one, (words, counts, most, colour) in zip(each, parts, strict=False):
            _histogram(one, words, counts, most, colour)
        return self


def _histogram(ax: Any, words: str, counts: Index, most: int, colour: str) -> None:
    low, high = int(counts.min()), int(counts.max())
    each = high - low < BINS  # a bar for each number
    edges = np.arange(low, high + 2) - 0.5 if each else np.linspace(low, high + 1, BINS + 1)
    ax.hist(counts, bins=edges, color=colour, edgecolor="white", linewidth=0.5)
    mean = float(counts.mean())
    ax.axvline(mean, color=VERMILLION, linestyle="--", linewidth=1.5, label=f"mean {mean:.4g}")
    if most <= 4 * high:  # farther away, it would squeeze the histogram
        ax.axvline(most, color=INK, linestyle=":", linewidth=1.5, label=f"all {most}")
    else:
        ax.plot([], [], color=INK, linestyle=":", label=f"all {most} (off the scale)")
    if high - low < 12:
        ax.set_xticks(range(low, high + 1, -(-(high - low + 1) // 8)))
    ax.set_xlabel(f"{words} per sample")
    ax.set_ylabel("samples")
    ax.legend(frameon=False, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color=FAINT, linewidth=0.4)
    ax.set_axisbelow(True)
