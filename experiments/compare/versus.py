"""One scheme against another: set by set, and over all sets that count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from dagmar.base.typing import Array

from ..statistics import ALPHA, PairedTest, corrected_t_test, holm, ranks, signed_rank_test
from .cube import Cube


@dataclass(frozen=True)
class Versus:
    """A scheme against another.

    Attributes
    ----------
    scheme, other : str
    n_sets : int
        That count: without generated data, related sets as one.
    mean : float
        Of the differences of accuracy over these sets, in points.
    wins, losses : int
        Sets that count on which the scheme has the higher and the lower mean accuracy.
    better, worse : int
        Sets, of all, on which the difference is significant: Nadeau & Bengio's test, with Holm's correction over the sets.
    p : float
        Wilcoxon's signed-rank test over the sets that count; with Holm's correction if several schemes are compared.
    """

    scheme: str
    other: str
    n_sets: int
    mean: float
    wins: int
    losses: int
    better: int
    worse: int
    p: float

    @property
    def direction(self) -> int:
        """1 if the scheme wins on more sets than it loses on, -1 if on fewer, else 0."""
        return int(np.sign(self.wins - self.losses))

    @property
    def significant(self) -> bool:
        """Whether the difference over sets is more than chance."""
        return self.p < ALPHA


def versus(cube: Cube, scheme: str, other: str) -> Versus:
    """Compare a scheme with another.

    Parameters
    ----------
    cube : Cube
    scheme, other : str

    Returns
    -------
    Versus
    """
    matrix = cube.means([scheme, other]).counted()
    difference = np.round(matrix.values[:, 0] - matrix.values[:, 1], 9)
    tests, adjusted = per_set(cube, scheme, other)
    means = np.array([test.mean for test in tests.values()])
    significant = adjusted < ALPHA
    return Versus(
        scheme,
        other,
        len(difference),
        float(difference.mean()) if len(difference) else 0.0,
        int((difference > 0).sum()),
        int((difference < 0).sum()),
        int((significant & (means > 0)).sum()),
        int((significant & (means < 0)).sum()),
        signed_rank_test(difference) if len(difference) else 1.0,
    )


# Each of twenty sentences asks for all comparisons, of all splits and of both halves.
@lru_cache(maxsize=16)
def all_versus(cube: Cube, schemes: tuple[str, ...], other: str) -> list[Versus]:
    """Compare several schemes with one; the p-values of Wilcoxon's tests get Holm's correction.

    Parameters
    ----------
    cube : Cube
    schemes : tuple of str
    other : str

    Returns
    -------
    list of Versus
    """
    found = [versus(cube, scheme, other) for scheme in schemes]
    if not found:
        return []
    adjusted = holm([one.p for one in found])
    return [replace(one, p=float(p)) for one, p in zip(found, adjusted, strict=True)]


def per_set(cube: Cube, scheme: str, other: str) -> tuple[dict[str, PairedTest], Array]:
    """Compare a scheme with another on each set.

    Parameters
    ----------
    cube : Cube
    scheme, other : str

    Returns
    -------
    tests : dict of str to PairedTest
        By set, with Nadeau & Bengio's interval of the mean difference.
    p : ndarray of shape (n_sets,)
        With Holm's correction over the sets.
    """
    tests = {
        name: corrected_t_test(values, *cube.sizes(name)) for name, values in cube.differences(scheme, other).items()
    }
    return tests, holm([test.p for test in tests.values()])


def wins_matrix(cube: Cube, schemes: Sequence[str]) -> Array:
    """On how many sets that count each scheme is better than each other one; ties count half.

    Parameters
    ----------
    cube : Cube
    schemes : sequence of str

    Returns
    -------
    ndarray of shape (n_schemes, n_schemes)
        As a share of the sets that both have; NaN on the diagonal, and where there are none.
    """
    shares = np.full((len(schemes), len(schemes)), np.nan)
    for i, scheme in enumerate(schemes):
        for j, other in enumerate(schemes):
            values = cube.means([scheme, other]).counted().values
            if i != j and len(values):
                shares[i, j] = float(np.mean(2.0 - ranks(values)[:, 0]))
    return shares
