"""The workshop on a cluster: machines are trained by the workers; everything else is as in `Workshop`."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from concurrent.futures import CancelledError
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from distributed import KilledWorker

from ..base.typing import Array, Index, Labels
from ..machines.cross_fitting import HeldOut
from ..machines.progress import work_of
from ..machines.training import TrainedMachines, TrainSettings, assemble, work_per_square
from ..machines.workshop import Workshop
from ..problem import separation
from ..problem.problem import Problem
from ..problem.reductions import is_sparse
from ..problem.soft_labels import soft_labels
from ..problem.tasks import Tasks
from .batches import Lot
from .blocks import BLOCK_BYTES, Published, bytes_per_row, divide_classes
from .cluster import Cluster
from .dispatch import Dispatcher
from .facts import count_in_block, distances_of_blocks, similarity_of_blocks, sums_of_block
from .futures import send
from .grouping import Grouped
from .jobs import Batch, Shared, cross_batch, train_batch
from .rows import RemoteRows

# How often facts about the classes are computed again if workers are lost meanwhile.
TRIES = 5


class ClusterWorkshop(Workshop):
    """A workshop whose machines are trained on the workers of a Dask cluster. It is a context: at its end, blocks are released.

    Parameters
    ----------
    cluster : Cluster
    block_bytes : float
        Small classes share a block of about this size.
    *arguments, **options
        As for `Workshop`.
    """

    def __init__(self, cluster: Cluster, *arguments: Any, block_bytes: float = BLOCK_BYTES, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._block_bytes = block_bytes
        self._cluster = cluster
        self._name = secrets.token_hex(4)
        self._n_batches = 0
        self._published: Published | Grouped | None = None
        self._dispatcher: Dispatcher | None = None

    def close(self) -> None:
        """Let the workers forget the class blocks."""
        if self._published is not None:
            self._published.release()
        self._published = self._dispatcher = None

    def _publish(self, problem: Problem) -> tuple[Published | Grouped, Dispatcher]:
        """Publish the class blocks, once."""
        if self._published is None or self._dispatcher is None:
            sizes = np.diff(problem.class_start)
            begin = divide_classes(sizes, bytes_per_row(problem.X), self._block_bytes)
            kind = Grouped if isinstance(problem.X, RemoteRows) else Published
            self._published = kind(self._cluster.client, problem, begin, self._name)
            self._dispatcher = Dispatcher(self._cluster, self._published, self.settings.memory)
        return self._published, self._dispatcher

    # ------------------------------------------------------------ machines

    def _train(self, problem: Problem, tasks: Tasks) -> TrainedMachines:
        """Train machines on the workers. Finished batches go to the checkpoint and the watchers."""
        lot, dispatcher = self._lot(problem, tasks)
        soft = self._soft_of(problem, tasks) if callable(self._soft) else None
        parts: list[TrainedMachines] = []
        places: list[Index] = []

        def submit(batch: Index, memory: float, blocks: list[Any], options: dict[str, Any]) -> Any:
            some = tasks.select(batch)
            settings = replace(self.settings, memory=memory, n_threads=1)
            labels = None if soft is None else np.concatenate([soft[t] for t in batch.tolist()])
            neighbours = None if soft is not None else self._soft
            job = Batch.of(problem, some, settings, neighbours, labels)  # type: ignore[arg-type]
            return self._cluster.client.submit(train_batch, job, *blocks, key=self._key(some), **options)

        def receive(batch: Index, machines: TrainedMachines) -> None:
            parts.append(machines)
            places.append(batch)
            if self._checkpoint is not None:
                self._checkpoint.add(machines)
            for watcher in self.watchers:
                watcher.advance(batch)

        dispatcher.run(lot, submit, receive)
        return TrainedMachines.join(parts).select(np.argsort(np.concatenate(places)))

    def cross_values(
        self,
        problem: Problem,
        tasks: Tasks,
        settings: TrainSettings,
        cap: Array,
        weight: Array,
        Cs: Array,
        *,
        soft: Any = None,
        finished: Callable[[Index], object] | None = None,
    ) -> list[list[Array]]:
        """Train the machines of `tasks` on every fold, on the workers; their values on held-out samples come back.

        The arguments are those of `dagmar.machines.cross_fitting.cross_values`.
        """
        lot, dispatcher = self._lot(problem, tasks, len(cap) * len(Cs))
        machines = [HeldOut.of(problem, of_fold[None], tasks).machine for of_fold in cap]
        sizes = [np.bincount(of_fold, minlength=len(tasks)) for of_fold in machines]
        values: list[list[list[Array]]] = [[[np.zeros(0)] * len(tasks) for _ in Cs] for _ in cap]

        def submit(batch: Index, memory: float, blocks: list[Any], options: dict[str, Any]) -> Any:
            some = tasks.select(batch)
            job = Batch.of(problem, some, replace(settings, memory=memory, n_threads=1), soft)
            starts = problem.class_start
            here = np.concatenate([np.arange(starts[c], starts[c + 1]) for c in np.unique(some.classes).tolist()])
            arguments = job, cap[:, here], weight[:, here], Cs
            return self._cluster.client.submit(
                cross_batch, *arguments, *blocks, key=f"folds-of-{self._key(some)}", **options
            )

        def receive(batch: Index, found: list[list[Array]]) -> None:
            for f, of_fold in enumerate(found):
                for c, of_C in enumerate(of_fold):
                    ends = np.cumsum(sizes[f][batch])[:-1]
                    for t, part in zip(batch.tolist(), np.split(of_C, ends), strict=True):
                        values[f][c][t] = part
            if finished is not None:
                finished(batch)

        dispatcher.run(lot, submit, receive)
        return [[np.concatenate(of_C) for of_C in of_fold] for of_fold in values]

    def _lot(self, problem: Problem, tasks: Tasks, times: int = 1) -> tuple[Lot, Dispatcher]:
        """Return tasks that wait for the workers, and the dispatcher for them; each machine is trained `times` times."""
        published, dispatcher = self._publish(problem)
        row_bytes = np.diff(problem.class_start) * bytes_per_row(problem.X)
        work = work_of(problem, tasks) * work_per_square(problem) * times
        return Lot(tasks, work, row_bytes, published.block_of, published.sizes), dispatcher

    def _key(self, tasks: Tasks) -> str:
        """Return a key for a batch, which a person understands and which no other batch has."""
        self._n_batches += 1
        return f"{name_of(tasks, self.labels)}-{self._n_batches}-{self._name}"

    def _soft_of(self, problem: Problem, tasks: Tasks) -> list[Any]:
        """Return the soft labels of each task from a user's function, which gets all samples and so runs here."""
        assert self._soft is not None
        if isinstance(problem.X, RemoteRows):
            raise ValueError(
                "soft_labels must not be a callable for Dask collections: it would need all samples at once"
            )
        sizes = np.add.reduceat(np.diff(problem.class_start)[tasks.classes], tasks.begin[:-1])
        return np.split(soft_labels(problem, tasks, self._soft, self.settings.n_threads), np.cumsum(sizes)[:-1])

    # --------------------------------------------------------------- facts

    def _of_blocks(self, name: str, function: Any, *arguments: Any, pairs: bool = False) -> list[Any]:
        """Return the results of a function of each block, or of each pair of blocks, computed on the workers.

        It is called with what `Shared.problem` needs first: the shared facts, the instruction set and the blocks.
        """
        problem = self._data()
        published, _ = self._publish(problem)
        client, shared, level = self._cluster.client, Shared.of(problem), self.settings.level
        n = len(published.sizes)
        wanted = [(a, b) for a in range(n) for b in range(a + 1, n)] if pairs and n > 1 else [(b,) for b in range(n)]
        for left in reversed(range(TRIES)):
            try:
                # Arguments may be large, such as a bank: each worker gets them once.
                named = {f"{name}-input-{k}-{secrets.token_hex(4)}": value for k, value in enumerate(arguments)}
                sent = send(client, named, broadcast=True).values()
                futures = [
                    client.submit(
                        function, shared, level, [published.futures[b] for b in some], *sent,
                        key=f"{name}-{'-'.join(map(str, some))}-{secrets.token_hex(4)}",
                    )
                    for some in wanted
                ]  # fmt: skip
                return list(client.gather(futures))
            except (CancelledError, KilledWorker):
                if not left:
                    raise
                published.restore()
        raise AssertionError  # not reached

    def predictions(self, machines: Index, max_samples: int | None = None) -> tuple[Array, Array]:
        """Return how many training samples of each class each machine classifies as positive; the workers count."""
        problem = self._data()
        every = np.array_equal(machines, np.arange(len(self._tasks())))
        bank = self.bank if every else assemble(problem, TrainedMachines.join(self._parts).select(machines))
        counts = self._of_blocks("predictions", count_in_block, bank, max_samples)
        return np.concatenate(counts, axis=1), self._sizes(problem, max_samples)

    def similarity(self, max_samples: int | None = None) -> Array:
        """Return the mean kernel value between the samples of every two classes, shape (n_classes, n_classes)."""
        return self._fill(self._of_blocks("similarity", similarity_of_blocks, max_samples, pairs=True))

    def dbtc(self, max_samples: int | None = None) -> Array:
        """Return the squared distance between every two classes in the kernel space of their machine."""
        gamma = self._data().per_pair.gamma
        if gamma is None:
            return separation.dbtc(self.similarity(max_samples))
        return self._fill(self._of_blocks("distances", distances_of_blocks, gamma, max_samples, pairs=True))

    def _fill(self, parts: list[tuple[Index, Array]]) -> Array:
        """Return a table of all classes from tables of some of them."""
        table = np.zeros((self.n_classes, self.n_classes))
        for classes, values in parts:
            table[np.ix_(classes, classes)] = values
        return table

    @cached_property
    def moments(self) -> separation.Moments:
        """Means and variances of the classes."""
        problem = self._data()
        if problem.kernel.name == "precomputed":
            return separation.Moments.of(problem, self.settings.n_threads)
        parts = self._of_blocks("means", sums_of_block, None)
        join: Any = partial(sp.vstack, format="csr") if is_sparse(problem.X) else np.concatenate
        if not is_sparse(problem.X):
            average = join([sums for sums, _ in parts]).sum(axis=0) / problem.weight.sum()
            parts = self._of_blocks("variances", sums_of_block, average)
        sums, squares = zip(*parts, strict=True)
        return separation.Moments.of_sums(join(sums), np.concatenate(squares), problem.class_totals)


def name_of(tasks: Tasks, labels: Labels) -> str:
    """Return a name for a batch that a person understands, for the dashboard of the cluster.

    Texts are quoted. Dask takes what stands before the first word with other signs than letters as the kind of a task: all
    batches of pairs are then one kind.

    Parameters
    ----------
    tasks : Tasks
    labels : ndarray of shape (n_classes,)

    Returns
    -------
    str

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.dask.workshop import name_of
    >>> from dagmar.problem.tasks import all_pairs, groups
    >>> name_of(all_pairs(3), np.array(["cat", "dog", "owl"]))
    "pairs-'cat'-vs-'dog'-and-2-more"
    >>> name_of(groups([([0, 1], [2])]), np.array([10, 20, 30]))
    'groups-10+20-vs-30'
    """

    def side(classes: Index) -> str:
        named = [
            repr(labels[c].item()) if hasattr(labels[c], "item") else repr(labels[c]) for c in classes[:3].tolist()
        ]
        return "+".join(named) + ("+..." if len(classes) > 3 else "")

    negative, positive = tasks.sides_of(0)
    kind = "pairs" if tasks.pairwise else "groups"
    more = f"-and-{len(tasks) - 1}-more" if len(tasks) > 1 else ""
    return f"{kind}-{side(negative)}-vs-{side(positive)}{more}"
