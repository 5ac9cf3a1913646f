"""Accuracy and cost of divide and conquer against its parameter theta."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..base.typing import Array
from ..structures.divide_and_conquer import DivideAndConquer
from .drawing import BLUE, FAINT, GREEN, VERMILLION
from .reading import classifier_of, prepared

THETAS = (0.0, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05)


@dataclass(eq=False)
class ThetaDisplay:
    """Accuracy, machines per sample and separation of divide and conquer for several thetas (DCSVM's Figures 8 to 10).

    A larger theta gives shorter paths and more errors. The separation is the share of entries of the all-predictions table
    that a theta decides.

    Use `from_estimator` to make one.

    Attributes
    ----------
    thetas : ndarray of shape (n_thetas,)
    accuracy : ndarray of shape (n_thetas,)
        On the test samples.
    steps : ndarray of shape (n_thetas,)
        Mean number of machines consulted per test sample.
    separation : ndarray of shape (n_thetas,)
    reference : float
        Accuracy of Max Wins with the same machines.
    n_classes : int
    ax_, figure_ : matplotlib axes and figure
        Where it was drawn last; `ax_` is an array of three axes.

    See Also
    --------
    dagmar.DivideAndConquer : The structure that has a theta.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = dagmar.SVC(gamma=0.001).fit(X[:900], y[:900])
    >>> display = dagmar.pictures.ThetaDisplay.from_estimator(clf, X[:900], y[:900], X[900:], y[900:], thetas=[0, 0.05])
    >>> bool(display.steps[1] < display.steps[0] < 9)
    True
    """

    thetas: Array
    accuracy: Array
    steps: Array
    separation: Array
    reference: float
    n_classes: int
    ax_: Any = field(init=False, default=None, repr=False)
    figure_: Any = field(init=False, default=None, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X_train: ArrayLike,
        y_train: ArrayLike,
        X_test: ArrayLike,
        y_test: ArrayLike,
        *,
        thetas: Sequence[float] | ArrayLike = THETAS,
        prefer: str = "speed",
    ) -> Self:
        """Build the structure anew for each theta, over the same machines, and try it on test samples.

        Parameters
        ----------
        estimator : SVC, PairwiseClassifier, or a pipeline that ends with one
            Fitted on the training samples, with any structure over all pairs.
        X_train : array-like of shape (n_samples, n_features)
        y_train : array-like of shape (n_samples,)
        X_test : array-like of shape (n_test_samples, n_features)
        y_test : array-like of shape (n_test_samples,)
        thetas : array-like of shape (n_thetas,)
            Shares between 0 and 0.5; by default 0 to 5 %.
        prefer : {"speed", "accuracy"}, default="speed"
            As for `DivideAndConquer`.

        Returns
        -------
        ThetaDisplay
        """
        clf = classifier_of(estimator)
        if not hasattr(clf, "restructure"):
            raise TypeError(f"{type(clf).__name__} has no restructure; pass its best_estimator_")
        train, test = prepared(estimator, X_train), prepared(estimator, X_test)
        y = np.asarray(y_test)
        thetas = np.asarray(thetas, dtype=np.float64)
        found = []
        for theta in thetas.tolist():
            divided = clf.restructure(DivideAndConquer(theta=theta, prefer=prefer), train, y_train)
            path = divided.decision_path(test)
            decided = np.logical_or(*divided.plan_.predictions_table.decided(theta))
            right = divided.classes_[path.answers] == y
            found.append((right.mean(), np.diff(path.begin).mean(), decided.mean()))
        accuracy, steps, separation = np.array(found).reshape(-1, 3).T
        reference = float((clf.restructure("max_wins").predict(test) == y).mean())
        return cls(thetas, accuracy, steps, separation, reference, len(clf.classes_))

    def plot(self, ax: Any = None) -> Self:
        """Draw three curves side by side.

        Parameters
        ----------
        ax : array of three matplotlib axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        ThetaDisplay
            This display, with `ax_` and `figure_`.
        """
        if ax is None:
            from matplotlib import pyplot as plt

            _, ax = plt.subplots(1, 3, figsize=(10, 3.0), layout="constrained")
        if np.size(ax) != 3:
            raise ValueError(f"ax must be three axes; got {np.size(ax)}")
        self.ax_ = np.asarray(ax).ravel()
        self.figure_ = self.ax_[0].figure
        curves = [
            ("accuracy, %", 100 * self.accuracy, BLUE, "o", (100 * self.reference, "Max Wins")),
            ("machines per sample", self.steps, VERMILLION, "s", (self.n_classes - 1, "DDAG")),
            ("classes separated, %", 100 * self.separation, GREEN, "^", None),
        ]
        for one, (words, values, colour, marker, line) in zip(self.ax_, curves, strict=True):
            one.plot(100 * self.thetas, values, color=colour, marker=marker, label="divide and conquer")
            if line is not None:
                one.axhline(line[0], color="0.35", linestyle="--", linewidth=1.0, label=line[1])
                one.legend(frameon=False, fontsize="small")
            one.set_xlabel("theta, %")
            one.set_ylabel(words)
            one.grid(color=FAINT, linewidth=0.4)
            one.spines[["top", "right"]].set_visible(False)
        return self
