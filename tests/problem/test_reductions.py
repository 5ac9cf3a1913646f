"""Sums in a fixed order."""

import numpy as np
import pytest

from dagmar.problem.reductions import BLOCK_ROWS, by_blocks, column_sums, product_sum, variance


@pytest.mark.parametrize("n", [1, 100, BLOCK_ROWS, 3 * BLOCK_ROWS + 5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_are_those_of_numpy(rng, n, dtype):
    """Up to rounding; small data in double precision has NumPy's bits."""
    X = rng.normal(3.0, 2.0, size=(n, 4)).astype(dtype)
    wanted = X.sum(axis=0, dtype=np.float64), X.var(dtype=np.float64)
    if n <= BLOCK_ROWS:
        assert np.array_equal(column_sums(X), wanted[0])
        assert dtype == np.float32 or variance(X) == wanted[1]
    assert np.allclose(column_sums(X), wanted[0], rtol=1e-12)
    assert variance(X) == pytest.approx(wanted[1], rel=1e-12)


def test_blocks_cover_all_rows():
    """In order, each of the same number of rows but the last."""
    X = np.arange(2 * BLOCK_ROWS + 1.0)[:, None]
    assert np.array_equal(np.concatenate(list(by_blocks(X, np.copy))), X)


@pytest.mark.parametrize("n", [1, 100, 20_000])
def test_sums_of_products_are_those_of_numpy(rng, n):
    """Up to rounding."""
    a, b = rng.normal(size=(2, n))
    assert product_sum(a, b) == pytest.approx(float(a @ b), rel=1e-9, abs=1e-12)
