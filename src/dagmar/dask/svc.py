"""The classifier `dagmar.dask.SVC`, which trains on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import Parameter, signature
from typing import Any, Self, cast

import numpy as np
from dask.base import is_dask_collection
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.metrics import accuracy_score

from ..base.exceptions import ClusterError
from ..base.instructions import at_level
from ..base.typing import Array
from ..estimators.class_probabilities import with_probabilities
from ..estimators.model import Model
from ..estimators.svc import SVC as LocalSVC
from ..machines.workshop import Workshop
from ..problem.making import CheckedSamples
from ..structures import Structure
from . import predicting
from .cluster import Cluster, find_client
from .dispatch import LOST
from .futures import fetch
from .labels import read_labels
from .reading import read_rows
from .workshop import ClusterWorkshop

# The cluster of the fit that is running in this thread, and its workshops.
_connection: ContextVar[tuple[Cluster, list[ClusterWorkshop]]] = ContextVar("dagmar_cluster")


def with_client(of: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give an `__init__` the parameters of another class, and `client`, as scikit-learn reads them."""

    def add(init: Callable[..., None]) -> Callable[..., None]:
        known = list(signature(of.__init__).parameters.values())
        own = Parameter("client", Parameter.KEYWORD_ONLY, default=None)
        init.__signature__ = signature(init).replace(parameters=[*known, own])  # type: ignore[attr-defined]
        return init

    return add


class OnCluster:
    """What estimators on a cluster share: the parameter `client`, which is neither copied nor pickled."""

    client: Any
    _distributes = True

    def __sklearn_clone__(self: Any) -> Any:
        parameters: dict[str, Any] = self.get_params(deep=False)
        client = parameters.pop("client")
        return type(self)(**{name: clone(value, safe=False) for name, value in parameters.items()}, client=client)

    def __getstate__(self) -> dict[str, Any]:
        # A connection cannot be pickled; an address can.
        state = cast(dict[str, Any], super().__getstate__())
        return {**state, "client": self.client if isinstance(self.client, str) else None}

    def _is_lazy(self, X: Any) -> bool:
        return is_dask_collection(X) or isinstance(X, str)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of the answers, the accuracy unless the estimator has another one.

        For Dask collections and Parquet paths, only the answers, labels and weights come to this process.

        Parameters
        ----------
        X, y, sample_weight
            Samples, their labels and weights; in memory or Dask collections.

        Returns
        -------
        float
        """
        if not self._is_lazy(X):
            return float(super().score(X, y, sample_weight))  # type: ignore[misc]
        if getattr(self, "scoring", None) is not None:
            raise TypeError("a score other than accuracy needs the samples in this process: pass X.compute()")
        client = find_client(self.client)
        try:
            found, y, weight = fetch(client, self.predict(X), y, sample_weight)
            return float(accuracy_score(np.asarray(y), np.asarray(found), sample_weight=weight))
        finally:
            if isinstance(self.client, str):
                client.close()

    def predict(self, X: Any) -> Any:
        """Predict the class of each sample; lazily for Dask collections and Parquet paths, as `dagmar.dask.predict` does."""
        if self._is_lazy(X):
            return predicting.predict(self, X, client=self.client)
        return super().predict(X)  # type: ignore[misc]

    def decision_function(self, X: Any) -> Any:
        """Compute scores or values; lazily for Dask collections, as `dagmar.dask.decision_function` does."""
        if self._is_lazy(X):
            return predicting.decision_function(self, X, client=self.client)
        return super().decision_function(X)  # type: ignore[misc]

    @with_probabilities
    def predict_proba(self, X: Any) -> Any:
        """Compute probabilities; lazily for Dask collections, as `dagmar.dask.predict_proba` does."""
        if self._is_lazy(X):
            return predicting.predict_proba(self, X, client=self.client)
        return super().predict_proba(X)  # type: ignore[misc]


class SVC(OnCluster, LocalSVC):
    """An `SVC` that is trained on the workers of a Dask cluster.

    The result is that of `dagmar.SVC`, bit for bit, with the lowest instruction set that all workers and this process have.

    X may also be a Dask array or a Dask data frame, y and sample_weight Dask arrays or series. The samples then stay on the
    workers, where they are grouped by class. This process gets the labels and weights, the norm of each sample, about a
    thousand samples that show the rounding errors, and at the end the support vectors.

    Parameters
    ----------
    client : distributed.Client, str or None, default=None
        The cluster: a client, or the address of a scheduler. None for the client that was opened last.
    **parameters
        As for `dagmar.SVC`. `n_jobs` is the number of threads for predictions in this process; a worker trains as many
        machines at a time as it has threads. `cache_size` is the memory for each of them, or less if the worker does not
        have it within its limit.

    See Also
    --------
    dagmar.SVC : The same classifier in one process.

    Examples
    --------
    >>> import dagmar.dask
    >>> from distributed import Client, LocalCluster
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> with LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0") as cluster, Client(cluster) as client:
    ...     clf = dagmar.dask.SVC(C=10, client=client).fit(X, y)
    >>> clf.predict(X[:1])
    array([0])
    """

    @with_client(LocalSVC)
    def __init__(self, *, client: Any = None, **parameters: Any) -> None:
        super().__init__(**parameters)
        self.client = client

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Model:
        with connected(self.client) as cluster, collected(cluster, type(self).__name__, X, y, sample_weight) as data:
            return super()._fit(*data)

    def restructure(
        self,
        structure: str | Structure,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Consult the same machines by another structure; with X and y, missing machines are trained on the cluster.

        Parameters
        ----------
        structure, X, y, sample_weight
            As for `dagmar.SVC.restructure`.

        Returns
        -------
        SVC
            A new fitted estimator with the same machines; this one is not changed.
        """
        if X is None:
            return super().restructure(structure, X, y, sample_weight)
        with connected(self.client) as cluster, collected(cluster, type(self).__name__, X, y, sample_weight) as data:
            return super().restructure(structure, *data)

    def _workshop(self, *arguments: Any, **options: Any) -> Workshop:
        connection = _connection.get(None)
        if connection is None:  # restructure without data trains nothing
            return super()._workshop(*arguments, **options)
        cluster, workshops = connection
        workshops.append(ClusterWorkshop(cluster, *arguments, **options))
        return workshops[-1]

    def _cross_values(self, *arguments: Any, **options: Any) -> list[list[Array]]:
        connection = _connection.get(None)
        if connection is None or callable(self.soft_labels):  # a user's function needs all samples
            return super()._cross_values(*arguments, **options)
        return connection[1][-1].cross_values(*arguments, **options)


def connection() -> Cluster:
    """Return the cluster of the fit that is running in this thread."""
    return _connection.get()[0]


@contextmanager
def connected(client: Any) -> Iterator[Cluster]:
    """Use a cluster for the fits of this thread, with the instruction set that all its workers have.

    Parameters
    ----------
    client : distributed.Client, str or None
        As for `SVC`. A connection that is opened here is closed at the end.
    """
    found, workshops = find_client(client), list[ClusterWorkshop]()
    try:
        cluster = Cluster(found)
        token = _connection.set((cluster, workshops))
        try:
            with at_level(cluster.level):
                yield cluster
        except Exception as error:
            # Whatever fails after the connection ended fails because of that.
            if cluster.alive or isinstance(error, ClusterError):
                raise
            raise ClusterError(LOST) from error
        finally:
            _connection.reset(token)
            for workshop in workshops:
                workshop.close()
    finally:
        if isinstance(client, str):
            found.close()


@contextmanager
def collected(cluster: Cluster, owner: str, X: Any, y: Any, sample_weight: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Bring Dask collections into the form that a problem is made from; everything else stays as it is."""
    if not is_dask_collection(X):
        yield X, *fetch(cluster.client, y, sample_weight)
        return
    if y is None:  # as scikit-learn says it
        raise ValueError(f"This {owner} estimator requires y to be passed, but the target y is None.")
    rows, columns = read_rows(cluster.client, X, owner)
    try:
        labels, weight, target = read_labels(cluster.client, rows, y, sample_weight)
        yield CheckedSamples(rows, columns, target), labels, weight
    finally:
        rows.release()
