"""Sigmoids: from the value of a machine to the probability of its positive side.

The probability is 1 / (1 + exp(slope * value + offset)). Slope and offset minimise the log loss on held-out values (Platt
1999), by Newton's method with a line search (Lin, Lin & Weng 2007). The targets are (n + 1) / (n + 2) and 1 / (n + 2) in place
of 1 and 0, where n counts the samples of that side. So the minimum is finite, even if the values separate the sides.

All machines are fitted together; an operation on arrays serves all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..base.frozen import FrozenArrays
from ..base.typing import Array, Index

# Probabilities of a machine are kept this far from 0 and 1, as in LIBSVM, by a limit of the exponent.
SMALLEST = 1e-7
LARGEST = np.log(1.0 / SMALLEST - 1.0)
MOST_STEPS = 100
# A machine is finished when its gradient, per sample, is below this.
FLAT = 1e-8
# Keeps a step finite if all values of a machine are equal; relative to the other entry of the Hessian.
RIDGE = 1e-12
# A step must improve the loss by this share of what the gradient promises. If none above SHORTEST does, the fit has ended.
ENOUGH = 1e-4
SHORTEST = 1e-10
# Beyond this exponent a probability is 0 or 1 but for rounding, and exp is still finite.
FARTHEST = 500.0
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
            exponent = self.slope * values + self.offset
        np.exp(np.clip(exponent, -LARGEST, LARGEST, out=exponent), out=exponent)
        probability: Array = 1.0 / (exponent + 1.0)
        return probability


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

    def evaluate(self, slope: Array, offset: Array) -> tuple[Array, Array]:
        """Return the probability of each entry and the log loss of each machine."""
        z = self.spread(slope)
        z *= self.value
        z += self.spread(offset)
        np.clip(z, -FARTHEST, FARTHEST, out=z)
        one_and_exp = np.exp(z)
        one_and_exp += 1.0
        z *= 1.0 - self.target
        return 1.0 / one_and_exp, self.sums(np.log(one_and_exp) - z, len(slope))


def fit_sigmoids(
    values: Array, positive: NDArray[np.bool_], weight: Array, machine: Index, n_machines: int
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
    values, positive, weight = values[order], positive[order], weight[order]
    there, size = np.unique(machine[order], return_counts=True)
    entries = _Entries(values, np.zeros(0), weight, there, size)
    total, n_positive = (
        entries.sums(np.ones(len(values)), n_machines),
        entries.sums(positive.astype(np.float64), n_machines),
    )
    n_negative = total - n_positive
    target = np.where(
        positive, entries.spread((n_positive + 1) / (n_positive + 2)), entries.spread(1 / (n_negative + 2))
    )
    scale = np.ones(n_machines)
    if len(values):
        scale[there] = np.maximum.reduceat(np.abs(values), np.cumsum(size) - size)
    scale[scale == 0] = 1.0
    entries = replace(entries, value=values / entries.spread(scale), target=target)
    slope, offset = _minimise(entries, np.log((n_negative + 1) / (n_positive + 1)), total)
    return Sigmoids(slope / scale, offset)


def _minimise(entries: _Entries, offset: Array, total: Array) -> tuple[Array, Array]:
    """Return the slopes and offsets of least loss, from slope 0 and the given offsets."""
    n = len(offset)
    slope, offset, active = np.zeros(n), offset.copy(), total > 0
    p, loss = entries.evaluate(slope, offset)
    for _ in range(MOST_STEPS):
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
        # A step must improve the loss; it is halved until it does.
        enough = ENOUGH * (g_centred**2 / h_slope + g_offset**2 / h_offset)
        step, pending = np.ones(n), active
        while True:
            p, tried = entries.evaluate(slope + step * d_slope, offset + step * d_offset)
            pending = pending & (tried > loss - step * enough + ROUNDING * loss)
            if not pending.any():
                break
            step[pending] = np.where(step[pending] > SHORTEST, step[pending] / 2, 0.0)
            active &= step > 0
        slope, offset, loss = slope + step * d_slope, offset + step * d_offset, tried
        if 2 * entries.size[active[entries.machine]].sum() < len(entries.value):
            entries = entries.of(active)
            p, loss = entries.evaluate(slope, offset)
    return slope, offset
