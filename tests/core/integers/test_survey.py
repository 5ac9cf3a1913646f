"""The range of every feature, and its distance from multiples of a step."""

import numpy as np
import pytest
from helpers import LEVELS
from reference import codes as reference

from dagmar import _core
from dagmar.base.instructions import simd_level
from dagmar.problem.samples import as_data


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (64, 7), (5000, 33)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("level", LEVELS)
def test_surveys_are_those_of_the_reference(rng, shape, dtype, n_threads, level):
    """On the lattice, off it in some features, and as decimals that are rounded."""
    whole = rng.integers(-20, 20, shape) * 0.001 + 0.25
    for X in (whole, whole + 1e-6 * (np.arange(shape[1]) % 3 == 0), rng.normal(size=shape)):
        X = X.astype(dtype)
        for anchor in (np.full(shape[1], 0.25), X[0].astype(np.float64)):
            *ends, off = _core.survey(as_data(X), anchor, 0.001, n_threads, level).reshape(3, -1)
            *true_ends, true_off = reference.survey(X, anchor, 0.001).reshape(3, -1)
            np.testing.assert_array_equal(ends, true_ends)
            np.testing.assert_array_equal(off > 2.0**-30, true_off > 2.0**-30)
            assert (off >= true_off - 1e-9).all()  # rounded values may count beside others that are far


def test_rounding_to_single_precision_is_no_distance(rng):
    """In an array of either type; the same distance without rounding counts."""
    X = (rng.integers(0, 1000, (200, 5)) * 0.001).astype(np.float32)
    off = lambda X: _core.survey(as_data(X), np.zeros(5), 0.001, 1, simd_level()).reshape(3, -1)[2]  # noqa: E731
    assert (off(X) == 0).all()
    assert (off(X.astype(np.float64)) == 0).all()
    assert (off(X.astype(np.float64) * (1 + 2.0**-30)) > 2.0**-30).all()


def test_what_does_not_fit_is_refused():
    """One anchor per feature, and a step."""
    X = as_data(np.ones((4, 3)))
    with pytest.raises(ValueError, match="anchor must have one number per feature"):
        _core.survey(X, np.ones(4), 1.0, 1, simd_level())
    with pytest.raises(ValueError, match="step must be positive"):
        _core.survey(X, np.ones(3), 0.0, 1, simd_level())
