"""The search for a step that features have in common."""

import numpy as np
import pytest
import scipy.sparse as sp
from reference import codes as reference

from dagmar import _core
from dagmar.problem.samples import as_data


def step_of(X, every=1):
    """The step alone."""
    return _core.common_step(as_data(X), every)[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_steps", [1, 2, 15, 16, 17, 63, 255, 1000, 2048, 4095, 4096])
def test_the_step_is_found(rng, dtype, n_steps):
    """Up to 4096 steps between the ends, wherever the lowest value is."""
    X = rng.integers(0, n_steps + 1, (64, 9)) * 0.25 - 3.0
    X[0], X[1], X[2] = -3.0, n_steps * 0.25 - 3.0, -2.75  # one step apart
    assert step_of(X.astype(dtype)) == 0.25
    assert step_of(np.repeat(X, 5, axis=0).astype(dtype), 5) == 0.25


@pytest.mark.parametrize("step", [0.001, 0.007])
def test_the_widest_feature_tells_the_step(rng, step):
    """Decimals rounded to float: the step is as precise as the widest range, also if most features are narrow.

    0.001 is a part of 1 and would be found without it; 0.007 would not.
    """
    X = rng.integers(0, 6, (64, 20)) * step
    X[:, 3] = rng.integers(-1000, 1001, 64) * step
    X[:2, 3] = -1000 * step, 1000 * step
    assert step_of(X.astype(np.float32)) == step


def test_there_is_no_step(rng):
    """For continuous values, too many steps, equal values, and values too far apart."""
    too_many = rng.integers(0, 100000, (64, 9)).astype(float)
    for X in (rng.random((64, 9)), too_many, np.full((5, 9), 3.0), rng.choice([-1.6e308, 1.6e308], (64, 9))):
        assert step_of(X) == 0.0


@pytest.mark.parametrize("low", [0.0, -1.0, 0.125, 0.3])
def test_anchors_are_those_of_the_reference(rng, low):
    """Zero, if the values are multiples of the step, or half a step."""
    X = low + rng.integers(0, 33, (64, 9)) / 4
    X[0], X[1] = low, low + 8
    step, anchor = _core.common_step(as_data(X), 1)
    np.testing.assert_array_equal(anchor, reference.anchors(X, step))
    assert (anchor == {0.3: 0.3, 0.125: 0.125}.get(low, 0.0)).all()


def test_what_does_not_fit_is_refused():
    """Samples are dense, and some are asked."""
    with pytest.raises(ValueError, match="every must be 1 or more"):
        step_of(np.ones((4, 3)), 0)
    with pytest.raises(ValueError, match="dense samples"):
        step_of(sp.csr_matrix(np.ones((4, 3))))
