"""Tasks: the binary questions over classes for which machines are trained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.frozen import FrozenArrays
from ..base.kept import kept_for_few_classes
from ..base.lists import join_begins, select_lists
from ..base.pairs import pair_classes
from ..base.typing import Index


@dataclass(frozen=True, eq=False)
class Tasks(FrozenArrays):
    """A list of binary questions, each some classes against some others.

    Task t has the classes `classes[begin[t]:begin[t+1]]`. Their `sides` are +1 for the classes that a positive value stands for
    and -1 for the others.

    Attributes
    ----------
    begin : ndarray of shape (n_tasks + 1,), int64
    classes : ndarray of int32
    sides : ndarray of int8
    """

    begin: Index
    classes: NDArray[np.int32]
    sides: NDArray[np.int8]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not len(self.begin) or self.begin[-1] != len(self.classes) or len(self.sides) != len(self.classes):
            raise ValueError(
                "begin of tasks must end at the number of classes, and there must be a side for each of them"
            )

    def __len__(self) -> int:
        return len(self.begin) - 1

    @classmethod
    def join(cls, parts: Sequence[Tasks]) -> Tasks:
        """Return the tasks of several lists as one list."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            begin=join_begins([p.begin for p in parts]),
            classes=np.concatenate([p.classes for p in parts]),
            sides=np.concatenate([p.sides for p in parts]),
        )

    def select(self, tasks: Index) -> Tasks:
        """Return some of the tasks, in the given order."""
        begin, entries = select_lists(self.begin, tasks)
        return Tasks(begin, self.classes[entries], self.sides[entries])

    def sides_of(self, t: int) -> tuple[Index, Index]:
        """The classes on the negative and on the positive side of a task."""
        here = slice(self.begin[t], self.begin[t + 1])
        classes, sides = self.classes[here].astype(np.int64), self.sides[here]
        if len(classes) != len(sides):
            raise ValueError("the tasks must have one side for each class")
        return classes[sides < 0], classes[sides > 0]

    def keys(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Return each task as (negative classes, positive classes), sorted, so that equal questions have equal keys."""
        if self.pairwise:  # a faster way, because there may be very many pairs
            return [((i,), (j,)) for i, j in self.pairs.tolist()]
        sides = (self.sides_of(t) for t in range(len(self)))
        return [(tuple(sorted(negative.tolist())), tuple(sorted(positive.tolist()))) for negative, positive in sides]

    def same_as(self, other: Tasks) -> bool:
        """Return whether the tasks and their classes are the same, in the same order."""
        return self is other or all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in ("begin", "classes", "sides")
        )

    @cached_property
    def pairwise(self) -> bool:
        """Whether every task is a pair (i, j), i < j, with j on the positive side."""
        return bool(
            np.all(np.diff(self.begin) == 2)
            and np.all(self.sides[0::2] == -1)
            and np.all(self.sides[1::2] == 1)
            and np.all(self.classes[0::2] < self.classes[1::2])
        )

    @cached_property
    def distinct(self) -> bool:
        """Whether no question occurs twice."""
        if self.pairwise:
            i, j = self.pairs.T
            number = (i << 32) + j
            ascend = bool((number[1:] > number[:-1]).all())  # as all pairs do: then there is nothing to sort
            return ascend or len(np.unique(number)) == len(self)
        return len(set(self.keys())) == len(self)

    @property
    def pairs(self) -> Index:
        """The pairs (i, j), shape (n_tasks, 2); only if `pairwise`."""
        return self.classes.reshape(-1, 2).astype(np.int64)


def some_pairs(pairs: ArrayLike) -> Tasks:
    """Return the tasks of the given pairs (i, j), each with i < j."""
    flat = np.asarray(pairs, dtype=np.int32).reshape(-1, 2)
    return Tasks(
        begin=2 * np.arange(len(flat) + 1, dtype=np.int64),
        classes=flat.ravel(),
        sides=np.tile(np.array([-1, 1], dtype=np.int8), len(flat)),
    )


def groups(divisions: Iterable[tuple[Sequence[int], Sequence[int]]]) -> Tasks:
    """Return tasks of groups of classes, from the (negative, positive) classes of each task."""
    begin, classes, sides = [0], [], []
    for negative, positive in divisions:
        classes += [*negative, *positive]
        sides += [-1] * len(negative) + [1] * len(positive)
        begin.append(len(classes))
    return Tasks(np.array(begin, dtype=np.int64), np.array(classes, dtype=np.int32), np.array(sides, dtype=np.int8))


@kept_for_few_classes
def all_pairs(n_classes: int) -> Tasks:
    """Return the tasks of all pairs of classes (0, 1), (0, 2), ...

    Examples
    --------
    >>> from dagmar.problem.tasks import all_pairs
    >>> all_pairs(3).pairs.tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    return some_pairs(np.stack(pair_classes(n_classes), axis=1))


def each_against_rest(n_classes: int) -> Tasks:
    """Return one task per class, against all other classes; a positive value of task c is for class c."""
    return Tasks(
        begin=n_classes * np.arange(n_classes + 1, dtype=np.int64),
        classes=np.tile(np.arange(n_classes, dtype=np.int32), n_classes),
        sides=np.where(np.eye(n_classes, dtype=bool), 1, -1).astype(np.int8).ravel(),
    )
