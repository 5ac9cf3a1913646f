"""Training of models in shards: workers write the machines to files, and this process never gets them."""

from __future__ import annotations

import os
import secrets
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .. import _core
from ..base.exceptions import ClusterError
from ..base.parameters import SVC_CHECKS, check_parameters
from ..base.typing import Index, Labels
from ..estimators.svc import SVC, hard_margin, settings_of
from ..machines.checkpoint import identify
from ..machines.convergence import Unconverged, no_optimum, why_unconverged
from ..machines.progress import Progress, work_of
from ..problem.making import ProblemParameters, make_problem
from ..problem.problem import Problem
from ..problem.tasks import Tasks, some_pairs
from ..structures import MaxWins, as_structure
from .blocks import BLOCK_BYTES, bytes_per_row, divide_classes
from .cluster import Cluster
from .futures import named
from .jobs import Batch, train_batch
from .sharded import ShardedModel
from .shards import Description, Shards, unconverged, write_machines, write_rows
from .svc import collected, connected
from .workshop import ClusterWorkshop

# Pairs that wait at the client at a time. It needs some hundred bytes for each.
PAIRS_AT_ONCE = 2**20


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

    See Also
    --------
    dagmar.dask.ShardedModel : Reads the model again.

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
    _check_parameters(svc)
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
        _warn_or_raise(svc, workshop.write_all(problem, begin, shards))
        shards.complete(description, identity)
    return ShardedModel(folder)


def _check_parameters(svc: SVC) -> None:
    """Raise an error for parameters that a model in shards cannot have."""
    check_parameters("SVC", vars(svc), SVC_CHECKS)
    at_once, no_samples = "it needs all machines at once", "shards have samples, not kernel values"
    for name, is_wrong, why in [
        (
            "structure",
            not isinstance(as_structure(svc.structure), MaxWins),
            'only "max_wins" adds up votes from shard to shard',
        ),
        ("probability", svc.probability, at_once),
        ("break_ties", svc.break_ties, at_once),
        ("soft_labels", callable(svc.soft_labels), at_once),
        ("kernel", callable(svc.kernel) or svc.kernel == "precomputed", no_samples),
        ("checkpoint", svc.checkpoint is not None, "the folder keeps finished machines itself"),
    ]:
        if is_wrong:
            raise ValueError(
                f"a model in shards cannot have {name}={getattr(svc, name)!r}: {why}. dagmar.dask.SVC has it"
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


def _warn_or_raise(svc: SVC, not_converged: list[Unconverged]) -> None:
    """Warn about machines that did not converge, or raise ValueError for those that have no optimum."""
    failed = [lot for lot in not_converged if hard_margin(svc) or lot.report.ended(_core.Status.unbounded).any()]
    if failed:
        names, indefinite = failed[0].names(), any(bool(lot.report.indefinite.any()) for lot in failed)
        raise ValueError(no_optimum(hard_margin(svc), indefinite, names))
    if not_converged:
        cause, count = why_unconverged(not_converged, svc.max_iter), sum(map(len, not_converged))
        words = f"{cause} Machines not converged: {count}, {not_converged[0].names()}"
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
        not_converged: list[Unconverged] = []
        for tasks, n_kept, before in _missing_lots(begin, shards, self.labels):
            not_converged += before
            for watcher in self.watchers:
                watcher.begin(work_of(problem, tasks), n_kept)
            if len(tasks):
                not_converged += self._write(problem, tasks, begin, folder)
            for watcher in self.watchers:
                watcher.end()
        return not_converged

    def _write(self, problem: Problem, tasks: Tasks, begin: Index, folder: str) -> list[Unconverged]:
        lot, dispatcher = self._lot(problem, tasks)
        not_converged: list[Unconverged] = []

        def submit(batch: Index, memory: float, blocks: list[Any], options: dict[str, Any]) -> Any:
            some = tasks.select(batch)
            job = Batch.of(problem, some, replace(self.settings, memory=memory, n_threads=1), self._soft)  # type: ignore[arg-type]
            arguments = job, folder, begin, self.labels
            return self._cluster.client.submit(write_batch, *arguments, *blocks, key=self._key(some), **options)

        def receive(batch: Index, found: Unconverged) -> None:
            if len(found):
                not_converged.append(found)
            for watcher in self.watchers:
                watcher.advance(batch)

        dispatcher.run(lot, submit, receive)
        return not_converged


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


def _missing_lots(begin: Index, shards: Shards, labels: Labels) -> Iterator[tuple[Tasks, int, list[Unconverged]]]:
    """Yield the pairs whose machines are missing, some blocks at a time, and of these blocks the finished machines.

    Yields
    ------
    tasks : Tasks
        The missing pairs.
    n_kept : int
        The number of machines that are in the folder already.
    not_converged : list of Unconverged
        Those of them that did not converge.
    """
    n = int(begin[-1])
    waiting, n_kept, not_converged = list[Index](), 0, list[Unconverged]()
    for a in range(len(begin) - 1):
        i = np.arange(begin[a], min(begin[a + 1], n - 1))
        first = np.repeat(i, n - 1 - i)
        second = np.concatenate([np.arange(k + 1, n) for k in i.tolist()]) if len(i) else i
        pairs = np.stack([first, second], axis=1)
        there, unconverged_there = shards.kept(a, labels)
        # The pairs of some first classes follow each other in the order of all pairs.
        offset = int(begin[a]) * n - int(begin[a]) * (int(begin[a]) + 1) // 2
        missing = np.ones(len(pairs), dtype=bool)
        missing[there - offset] = False
        waiting.append(pairs[missing])
        n_kept += len(there)
        not_converged += unconverged_there
        if sum(map(len, waiting)) >= PAIRS_AT_ONCE or a + 2 == len(begin):
            yield some_pairs(np.concatenate(waiting)), n_kept, not_converged
            waiting, n_kept, not_converged = [], 0, []
