"""Models of very many classes: workers write the machines to files, and predictions go over these files, shard by shard."""

from __future__ import annotations

import os
import secrets
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import reduce
from typing import Any

import dask
import numpy as np
import scipy.sparse as sp
from dask.base import is_dask_collection
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from .. import _core
from ..base.exceptions import ClusterError, ModelFileError
from ..base.parameters import SVC_CHECKS, check_parameters
from ..base.typing import Features, Index, Labels
from ..estimators.classifier import hold
from ..estimators.model import Model
from ..estimators.svc import SVC, hard_margin, settings_of
from ..machines.checkpoint import identify
from ..machines.convergence import Unconverged, no_optimum, why_unconverged
from ..machines.progress import Progress, work_of
from ..machines.training import TrainedMachines
from ..problem.making import ProblemParameters, make_problem
from ..problem.problem import Problem
from ..problem.samples import as_data
from ..problem.tasks import Tasks, some_pairs
from ..problem.validation import check_samples
from ..structures import MaxWins, as_structure
from .blocks import BLOCK_BYTES, bytes_per_row, divide_classes
from .cluster import Cluster
from .jobs import Batch, train_batch
from .rows import named
from .shards import MODEL, Description, Shards, open_shards, unconverged, write_machines, write_rows
from .svc import collected, connected
from .workshop import ClusterWorkshop

# Pairs that wait at the client at a time. It needs some hundred bytes for each.
PAIRS_AT_ONCE = 2**20
# Votes of a sample that are added up at a time, and values of machines that are computed at a time.
ADDED_AT_ONCE, VALUES_AT_ONCE = 8, 2**22


def train_sharded(
    svc: SVC,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    folder: str | os.PathLike[str],
    client: Any = None,
) -> ShardedModel:
    """Train a model of very many classes, whose machines never pass through this process.

    Every worker writes the machines that it trains into files of a folder, so this process needs memory for the labels and
    some hundred megabytes, however many machines there are. Called again with the same data and folder, after whatever stopped
    it, it continues: pairs whose machines are there are not trained again.

    Parameters
    ----------
    svc : SVC
        The parameters. The structure must be "max_wins", with machines for all pairs.
    X, y, sample_weight
        As for `dagmar.dask.SVC.fit`.
    folder : str or path
        On a disk that this process and all workers share, under the same name.
    client : distributed.Client, str or None, default=None
        As for `dagmar.dask.SVC`.

    Returns
    -------
    ShardedModel

    Raises
    ------
    CheckpointError
        If the folder has another model; the message names what differs.

    Examples
    --------
    >>> import dagmar.dask, tempfile
    >>> from distributed import Client, LocalCluster
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> with LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0") as cluster, Client(cluster) as client:
    ...     model = dagmar.dask.train_sharded(dagmar.SVC(C=10), X, y, folder=tempfile.mkdtemp(), client=client)
    >>> model.predict(X[:1])
    array([0])
    """
    _check(svc)
    shards = Shards(folder)
    with connected(client) as cluster, collected(cluster, "SVC", X, y, sample_weight) as data, ExitStack() as stack:
        settings = settings_of(svc)
        problem, learned = make_problem(ProblemParameters.of(svc), *data, n_threads=settings.n_threads)
        begin = divide_classes(np.diff(problem.class_start), bytes_per_row(problem.X), BLOCK_BYTES)
        description = Description(
            learned=learned,
            parameters={**{name: getattr(svc, name) for name in SVC._get_param_names()}, "random_state": None},
            class_start=problem.class_start,
            begin=begin,
            kernel=problem.kernel,
            centre=problem.centre,
            precision=problem.precision,
            kernel_error=problem.kernel_error,
            double_error=float(problem.double_error),
            complete=False,
        )
        identity = identify(problem, svc.C, learned.class_weight, settings, svc.soft_labels)  # type: ignore[arg-type]
        shards.claim(description, identity)
        _check_disk(cluster, shards)
        watchers = [stack.enter_context(Progress())] if svc.verbose else []
        options: dict[str, Any] = {"block_bytes": BLOCK_BYTES, "watchers": watchers}
        workshop = _ShardWorkshop(cluster, learned.classes, problem, settings, svc.soft_labels, **options)
        stack.callback(workshop.close)
        late = workshop.write_all(problem, begin, shards)
        _tell(svc, late)
        shards.complete(description, identity)
    return ShardedModel(folder)


def _check(svc: SVC) -> None:
    """Raise an error for parameters that a model in shards does not have."""
    check_parameters("SVC", {name: getattr(svc, name) for name in SVC_CHECKS}, SVC_CHECKS)
    wrong = {
        "structure": not isinstance(as_structure(svc.structure), MaxWins),
        "probability": bool(svc.probability),
        "break_ties": bool(svc.break_ties),
        "soft_labels": callable(svc.soft_labels),
        "kernel": callable(svc.kernel) or svc.kernel == "precomputed",
        "checkpoint": svc.checkpoint is not None,
    }
    for name in (name for name, is_wrong in wrong.items() if is_wrong):
        why = {
            "structure": 'only "max_wins" adds up votes from shard to shard',
            "checkpoint": "the folder keeps finished machines itself",
            "kernel": "shards have samples, not kernel values",
        }
        raise ValueError(
            f"a model in shards cannot have {name}={getattr(svc, name)!r}: {why.get(name, 'it needs all machines at once')}. "
            "dagmar.dask.SVC has it"
        )


def _check_disk(cluster: Cluster, shards: Shards) -> None:
    """Raise ClusterError unless every worker finds the folder."""
    token = shards.folder / f"shared-{secrets.token_hex(4)}"
    token.touch()
    try:
        found = cluster.client.run(os.path.exists, str(token), workers=list(cluster.workers))
    finally:
        token.unlink()
    if blind := [address for address, sees in found.items() if not sees]:
        raise ClusterError(
            f"the folder {str(shards.folder)!r} must be on a disk that all workers share; {', '.join(blind)} cannot see it"
        )


def _tell(svc: SVC, late: list[Unconverged]) -> None:
    """Warn about machines that did not converge, or raise ValueError for those that have no optimum."""
    failed = [lot for lot in late if hard_margin(svc) or lot.report.ended(_core.Status.unbounded).any()]
    if failed:
        names, indefinite = failed[0].names(), any(bool(lot.report.indefinite.any()) for lot in failed)
        raise ValueError(no_optimum(hard_margin(svc), indefinite, names))
    if late:
        words = (
            f"{why_unconverged(late, svc.max_iter)} Machines not converged: {sum(map(len, late))}, {late[0].names()}"
        )
        warnings.warn(words, ConvergenceWarning, stacklevel=3)


class _ShardWorkshop(ClusterWorkshop):
    """A workshop whose machines stay on the disk of the workers."""

    def write_all(self, problem: Problem, begin: Index, shards: Shards) -> list[Unconverged]:
        """Write the rows of all blocks and the machines of all pairs; return machines that did not converge."""
        published, _ = self._publish(problem)
        client, folder = self._cluster.client, str(shards.folder)
        written = [
            client.submit(write_rows, block, folder, a, key=named("write-rows"))
            for a, block in enumerate(published.futures)
        ]
        client.gather(written)
        late: list[Unconverged] = []
        for tasks, n_kept, late_before in _lots(begin, shards, self.labels):
            late += late_before
            for watcher in self.watchers:
                watcher.begin(work_of(problem, tasks), n_kept)
            if len(tasks):
                late += self._write(problem, tasks, begin, folder)
            for watcher in self.watchers:
                watcher.end()
        return late

    def _write(self, problem: Problem, tasks: Tasks, begin: Index, folder: str) -> list[Unconverged]:
        lot, dispatcher = self._lot(problem, tasks)
        late: list[Unconverged] = []

        def submit(batch: Index, memory: float, blocks: list[Any], options: dict[str, Any]) -> Any:
            some = tasks.select(batch)
            job = Batch.of(problem, some, replace(self.settings, memory=memory, n_threads=1), self._soft)  # type: ignore[arg-type]
            arguments = job, folder, begin, self.labels
            return self._cluster.client.submit(write_batch, *arguments, *blocks, key=self._key(some), **options)

        def receive(batch: Index, found: Unconverged) -> None:
            if len(found):
                late.append(found)
            for watcher in self.watchers:
                watcher.advance(batch)

        dispatcher.run(lot, submit, receive)
        return late


def write_batch(batch: Batch, folder: str, begin: Index, labels: Labels, *blocks: Any) -> tuple[Unconverged, float]:
    """Train the machines of a batch and write them to files; a worker runs this.

    Returns
    -------
    unconverged : Unconverged
        Only these machines go back to the client.
    seconds : float
    """
    machines, seconds = train_batch(batch, *blocks)
    write_machines(machines, folder, begin)
    return unconverged(machines, labels), seconds


def _lots(begin: Index, shards: Shards, labels: Labels) -> Iterator[tuple[Tasks, int, list[Unconverged]]]:
    """Yield all pairs whose machines are missing, some blocks at a time; how many are there; those that did not converge."""
    n = int(begin[-1])
    waiting, n_kept, late = list[Index](), 0, list[Unconverged]()
    for a in range(len(begin) - 1):
        i = np.arange(begin[a], min(begin[a + 1], n - 1))
        first = np.repeat(i, n - 1 - i)
        second = np.concatenate([np.arange(k + 1, n) for k in i.tolist()]) if len(i) else i
        pairs = np.stack([first, second], axis=1)
        there, late_there = shards.kept(a, labels)
        # The pairs of some first classes follow each other in the order of all pairs.
        offset = int(begin[a]) * n - int(begin[a]) * (int(begin[a]) + 1) // 2
        missing = np.ones(len(pairs), dtype=bool)
        missing[there - offset] = False
        waiting.append(pairs[missing])
        n_kept += len(there)
        late += late_there
        if sum(map(len, waiting)) >= PAIRS_AT_ONCE or a + 2 == len(begin):
            yield some_pairs(np.concatenate(waiting)), n_kept, late
            waiting, n_kept, late = [], 0, []


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
        rows = _checked(X, *where)
        return _add(*(count_votes(rows, *where, a) for a in range(self.n_blocks)))

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
        rows = dask.delayed(_checked, pure=False)(part, folder, stamp)
        votes = [dask.delayed(count_votes, pure=False)(rows, folder, stamp, a) for a in range(self.n_blocks)]
        while len(votes) > 1:
            steps = range(0, len(votes), ADDED_AT_ONCE)
            votes = [dask.delayed(_add, pure=False)(*votes[k : k + ADDED_AT_ONCE]) for k in steps]
        return dask.delayed(_labels, pure=False)(part, votes[0], folder, stamp)

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


# ---------------------------------------------------------------- on workers


def _checked(X: Any, folder: str, stamp: int) -> Features:
    """Check a block of samples for a model."""
    shards = open_shards(folder, stamp)
    learned = shards.description.learned
    if not X.shape[0] if hasattr(X, "shape") else not len(X):
        return np.zeros((0, int(learned.columns.n_features)))  # type: ignore[union-attr, arg-type]
    return check_samples(X, learned.columns, None, shards.rows(0).X, learned.shape_fit[0])


def count_votes(X: Features, folder: str, stamp: int, a: int) -> NDArray[np.int32]:
    """Count the wins of all classes in the pairs of the classes of block a with later ones.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Checked samples.
    folder, stamp
        As for `open_shards`.
    a : int

    Returns
    -------
    ndarray of shape (n_samples, n_classes), int32
    """
    shards = open_shards(folder, stamp)
    votes = np.zeros((X.shape[0], len(shards.description.learned.classes)), dtype=np.int32)
    rows = shards.rows(a)
    for b in range(a, shards.description.n_blocks):
        machines = shards.machines(a, b)
        if machines is None or not len(votes):
            continue
        bank, classes = shards.bank([rows] if a == b else [rows, shards.rows(b)], machines)
        i, j = bank.pairs.T
        places, ones = np.arange(bank.n_machines), np.ones(bank.n_machines, dtype=np.int32)
        shape = bank.n_machines, len(classes)
        earlier, later = (sp.csr_matrix((ones, (places, of)), shape=shape) for of in (i, j))
        at_once = max(64, VALUES_AT_ONCE // bank.n_machines)
        for first in range(0, len(votes), at_once):
            here = slice(first, first + at_once)
            # Zero is for the later class, as in every decision.
            wins = (bank.native.values(as_data(X[here]), False, 1) >= 0).astype(np.int32)
            votes[here, classes] += (later - earlier).T.dot(wins.T).T + np.asarray(earlier.sum(axis=0), dtype=np.int32)
    return votes


def _add(*votes: NDArray[np.int32]) -> NDArray[np.int32]:
    return reduce(np.add, votes)


def _labels(part: Any, votes: NDArray[np.int32], folder: str, stamp: int) -> Any:
    """Return the labels with most votes; for a part of a data frame, as a series with its index."""
    labels = open_shards(folder, stamp).description.learned.classes[np.argmax(votes, axis=1)]
    if hasattr(part, "index") and hasattr(part, "columns"):
        import pandas as pd

        return pd.Series(labels, index=part.index, name="prediction")
    return labels
