"""The workshop on a cluster: machines are trained by the workers; everything else is as in `Workshop`."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

import numpy as np

from ..base.typing import Index, Labels
from ..machines.progress import work_of
from ..machines.training import TrainedMachines, work_per_square
from ..machines.workshop import Workshop
from ..problem.problem import Problem
from ..problem.soft_labels import soft_labels
from ..problem.tasks import Tasks
from .batches import Lot
from .blocks import Published, bytes_per_row, divide_classes
from .cluster import Cluster
from .dispatch import Dispatcher
from .jobs import Batch, train_batch


class ClusterWorkshop(Workshop):
    """A workshop whose machines are trained on the workers of a Dask cluster. It is a context: at its end, blocks are released.

    Parameters
    ----------
    cluster : Cluster
    *arguments, **options
        As for `Workshop`.
    """

    def __init__(self, cluster: Cluster, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._cluster = cluster
        self._name = secrets.token_hex(4)
        self._n_batches = 0
        self._published: Published | None = None
        self._dispatcher: Dispatcher | None = None

    def close(self) -> None:
        """Let the workers forget the class blocks."""
        if self._published is not None:
            self._published.release()
        self._published = self._dispatcher = None

    def _publish(self, problem: Problem) -> tuple[Published, Dispatcher]:
        """Publish the class blocks, once."""
        if self._published is None or self._dispatcher is None:
            sizes = np.diff(problem.class_start)
            begin = divide_classes(sizes, bytes_per_row(problem.X))
            self._published = Published(self._cluster.client, problem, begin, self._name)
            self._dispatcher = Dispatcher(self._cluster, self._published, self.settings.memory)
        return self._published, self._dispatcher

    def _train(self, problem: Problem, tasks: Tasks) -> TrainedMachines:
        """Train machines on the workers. Finished batches go to the checkpoint and the watchers."""
        published, dispatcher = self._publish(problem)
        soft = self._soft_of(problem, tasks) if callable(self._soft) else None
        row_bytes = np.diff(problem.class_start) * bytes_per_row(problem.X)
        work = work_of(problem, tasks) * work_per_square(problem)
        lot = Lot(tasks, work, row_bytes, published.block_of, published.sizes)
        parts: list[TrainedMachines] = []
        places: list[Index] = []

        def submit(batch: Index, memory: float, blocks: list[Any], options: dict[str, Any]) -> Any:
            some = tasks.select(batch)
            settings = replace(self.settings, memory=memory, n_threads=1)
            labels = None if soft is None else np.concatenate([soft[t] for t in batch.tolist()])
            neighbours = None if soft is not None else self._soft
            job = Batch.of(problem, some, settings, neighbours, labels)  # type: ignore[arg-type]
            self._n_batches += 1
            key = f"{name_of(some, self.labels)}-{self._n_batches}-{self._name}"
            return self._cluster.client.submit(train_batch, job, *blocks, key=key, **options)

        def receive(batch: Index, machines: TrainedMachines) -> None:
            parts.append(machines)
            places.append(batch)
            if self._checkpoint is not None:
                self._checkpoint.add(machines)
            for watcher in self.watchers:
                watcher.advance(batch)

        dispatcher.run(lot, submit, receive)
        return TrainedMachines.join(parts).select(np.argsort(np.concatenate(places)))

    def _soft_of(self, problem: Problem, tasks: Tasks) -> list[Any]:
        """Return the soft labels of each task from a user's function, which gets all samples and so runs here."""
        assert self._soft is not None
        sizes = np.add.reduceat(np.diff(problem.class_start)[tasks.classes], tasks.begin[:-1])
        return np.split(soft_labels(problem, tasks, self._soft, self.settings.n_threads), np.cumsum(sizes)[:-1])


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
