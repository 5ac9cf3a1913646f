"""Which columns are features, labels and weights; and labels as the model has them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import polars as pl

from .errors import Failed, Misuse, cut, listed
from .models import Loaded
from .reading import Data, Wanted


def no_column(name: str, columns: Sequence[str]) -> Misuse:
    """Return the error for a column that is not there; it lists those that are.

    Examples
    --------
    >>> from dagmar.cli.columns import no_column
    >>> no_column("specie", ["width", "species"]).message
    "no column 'specie'; columns are width, species. Did you mean 'species'?"
    """
    close = get_close_matches(name, columns, n=1)
    hint = f". Did you mean {close[0]!r}?" if close else ""
    return Misuse(f"no column {name!r}; columns are {listed(columns)}{hint}")


def for_training(data: Data, target: str | None, weights: str | None, ignored: Sequence[str]) -> Wanted:
    """Return what to take from the data to train a model.

    Parameters
    ----------
    data : Data
    target, weights : str or None
        Columns named by the user.
    ignored : sequence of str
        Columns that are no features.

    Returns
    -------
    Wanted

    Raises
    ------
    Misuse
        If a column is not there, or no target is named.
    """
    named = [name for name in (target, weights, *ignored) if name is not None]
    for name in named:
        if name not in data.columns:
            raise no_column(name, data.columns)
    target = target or data.default_target
    if target is None:
        raise Misuse(f"name the column with the labels: --target COLUMN; columns are {listed(data.columns)}")
    if data.features is None:
        return Wanted(None, target, weights)
    features = [name for name in data.features if name not in {target, *named}]
    if not features:
        raise Misuse(f"no column is left for the features; columns are {listed(data.columns)}")
    if "" in features:
        warnings.warn(
            "a column has no name and is used as a feature. If it is the number of the row: --ignore ''", stacklevel=2
        )
    return Wanted(features, target, weights, names=features)


def for_model(data: Data, model: Loaded, target: str | None = None, needs_target: bool = False) -> Wanted:
    """Return what to take from the data for a fitted model. Columns that the model does not need are ignored.

    Parameters
    ----------
    data : Data
    model : Loaded
    target : str or None
        The target named by the user; by default the one that the model was trained on.
    needs_target : bool
        Whether labels are read. If not, the target is only left out of the features.

    Returns
    -------
    Wanted

    Raises
    ------
    Misuse
        If a column that is needed is not there.
    """
    if target is not None and target not in data.columns:
        raise no_column(target, data.columns)
    if target is None and model.target in data.columns:
        target = model.target
    target = target or data.default_target
    if needs_target and target is None:
        if model.target is not None:
            raise no_column(model.target, data.columns)
        raise Misuse(
            f"the model does not know its target: name the column with --target; columns are {listed(data.columns)}"
        )
    return Wanted(
        _features(data, model, target),
        target if needs_target else None,
        names=model.names,
        n_features=model.n_features,
        sparse=model.sparse,
        may_miss=model.fills_missing,
    )


def _features(data: Data, model: Loaded, target: str | None) -> list[str] | None:
    if data.features is None:
        return None
    if model.names is not None:
        missing = [name for name in model.names if name not in data.features]
        if missing:
            raise no_column(missing[0], data.columns)
        return model.names
    # The model has no names, so columns are taken in their order.
    features = [name for name in data.features if name != target]
    if len(features) != model.n_features:
        raise Misuse(
            f"the model has {model.n_features} features without names, but {data.name} has {len(features)} columns besides "
            f"the target: {listed(features)}. Name the column with the labels with --target, and remove other columns"
        )
    return features


# ------------------------------------------------------------------ labels

TYPES = {"i": "whole numbers", "u": "whole numbers", "f": "numbers", "b": "truth values", "U": "texts", "O": "texts"}


def _check_present(labels: pl.Series, name: str, first: int) -> None:
    missing = labels.is_null()
    if labels.dtype == pl.String:
        missing = missing | (labels.str.strip_chars() == "").fill_null(False)
    if missing.any():
        row = first + (missing.arg_max() or 0)
        raise Failed(f"column {name!r} has no label in row {row}: remove the rows without a label")


def labels_to_train_on(labels: pl.Series, name: str) -> pl.Series:
    """Return labels as whole numbers if all of them are written like that, otherwise as they are.

    Parameters
    ----------
    labels : polars.Series
    name : str
        The target, for messages.

    Returns
    -------
    polars.Series

    Raises
    ------
    Failed
        If a label is missing, or if they are numbers with fractions, which are no classes.

    Examples
    --------
    >>> import polars as pl
    >>> from dagmar.cli.columns import labels_to_train_on
    >>> labels_to_train_on(pl.Series("y", ["3", "-1"]), "y").to_list()
    [3, -1]
    >>> labels_to_train_on(pl.Series("y", ["007", "1"]), "y").to_list()
    ['007', '1']
    """
    _check_present(labels, name, 0)
    if labels.dtype == pl.Categorical or isinstance(labels.dtype, pl.Enum):
        labels = labels.cast(pl.String)
    if labels.dtype == pl.String:
        whole = labels.cast(pl.Int64, strict=False)
        if not whole.null_count() and (whole.cast(pl.String) == labels).all():
            return whole
    number = labels.cast(pl.Float64, strict=False) if labels.dtype == pl.String or labels.dtype.is_float() else None
    if number is not None and not number.null_count() and not (number == number.floor()).all():
        where = (number != number.floor()).arg_max() or 0
        raise Failed(
            f"column {name!r} has numbers with fractions (row {where}: {labels[where]}): dagmar predicts classes. "
            "Choose another --target, or give each class a name"
        )
    if not (labels.dtype in (pl.String, pl.Boolean) or labels.dtype.is_numeric()):
        raise Failed(f"column {name!r} has the type {labels.dtype}: labels must be texts, numbers or truth values")
    return labels


def labels_like(labels: pl.Series, classes: Any, name: str, first: int = 0) -> Any:
    """Return labels from a file in the type that the labels of a model have.

    Parameters
    ----------
    labels : polars.Series
    classes : ndarray of shape (n_classes,)
        The labels of the model.
    name : str
        The target, for messages.
    first : int
        Number of the first row, for messages.

    Returns
    -------
    ndarray of shape (n_rows,)

    Raises
    ------
    Failed
        If a label is missing or cannot be of this type.
    """
    _check_present(labels, name, first)
    kind = classes.dtype.kind
    if kind in "UO":
        return labels.cast(pl.String).to_numpy()
    if kind == "b" and labels.dtype == pl.String:
        known = {"true": True, "false": False, "1": True, "0": False}
        cast = labels.str.to_lowercase().replace_strict(known, default=None, return_dtype=pl.Boolean)
    else:
        to = {"b": pl.Boolean, "f": pl.Float64}.get(kind, pl.Int64)
        cast = labels.cast(pl.Float64, strict=False) if kind in "iu" and labels.dtype.is_float() else labels
        cast = cast.cast(to, strict=False)
    if cast.null_count():
        where = cast.is_null().arg_max() or 0
        raise Failed(
            f"column {name!r} has the label {cut(str(labels[where]))!r} in row {first + where}, but the labels of the model "
            f"are {TYPES[kind]}: {listed(classes.tolist())}"
        )
    return cast.to_numpy()


def class_weights(text: str | None, labels: Any) -> dict[Any, float] | str | None:
    """Return the weights of classes that the user wrote.

    Parameters
    ----------
    text : str or None
        ``balanced``, or ``NAME=WEIGHT,NAME=WEIGHT``.
    labels : array-like of shape (n_samples,)
        The labels to train on.

    Returns
    -------
    dict, str or None
        As `dagmar.SVC` takes them.

    Examples
    --------
    >>> from dagmar.cli.columns import class_weights
    >>> class_weights("3=2.5,1=1", [1, 2, 3])
    {3: 2.5, 1: 1.0}
    """
    if text is None or text == "balanced":
        return text
    known = {str(label): label for label in np.unique(np.asarray(labels)).tolist()}
    weights = {}
    for part in text.split(","):
        name, _, number = part.strip().rpartition("=")
        if name not in known:
            raise Misuse(
                f"--class-weight: {name or part!r} is no class; write balanced or NAME=WEIGHT,... Classes are {listed(known)}"
            )
        try:
            weights[known[name]] = float(number)
        except ValueError:
            raise Misuse(f"--class-weight: the weight of {name!r} must be a number, not {number!r}") from None
    return weights
