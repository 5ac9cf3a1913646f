"""Explanations: why one sample got its class, machine by machine."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from ..base.exceptions import InvalidParameterError
from ..base.fitted_steps import WeightedFeatures, weights_of
from ..base.frozen import FrozenArrays
from ..base.parameters import check_parameters, none, number
from ..base.showing import MOST_LINES, frame, html_table
from .influence import FeatureInfluence, VectorInfluence
from .runner_up import RunnerUp

# With more steps than this, the closest calls come first, and `str` shows this many of them.
MANY = 10
# The most influential vectors that a line of the HTML table names.
NAMED_IN_HTML = 3
WIDE = 120  # the most characters of a cell of that table
TABLES = ("steps", "vectors", "features", "weights")
NAMED_WEIGHTS = 5  # the features with most weight that a text names


@dataclass(frozen=True, eq=False)
class Step:
    """A machine that was consulted, with its verdict and the reasons.

    Attributes
    ----------
    number : int
        The place of the step on the path, from 1.
    machine : int
        Index of the machine in ``bank_``.
    negative, positive : tuple of labels
        The classes on its two sides.
    value : float
        Its value: zero or more is for the positive side.
    vectors : VectorInfluence or None
        Its most influential support vectors; None for machines without support vectors (`PairwiseClassifier`).
    features : FeatureInfluence or None
        What each feature adds to the value; None unless the kernel is linear.
    """

    number: int
    machine: int
    negative: tuple[Any, ...]
    positive: tuple[Any, ...]
    value: float
    vectors: VectorInfluence | None = None
    features: FeatureInfluence | None = None

    @property
    def winner(self) -> tuple[Any, ...]:
        """The labels on the side that won."""
        return self.positive if self.value >= 0 else self.negative

    @property
    def loser(self) -> tuple[Any, ...]:
        """The labels on the side that lost."""
        return self.negative if self.value >= 0 else self.positive


@dataclass(frozen=True, eq=False)
class Explanation(FrozenArrays):
    """Why one sample got its class. `SVC.explain` and `dagmar.explain` make one.

    Print it to read the path in words; `to_text` gives all steps of a long path. The data is in its attributes, the tables of
    `to_frame`, and in `to_dict`.

    Attributes
    ----------
    answer : label
        The class that the sample got.
    steps : tuple of Step
        The machines that were consulted, in order, each with its two sides, its value and its most influential support
        vectors; with a linear kernel, also with what each feature adds.
    runner_up : RunnerUp or None
        The class that came second, and how close it was; `RunnerUp` defines it. None if no single verdict changes the answer.
    poll : bool
        Whether the largest value is the answer (one-vs-rest); otherwise the verdicts of the steps lead to it.
    in_margins : bool
        Whether values are measured in margins, so that values between -1 and 1 are inside the margin (kernel machines).
    feature_weights : WeightedFeatures or None
        The weights of the features, and their names, if the model has a step such as `dagmar.tuning.FeatureWeights`.

    See Also
    --------
    explain : Makes one of a pipeline or a search.
    explore : The same for many samples, in a browser.
    dagmar.pictures.ExplanationDisplay : One, drawn.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris()
    >>> clf = dagmar.SVC(C=10, structure="ddag").fit(iris.data, iris.target_names[iris.target])
    >>> explanation = clf.explain(iris.data[77])
    >>> print(explanation)
    1. virginica beats setosa (1.09)
    2. versicolor beats virginica (0.122, inside the margin)
    Answer: versicolor
    >>> explanation.runner_up.label, explanation.steps[1].vectors.rows.tolist()
    ('virginica', [77, 52, 110, 133, 123])
    """

    answer: Any
    steps: tuple[Step, ...]
    runner_up: RunnerUp | None
    poll: bool
    in_margins: bool
    feature_weights: WeightedFeatures | None = None

    def with_weights_of(self, model: Any) -> Explanation:
        """Return the explanation with the feature weights of the model that it is of, if there are any."""
        weights = weights_of(model)
        return self if weights is None else replace(self, feature_weights=weights)

    # ------------------------------------------------------------------- text

    def __str__(self) -> str:
        return self.to_text(MANY)

    def to_text(self, max_lines: int | None = None) -> str:
        """Return the path in words. Printing the explanation shows at most ten steps.

        Parameters
        ----------
        max_lines : int or None, default=None
            The most steps to show, one per line; None for all. If there are more, the closest calls are shown (for one-vs-rest,
            the largest values), and how many more there are.

        Returns
        -------
        str
            More than ten steps, and steps of which some are left out, are in the order of how close they were.

        Examples
        --------
        >>> import dagmar
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> print(dagmar.SVC(C=10).fit(X, y).explain(X[77]).to_text(max_lines=1))
        2 steps, the closest calls first:
        2. 1 beats 2 (0.122, inside the margin)
        ... and 1 more
        Answer: 1
        """
        check_parameters(
            "to_text", {"max_lines": max_lines}, {"max_lines": number(0, math.inf, "left", Integral) | none}
        )
        n = len(self.steps)
        most = n if max_lines is None else min(n, int(max_lines))
        in_order = most == n <= MANY
        shown = self.steps if in_order else self._ranked()[:most]
        lines = [self._words(step) for step in shown]
        if not in_order:
            order = "the largest values first" if self.poll else "the closest calls first"
            lines.insert(0, f"{n} steps, {order}:")
        if most < n:
            lines.append(f"... and {n - most} more")
        return "\n".join([*lines, f"Answer: {self.answer}", *self._weight_words()])

    def _weight_words(self) -> list[str]:
        """Return a line that names the features with most weight, or nothing."""
        named = (f"{entry['feature']} ({entry['weight']:.3g})" for entry in self._weight_entries(NAMED_WEIGHTS))
        return [] if self.feature_weights is None else [f"Features with most weight: {', '.join(named)}"]

    def __repr__(self) -> str:
        second = "no runner-up" if self.runner_up is None else f"runner-up {self.runner_up}"
        n = len(self.steps)
        return f"Explanation(answer {self.answer}, {second}, {n} step{'' if n == 1 else 's'})"

    def closest_first(self) -> list[Step]:
        """Return the steps in the order of the text: as they were consulted; if there are many, the closest calls first.

        A call is close if its absolute value is small. For one-vs-rest, the largest values come first.
        """
        if len(self.steps) <= MANY:
            return list(self.steps)
        return self._ranked()

    def _ranked(self) -> list[Step]:
        return sorted(self.steps, key=lambda step: -step.value if self.poll else abs(step.value))

    def _words(self, step: Step) -> str:
        if self.poll:
            return f"{step.number}. {step.positive[0]} against the rest: {step.value:.3g}"
        winner, loser = _joined(step.winner), _joined(step.loser)
        return f"{step.number}. {winner} beats {loser} ({abs(step.value):.3g}{self._inside(step)})"

    def _inside(self, step: Step) -> str:
        return ", inside the margin" if self.in_margins and abs(step.value) < 1 else ""

    # ------------------------------------------------------------------ tables

    def to_frame(self, table: str = "steps") -> Any:
        """Return the explanation as a pandas DataFrame.

        Parameters
        ----------
        table : {"steps", "vectors", "features", "weights"}, default="steps"
            "steps": one row per machine consulted. "vectors": one row per machine and influential support vector.
            "features": one row per machine and feature, for a linear kernel; otherwise it is empty. "weights": one row per
            feature, the largest weight first, for a model with feature weights; otherwise it is empty.

        Returns
        -------
        pandas.DataFrame
        """
        if table not in TABLES:
            raise InvalidParameterError(f"table must be one of {', '.join(TABLES)}; got {table!r}")
        if table == "steps":
            return frame(self._step_columns(self.steps), index="step")
        if table == "weights":
            entries = self._weight_entries()
            return frame({name: [entry[name] for entry in entries] for name in ("feature", "weight")})
        parts: dict[str, tuple[str, ...]] = {
            "vectors": ("row", "label", "coefficient", "kernel_value", "contribution", "share"),
            "features": ("feature", "value", "weight", "contribution", "share"),
        }
        columns: dict[str, list[Any]] = {name: [] for name in ("step", "machine", *parts[table])}
        for step in self.steps:
            entries = _vector_entries(step) if table == "vectors" else _feature_entries(step)
            for entry in entries:
                for name, value in {"step": step.number, "machine": step.machine, **entry}.items():
                    columns[name].append(value)
        return frame(columns)

    def _step_columns(self, steps: tuple[Step, ...] | list[Step]) -> dict[str, list[Any]]:
        sides = {
            "negative": ["rest" if self.poll else _alone(step.negative) for step in steps],
            "positive": [_alone(step.positive) for step in steps],
        }
        winners = [sides["positive" if step.value >= 0 else "negative"][k] for k, step in enumerate(steps)]
        return {
            "step": [step.number for step in steps],
            "machine": [step.machine for step in steps],
            **sides,
            "value": [step.value for step in steps],
            "winner": winners,
        }

    def _repr_html_(self) -> str:
        steps = self.closest_first()[:MOST_LINES]
        columns = self._step_columns(steps)
        del columns["machine"]
        if any(step.vectors is not None for step in steps):
            columns["pulled most by"] = [_pulled(step) for step in steps]
        notes = [] if self.runner_up is None else [f"Runner-up: {self.runner_up}"]
        notes += self._weight_words()
        return html_table(f"Answer: {self.answer}", columns, len(self.steps), notes, widest=WIDE)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as lists, numbers and texts, ready for JSON.

        Returns
        -------
        dict
            Keys "answer", "runner_up", "steps" and "feature_weights" (None if the model has none). Labels that JSON does not
            have are given as texts.
        """
        second = self.runner_up
        return {
            "answer": _plain(self.answer),
            "runner_up": None
            if second is None
            else {
                "label": _plain(second.label),
                "machines": list(second.machines),
                "values": list(second.values),
                "gap": second.gap,
            },
            "steps": [
                {
                    "step": step.number,
                    "machine": step.machine,
                    "negative": [_plain(label) for label in step.negative],
                    "positive": [_plain(label) for label in step.positive],
                    "value": step.value,
                    "winner": [_plain(label) for label in step.winner],
                    "bias": None if step.vectors is None else step.vectors.bias,
                    "vectors": None if step.vectors is None else _plain_entries(_vector_entries(step)),
                    "other_vectors": None if step.vectors is None else step.vectors.rest,
                    "features": None if step.features is None else _plain_entries(_feature_entries(step)),
                    "intercept": None if step.features is None else step.features.bias,
                }
                for step in self.steps
            ],
            "feature_weights": None if self.feature_weights is None else self._weight_entries(),
        }

    def _weight_entries(self, top: int | None = None) -> list[dict[str, Any]]:
        """Return the features with most weight, the largest first."""
        if self.feature_weights is None:
            return []
        names, weights = self.feature_weights.names, self.feature_weights.weights
        return [{"feature": names[k], "weight": float(weights[k])} for k in self.feature_weights.largest(top).tolist()]

    def plot(self, ax: Any = None) -> Any:
        """Draw the explanation.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        ExplanationDisplay
        """
        from ..pictures.explanations import ExplanationDisplay

        return ExplanationDisplay(self).plot(ax=ax)


def _joined(side: tuple[Any, ...]) -> str:
    return " or ".join(map(str, side))


def _alone(side: tuple[Any, ...]) -> Any:
    """Return the label of a side of one class, and a text for several."""
    return side[0] if len(side) == 1 else _joined(side)


def _vector_entries(step: Step) -> list[dict[str, Any]]:
    v = step.vectors
    if v is None:
        return []
    names = ("row", "label", "coefficient", "kernel_value", "contribution", "share")
    rows = [None] * len(v.labels) if v.rows is None else v.rows.tolist()
    numbers = (array.tolist() for array in (v.coefficients, v.kernel_values, v.contributions, v.shares))
    return [dict(zip(names, entry, strict=True)) for entry in zip(rows, v.labels, *numbers, strict=True)]


def _feature_entries(step: Step) -> list[dict[str, Any]]:
    f = step.features
    if f is None:
        return []
    names = ("feature", "value", "weight", "contribution", "share")
    numbers = (array.tolist() for array in (f.values, f.weights, f.contributions, f.shares))
    return [dict(zip(names, entry, strict=True)) for entry in zip(f.names, *numbers, strict=True)]


def _pulled(step: Step) -> str:
    """Name the most influential support vectors of a step."""
    named = []
    for entry in _vector_entries(step)[:NAMED_IN_HTML]:
        where = "" if entry["row"] is None else f"row {entry['row']} "
        named.append(f"{where}({entry['label']}) {entry['contribution']:+.2g}")
    return ", ".join(named)


def _plain_entries(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: _plain(value) for name, value in entry.items()} for entry in entries]


def _plain(value: Any) -> Any:
    """Return a label as JSON can say it."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
