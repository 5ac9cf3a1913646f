"""Binary questions over classes: which machines are to exist."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .frozen import FrozenArrays
from .typing import Index


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
    def pairs(self) -> Index:
        """The pairs (i, j) of pairwise tasks, shape (n_tasks, 2)."""
        return self.classes.reshape(-1, 2).astype(np.int64)


def all_pairs(n_classes: int) -> Tasks:
    """Every pair (0, 1), (0, 2), ... of classes.

    Examples
    --------
    >>> from dagmar.tasks import all_pairs
    >>> all_pairs(3).pairs.tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    i, j = np.triu_indices(n_classes, k=1)
    n_pairs = len(i)
    return Tasks(
        begin=2 * np.arange(n_pairs + 1, dtype=np.int64),
        classes=np.stack([i, j], axis=1).astype(np.int32).ravel(),
        sides=np.tile(np.array([-1, 1], dtype=np.int8), n_pairs),
    )


def each_against_rest(n_classes: int) -> Tasks:
    """Every class against all others: machine c speaks for class c."""
    return Tasks(
        begin=n_classes * np.arange(n_classes + 1, dtype=np.int64),
        classes=np.tile(np.arange(n_classes, dtype=np.int32), n_classes),
        sides=np.where(np.eye(n_classes, dtype=bool), 1, -1).astype(np.int8).ravel(),
    )
