"""The steps before the classifier, as the page computes them: scikit-learn's scalers and its imputer, and feature weights.

Each step becomes operations on single features, in scikit-learn's order, so that both round alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from ..tuning.feature_weights import FeatureWeights
from .packing import packed


def page_steps(steps: Sequence[tuple[str, Any]]) -> list[dict[str, Any]] | None:
    """Return the operations of fitted transformers; None if the page cannot compute one of them.

    Parameters
    ----------
    steps : sequence of (str, transformer)
        "passthrough" and None are steps that do nothing.

    Returns
    -------
    list of dict, or None
        A dict has one of the keys ``subtract``, ``divide``, ``multiply``, ``add`` (an array with a number per feature),
        ``clip`` (lowest and highest) and ``fill`` (what replaces missing values, with ``missing`` and ``keep``).

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> from dagmar.explorer.scaling import page_steps
    >>> [list(step) for step in page_steps([("scale", StandardScaler().fit([[0.0], [2.0]]))])]
    [['subtract'], ['divide']]
    """
    operations: list[dict[str, Any]] = []
    for _, step in steps:
        if step is None or (isinstance(step, str) and step == "passthrough"):
            continue
        make = STEPS.get(type(step))
        made = None if make is None else make(step)
        if made is None:
            return None
        operations += made
    return operations


def _centred_and_scaled(centre: Any, scale: Any) -> list[dict[str, Any]]:
    said = {"subtract": centre, "divide": scale}
    return [{name: packed(numbers, "f8")} for name, numbers in said.items() if numbers is not None]


def _standard(step: StandardScaler) -> list[dict[str, Any]]:
    return _centred_and_scaled(step.mean_ if step.with_mean else None, step.scale_ if step.with_std else None)


def _robust(step: RobustScaler) -> list[dict[str, Any]]:
    return _centred_and_scaled(step.center_, step.scale_)


def _min_max(step: MinMaxScaler) -> list[dict[str, Any]]:
    clip = [{"clip": [float(end) for end in step.feature_range]}] if step.clip else []
    return [{"multiply": packed(step.scale_, "f8")}, {"add": packed(step.min_, "f8")}, *clip]


def _max_abs(step: MaxAbsScaler) -> list[dict[str, Any]]:
    clip = [{"clip": [-1.0, 1.0]}] if getattr(step, "clip", False) else []
    return [{"divide": packed(step.scale_, "f8")}, *clip]


def _imputer(step: SimpleImputer) -> list[dict[str, Any]] | None:
    try:
        statistics = np.asarray(step.statistics_, dtype=np.float64)
        missing = float(step.missing_values)
    except (TypeError, ValueError):
        return None
    if step.add_indicator:
        return None
    empty = np.isnan(statistics)  # features without a value at the fit, which scikit-learn leaves out
    fill = packed(np.where(empty, 0.0, statistics), "f8")
    return [
        {
            "fill": fill,
            "missing": None if math.isnan(missing) else missing,
            "keep": packed(np.flatnonzero(~empty), "i4"),
        }
    ]


def _weights(step: FeatureWeights) -> list[dict[str, Any]]:
    return [{"multiply": packed(step.scale_, "f8")}]


STEPS: dict[type, Callable[[Any], list[dict[str, Any]] | None]] = {
    StandardScaler: _standard,
    MinMaxScaler: _min_max,
    MaxAbsScaler: _max_abs,
    RobustScaler: _robust,
    SimpleImputer: _imputer,
    FeatureWeights: _weights,
}
