"""A picture of an explanation: the values on the path of a sample, and the training samples behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from ..base.typing import Array
from ..problem.frames import as_row
from .drawing import BLUE, FAINT, INK, ORANGE, VERMILLION
from .labels import listed, plain, short_names, shorten
from .reading import classifier_of, prepared

MOST = 12  # steps that are drawn; of more, the closest calls
IMAGES = 5  # images beside each step


@dataclass(eq=False)
class ExplanationDisplay:
    """The path of one sample as bars: the values of the machines, the closest call marked, and what pulled them.

    A bar to the right is for the class on the right. Beside each bar are the support vectors that contribute most to it, as
    images if `image_shape` is given: with a plus sign and a blue frame if they pull to the right, else with an orange frame.

    Attributes
    ----------
    explanation : Explanation
        From `SVC.explain`.
    vectors : array or sparse matrix of shape (n_vectors, n_features), optional
        The support vectors, ``bank_.vectors``; needed for images.
    image_shape : tuple of two int, optional
        Height and width of the images in pixels, if samples are images.
    x : array-like of shape (n_features,), optional
        The sample, drawn as an image too.
    ax_, figure_ : matplotlib axes and figure
        Where it was drawn last.

    See Also
    --------
    dagmar.explain : The same as text.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = dagmar.SVC(gamma=0.001, structure="ddag").fit(X[:900], y[:900])
    >>> display = dagmar.pictures.ExplanationDisplay.from_estimator(clf, X[1000], image_shape=(8, 8))
    >>> len(display.steps), display.steps[display.closest].number
    (9, 9)
    """

    explanation: Any
    vectors: Any = field(default=None, repr=False)
    image_shape: tuple[int, int] | None = None
    x: Any = field(default=None, repr=False)
    ax_: Any = field(init=False, default=None, repr=False)
    figure_: Any = field(init=False, default=None, repr=False)

    def __post_init__(self) -> None:
        if self.image_shape is None:
            return
        if self.vectors is None:
            raise ValueError("images need the support vectors: use from_estimator, or pass vectors")
        height, width = self.image_shape
        if height * width != self.vectors.shape[1]:
            raise ValueError(f"image_shape {self.image_shape} does not fit samples of {self.vectors.shape[1]} features")

    @classmethod
    def from_estimator(
        cls, estimator: Any, x: ArrayLike, *, image_shape: tuple[int, int] | None = None, top: int = IMAGES
    ) -> Self:
        """Explain one sample.

        Parameters
        ----------
        estimator : SVC, SVCCV, PairwiseClassifier, or a pipeline that ends with one
        x : array-like of shape (n_features,) or (1, n_features)
        image_shape : tuple of two int, optional
            Height and width of the images in pixels, if samples are images.
        top : int, default=5
            Support vectors beside each bar.

        Returns
        -------
        ExplanationDisplay
        """
        clf = classifier_of(estimator)
        ready = prepared(estimator, as_row(x))
        vectors = getattr(clf.bank_, "vectors", None)
        shown = None if image_shape is None else np.asarray(x, dtype=np.float64).ravel()
        return cls(clf.explain(ready, top=top), vectors, image_shape, shown)

    @property
    def steps(self) -> list[Any]:
        """The steps that are drawn, in the order of the path; of very many, the closest calls."""
        steps = list(self.explanation.steps)
        if len(steps) <= MOST:
            return steps
        by_importance = sorted(steps, key=lambda s: -s.value if self.explanation.poll else abs(s.value))
        return sorted(by_importance[:MOST], key=lambda s: s.number)

    @property
    def closest(self) -> int | None:
        """The place in `steps` of the closest call; for a poll, that of the second largest value; None without steps."""
        steps = self.steps
        if not steps or (self.explanation.poll and len(steps) < 2):
            return None
        values = np.array([step.value for step in steps])
        return int(np.argsort(-values, kind="stable")[1] if self.explanation.poll else np.argmin(np.abs(values)))

    def plot(self, ax: Any = None) -> Self:
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib axes, or two of them, optional
            Where to draw; by default in a new figure. One axes is divided, for the bars and for the reasons; of two, the
            first gets the bars. The image of the sample is drawn in a new figure only.

        Returns
        -------
        ExplanationDisplay
            This display, with `ax_` and `figure_`.
        """
        steps, poll = self.steps, self.explanation.poll
        n = len(steps)
        ax, panel, sample = self._axes(ax)
        self.ax_, self.figure_ = ax, ax.figure
        values = np.array([step.value for step in steps])
        most = max(1.0, float(np.abs(values).max(initial=0.0))) * 1.08
        if self.explanation.in_margins and not poll:
            ax.axvspan(-1, 1, color="0.95", zorder=0, label="inside the margin")
        colours = [VERMILLION if k == self.closest else BLUE for k in range(n)]
        bars = ax.barh(range(n), values, color=colours, height=0.55, zorder=2)
        for k, bar in enumerate(bars):
            if k == self.closest:
                bar.set_hatch("///")  # so that it is marked without colours too
                bar.set_edgecolor("white")
        ax.axvline(0, color=INK, linewidth=0.8, zorder=3)
        ax.set_xlim(-most, most)
        ax.set_ylim(n - 0.5, -0.5)
        self._names(ax, steps)
        for k, step in enumerate(steps):
            at = step.value + (0.015 if step.value >= 0 else -0.015) * most
            inside = abs(step.value) > 0.62 * most
            ha = "left" if (step.value >= 0) != inside else "right"
            at = step.value - (0.03 * most if step.value >= 0 else -0.03 * most) if inside else at
            marked = k == self.closest  # a bar close to 0 cannot be seen, so its number is marked as well
            colour = "white" if inside else VERMILLION if marked else INK
            text = ax.text(at, k, f"{step.value:+.2g}", va="center", ha=ha, fontsize=8, color=colour, zorder=4)
            text.set_fontweight("bold" if marked else "normal")
        self._reasons(panel, steps)
        if sample is not None:
            self._image(sample, np.asarray(self.x), INK)
            sample.set_title("the sample", fontsize=8)
        ax.set_xlabel("value; above 0 the class on the right wins" if not poll else "value; the largest wins")
        ax.set_title(self._title(), fontsize="medium", loc="left")
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.grid(axis="x", color=FAINT, linewidth=0.4)
        ax.set_axisbelow(True)
        return self

    def _short(self, longest: int) -> dict[str, str]:
        """Return a short name for the label of every class on the path, ready to be drawn."""
        return dict(zip(self._labels, short_names(self._labels, longest), strict=True))

    @cached_property
    def _labels(self) -> list[str]:
        return list(dict.fromkeys(str(label) for s in self.explanation.steps for label in (*s.negative, *s.positive)))

    def _side(self, labels: Sequence[Any]) -> str:
        """Return the label of a side, or the labels of a group."""
        short = self._short(16)
        return listed([short[str(label)] for label in labels], 3)

    def _title(self) -> str:
        short = self._short(20)
        words = f"answer {short.get(str(self.explanation.answer), plain(str(self.explanation.answer)))}"
        second = self.explanation.runner_up
        if second is not None:
            words += f", runner-up {short[str(second.label)]} (by {second.gap:.2g})"
        left_out = len(self.explanation.steps) - len(self.steps)
        if left_out:
            words += f"; {len(self.steps)} of {len(self.explanation.steps)} steps"
        if self.closest is not None and not self.explanation.poll:
            words += "; hatched: the closest call"
        return words

    def _names(self, ax: Any, steps: Sequence[Any]) -> None:
        """Write the two sides of each machine at the ends of its row, the winner in bold."""
        if self.explanation.poll:
            ax.set_yticks(range(len(steps)), [self._side(step.positive) for step in steps], fontsize=9)
            ax.tick_params(axis="y", length=0)
            return
        ax.set_yticks(range(len(steps)), [f"{step.number}.  {self._side(step.negative)}" for step in steps], fontsize=9)
        ax.tick_params(axis="y", length=0)
        across = ax.get_yaxis_transform()
        for k, step in enumerate(steps):
            right = step.value >= 0
            ax.get_yticklabels()[k].set_fontweight("normal" if right else "bold")
            weight = "bold" if right else "normal"
            ax.text(1.01, k, self._side(step.positive), transform=across, va="center", fontsize=9, fontweight=weight)

    def _axes(self, ax: Any) -> tuple[Any, Any, Any]:
        """Return the axes of the bars, those of the reasons on their right, and those of the sample, if it is drawn."""
        if isinstance(ax, tuple | list | np.ndarray):
            bars, panel = ax
            return bars, panel, None
        if ax is not None:
            from mpl_toolkits.axes_grid1 import make_axes_locatable

            return ax, make_axes_locatable(ax).append_axes("right", size="75%", pad=0.75), None
        from matplotlib import pyplot as plt

        height = float(np.clip(0.5 * len(self.steps) + 1.4, 2.2, 8))
        with_sample = self.image_shape is not None and self.x is not None
        ratios = [0.7, 3, 2.8] if with_sample else [3, 2.8]
        _, all_axes = plt.subplots(
            1, len(ratios), figsize=(10 if with_sample else 9, height), width_ratios=ratios, layout="constrained"
        )
        *before, ax, panel = all_axes
        return ax, panel, before[0] if before else None

    def _reasons(self, panel: Any, steps: Sequence[Any]) -> None:
        """Draw or name the support vectors, or the features, that contribute most, beside each row."""
        panel.set_axis_off()
        panel.set_xlim(0, 1)
        panel.set_ylim(len(steps) - 0.5, -0.5)
        columns = max((min(len(s.vectors.places), IMAGES) for s in steps if s.vectors is not None), default=1)
        for k, step in enumerate(steps):
            if step.vectors is None or self.image_shape is None:
                panel.text(0, k, _pulled(step, self._short(12)), va="center", fontsize=7, color="0.3")
                continue
            shown = min(len(step.vectors.places), IMAGES)
            for c in range(shown):
                added, at = float(step.vectors.contributions[c]), c / columns
                frame = panel.inset_axes((at, k - 0.45, 0.65 / columns, 0.9), transform=panel.transData)
                self._image(
                    frame, _dense_row(self.vectors, int(step.vectors.places[c])), BLUE if added >= 0 else ORANGE
                )
                panel.text(at + 0.66 / columns, k, f"{added:+.1g}", fontsize=6.5, va="center", color="0.3")

    def _image(self, frame: Any, pixels: Array, colour: str) -> None:
        frame.imshow(pixels.reshape(self.image_shape), cmap="gray_r", interpolation="nearest")
        frame.set_xticks([])
        frame.set_yticks([])
        for spine in frame.spines.values():
            spine.set(color=colour, linewidth=1.6)


def _dense_row(vectors: Any, place: int) -> Array:
    row: Array = vectors[[place]].toarray().ravel() if sp.issparse(vectors) else np.asarray(vectors[place])
    return row


def _feature(name: Any) -> str:
    return plain(shorten(name, 16)) if isinstance(name, str) else f"feature {name}"


def _pulled(step: Any, short: dict[str, str]) -> str:
    """Name the features, or else the support vectors, that contribute most to a value; ready to be drawn."""
    if step.features is not None:
        order = np.argsort(-np.abs(step.features.contributions), kind="stable")[:3]
        named = ((_feature(step.features.names[k]), step.features.contributions[k]) for k in order)
        return ", ".join(f"{name} {added:+.2g}" for name, added in named)
    if step.vectors is None:
        return ""
    v = step.vectors
    rows = [""] * len(v.labels) if v.rows is None else [f"row {row} " for row in v.rows.tolist()]
    each = zip(rows[:2], v.labels[:2], v.contributions[:2].tolist(), strict=True)
    return ", ".join(f"{row}({short[str(label)]}) {added:+.2g}" for row, label, added in each)
