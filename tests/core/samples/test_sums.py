"""Passes over dense samples: sums of columns and of squares, and the largest number of a row."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from dagmar import _core
from dagmar.problem.samples import as_data


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [1, 7, 8, 200])
def test_norms_are_those_of_numpy(rng, dtype, n_features):
    """With a centre and without one, whatever is left after groups of eight features."""
    X = rng.normal(size=(50, n_features)).astype(dtype)
    centre = rng.normal(size=n_features)
    as_double = X.astype(np.float64)
    np.testing.assert_allclose(_core.squared_norms(as_data(X), None, 1), (as_double**2).sum(axis=1), rtol=1e-14)
    expected = ((as_double - centre) ** 2).sum(axis=1)
    np.testing.assert_allclose(_core.squared_norms(as_data(X), centre, 1), expected, rtol=1e-13)


def test_norms_are_the_same_bits_for_any_number_of_threads(rng):
    """Threads take whole samples."""
    X, centre = rng.normal(size=(900, 500)), rng.normal(size=500)
    alone = _core.squared_norms(as_data(X), centre, 1)
    for n_threads in (2, 3):
        np.testing.assert_array_equal(_core.squared_norms(as_data(X), centre, n_threads), alone)


def test_norms_that_overflow_are_infinite():
    """Numbers too large for a square are no error here; Python refuses them by name."""
    assert _core.squared_norms(as_data(np.full((1, 9), 1e200)), None, 1) == np.inf


def test_what_does_not_fit_is_refused():
    """A centre has one number per feature; sparse samples are for SciPy."""
    with pytest.raises(ValueError, match="centre must have one number per feature"):
        _core.squared_norms(as_data(np.ones((2, 3))), np.ones(4), 1)
    with pytest.raises(ValueError, match="dense samples"):
        _core.squared_norms(as_data(sp.csr_matrix(np.ones((2, 3)))), None, 1)


def eight_sums(X, centre):
    """The order of additions: eight sums side by side, then these one after the other."""
    terms = (X.astype(np.float64) - centre) ** 2
    padded = np.zeros((len(X), -(-X.shape[1] // 8) * 8))
    padded[:, : X.shape[1]] = terms
    sums = np.zeros((len(X), 8))
    for part in np.split(padded, padded.shape[1] // 8, axis=1):
        sums += part
    total = sums[:, 0].copy()
    for u in range(1, 8):
        total += sums[:, u]
    return total


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (2, 8), (3, 9), (4, 15), (5, 16), (7, 33), (50, 200)])
def test_norms_and_sums_have_the_same_bits_on_all_processors(rng, dtype, shape):
    """The order of additions is fixed, and no operations are fused."""
    X, centre = rng.normal(size=shape).astype(dtype), rng.normal(size=shape[1])
    np.testing.assert_array_equal(_core.squared_norms(as_data(X), centre, 1), eight_sums(X, centre))
    np.testing.assert_array_equal(_core.squared_norms(as_data(X), None, 1), eight_sums(X, 0.0))
    sums = np.zeros(shape[1])
    for row in X:
        sums += row
    np.testing.assert_array_equal(_core.column_sums(as_data(X), 1), sums)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_of_columns(rng, dtype):
    """Of few samples NumPy's, to the bit; of many the same bits for any number of threads."""
    few = rng.normal(size=(50, 7)).astype(dtype)
    np.testing.assert_array_equal(_core.column_sums(as_data(few), 1), few.sum(axis=0, dtype=np.float64))
    many = rng.normal(size=(1500, 300)).astype(dtype)
    alone = _core.column_sums(as_data(many), 1)
    np.testing.assert_allclose(alone, many.sum(axis=0, dtype=np.float64), rtol=0, atol=1e-11)
    for n_threads in (2, 3):
        np.testing.assert_array_equal(_core.column_sums(as_data(many), n_threads), alone)


def test_sums_of_blocks_are_added_in_order(rng):
    """So that samples on several machines, summed in blocks, have the same bits."""
    X = rng.normal(size=(2 * _core.BLOCK_ROWS + 700, 40))
    blocks = [X[first : first + _core.BLOCK_ROWS] for first in range(0, len(X), _core.BLOCK_ROWS)]
    total = sum(_core.column_sums(as_data(block), 1) for block in blocks)
    for n_threads in (1, 3):
        np.testing.assert_array_equal(_core.column_sums(as_data(X), n_threads), total)


def test_the_room_uses_the_level_that_it_is_given():
    """A file that asked for the best level would not obey DAGMAR_SIMD, nor the level that a cluster has agreed on."""
    room = Path(__file__).parents[3] / "cpp" / "core" / "samples"
    files = [*room.glob("*.?pp")]
    assert files
    assert [file.name for file in files if "best_level" in file.read_text()] == []


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [1, 7, 8, 700])
def test_largest_of_rows_are_those_of_numpy(rng, dtype, n_features):
    """Whatever their signs, for any number of threads; a row with a number that is not finite has an infinite one."""
    X = rng.normal(size=(701, n_features)).astype(dtype)
    for n_threads in (1, 3):
        np.testing.assert_array_equal(_core.largest_of_rows(as_data(X), n_threads), np.abs(X).max(axis=1))
    X[3, n_features - 1], X[5, 0], X[7, n_features // 2] = np.nan, -np.inf, np.inf
    assert np.flatnonzero(np.isinf(_core.largest_of_rows(as_data(X), 1))).tolist() == [3, 5, 7]
