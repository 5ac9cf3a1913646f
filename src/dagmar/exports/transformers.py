"""Transformers of a pipeline as operators: scikit-learn's scalers and its imputer, ranks and feature weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, PowerTransformer, RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from ..tuning.feature_weights import FeatureWeights
from ..tuning.ranks import HIGHEST, Ranks
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


def _power(graph: Graph, step: PowerTransformer, x: str) -> str:
    """Add the transformation of Yeo and Johnson: that of |x| by the exponent of its sign, with the sign of x."""
    if step.method != "yeo-johnson":
        raise ValueError(f"a PowerTransformer with method={step.method!r} cannot be exported to ONNX")
    one, zero = graph.constant(1.0), graph.constant(0.0)
    log = graph.add("Log", graph.add("Add", graph.add("Abs", x), one))

    def power(exponent: Any) -> str:
        flat = np.abs(exponent) < np.finfo(np.float64).eps  # then it is the logarithm
        safe = graph.constant(np.where(flat, 1.0, exponent))
        curved = graph.add("Div", graph.add("Sub", graph.add("Exp", graph.add("Mul", log, safe)), one), safe)
        return graph.add("Where", graph.constant(flat), log, curved)

    above, below = power(step.lambdas_), graph.add("Neg", power(2.0 - step.lambdas_))
    x = graph.add("Where", graph.add("Less", x, zero), below, above)
    return _standard(graph, step._scaler, x) if step.standardize else x


def _ranks(graph: Graph, step: Ranks, x: str) -> str:
    """Count the thresholds that are not above x."""
    # A number in the precision of the graph is above a threshold if it is above the threshold rounded up.
    rounded = step.thresholds_.astype(graph.dtype)
    rounded = np.where(rounded < step.thresholds_, np.nextafter(rounded, np.inf, dtype=graph.dtype), rounded)
    rounded = np.minimum(rounded, np.finfo(graph.dtype).max)  # a constant feature has infinite thresholds
    apart = graph.add("Unsqueeze", x, graph.constant(np.array([1])))
    passed = graph.cast(graph.add("GreaterOrEqual", apart, graph.constant(rounded)), graph.dtype)
    level = graph.add("ReduceSum", passed, graph.constant(np.array([1])), keepdims=0)
    return graph.add("Div", level, graph.constant(float(HIGHEST)))


def _weights(graph: Graph, step: FeatureWeights, x: str) -> str:
    return graph.add("Mul", x, graph.constant(step.scale_))


STEPS: dict[type, Callable[[Graph, Any, str], str]] = {
    StandardScaler: _standard,
    MinMaxScaler: _min_max,
    MaxAbsScaler: _max_abs,
    RobustScaler: _robust,
    SimpleImputer: _imputer,
    PowerTransformer: _power,
    Ranks: _ranks,
    FeatureWeights: _weights,
}
