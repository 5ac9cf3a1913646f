"""Machines by the user's labels, for results that have one entry per machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..base.frozen import FrozenArrays
from ..base.typing import Index, Labels
from .tasks import Tasks


def plain_labels(labels: Labels) -> list[Any]:
    """Return labels as Python's own objects: texts, numbers and truth values.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.naming import plain_labels
    >>> plain_labels(np.array(["ant", "bee"]))
    ['ant', 'bee']
    """
    return list(labels.tolist() if labels.dtype.kind in "biufU" else labels)


@dataclass(frozen=True, eq=False)
class MachineNames(FrozenArrays):
    """The two sides of each machine in the user's labels.

    Attributes
    ----------
    tasks : Tasks
        The question of each machine.
    labels : ndarray of shape (n_classes,)
        The user's labels.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.naming import MachineNames
    >>> from dagmar.problem.tasks import all_pairs
    >>> names = MachineNames(all_pairs(3), np.array(["ant", "bee", "cat"]))
    >>> names.sides(np.array([2]))
    [(('bee',), ('cat',))]
    """

    tasks: Tasks
    labels: Labels

    def sides(self, machines: Index) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        """Return the labels on the negative and on the positive side of each machine."""
        labels = plain_labels(self.labels)
        if self.tasks.pairwise:
            return [((labels[i],), (labels[j],)) for i, j in self.tasks.pairs[machines].tolist()]
        classes = (self.tasks.sides_of(machine) for machine in machines.tolist())
        return [(tuple(labels[c] for c in no), tuple(labels[c] for c in yes)) for no, yes in classes]

    def columns(self, machines: Index) -> dict[str, Labels]:
        """Return the sides of machines as two columns of a table.

        Parameters
        ----------
        machines : ndarray of shape (n,), int

        Returns
        -------
        dict of ndarray of shape (n,)
            "negative" and "positive". For pairs, the labels; a side of several classes is a text, "rest" if it has all the
            other classes.
        """
        if self.tasks.pairwise:
            pairs = self.tasks.pairs[machines]
            return {"negative": self.labels[pairs[:, 0]], "positive": self.labels[pairs[:, 1]]}
        distinct, place = np.unique(machines, return_inverse=True)
        named = np.empty((len(distinct), 2), dtype=object)
        for k, sides in enumerate(self.sides(distinct)):
            whole = len(sides[0]) + len(sides[1]) == len(self.labels)
            for s, (side, other) in enumerate(zip(sides, sides[::-1], strict=True)):
                rest = whole and len(other) == 1 and len(side) > 2
                named[k, s] = "rest" if rest else side[0] if len(side) == 1 else " or ".join(map(str, side))
        return {"negative": named[place, 0], "positive": named[place, 1]}

    def same_as(self, other: MachineNames | None) -> bool:
        """Return whether these are the names of the same machines."""
        return other is not None and (np.array_equal(self.labels, other.labels) and self.tasks.same_as(other.tasks))


class Named(FrozenArrays):
    """Base class of frozen results with one entry per machine, which may know the names of their machines.

    The names are not part of the result: a model gives them to it, and a part of the result that is selected later has none.
    Pickles and copies keep them.
    """

    names: MachineNames | None = None

    def named(self, names: MachineNames | None) -> Self:
        """Return the same result with these names, or without names; it shares everything else with this one."""
        if names is self.names or (names is not None and names.same_as(self.names)):
            return self
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, names=names)
        return other

    def machine_columns(self, n_machines: int) -> dict[str, Any]:
        """Return the first machines as columns of a table: their numbers and, if names are known, their sides."""
        machines = np.arange(n_machines, dtype=np.int64)
        return {"machine": machines} | ({} if self.names is None else self.names.columns(machines))

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return state if self.names is None else {**state, "names": self.names}
