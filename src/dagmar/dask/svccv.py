"""The search `dagmar.dask.SVCCV`, whose cells are tried on a Dask cluster."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack
from copy import copy
from dataclasses import replace
from typing import Any, Self, TypeVar

import numpy as np
from distributed import KilledWorker, as_completed
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base.exceptions import ClusterError
from ..base.instructions import at_level
from ..base.typing import Array, Features
from ..machines.progress import Progress
from ..problem.making import CheckedSamples
from ..problem.validation import Columns
from ..tuning.combinations import Steps
from ..tuning.svccv import SVCCV as LocalSVCCV
from ..tuning.trials import Samples, Trials
from .blocks import bytes_per_row
from .cluster import Cluster
from .dispatch import LEAST_ROWS, MOST_LOSSES
from .futures import fetch, named, send
from .rows import RemoteRows
from .scaling import scale_rows
from .svc import SVC, OnCluster, collected, connected, connection, with_client

Result = TypeVar("Result")
# The cells of one gamma that a worker tries together, on some of the folds.
Unit = tuple[int, list[int]]


class SVCCV(OnCluster, LocalSVCCV):
    """An `SVCCV` whose cells are tried on the workers of a Dask cluster.

    A task of the cluster tries all values of C for one gamma, on all folds, and shares their kernel rows. If the caps of all
    folds do not fit into the memory of a worker, each fold is a task. The table of results is that of `dagmar.SVCCV`, except
    for the times. The best cell is fitted by `dagmar.dask.SVC`.

    X may also be a Dask array or a Dask data frame, and y, sample_weight and groups Dask arrays or series. The samples then
    stay on the workers, each of which gets all of them. This process gets the labels, weights and groups, and makes the folds.

    Parameters
    ----------
    client : distributed.Client, str or None, default=None
        As for `dagmar.dask.SVC`.
    *arguments, **parameters
        As for `dagmar.SVCCV`.

    See Also
    --------
    dagmar.SVCCV : The same search in one process.

    Examples
    --------
    >>> import dagmar.dask
    >>> from distributed import Client, LocalCluster
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> with LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0") as cluster:
    ...     with Client(cluster) as client:
    ...         search = dagmar.dask.SVCCV([1, 10], [0.01, 0.1, 1], client=client).fit(X, y)
    >>> search.best_params_
    {'C': 1.0, 'gamma': 0.1}
    """

    @with_client(LocalSVCCV)
    def __init__(self, *arguments: Any, client: Any = None, **parameters: Any) -> None:
        super().__init__(*arguments, **parameters)
        self.client = client

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Score every cell on every fold, and fit the best cell on all samples.

        Parameters
        ----------
        X, y, sample_weight, groups
            As for `dagmar.SVCCV.fit`.

        Returns
        -------
        self : SVCCV
        """
        with (
            connected(self.client) as cluster,
            collected(cluster, type(self).__name__, X, y, sample_weight) as data,
        ):
            return super().fit(*data, *fetch(cluster.client, groups))

    def _with_samples(self, function: Callable[..., Result], X: Any, *arguments: Any) -> Result:
        """Return the result of a function of all training samples; it runs on a worker if they are there."""
        if not isinstance(X, RemoteRows):
            return super()._with_samples(function, X, *arguments)
        cluster = connection()
        found: Result = cluster.client.submit(
            _call, cluster.level, function, X.whole, *arguments, key=named("with-all-rows")
        ).result()
        return found

    def _scale(self, X: Any, y: Any, steps: Steps) -> tuple[Steps, Any]:
        """Return fitted transformers and the samples after them; a worker fits them if the samples are there."""
        if not (isinstance(X, CheckedSamples) and isinstance(X.rows, RemoteRows)):
            return super()._scale(X, y, steps)
        owner = type(self).__name__
        fitted, rows, names = [], X.rows, X.columns.names
        for name, step in steps:
            done, rows = scale_rows(connection().client, rows, step, y, names, owner)
            fitted.append((name, done))
            names = None
        return fitted, CheckedSamples(rows, Columns(owner, rows.shape[1]), X.target)

    def _with(self, found: dict[str, Any]) -> SVC:
        return SVC(**{**self._fixed(), **found}, client=self.client)

    def _run(self, trials: Trials, cells: NDArray[np.bool_]) -> None:
        """Try cells on the workers."""
        cluster = connection()
        n_folds, n_machines = len(trials.samples.folds), len(trials.tasks())
        with ExitStack() as stack:
            watchers = [stack.enter_context(Progress())] if self.verbose else []
            for watcher in watchers:
                watcher.begin(np.ones(int(cells.sum()) * n_folds * n_machines), 0)
            done = 0
            for (g, folds), part in try_units(cluster, trials, cells):
                merge(trials, part, g, folds)
                n = int(cells[:, g].sum()) * len(folds) * n_machines
                for watcher in watchers:
                    watcher.advance(np.arange(done, done + n))
                done += n
            for watcher in watchers:
                watcher.end()
        trials.tried |= cells


def try_units(cluster: Cluster, trials: Trials, cells: NDArray[np.bool_]) -> Any:
    """Yield each unit of the cells with the trials of it, as the workers finish them."""
    client, name = cluster.client, secrets.token_hex(4)
    units = divide(cluster, trials, cells)
    losses = 0
    while units:
        X = trials.samples.X
        samples = send(client, replace(trials.samples, X=None) if isinstance(X, RemoteRows) else trials.samples)
        futures = {}
        for k, (g, folds) in enumerate(units):
            key = f"cells-gamma-{np.max(trials.gammas[g]):.3g}-folds-{len(folds)}-{losses}-{k}-{name}"
            whole = X.whole if isinstance(X, RemoteRows) else None
            arguments = part_of(trials, g, folds), samples, cells[:, [g]], folds, cluster.level, whole
            futures[client.submit(try_cells, *arguments, key=key, pure=False)] = g, folds
        try:
            for future in as_completed(list(futures), loop=client.loop):
                try:
                    yield futures[future], future.result()
                except (CancelledError, KilledWorker):
                    continue
                units.remove(futures[future])
        finally:
            client.cancel([future for future, unit in futures.items() if unit in units])
        if units:
            losses += 1
            if losses > MOST_LOSSES:
                raise ClusterError(
                    f"workers ended {losses} times while they tried {len(units)} gammas; they may need more memory"
                )


def divide(cluster: Cluster, trials: Trials, cells: NDArray[np.bool_]) -> list[Unit]:
    """Divide cells into units: one gamma with all folds, or with one fold if a worker's memory asks for it."""
    samples, n_Cs = trials.samples, int(cells.sum(axis=0).max(initial=0))
    n, n_folds = samples.X.shape[0], len(samples.folds)
    # X, the packed copy of the core, and the caps of every fold and C.
    rows = 2.0 * n * bytes_per_row(samples.X)
    memory = min(facts.memory / facts.n_threads for facts in cluster.workers.values())
    lots = [list(range(n_folds))]
    if rows + 8.0 * n * n_folds * n_Cs + LEAST_ROWS > memory:
        lots = [[f] for f in range(n_folds)]
    need = rows + 8.0 * n * len(lots[0]) * n_Cs + LEAST_ROWS
    if need > memory:
        raise ClusterError(
            f"a search needs {need / 2**20:.0f} MB for each thread of every worker: the samples twice, and their caps for each "
            f"C. The smallest worker has {memory / 2**20:.0f} MB for each."
        )
    return [(g, folds) for g in np.flatnonzero(cells.any(axis=0)).tolist() for folds in lots]


def part_of(trials: Trials, g: int, folds: Sequence[int]) -> Trials:
    """Return the trials of one gamma on some folds, without results and without samples."""
    part: Any = copy(trials)
    part.samples, part.gammas, part.unconverged_machines = None, [trials.gammas[g]], []
    for name in ("fit_seconds", "score_seconds", "unconverged"):
        setattr(part, name, np.zeros_like(getattr(trials, name)[:, [g]][:, :, folds]))
    part.tried = np.zeros_like(trials.tried[:, [g]])
    part.scores = {} if isinstance(part.scores, dict) else np.full_like(part.scores[:, :, [g]][..., folds], np.nan)
    part._shared = [k for k, f in enumerate(folds) if f in trials._shared]
    return part  # type: ignore[no-any-return]


def _call(level: _core.Level, function: Callable[..., Result], *arguments: Any) -> Result:
    with at_level(level):
        return function(*arguments)


def try_cells(
    part: Any,
    samples: Samples,
    cells: NDArray[np.bool_],
    folds: Sequence[int],
    level: _core.Level,
    X: Features | None = None,
) -> Trials:
    """Try the cells of one gamma on some folds; a worker runs this. `X` are the samples, if `samples` does not have them."""
    samples = samples if X is None else replace(samples, X=X)
    scalers = None if samples.scalers is None else [samples.scalers[f] for f in folds]
    part.samples = replace(samples, folds=[samples.folds[f] for f in folds], scalers=scalers)
    part.settings = replace(part.settings, n_threads=1, level=level)
    part.parameters = {**part.parameters, "n_jobs": 1}
    with at_level(level):
        part.run(cells)
    part.samples = None
    return part  # type: ignore[no-any-return]


def merge(trials: Any, part: Any, g: int, folds: Sequence[int]) -> None:
    """Put the results of a unit into the trials."""
    for name in ("fit_seconds", "score_seconds", "unconverged"):
        getattr(trials, name)[:, g, folds] = getattr(part, name)[:, 0]
    trials.unconverged_machines.extend(part.unconverged_machines)
    if not isinstance(trials.scores, dict):
        trials.scores[:, :, g, folds] = part.scores[:, :, 0]
        return
    for name, scores in part.scores.items():
        table: Array = trials.scores.setdefault(name, np.full(trials.unconverged.shape, np.nan))
        tried = part.tried[:, 0]
        table[np.ix_(tried, [g], folds)] = scores[tried]
