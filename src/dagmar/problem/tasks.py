"""Binary questions over classes: which machines are to exist."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.frozen import FrozenArrays
from ..base.lists import join_begins, select_lists
from ..base.pairs import pair_classes
from ..base.typing import Index


@dataclass(frozen=True, eq=False)
class Tasks(FrozenArrays):
    """A list of binary questions, each some classes against some others.

    Task t is about `classes[begin[t]:begin[t+1]]`; `sides` is +1 for those a positive value speaks for, else -1.

    Attributes
    ----------
    begin : ndarray of shape (n_tasks + 1,), int64
    classes : ndarray of int32
    sides : ndarray of int8
    """

    begin: Index
    classes: NDArray[np.int32]
    sides: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.begin) - 1

    @classmethod
    def join(cls, parts: Sequence[Tasks]) -> Tasks:
        """All tasks of several lists, one list after the other."""
        return cls(
            begin=join_begins([p.begin for p in parts]),
            classes=np.concatenate([p.classes for p in parts]),
            sides=np.concatenate([p.sides for p in parts]),
        )

    def select(self, tasks: Index) -> Tasks:
        """Some of the tasks, in the order given."""
        begin, entries = select_lists(self.begin, tasks)
        return Tasks(begin, self.classes[entries], self.sides[entries])

    def sides_of(self, t: int) -> tuple[Index, Index]:
        """The classes on the negative and on the positive side of a task."""
        here = slice(self.begin[t], self.begin[t + 1])
        classes, sides = self.classes[here].astype(np.int64), self.sides[here]
        return classes[sides < 0], classes[sides > 0]

    def keys(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Each task as its negative and its positive classes: the same for the same question."""
        if self.pairwise:  # of which there may be very many
            return [((i,), (j,)) for i, j in self.pairs.tolist()]
        sides = (self.sides_of(t) for t in range(len(self)))
        return [(tuple(sorted(negative.tolist())), tuple(sorted(positive.tolist()))) for negative, positive in sides]

    def same_as(self, other: Tasks) -> bool:
        """Whether these are the same tasks in the same order, each with its classes in the same order."""
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in ("begin", "classes", "sides"))

    @property
    def pairwise(self) -> bool:
        """Whether every task is a pair (i, j), i < j, with j on the positive side."""
        return bool(
            np.all(np.diff(self.begin) == 2)
            and np.all(self.sides[0::2] == -1)
            and np.all(self.sides[1::2] == 1)
            and np.all(self.classes[0::2] < self.classes[1::2])
        )

    @property
    def distinct(self) -> bool:
        """Whether no question is asked twice."""
        if self.pairwise:
            i, j = self.pairs.T
            return len(np.unique((i << 32) + j)) == len(self)
        return len(set(self.keys())) == len(self)

    @property
    def pairs(self) -> Index:
        """The pairs (i, j) of pairwise tasks, shape (n_tasks, 2)."""
        return self.classes.reshape(-1, 2).astype(np.int64)


def some_pairs(pairs: ArrayLike) -> Tasks:
    """The pairs (i, j) given, each with i < j."""
    flat = np.asarray(pairs, dtype=np.int32).reshape(-1, 2)
    return Tasks(
        begin=2 * np.arange(len(flat) + 1, dtype=np.int64),
        classes=flat.ravel(),
        sides=np.tile(np.array([-1, 1], dtype=np.int8), len(flat)),
    )


def groups(divisions: Iterable[tuple[Sequence[int], Sequence[int]]]) -> Tasks:
    """Groups of classes against each other: (negative, positive) classes of each task."""
    begin, classes, sides = [0], [], []
    for negative, positive in divisions:
        classes += [*negative, *positive]
        sides += [-1] * len(negative) + [1] * len(positive)
        begin.append(len(classes))
    return Tasks(np.array(begin, dtype=np.int64), np.array(classes, dtype=np.int32), np.array(sides, dtype=np.int8))


def all_pairs(n_classes: int) -> Tasks:
    """Every pair (0, 1), (0, 2), ... of classes.

    Examples
    --------
    >>> from dagmar.problem.tasks import all_pairs
    >>> all_pairs(3).pairs.tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    return some_pairs(np.stack(pair_classes(n_classes), axis=1))


def each_against_rest(n_classes: int) -> Tasks:
    """Every class against all others: machine c speaks for class c."""
    return Tasks(
        begin=n_classes * np.arange(n_classes + 1, dtype=np.int64),
        classes=np.tile(np.arange(n_classes, dtype=np.int32), n_classes),
        sides=np.where(np.eye(n_classes, dtype=bool), 1, -1).astype(np.int8).ravel(),
    )
