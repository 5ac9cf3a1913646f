"""Batches: which tasks a worker gets next, chosen by the class blocks it holds and sized by a cost model.

A task needs the blocks of its classes; tasks that need the same blocks form a group. A worker gets tasks of the group for which
the fewest bytes must be moved to it. A batch is as long as is worth its overhead: a share of the work that is left, at the
measured pace, so that batches become shorter towards the end and all workers finish together. Tasks that are longer than such a
batch come first: a fit ends with its longest machine, however many workers there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..base.typing import Array, Index
from ..problem.tasks import Tasks

# Seconds of a batch: the shortest, for which an overhead of some 20 ms is worth while, and the longest, so that a lost worker
# and an interrupted fit cost little.
SHORTEST, LONGEST = 0.25, 20.0
# A batch is this share of what is left for each thread of the cluster.
SHARE = 1.0 / 3.0
# Seconds per unit of work before any is measured.
FIRST_PACE = 1e-9
# Tasks of a group that are looked at for a batch.
MOST_AT_ONCE = 2**16


@dataclass
class Pace:
    """How long work takes on the workers, measured as batches finish.

    Attributes
    ----------
    work, seconds : float
        Sums over the finished batches.

    Examples
    --------
    >>> from dagmar.dask.batches import Pace
    >>> pace = Pace()
    >>> pace.measure(work=1e9, seconds=2.0)
    >>> pace.seconds_of(5e8), pace.length(left=3e10, n_threads=4)
    (1.0, 5.0)
    """

    work: float = 0.0
    seconds: float = 0.0

    def measure(self, work: float, seconds: float) -> None:
        """Add a finished batch. Later batches count more, because machines differ."""
        self.work, self.seconds = 0.9 * self.work + work, 0.9 * self.seconds + seconds

    def seconds_of(self, work: float) -> float:
        """Return about how long work takes."""
        return work * (self.seconds / self.work if self.work > 0 else FIRST_PACE)

    def length(self, left: float, n_threads: int) -> float:
        """Return the seconds of the next batch, from the work that is left; the shortest, before any is measured."""
        if self.work <= 0:
            return SHORTEST
        return min(max(SHARE * self.seconds_of(left) / n_threads, SHORTEST), LONGEST)


class Lot:
    """Tasks that wait to be trained.

    Parameters
    ----------
    tasks : Tasks
    work : ndarray of shape (n_tasks,)
        Work of each task, in any unit.
    row_bytes : ndarray of shape (n_classes,)
        Bytes of the rows of each class.
    block_of : ndarray of shape (n_classes,)
        Block of each class.
    block_bytes : ndarray of shape (n_blocks,)
    """

    def __init__(self, tasks: Tasks, work: Array, row_bytes: Array, block_of: Index, block_bytes: Array) -> None:
        self.tasks, self.work = tasks, work
        self._row_bytes, self._block_bytes = row_bytes, block_bytes
        self._groups, self._needs = _group(tasks, block_of, len(block_bytes))
        self._group_of = np.empty(len(tasks), dtype=np.int64)
        for g, group in enumerate(self._groups):
            self._group_of[group] = g
        task_of = np.repeat(np.arange(len(tasks)), np.diff(tasks.begin))
        of_class = np.unique(self._group_of[task_of] * len(row_bytes) + tasks.classes)
        group, classes = np.divmod(of_class, len(row_bytes))
        self._classes_of = np.split(classes, np.searchsorted(group, np.arange(1, len(self._groups))))
        self._weights = sp.csr_array(self._needs, dtype=np.float64)  # most groups need two blocks of many
        self.keep(np.arange(len(tasks)))

    @property
    def left(self) -> float:
        """Work that waits."""
        return float(self._left.sum())

    def __len__(self) -> int:
        return sum(map(len, self._waiting))

    def memory_of(self, batch: Index) -> float:
        """Return the bytes that a batch needs on a worker, without kernel rows: its blocks, and two copies of its rows.

        One copy are the samples of the batch beside each other, the other the packed samples of the core.
        """
        classes = np.unique(self.tasks.select(batch).classes)
        blocks = self._needs[np.unique(self._group_of[batch])].any(axis=0)
        return float(self._block_bytes[blocks].sum() + 2.0 * self._row_bytes[classes].sum())

    def keep(self, places: Index) -> None:
        """Let exactly these tasks wait."""
        inside = np.zeros(len(self.tasks), dtype=bool)
        inside[places] = True
        # The last is taken first: the longest task of each group, and of equally long ones that which comes first.
        self._waiting = [_shortest_first(group[inside[group]], self.work) for group in self._groups]
        self._left = np.array([self.work[waiting].sum() for waiting in self._waiting])
        self._longest = np.array([self._longest_of(g) for g in range(len(self._groups))])

    def needs(self) -> Array:
        """Return the bytes that each task alone would need, as `memory_of` counts them; shape (n_tasks,)."""
        if not len(self.tasks):
            return np.zeros(0)
        rows = np.add.reduceat(self._row_bytes[self.tasks.classes], self.tasks.begin[:-1])
        needs: Array = 2.0 * rows + (self._needs @ self._block_bytes)[self._group_of]
        return needs

    def take(
        self,
        held: NDArray[np.bool_],
        holders: Index,
        seconds: float,
        pace: Pace,
        memory: float,
        n_threads: int = 1,
    ) -> Index:
        """Take tasks for a worker.

        Parameters
        ----------
        held : ndarray of shape (n_blocks,), bool
            Blocks that the worker has.
        holders : ndarray of shape (n_blocks,)
            Number of workers that have each block. Of equally good groups, one whose blocks few workers have is begun.
        seconds : float
            Length of the batch; it has at least one task.
        pace : Pace
        memory : float
            Bytes that the batch may need, without kernel rows; a single task may need more.
        n_threads : int
            Tasks that the cluster runs at a time. One that takes longer than all batches on this many threads comes first.

        Returns
        -------
        ndarray of int64
            Places in `tasks`; empty if none waits.
        """
        held, mine = held.copy(), np.zeros(len(held), dtype=bool)
        rows, batch, length = np.zeros(len(self._row_bytes), dtype=bool), list[int](), 0.0
        long = SHARE * self.left / n_threads
        while (not batch or length < seconds) and (g := self._best(held, holders, long)) is not None:
            some = self._first(g, seconds - length, pace)
            classes = self._classes_of[g]
            mine |= self._needs[g]
            held |= self._needs[g]
            if self._need(mine, rows, classes) > memory:  # then only the tasks that fit, at least one
                some = self._that_fit(some, mine, rows, memory, bool(batch))
            else:
                rows[classes] = True
            if not some:
                break
            del self._waiting[g][-len(some) :]
            done = float(self.work[some].sum())
            self._left[g] -= done
            self._longest[g] = self._longest_of(g)
            length += pace.seconds_of(done)
            batch += some
        return np.array(batch, dtype=np.int64)

    def _first(self, g: int, seconds: float, pace: Pace) -> list[int]:
        """Return the tasks of a group that come next and take about this long, at least one."""
        waiting = self._waiting[g]
        ahead = np.array(waiting[: -MOST_AT_ONCE - 1 : -1])
        n = 1 + int(np.searchsorted(np.cumsum(self.work[ahead]) * pace.seconds_of(1.0), seconds))
        first: list[int] = ahead[:n].tolist()
        return first

    def _need(self, blocks: NDArray[np.bool_], rows: NDArray[np.bool_], classes: Index) -> float:
        """Return the bytes for some blocks, and for the rows of some classes and of those that are there already."""
        new = classes[~rows[classes]]
        return float(blocks @ self._block_bytes + 2.0 * (rows @ self._row_bytes + self._row_bytes[new].sum()))

    def _that_fit(
        self, some: list[int], blocks: NDArray[np.bool_], rows: NDArray[np.bool_], memory: float, begun: bool
    ) -> list[int]:
        """Return the first of some tasks that fit into the memory together; the very first, if nothing is begun."""
        for k, t in enumerate(some):
            classes = np.unique(self._classes(t)).astype(np.int64)
            if (begun or k) and self._need(blocks, rows, classes) > memory:
                return some[:k]
            rows[classes] = True
        return some

    def put_back(self, batch: Index) -> None:
        """Let tasks wait again, whose batch was lost."""
        for t in batch.tolist()[::-1]:
            g = int(self._group_of[t])
            self._waiting[g].append(t)
            self._left[g] += self.work[t]
            self._longest[g] = self._longest_of(g)

    def blocks_of(self, batch: Index) -> Index:
        """Return the blocks that a batch needs."""
        return np.flatnonzero(self._needs[np.unique(self._group_of[batch])].any(axis=0))

    def _classes(self, t: int) -> NDArray[np.int32]:
        return self.tasks.classes[self.tasks.begin[t] : self.tasks.begin[t + 1]]

    def _best(self, held: NDArray[np.bool_], holders: Index, long: float) -> int | None:
        """Return the group to take tasks from: the best by the first key; of equally good ones, by the next."""
        groups = np.flatnonzero(self._longest >= 0.0)
        if not len(groups):
            return None
        moved = self._weights @ np.where(held, 0.0, self._block_bytes)
        shared = self._weights @ np.where(held, 0.0, holders)
        for key in (self._longest <= long, moved, shared, -self._left):
            groups = groups[key[groups] == key[groups].min()]
        return int(groups[0])

    def _longest_of(self, g: int) -> float:
        """Return the work of the longest task of a group that waits, which is taken next; -1 if none waits."""
        return float(self.work[self._waiting[g][-1]]) if self._waiting[g] else -1.0


def _shortest_first(tasks: Index, work: Array) -> list[int]:
    """Return tasks by their work, ascending; of equally long ones the last first."""
    back = tasks[::-1]
    ordered: list[int] = back[np.argsort(work[back], kind="stable")].tolist()
    return ordered


def _group(tasks: Tasks, block_of: Index, n_blocks: int) -> tuple[Sequence[Index], NDArray[np.bool_]]:
    """Return the tasks that need the same blocks, as a list of groups, and which blocks each group needs."""
    if not len(tasks):
        return [], np.zeros((0, n_blocks), dtype=bool)
    if tasks.pairwise:  # a faster way, because there may be very many pairs
        blocks = block_of[tasks.pairs]
        keys, of_task = np.unique(blocks[:, 0] * n_blocks + blocks[:, 1], return_inverse=True)
        needs = np.zeros((len(keys), n_blocks), dtype=bool)
        needs[np.arange(len(keys)), keys // n_blocks] = needs[np.arange(len(keys)), keys % n_blocks] = True
    else:
        task_of = np.repeat(np.arange(len(tasks)), np.diff(tasks.begin))
        of_each = np.zeros((len(tasks), n_blocks), dtype=bool)
        of_each[task_of, block_of[tasks.classes]] = True
        _, first, of_task = np.unique(np.packbits(of_each, axis=1), axis=0, return_index=True, return_inverse=True)
        needs = of_each[first]
    of_task = of_task.ravel()
    order = np.argsort(of_task, kind="stable")
    return np.split(order, np.cumsum(np.bincount(of_task))[:-1]), needs
