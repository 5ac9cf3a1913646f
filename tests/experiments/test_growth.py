"""Power laws through points."""

import numpy as np
import pytest

from experiments.growth import fit_power_law


def test_power_law_is_found_again(rng):
    """Points on a power law give back its constant and exponent, and noise shows in R² only."""
    m = np.array([1e3, 2e3, 4e3, 1.6e4])
    law = fit_power_law(m, 3e-7 * m**1.8)
    assert (law.c, law.exponent, law.r2, law.n) == pytest.approx((3e-7, 1.8, 1.0, 4))
    assert law.at(8000) == pytest.approx(3e-7 * 8000**1.8)
    noisy = fit_power_law(m, 3e-7 * m**1.8 * np.exp(0.1 * rng.normal(size=4)))
    assert noisy.exponent == pytest.approx(1.8, abs=0.2)
    assert 0.9 < noisy.r2 < 1


def test_power_law_needs_two_sizes():
    """One size, or values without a logarithm, make no law; a constant is one of exponent 0."""
    assert fit_power_law([], []) is None
    assert fit_power_law([5, 5], [1, 2]) is None
    assert fit_power_law([1, 2], [0, 3]) is None
    assert fit_power_law([1, 2, 4], [7, 7, 7]).exponent == 0
