"""Sigmoids: from the value of a machine to the probability of its positive side.

The probability is 1 / (1 + exp(slope * value + offset)). Slope and offset minimise the log loss on held-out values (Platt
1999). The core fits them (`probabilities/sigmoids.hpp`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.frozen import FrozenArrays
from ..base.instructions import simd_level
from ..base.lists import begin_of
from ..base.typing import Array, Index

# Probabilities of a machine are kept this far from 0 and 1, as in LIBSVM, by a limit of the exponent.
SMALLEST = 1e-7
LARGEST = np.log(1.0 / SMALLEST - 1.0)


@dataclass(frozen=True, eq=False)
class Sigmoids(FrozenArrays):
    """The sigmoids of the machines of a bank.

    Attributes
    ----------
    slope, offset : ndarray of shape (n_machines,)
        A value v means the probability 1 / (1 + exp(slope * v + offset)) of the positive side.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.probabilities.sigmoid import Sigmoids
    >>> Sigmoids(np.array([-2.0]), np.array([0.0])).of(np.array([[-1.0], [0.0], [1.0]])).round(2).tolist()
    [[0.12], [0.5], [0.88]]
    """

    slope: Array
    offset: Array

    def of(self, values: Array) -> Array:
        """Return the probabilities of the positive sides, from the values of all machines; both (n_samples, n_machines)."""
        with np.errstate(over="ignore"):  # beyond the largest float, the probability is still that of LARGEST
            exponent = self.slope * values + self.offset
        np.exp(np.clip(exponent, -LARGEST, LARGEST, out=exponent), out=exponent)
        probability: Array = 1.0 / (exponent + 1.0)
        return probability


def fit_sigmoids(
    values: Array, positive: NDArray[np.bool_], weight: Array, machine: Index, n_machines: int, n_threads: int = 1
) -> Sigmoids:
    """Fit a sigmoid to the held-out values of each machine.

    Parameters
    ----------
    values : ndarray of shape (n_entries,)
        Finite.
    positive : ndarray of shape (n_entries,), bool
        Whether the class of the sample is on the positive side of the machine.
    weight : ndarray of shape (n_entries,)
        How many samples each sample counts for.
    machine : ndarray of shape (n_entries,), int
        The machine of each entry. A machine without entries gets the probability 1/2.
    n_machines : int
    n_threads : int
        The result does not depend on it.

    Returns
    -------
    Sigmoids

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.probabilities.sigmoid import fit_sigmoids
    >>> values, positive = np.array([-2.0, -1.0, 0.5, 1.0]), np.array([False, False, False, True])
    >>> fitted = fit_sigmoids(values, positive, np.ones(4), np.zeros(4, dtype=int), 1)
    >>> fitted.of(np.array([[-1.0], [1.0]])).round(2).tolist()
    [[0.23], [0.48]]
    """
    order = np.argsort(machine, kind="stable")
    begin = begin_of(np.bincount(machine, minlength=n_machines))
    return Sigmoids(*_core.fit_sigmoids(begin, values[order], positive[order], weight[order], simd_level(), n_threads))
