"""The regions of the classes in the plane of two features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline

from ..base.typing import Array, Index
from .drawing import BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILLION, YELLOW, axes
from .labels import class_names as names_of
from .labels import plain, short_names, shorten

FEW = [BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILLION, YELLOW]
MARKERS = "osD^vP*X<>dph"
CONTOURS = 12  # classes up to which the borders of the regions are drawn as well
LEGEND = 26


@dataclass(eq=False)
class DecisionRegionsDisplay:
    """The class of every point in the plane of two features.

    Use `from_estimator` to make one.

    Attributes
    ----------
    horizontal, vertical : ndarray of shape (n_horizontal,) and (n_vertical,)
        The values of the two features.
    regions : ndarray of shape (n_vertical, n_horizontal), int64
        The class at each point.
    names : list of n_classes str
    feature_names : tuple of two str
    points : ndarray of shape (n_samples, 2) or None
        Samples to draw, with their classes in `point_classes`.
    point_classes : ndarray of shape (n_samples,), int64, or None
    support : ndarray of shape (n_support, 2) or None
        Support vectors to outline.
    ax_, figure_ : matplotlib axes and figure
        Where it was drawn last.

    See Also
    --------
    dagmar.explore : Regions are not needed there: a page moves the features of a sample.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = dagmar.SVC(structure="ddag").fit(X[:, :2], y)
    >>> display = dagmar.pictures.DecisionRegionsDisplay.from_estimator(clf, X[:, :2], y, grid_resolution=50)
    >>> display.regions.shape, sorted(set(display.regions.ravel().tolist()))
    ((50, 50), [0, 1, 2])
    """

    horizontal: Array
    vertical: Array
    regions: Index
    names: list[str]
    feature_names: tuple[str, str]
    points: Array | None = None
    point_classes: Index | None = None
    support: Array | None = None
    ax_: Any = field(init=False, default=None, repr=False)
    figure_: Any = field(init=False, default=None, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        features: tuple[int, int] = (0, 1),
        at: ArrayLike | None = None,
        grid_resolution: int = 200,
        support_vectors: bool = False,
        class_names: Sequence[Any] | None = None,
    ) -> Self:
        """Predict the class at every point of a grid.

        Parameters
        ----------
        estimator : fitted classifier with `predict` and `classes_`
            With any structure; a pipeline or any other classifier too.
        X : array-like of shape (n_samples, n_features)
            Samples, dense; the picture shows the range of their two features. The axes have the names of the columns of a data
            frame, or those that the estimator was fitted with.
        y : array-like of shape (n_samples,), optional
            Their labels; then the samples are drawn as well.
        features : tuple of two int, default=(0, 1)
            The features of the picture, by their index.
        at : array-like of shape (n_features,), optional
            Where the other features are fixed; by default at the medians of X. The samples drawn then are not in this plane.
        grid_resolution : int, default=200
            Points along each axis.
        support_vectors : bool, default=False
            Whether to outline the support vectors of an `SVC`.
        class_names : sequence of n_classes names, optional
            Names for the classes; by default their labels.

        Returns
        -------
        DecisionRegionsDisplay
        """
        frame: Any = X
        columns = getattr(frame, "columns", None)
        table: Array = np.asarray(X, dtype=np.float64)
        first, second = features
        if table.ndim != 2 or first == second or not all(0 <= f < table.shape[1] for f in features):
            raise ValueError(f"features must be two different columns of X, of shape {table.shape}; got {features}")
        axis_values = [_range_of(table[:, f], grid_resolution) for f in features]
        centre = np.median(table, axis=0) if at is None else np.asarray(at, dtype=np.float64)
        if centre.shape != table.shape[1:]:
            raise ValueError(
                f"at must have a value for each of the {table.shape[1]} features; got shape {centre.shape}"
            )
        a, b = np.meshgrid(*axis_values)
        rows = np.tile(centre, (a.size, 1))
        rows[:, first], rows[:, second] = a.ravel(), b.ravel()
        asked = rows if columns is None else type(frame)(dict(zip(columns, rows.T, strict=True)))
        index = {label: c for c, label in enumerate(estimator.classes_.tolist())}
        regions = np.array([index[label] for label in np.asarray(estimator.predict(asked)).tolist()])
        classes = None if y is None else np.array([index[label] for label in np.asarray(y).tolist()])
        known = getattr(estimator, "feature_names_in_", None) if columns is None else columns
        shown = [f"feature {f}" if known is None else str(known[f]) for f in features]
        horizontal, vertical = axis_values
        return cls(
            horizontal,
            vertical,
            regions=regions.reshape(a.shape),
            names=names_of(estimator.classes_, class_names),
            feature_names=(shown[0], shown[1]),
            points=None if y is None else table[:, [first, second]],
            point_classes=classes,
            support=_support_of(estimator, table)[:, [first, second]] if support_vectors else None,
        )

    def plot(self, ax: Any = None) -> Self:
        """Draw the regions, and the samples if there are any.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        DecisionRegionsDisplay
            This display, with `ax_` and `figure_`.
        """
        from matplotlib.colors import ListedColormap
        from matplotlib.lines import Line2D

        n = len(self.names)
        self.ax_ = ax = axes(ax, 6.4 if n > 12 else 5.6, 4.2)
        self.figure_ = ax.figure
        colours = self._colours()
        pale = [tuple(0.45 * c + 0.55 for c in colour) for colour in colours]
        edges = {"vmin": -0.5, "vmax": n - 0.5, "shading": "nearest", "rasterized": True}
        ax.pcolormesh(self.horizontal, self.vertical, self.regions, cmap=ListedColormap(pale), **edges)
        if n <= CONTOURS:
            for c in np.unique(self.regions).tolist()[1:]:
                inside = (self.regions == c).astype(float)
                ax.contour(self.horizontal, self.vertical, inside, levels=[0.5], colors="white", linewidths=0.8)
        if self.support is not None:
            ax.scatter(*self.support.T, s=55, facecolors="none", edgecolors=INK, linewidths=0.9, zorder=4)
        handles = []
        names = short_names(self.names, 18)
        for c in range(n):
            marker = MARKERS[c % len(MARKERS)]
            if self.points is not None:
                mine = self.points[self.point_classes == c]
                style = {
                    "s": float(np.clip(9000 / max(1, len(self.points)), 4, 20)),
                    "marker": marker,
                    "edgecolors": INK,
                }
                ax.scatter(*mine.T, color=[colours[c]], linewidths=0.4, zorder=3, **style)
            shown = marker if self.points is not None else "s"
            handles.append(Line2D([], [], label=names[c], marker=shown, color=colours[c], linestyle=""))
        for c, (x, y) in self.middles().items():
            box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
            ax.text(x, y, names[c], ha="center", va="center", fontsize=8, fontweight="bold", bbox=box, zorder=5)
        if n <= LEGEND:
            columns = 1 if n <= 13 else 2
            place = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), "frameon": False, "ncols": columns}
            ax.legend(handles=handles, fontsize="small" if n <= 13 else "x-small", **place)
        ax.set_xlabel(plain(shorten(self.feature_names[0])))
        ax.set_ylabel(plain(shorten(self.feature_names[1])))
        ax.set_xlim(self.horizontal[0], self.horizontal[-1])
        ax.set_ylim(self.vertical[0], self.vertical[-1])
        return self

    def middles(self) -> dict[int, tuple[float, float]]:
        """Return, for each class with a region of some width, the point of its region that is farthest from other regions."""
        from scipy.ndimage import distance_transform_edt

        found = {}
        for c in np.unique(self.regions).tolist():
            depth = distance_transform_edt(np.pad(self.regions == c, 1))[1:-1, 1:-1]
            row, column = np.unravel_index(int(np.argmax(depth)), depth.shape)
            if depth[row, column] * 25 >= max(depth.shape):  # there is room for a name
                found[c] = float(self.horizontal[column]), float(self.vertical[row])
        return found

    def _colours(self) -> list[tuple[float, float, float]]:
        """Return a colour for every class: Okabe and Ito's for few; of many, two classes in a row differ much."""
        from matplotlib import colormaps
        from matplotlib.colors import to_rgb

        n = len(self.names)
        if n <= len(FEW):
            return [to_rgb(colour) for colour in FEW[:n]]
        half = -(-n // 2)
        spread, alternating = np.linspace(0, 1, n), np.empty(n)
        alternating[0::2], alternating[1::2] = spread[:half], spread[half:]
        return [to_rgb(colormaps["turbo"](0.05 + 0.9 * value)) for value in alternating]


def _range_of(values: Array, n: int) -> Array:
    low, high = float(values.min()), float(values.max())
    room = 0.05 * (high - low) or 0.5
    grid: Array = np.linspace(low - room, high + room, n)
    return grid


def _support_of(estimator: Any, X: Array) -> Array:
    """Return the rows of X that are support vectors; X must be the training samples."""
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    support = getattr(last, "support_", None)
    if support is None:
        raise ValueError(f"{type(last).__name__} has no support_, which support_vectors=True needs")
    if len(support) and (support.min() < 0 or support.max() >= len(X)):
        raise ValueError("support_vectors=True needs the training samples as X")
    rows: Array = X[support]
    return rows
