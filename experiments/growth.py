"""The power law T = c·mᵍ, by which Platt et al. (NIPS 1999, section 4) estimate training times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PowerLaw:
    """T = c·mᵍ.

    Attributes
    ----------
    c, exponent : float
    r2 : float
        The share of the variance of log T that is accounted for; 1 for two points, which any power law can join.
    n : int
        Of points.
    """

    c: float
    exponent: float
    r2: float
    n: int

    def at(self, m: float) -> float:
        """T at m."""
        return float(self.c * m**self.exponent)


def fit_power_law(m: Sequence[float], T: Sequence[float]) -> PowerLaw | None:
    """The power law through points, by least squares in logarithms.

    Parameters
    ----------
    m, T : sequence of float
        Points with T ≤ 0 have no logarithm, and are left out.

    Returns
    -------
    PowerLaw or None
        None for fewer than two different m.

    Examples
    --------
    >>> from experiments.growth import fit_power_law
    >>> round(fit_power_law([1, 2, 4], [3, 12, 48]).exponent, 6)
    2.0
    """
    points = [(a, b) for a, b in zip(m, T, strict=True) if a > 0 and b > 0]
    if len({a for a, _ in points}) < 2:
        return None
    x, y = np.log(np.array(points, dtype=np.float64).T)
    dx, dy = x - x.mean(), y - y.mean()
    exponent = float(dx @ dy / (dx @ dx))
    rest = dy - exponent * dx
    spread = float(dy @ dy)
    r2 = 1.0 if spread == 0 else 1 - float(rest @ rest) / spread
    return PowerLaw(c=float(np.exp(y.mean() - exponent * x.mean())), exponent=exponent, r2=r2, n=len(points))
