"""Sigmoids: from the value of a machine to the probability of its positive side.

The probability is 1 / (1 + exp(slope * value + offset)). Slope and offset minimise the log loss on held-out values (Platt 1999),
by Newton's method with a line search (Lin, Lin & Weng 2007). The targets are (n + 1) / (n + 2) and 1 / (n + 2) in place of 1 and
0, where n counts the samples of that side. So the minimum is finite, even if the values separate the sides.

All machines are fitted together; an operation on arrays serves all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..base.frozen import FrozenArrays
from ..base.typing import Array, Index

# Probabilities of a machine are kept this far from 0 and 1, as in LIBSVM, by a limit of the exponent.
SMALLEST = 1e-7
LARGEST = np.log(1.0 / SMALLEST - 1.0)
MOST_STEPS = 100
# A machine is finished when its gradient, per sample, is below this.
FLAT = 1e-9
# Keeps a step finite if all values of a machine are equal; relative to the other entry of the Hessian.
RIDGE = 1e-12
# A step must improve the loss by this share of what the gradient promises. It is halved until it does, or is below SHORTEST.
ENOUGH = 1e-4
SHORTEST = 1e-10
# Losses that differ relatively by less than this are equal but for rounding.
ROUNDING = 1e-14


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
            return _probability(self.slope * values + self.offset)


def _probability(exponent: Array) -> Array:
    """Return 1 / (1 + exp(exponent)), kept away from 0 and 1; the array given is overwritten."""
    np.exp(np.clip(exponent, -LARGEST, LARGEST, out=exponent), out=exponent)
    exponent += 1.0
    return np.divide(1.0, exponent, out=exponent)


@dataclass(frozen=True, eq=False)
class _Entries:
    """Held-out values, scaled, with their targets and weights, sorted by machine; the machines and their numbers of entries."""

    value: Array
    target: Array
    weight: Array
    machine: Index
    size: Index

    def of(self, machines: NDArray[np.bool_]) -> _Entries:
        """Return the entries of some of the machines."""
        there = machines[self.machine]
        if there.all():
            return self
        here = np.repeat(there, self.size)
        return _Entries(self.value[here], self.target[here], self.weight[here], self.machine[there], self.size[there])

    def spread(self, of_machine: Array) -> Array:
        """Return for each entry the number of its machine."""
        return np.repeat(of_machine[self.machine], self.size)

    def sums(self, terms: Array, n_machines: int) -> Array:
        """Return the weighted sum of the terms of each machine; 0 for machines that are not here."""
        out = np.zeros(n_machines)
        if len(terms):
            out[self.machine] = np.add.reduceat(self.weight * terms, np.cumsum(self.size) - self.size)
        return out

    def exponents(self, slope: Array, offset: Array) -> Array:
        return self.spread(slope) * self.value + self.spread(offset)

    def loss(self, slope: Array, offset: Array) -> Array:
        """Return the log loss of each machine; written so that no exponential overflows."""
        z = self.exponents(slope, offset)
        return self.sums(self.target * z + np.maximum(-z, 0.0) + np.log1p(np.exp(-np.abs(z))), len(slope))


def fit_sigmoids(values: Array, positive: NDArray[np.bool_], weight: Array, machine: Index, n_machines: int) -> Sigmoids:
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
    [[0.28], [0.48]]
    """
    n_positive = np.bincount(machine, weight * positive, n_machines)
    n_negative = np.bincount(machine, weight * ~positive, n_machines)
    target = np.where(positive, ((n_positive + 1) / (n_positive + 2))[machine], (1 / (n_negative + 2))[machine])
    scale = np.zeros(n_machines)
    np.maximum.at(scale, machine, np.abs(values))
    scale[scale == 0] = 1.0
    order = np.argsort(machine, kind="stable")
    there, size = np.unique(machine[order], return_counts=True)
    entries = _Entries((values / scale[machine])[order], target[order], weight[order], there, size)
    slope, offset = _minimise(entries, np.log((n_negative + 1) / (n_positive + 1)), n_positive + n_negative)
    return Sigmoids(slope / scale, offset)


def _minimise(entries: _Entries, offset: Array, total: Array) -> tuple[Array, Array]:
    """Return the slopes and offsets of least loss, from slope 0 and the given offsets."""
    n = len(offset)
    slope, offset = np.zeros(n), offset.copy()
    active = total > 0
    loss = entries.loss(slope, offset)
    for _ in range(MOST_STEPS):
        entries = entries.of(active)
        p = _probability(entries.exponents(slope, offset))
        residual, curvature = entries.target - p, p * (1.0 - p)
        g_slope, g_offset = entries.sums(entries.value * residual, n), entries.sums(residual, n)
        active &= np.maximum(np.abs(g_slope), np.abs(g_offset)) > FLAT * total
        if not active.any():
            break
        # The Hessian is diagonal if values are measured from their mean, weighted by curvature. So nothing cancels.
        h_offset = np.maximum(entries.sums(curvature, n), np.finfo(np.float64).tiny)
        mean = entries.sums(entries.value * curvature, n) / h_offset
        from_mean = entries.value - entries.spread(mean)
        h_slope = entries.sums(from_mean**2 * curvature, n) + RIDGE * h_offset
        g_centred = entries.sums(from_mean * residual, n)
        d_slope = np.where(active, -g_centred / h_slope, 0.0)
        d_offset = np.where(active, -g_offset / h_offset, 0.0) - mean * d_slope
        promised = np.where(active, g_centred**2 / h_slope + g_offset**2 / h_offset, 0.0)
        step, loss = _line_search(entries.of(active), loss, slope, offset, d_slope, d_offset, promised, active)
        slope += step * d_slope
        offset += step * d_offset
        active &= step > 0
    return slope, offset


def _line_search(
    entries: _Entries,
    loss: Array,
    slope: Array,
    offset: Array,
    d_slope: Array,
    d_offset: Array,
    promised: Array,
    active: NDArray[np.bool_],
) -> tuple[Array, Array]:
    """Return each machine's step, 1, 1/2, ... until the loss improves enough, or 0 if it never does; and the new losses."""
    step, reached, pending = active.astype(np.float64), loss.copy(), active
    while pending.any():
        tried = entries.loss(slope + step * d_slope, offset + step * d_offset)
        good = pending & (tried <= loss - ENOUGH * step * promised + ROUNDING * loss)
        reached[good] = tried[good]
        pending = pending & ~good
        step[pending] /= 2
        failed = pending & (step < SHORTEST)
        step[failed] = 0.0
        pending &= ~failed
        entries = entries.of(pending)
    return step, reached
