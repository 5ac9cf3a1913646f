"""Usual values of features, against those of sorted columns."""

import numpy as np
import pytest
import scipy.sparse as sp
from reference.usual_values import FEW_NONZEROS, usual_centre

from dagmar import _core
from dagmar.problem.samples import as_data

SHAPES = [(1, 1), (1, 40), (2, 33), (3, 1), (50, 64), (99, 40), (100, 7)]


def check(X, every=1):
    """The usual values of every `every`-th sample are those of the reference; returns them."""
    mean = X.mean(axis=0, dtype=np.float64)
    found = _core.usual_centre(as_data(X), every, mean)
    wanted, far = usual_centre(X[::every], mean)
    if abs(far - 0.5) < 1e-9:  # as of two samples, one of them in the centre: rounding decides
        return found
    assert (found is None) == (wanted is None or far > 0.5)
    if found is not None:
        np.testing.assert_array_equal(found, wanted)
    return found


def test_the_reference_has_the_same_constant():
    """Samples with more nonzeros are multiplied whole."""
    assert _core.FEW_NONZEROS == FEW_NONZEROS


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("share", [0.05, 0.3, 0.35, 0.4, 0.6, 1.0])
def test_values_are_those_of_sorted_columns(rng, dtype, shape, share):
    """At the lowest value, in the middle and at the highest; where values are usual, and where they are not."""
    noise = rng.normal(size=shape)
    X = np.where(rng.random(shape) < share, noise, 0.0)
    for samples in (X, np.abs(X), -np.abs(X), X + 3.0, (noise < share).astype(float), np.rint(noise)):
        check(samples.astype(dtype))


def test_features_without_a_usual_value_have_their_mean(rng):
    """A few features of their own do not change the others."""
    X = np.where(rng.random((100, 40)) < 0.1, rng.normal(size=(100, 40)), 2.0)
    X[:, 3] = rng.normal(size=100)
    found = check(X)
    assert found[3] == X.mean(axis=0)[3]
    assert set(np.delete(found, 3)) == {2.0}


@pytest.mark.parametrize("every", [1, 2, 7, 300, 1000])
def test_only_some_samples_are_asked(rng, every):
    """Every n-th row, from the first on, also if that is the only one."""
    check(np.where(rng.random((300, 50)) < 0.2, rng.normal(size=(300, 50)), 0.0), every)


def test_huge_values(rng):
    """Values at the end of the range are values like others."""
    X = np.where(rng.random((100, 40)) < 0.2, 1e150, -1e150)
    np.testing.assert_array_equal(check(X), -1e150)
    X = np.where(rng.random((100, 40)) < 0.2, 1e308, -1e308)
    np.testing.assert_array_equal(_core.usual_centre(as_data(X), 1, np.zeros(40)), -1e308)  # both are infinite


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_samples_far_from_their_usual_values_have_none(rng, dtype):
    """Few samples far away are harmless, many are not; the same holds for the zeros of few features."""
    for share in (0.05, 0.2, 0.3, 0.6, 1.0):
        for away in (0.0, 1.0, 1e3):
            X = np.zeros((100, 40))
            X[:, :12] = np.where(rng.random((100, 12)) < share, rng.normal(away, 1.0, (100, 12)), 0.0)
            check(X.astype(dtype))
            check(X[:, :3].astype(dtype))


def test_what_does_not_fit_is_refused():
    """The mean has one number per feature, and there must be dense samples."""
    X = np.ones((4, 3))
    with pytest.raises(ValueError, match="mean must have one number per feature"):
        _core.usual_centre(as_data(X), 1, np.ones(4))
    with pytest.raises(ValueError, match="every must be 1 or more"):
        _core.usual_centre(as_data(X), 0, np.ones(3))
    with pytest.raises(ValueError, match="there are no samples"):
        _core.usual_centre(as_data(np.ones((0, 3))), 1, np.ones(3))
    with pytest.raises(ValueError, match="dense samples"):
        _core.usual_centre(as_data(sp.csr_matrix(X)), 1, np.ones(3))
