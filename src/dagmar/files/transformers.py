"""Transformers of a pipeline in a model file: scikit-learn's scalers and its imputer, ranks and feature weights.

A transformer is written as its parameters and its public fitted attributes. To read it, a new one with these parameters is
fitted to two made-up rows of the same width, so that it has all that scikit-learn keeps privately; then it gets the attributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, PowerTransformer, RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from ..tuning.feature_weights import FeatureWeights
from ..tuning.ranks import HIGHEST, Ranks
from .container import Arrays
from .kinds import Names, Optional, Plain, refuse
from .parameters import VALUE, Parameters

PASSTHROUGH = "passthrough"
# The classes that can be written, with their fitted attributes: arrays of one number per feature, or None; see also `ROWS`.
TRANSFORMERS: dict[type, tuple[str, ...]] = {
    StandardScaler: ("mean_", "scale_", "var_"),
    MinMaxScaler: ("min_", "scale_", "data_min_", "data_max_", "data_range_"),
    MaxAbsScaler: ("scale_", "max_abs_"),
    RobustScaler: ("center_", "scale_"),
    SimpleImputer: ("statistics_",),
    # It standardizes by a scaler of its own.
    PowerTransformer: ("lambdas_", "_scaler.mean_", "_scaler.scale_", "_scaler.var_"),
    Ranks: ("thresholds_",),
    FeatureWeights: ("feature_weights_",),
}
# Attributes with several ascending numbers per feature.
ROWS = {"thresholds_": HIGHEST}
CLASSES = {class_.__name__: class_ for class_ in TRANSFORMERS}
COUNT, COLUMN_NAMES = Plain(int), Optional(Names())


def write_step(name: str, step: Any, field: str, arrays: Arrays) -> dict[str, Any]:
    """Return what the header says about a step of a pipeline.

    Parameters
    ----------
    name : str
    step : transformer or "passthrough"
        Fitted.
    field : str
        The place in the file, for names of arrays and messages.
    arrays : dict
        Arrays of the transformer are put here.

    Returns
    -------
    dict
    """
    if step is None or step == PASSTHROUGH:
        return {"name": name, "class": PASSTHROUGH}
    if type(step) not in TRANSFORMERS:
        raise refuse(field, f"the step {name!r} is a {type(step).__name__}; only {', '.join(CLASSES)} can be written")
    check_is_fitted(step)
    if getattr(step, "add_indicator", False):
        raise refuse(field, f"the step {name!r} has add_indicator=True, which cannot be written")
    # Of feature weights, a file has the weights themselves, and not how they were learned.
    given = {} if isinstance(step, FeatureWeights) else step.get_params(deep=False)
    try:
        learned = {a: _numbers(_attribute(step, a)) for a in TRANSFORMERS[type(step)]}
    except (ValueError, TypeError) as error:
        raise refuse(field, f"the step {name!r} holds values that are not numbers") from error
    seen = getattr(step, "n_samples_seen_", None)
    return {
        "name": name,
        "class": type(step).__name__,
        "parameters": Parameters(tuple(given)).write(given, f"{field}.parameters", arrays),
        "n_features": int(step.n_features_in_),
        "names": COLUMN_NAMES.write(getattr(step, "feature_names_in_", None), f"{field}.names", arrays),
        "n_samples_seen": VALUE.write(seen, f"{field}.n_samples_seen", arrays),
        "learned": {a: VALUE.write(v, f"{field}.{a}", arrays) for a, v in learned.items()},
    }


def _attribute(step: Any, path: str) -> Any:
    """Return an attribute, perhaps of an attribute; None if it is not there."""
    for name in path.split("."):
        step = getattr(step, name, None)
    return step


def _numbers(values: Any) -> Any:
    """Return an array of numbers as it is; an imputer may hold numbers as objects."""
    return values if values is None or values.dtype != object else values.astype(np.float64)


def read_step(said: Any, field: str, arrays: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the name of a step and the fitted transformer; raise ModelFileError for anything else."""
    if not isinstance(said, dict) or not isinstance(said.get("name"), str):
        raise refuse(field, "must be a step with a name")
    name, class_name = said["name"], said.get("class")
    if class_name == PASSTHROUGH:
        return name, PASSTHROUGH
    if not isinstance(class_name, str) or class_name not in CLASSES:
        raise refuse(field, f"must be one of {', '.join(CLASSES)}")
    class_ = CLASSES[class_name]
    given = Parameters(tuple(class_().get_params(deep=False))).read(
        said.get("parameters"), f"{field}.parameters", arrays
    )
    n_features = COUNT.read(said.get("n_features"), f"{field}.n_features", arrays)
    learned = said.get("learned")
    if not isinstance(learned, dict) or set(learned) != set(TRANSFORMERS[class_]):
        raise refuse(f"{field}.learned", f"must be {', '.join(TRANSFORMERS[class_])}")
    values = {a: VALUE.read(v, f"{field}.{a}", arrays) for a, v in learned.items()}
    for attribute, value in values.items():
        rows = ROWS.get(attribute)
        if value is not None and np.shape(value) != ((n_features,) if rows is None else (rows, n_features)):
            raise refuse(
                f"{field}.{attribute}", f"must be {'' if rows is None else f'{rows} times '}{n_features} numbers"
            )
        if rows is not None and (value is None or not (value[1:] >= value[:-1]).all()):
            raise refuse(f"{field}.{attribute}", "must be ascending")
    if all(value is None for value in values.values()) and n_features > 2**20:
        raise refuse(f"{field}.n_features", "is too large for a scaler that scales nothing")
    if class_ is FeatureWeights:
        given = {"weights": values["feature_weights_"]}
    try:
        step = class_(**given).fit(np.array([[0.5], [1.5]]) * np.ones(n_features))
    except (ValueError, TypeError) as error:
        raise refuse(f"{field}.parameters", str(error)) from error
    for attribute, value in values.items():
        if value is None and _attribute(step, attribute) is not None:
            raise refuse(f"{field}.{attribute}", "must be there with these parameters")
        owner, _, last = attribute.rpartition(".")
        holder = _attribute(step, owner) if owner else step
        if holder is None and value is not None:
            raise refuse(f"{field}.{attribute}", "must not be there with these parameters")
        if holder is not None:
            setattr(holder, last, value)
    names = COLUMN_NAMES.read(said.get("names"), f"{field}.names", arrays)
    if names is not None:
        if len(names) != n_features:
            raise refuse(f"{field}.names", f"must be {n_features} names")
        step.feature_names_in_ = names
    seen = VALUE.read(said.get("n_samples_seen"), f"{field}.n_samples_seen", arrays)
    if seen is not None:
        step.n_samples_seen_ = seen
    return name, step
