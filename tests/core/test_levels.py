"""The search for levels of features, against NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from reference import levels as reference

from dagmar import _core
from dagmar.problem.samples import as_data

pytestmark = pytest.mark.skipif(_core.best_level() == _core.Level.plain, reason="this processor has no use for levels")


def samples(rng, kind, shape, dtype):
    """Samples whose features are multiples of one step, or some of whose are."""
    if kind == "bytes":
        X = rng.integers(0, 17, shape) / 16
    elif kind == "words":
        X = rng.integers(-400, 400, shape) * 0.5
    elif kind == "mostly zeros":
        X = np.where(rng.random(shape) < 0.1, rng.integers(1, 256, shape), 0) / 255
    elif kind == "mostly elsewhere":
        X = 7.0 + np.where(rng.random(shape) < 0.1, rng.integers(1, 256, shape), 0)
    elif kind == "odd features":
        X = rng.integers(0, 17, shape) / 16
        X[:, ::5] = rng.random(X[:, ::5].shape)
    elif kind == "constant":
        X = np.full(shape, 2.5)
    else:
        X = rng.integers(0, 2, shape) * 1e149
    return X.astype(dtype)


KINDS = ["bytes", "words", "mostly zeros", "mostly elsewhere", "odd features", "constant", "huge"]
SHAPES = [(1, 1), (1, 9), (2, 3), (64, 7), (100, 33), (70, 181)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_levels_are_those_of_the_reference(rng, kind, shape, dtype):
    """From a survey of all samples and a look at some, for any centre and gamma."""
    X = samples(rng, kind, shape, np.float64 if kind == "huge" else dtype)
    origin = X[0].astype(np.float64)
    for step in (1.0 / 255, 1.0 / 16, 0.5, 1e149):
        survey = _core.survey_levels(as_data(X), origin, step, 1)
        if kind != "huge":  # beyond 2^51 levels, nothing is a whole number of them
            np.testing.assert_allclose(survey, reference.survey_levels(X, origin, step), rtol=1e-15, atol=1e-9)
        for every in (1, 3, 200):
            for centre in (None, X.min(axis=0).astype(np.float64), X.mean(axis=0, dtype=np.float64)):
                for gamma in (0.0, 0.1, 1e12, 1e300):
                    found = _core.choose_levels(as_data(X), every, survey, step, gamma, centre)
                    wanted = reference.choose_levels(X[::every], survey, step, gamma, centre)
                    assert (found is None) == (wanted is None)
                    if wanted is not None:
                        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("levels", [1, 2, 15, 16, 17, 63, 255, 1000, 2047, 2048])
def test_the_step_is_found(rng, dtype, levels):
    """Up to so many levels, wherever the lowest value is."""
    X = rng.integers(0, levels + 1, (64, 9)) * 0.25 - 3.0
    X[0], X[1], X[2] = -3.0, levels * 0.25 - 3.0, -2.75  # one step apart
    assert _core.common_step(as_data(X.astype(dtype)), 1) == 0.25
    assert _core.common_step(as_data(np.repeat(X, 5, axis=0).astype(dtype)), 5) == 0.25


def test_there_is_no_step(rng):
    """Of values of their own, of too many levels, of values that are all the same or too far apart."""
    too_many = rng.integers(0, 100000, (64, 9)).astype(float)
    for X in (rng.random((64, 9)), too_many, np.full((5, 9), 3.0), rng.choice([-1.6e308, 1.6e308], (64, 9))):
        assert _core.common_step(as_data(X), 1) == 0.0


def test_what_does_not_fit_is_refused():
    """Arrays have their lengths, and samples are dense."""
    X = as_data(np.ones((4, 3)))
    with pytest.raises(ValueError, match="three numbers per feature"):
        _core.choose_levels(X, 1, np.ones(3), 1.0, 1.0, None)
    with pytest.raises(ValueError, match="step must be positive"):
        _core.choose_levels(X, 1, np.ones(9), 0.0, 1.0, None)
    with pytest.raises(ValueError, match="centre must have one number per feature"):
        _core.choose_levels(X, 1, np.ones(9), 1.0, 1.0, np.ones(4))
    with pytest.raises(ValueError, match="every must be 1 or more"):
        _core.common_step(X, 0)
    with pytest.raises(ValueError, match="dense samples"):
        _core.common_step(as_data(sp.csr_matrix(np.ones((4, 3)))), 1)
