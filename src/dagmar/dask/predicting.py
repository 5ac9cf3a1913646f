"""Predictions for Dask arrays, data frames and Parquet folders: lazy, block by block, where the blocks are."""

from __future__ import annotations

import os
import warnings
from functools import lru_cache
from pathlib import Path
from pickle import PicklingError
from typing import Any

import dask
import numpy as np
from dask.base import is_dask_collection
from distributed.client import ClosedClientError
from sklearn.pipeline import Pipeline

from ..base.exceptions import ClusterError
from ..base.pairs import pair_classes
from ..files.saving import load
from .cluster import find_client
from .futures import send

# A fitted classifier, or the path of a model file.
Classifier = Any


def predict(model: Classifier, X: Any, *, client: Any = None) -> Any:
    """Predict the class of each sample of a Dask collection.

    Nothing is computed yet: call `compute` on the result, or write it with Dask.

    Parameters
    ----------
    model : SVC, SVCCV, Pipeline, str or path
        A fitted classifier, which is sent to each worker once; or a ``.dagmar`` file on a disk that all workers share, which
        each of them maps into its memory.
    X : dask array or data frame of shape (n_samples, n_features), str or path
        Samples. A text is a Parquet file or folder; of its columns, those that the model was trained on are read.
    client : distributed.Client, str or None, default=None
        As for `dagmar.dask.SVC`. Without a cluster, the result is computed by whatever scheduler Dask uses. If this is not the
        client that was opened last, compute the result by it: ``client.compute(result)``.

    Returns
    -------
    dask array of shape (n_samples,), or dask series with the index of X

    Raises
    ------
    ClusterError
        If the model cannot be sent, because workers or the scheduler cannot be reached. If a worker ends meanwhile, it is sent
        again.

    See Also
    --------
    dagmar.dask.predict_proba : Probabilities.

    Examples
    --------
    >>> import dagmar.dask, dask.array
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> labels = dagmar.dask.predict(dagmar.SVC().fit(X, y), dask.array.from_array(X, chunks=50))
    >>> labels.compute(scheduler="sync")[:3]
    array([0, 0, 0])
    """
    return _answer("predict", model, X, client)


def predict_proba(model: Classifier, X: Any, *, client: Any = None) -> Any:
    """Compute the probability of each class for the samples of a Dask collection; the model needs ``probability=True``.

    Parameters
    ----------
    model, X, client
        As for `predict`.

    Returns
    -------
    dask array of shape (n_samples, n_classes), or dask data frame with a column per label and the index of X

    See Also
    --------
    dagmar.dask.predict : Labels.

    Examples
    --------
    >>> import dagmar.dask, dask.array
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = dagmar.SVC(probability=True).fit(X, y)
    >>> dagmar.dask.predict_proba(clf, dask.array.from_array(X, chunks=50)).compute(scheduler="sync").shape
    (150, 3)
    """
    return _answer("predict_proba", model, X, client)


def decision_function(model: Classifier, X: Any, *, client: Any = None) -> Any:
    """Compute a score for each class, or a value for each pair of classes, for the samples of a Dask collection.

    Parameters
    ----------
    model, X, client
        As for `predict`.

    Returns
    -------
    dask array with the shape of `SVC.decision_function`, or dask data frame (a series for two classes) with the index of X

    See Also
    --------
    dagmar.dask.predict : Labels.

    Examples
    --------
    >>> import dagmar.dask, dask.array
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = dagmar.SVC().fit(X, y)
    >>> dagmar.dask.decision_function(clf, dask.array.from_array(X, chunks=50)).compute(scheduler="sync").shape
    (150, 3)
    """
    return _answer("decision_function", model, X, client)


def _answer(method: str, model: Classifier, X: Any, client: Any) -> Any:
    here = _opened(model)
    if isinstance(X, str | os.PathLike):
        import dask.dataframe as dd

        names = getattr(here, "feature_names_in_", None)
        X = dd.read_parquet(os.fspath(X), columns=None if names is None else list(names))
    if not is_dask_collection(X):
        raise TypeError(f"X must be a Dask array or data frame, or the path of Parquet data, not {type(X).__name__}")
    like = _example(method, here, X)
    sent = _send(model, client)
    if hasattr(X, "map_partitions"):
        columns = _columns(method, here, like)
        meta = _as_frame(like[:0], None, columns)
        return X.map_partitions(_decide_frame, sent, method, columns, like[:0], meta=meta, token=_kind(method))
    X = X.rechunk({1: -1})
    options: dict[str, Any] = {"drop_axis": 1} if like.ndim == 1 else {"chunks": (X.chunks[0], (like.shape[1],))}
    return X.map_blocks(
        _decide, sent, method, like[:0], dtype=like.dtype, meta=like[:0], token=_kind(method), **options
    )


def _kind(method: str) -> str:
    """Return the name of the tasks of a method on the dashboard: predict-blocks, predict-proba-blocks or decision-blocks."""
    return f"{method.removesuffix('_function').replace('_', '-')}-blocks"


def _send(model: Classifier, client: Any) -> Any:
    """Return the model as an argument of tasks: the path of its file, or an object that every worker gets once."""
    if isinstance(model, str | os.PathLike):
        path = Path(model).absolute()
        return _File(str(path), path.stat().st_mtime_ns)
    try:
        found = find_client(client)
    except ClusterError:
        if client is not None:
            raise
        return dask.delayed(model, pure=False)
    try:
        return dask.delayed(send(found, model, broadcast=True))
    except (OSError, ClosedClientError) as error:
        raise ClusterError(f"the Dask scheduler cannot be reached: {error}") from error
    except (TypeError, PicklingError) as error:
        raise TypeError(
            f"the model cannot be sent to the workers: a part of it, such as a callable kernel, cannot be pickled: {error}"
        ) from error


class _File:
    """A model file, and when it was written: a file that was replaced is read anew."""

    def __init__(self, path: str, written: int) -> None:
        self.path, self.written = path, written


@lru_cache(maxsize=4)
def _mapped(path: str, written: int) -> Any:
    return load(path, mmap=True)


def _opened(model: Any) -> Any:
    """Return the classifier of a path, or a classifier itself."""
    if isinstance(model, _File):
        return _mapped(model.path, model.written)
    if isinstance(model, str | os.PathLike):
        path = Path(model).absolute()
        return _mapped(str(path), path.stat().st_mtime_ns)
    return model


def _decide(X: Any, model: Any, method: str, empty: Any) -> Any:
    """Return the answers for a block of an array."""
    if not X.shape[0]:
        return empty
    return getattr(_opened(model), method)(X)


def _decide_frame(X: Any, model: Any, method: str, columns: Any, empty: Any) -> Any:
    """Return the answers for a part of a data frame, with its index."""
    return _as_frame(_decide(X, model, method, empty), X.index, columns)


def _as_frame(values: Any, index: Any, columns: Any) -> Any:
    import pandas as pd

    if values.ndim == 1:
        return pd.Series(values, index=index, name=columns)
    return pd.DataFrame(values, index=index, columns=columns)


def _example(method: str, model: Any, X: Any) -> Any:
    """Return the answer for one made sample: its type and shape are those of all answers."""
    if hasattr(model, "n_features_in_"):
        zeros: Any = np.zeros((1, int(model.n_features_in_)))
    else:  # a callable kernel takes whatever X is
        zeros = X._meta_nonempty.iloc[:1] if hasattr(X, "_meta_nonempty") else np.zeros((1, int(X.shape[1])))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return np.asarray(getattr(model, method)(zeros))


def _columns(method: str, model: Any, like: Any) -> Any:
    """Return the names of the columns of a data frame of answers; of a series, its name."""
    if like.ndim == 1:
        return "prediction" if method == "predict" else "decision"
    labels = (model[-1] if isinstance(model, Pipeline) else model).classes_.tolist()
    if like.shape[1] == len(labels):
        return labels
    return [f"{labels[i]} against {labels[j]}" for i, j in zip(*pair_classes(len(labels)), strict=True)]
