"""Transformers of a pipeline as operators: scikit-learn's scalers and its imputer, and feature weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from ..tuning.feature_weights import FeatureWeights
from .graph import Graph


def add_step(graph: Graph, name: str, step: Any, x: str) -> str:
    """Add a transformer and return its output.

    Parameters
    ----------
    graph : Graph
    name : str
        Of the step in its pipeline, for messages.
    step : transformer or "passthrough"
        Fitted.
    x : str
        The samples.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the transformer is not known here.
    """
    if step is None or step == "passthrough":
        return x
    add = STEPS.get(type(step))
    if add is None:
        known = ", ".join(class_.__name__ for class_ in STEPS)
        raise ValueError(f"the step {name!r} is a {type(step).__name__}; only {known} can be exported to ONNX")
    check_is_fitted(step)
    return add(graph, step, x)


def _standard(graph: Graph, step: StandardScaler, x: str) -> str:
    return _centred_and_scaled(graph, x, step.mean_ if step.with_mean else None, step.scale_ if step.with_std else None)


def _robust(graph: Graph, step: RobustScaler, x: str) -> str:
    return _centred_and_scaled(graph, x, step.center_, step.scale_)


def _centred_and_scaled(graph: Graph, x: str, centre: Any, scale: Any) -> str:
    if centre is not None:
        x = graph.add("Sub", x, graph.constant(centre))
    return x if scale is None else graph.add("Div", x, graph.constant(scale))


def _min_max(graph: Graph, step: MinMaxScaler, x: str) -> str:
    x = graph.add("Add", graph.add("Mul", x, graph.constant(step.scale_)), graph.constant(step.min_))
    return _clipped(graph, x, *step.feature_range) if step.clip else x


def _max_abs(graph: Graph, step: MaxAbsScaler, x: str) -> str:
    x = graph.add("Div", x, graph.constant(step.scale_))
    return _clipped(graph, x, -1.0, 1.0) if getattr(step, "clip", False) else x


def _clipped(graph: Graph, x: str, low: float, high: float) -> str:
    return graph.add("Clip", x, graph.constant(float(low)), graph.constant(float(high)))


def _imputer(graph: Graph, step: SimpleImputer, x: str) -> str:
    """Fill in missing values. Features that were always missing at the fit are left out, as scikit-learn does."""
    if step.add_indicator:
        raise ValueError("a SimpleImputer with add_indicator=True cannot be exported to ONNX")
    try:
        statistics = np.asarray(step.statistics_, dtype=np.float64)
        sign = float(step.missing_values)
    except (TypeError, ValueError) as error:
        raise ValueError("a SimpleImputer can be exported to ONNX only if it fills in numbers") from error
    missing = graph.add("IsNaN", x) if math.isnan(sign) else graph.add("Equal", x, graph.constant(sign))
    empty = np.isnan(statistics)
    x = graph.add("Where", missing, graph.constant(np.where(empty, 0.0, statistics)), x)
    return graph.add("Gather", x, graph.constant(np.flatnonzero(~empty)), axis=1) if empty.any() else x


def _weights(graph: Graph, step: FeatureWeights, x: str) -> str:
    return graph.add("Mul", x, graph.constant(step.scale_))


STEPS: dict[type, Callable[[Graph, Any, str], str]] = {
    StandardScaler: _standard,
    MinMaxScaler: _min_max,
    MaxAbsScaler: _max_abs,
    RobustScaler: _robust,
    SimpleImputer: _imputer,
    FeatureWeights: _weights,
}
