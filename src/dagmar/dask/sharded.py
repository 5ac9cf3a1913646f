"""A model in shards: its machines stay in files, and predictions read them shard by shard."""

from __future__ import annotations

import os
from typing import Any

import dask
import numpy as np
from dask.base import is_dask_collection
from numpy.typing import NDArray

from ..base.exceptions import ModelFileError
from ..estimators.holding import hold
from ..estimators.model import Model
from ..estimators.svc import SVC
from ..machines.training import TrainedMachines
from ..structures import as_structure
from .shards import MODEL, Shards
from .voting import add_votes, check_block, count_votes, elected_labels

# Votes that are added up at a time.
ADDED_AT_ONCE = 8


class ShardedModel:
    """A model that `train_sharded` wrote: it stays in its files, and predictions read them shard by shard.

    Parameters
    ----------
    folder : str or path
        For predictions on a cluster, on a disk that all workers share.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
    n_blocks : int
        Number of class blocks; between every two of them is a shard.

    Raises
    ------
    ModelFileError
        If the folder has no model, or training is not complete.

    See Also
    --------
    dagmar.dask.train_sharded : Writes such a model.

    Examples
    --------
    >>> import dagmar.dask, tempfile
    >>> from distributed import Client, LocalCluster
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> folder = tempfile.mkdtemp()
    >>> with LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0") as cluster, Client(cluster) as client:
    ...     _ = dagmar.dask.train_sharded(dagmar.SVC(C=10), X, y, folder=folder, client=client)
    >>> dagmar.dask.ShardedModel(folder).predict(X[[0, 60, 120]])  # without a cluster
    array([0, 1, 2])
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._shards = Shards(folder)
        learned = self._shards.description.learned
        if learned.columns is None or learned.columns.n_features is None:
            raise ModelFileError(f"{str(self._shards.folder / MODEL)!r} cannot be read: it has no columns")
        self.classes_, self.n_features_in_ = learned.classes, learned.columns.n_features
        self.n_blocks = self._shards.description.n_blocks
        self._stamp = (self._shards.folder / MODEL).stat().st_mtime_ns

    def __repr__(self) -> str:
        n = len(self.classes_)
        return f"ShardedModel({str(self._shards.folder)!r}: {n} classes, {n * (n - 1) // 2} machines)"

    def votes(self, X: Any) -> NDArray[np.int32]:
        """Count the pairs that each class wins, in this process.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), int32
        """
        where = str(self._shards.folder), self._stamp
        rows = check_block(X, *where)
        return add_votes(*(count_votes(rows, *where, a) for a in range(self.n_blocks)))

    def predict(self, X: Any) -> Any:
        """Predict the class of each sample: the one that wins most pairs, the first of equal ones, as `dagmar.SVC` does.

        Parameters
        ----------
        X : array-like, sparse matrix, dask array or dask data frame of shape (n_samples, n_features)
            For a Dask collection, every block of X meets every class block of the model in a task, which reads the shards of
            that class block; the votes of the tasks are added up.

        Returns
        -------
        ndarray of shape (n_samples,); for a Dask collection a Dask array, or a series with the index of X
        """
        if not is_dask_collection(X):
            return self.classes_[np.argmax(self.votes(X), axis=1)]
        where = str(self._shards.folder), self._stamp
        if hasattr(X, "map_partitions"):
            import dask.dataframe as dd
            import pandas as pd

            answers = [self._lazy(part, *where) for part in X.to_delayed()]
            meta = pd.Series(self.classes_[:0], name="prediction")
            return dd.from_delayed(answers, meta=meta, divisions=X.divisions, verify_meta=False)
        import dask.array as da

        X = X.rechunk({1: -1})
        blocks = zip(X.to_delayed().ravel(), X.chunks[0], strict=True)
        return da.concatenate(
            [da.from_delayed(self._lazy(part, *where), (n,), dtype=self.classes_.dtype) for part, n in blocks]
        )

    def _lazy(self, part: Any, folder: str, stamp: int) -> Any:
        rows = dask.delayed(check_block, pure=False)(part, folder, stamp)
        votes = [dask.delayed(count_votes, pure=False)(rows, folder, stamp, a) for a in range(self.n_blocks)]
        while len(votes) > 1:
            steps = range(0, len(votes), ADDED_AT_ONCE)
            votes = [dask.delayed(add_votes, pure=False)(*votes[k : k + ADDED_AT_ONCE]) for k in steps]
        return dask.delayed(elected_labels, pure=False)(part, votes[0], folder, stamp)

    def to_svc(self) -> SVC:
        """Return the model in memory: the `SVC` that a local fit gives, with the same bits, if this process can hold it.

        Returns
        -------
        SVC
        """
        shards, described = self._shards, self._shards.description
        n, every = len(self.classes_), range(self.n_blocks)
        found = [shards.machines(a, b) for a in every for b in every if b >= a]
        joined = TrainedMachines.join([part for part in found if part is not None])
        i, j = joined.tasks.pairs.T
        machines = joined.select(np.argsort(i * n + j))
        bank, _ = shards.bank([shards.rows(a) for a in every], machines)
        structure = as_structure(described.parameters["structure"])
        model = Model(described.learned, bank, structure.plan(bank), structure, machines.report)
        return hold(SVC(**described.parameters), model)
