"""C and gamma given per pair of classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.exceptions import InvalidParameterError
from ..base.frozen import FrozenArrays
from ..base.pairs import pair_classes
from ..base.parameters import OF_DISTANCE
from ..base.typing import Array
from .tasks import Tasks


@dataclass(frozen=True, eq=False)
class PerPair(FrozenArrays):
    """C and gamma of every pair of classes, as symmetric matrices.

    Attributes
    ----------
    C : ndarray of shape (n_classes, n_classes) or None
        None if all pairs have the same C.
    gamma : ndarray of shape (n_classes, n_classes) or None
        Gamma of a kernel of a distance (`OF_DISTANCE`); None if all pairs have the same.

    Examples
    --------
    >>> from dagmar.problem.per_pair import PerPair
    >>> from dagmar.problem.tasks import some_pairs
    >>> per_pair = PerPair.resolve(1.0, [0.1, 0.2, 0.3], "rbf", n_classes=3)
    >>> per_pair.of(some_pairs([(1, 2), (0, 1)]))[1].tolist()
    [0.3, 0.1]
    """

    C: Array | None = None
    gamma: Array | None = None

    @classmethod
    def resolve(
        cls, C: float | ArrayLike, gamma: str | float | ArrayLike, kernel: str | Callable[..., Any], n_classes: int
    ) -> PerPair:
        """Read the values per pair, in the order (0, 1), (0, 2), ..., from the parameters of an estimator."""
        if kernel not in OF_DISTANCE and is_per_pair(gamma):
            raise InvalidParameterError(
                f"The 'gamma' parameter of SVC may differ between pairs for the kernels {', '.join(OF_DISTANCE)} only. "
                f"Got kernel={kernel!r}."
            )
        if not is_per_pair(C) and not is_per_pair(gamma):
            return SHARED
        return cls(_table("C", C, n_classes), _table("gamma", gamma, n_classes))

    def of(self, tasks: Tasks) -> tuple[Array | None, Array | None]:
        """Return C and gamma of the machines of some tasks, each of shape (n_tasks,) or None.

        Raises InvalidParameterError if values are given per pair and the tasks are not all pairs.
        """
        if self.C is None and self.gamma is None:
            return None, None
        if not tasks.pairwise:
            names = " and ".join(name for name, table in [("C", self.C), ("gamma", self.gamma)] if table is not None)
            raise InvalidParameterError(
                f"With {names} given per pair of classes, all machines must be pairs, but the structure asks for others "
                "(one class against the rest, or groups of classes). Choose another structure, or give one number for all "
                "pairs."
            )
        i, j = tasks.pairs.T
        return None if self.C is None else self.C[i, j], None if self.gamma is None else self.gamma[i, j]


# The same C and gamma for all pairs.
SHARED = PerPair()


def is_per_pair(values: Any) -> bool:
    """Return whether the value of C or gamma is a list with a number for each pair, and not one number or a name."""
    return not isinstance(values, float | int | str) and np.ndim(values) > 0


def _table(name: str, values: Any, n_classes: int) -> Array | None:
    """Return numbers in the order of the pairs as a symmetric matrix, or None for a single number."""
    if not is_per_pair(values):
        return None
    i, j = pair_classes(n_classes)
    if len(values) != len(i):
        raise InvalidParameterError(
            f"The {name!r} parameter of SVC must have one number per pair of classes, {len(i)} for the {n_classes} classes "
            f"of y, in the order (0, 1), (0, 2), ... Got {len(values)} numbers."
        )
    table = np.full((n_classes, n_classes), np.nan)
    table[i, j] = table[j, i] = values
    return table
