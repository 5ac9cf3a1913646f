"""Rows of samples, copied."""

import numpy as np
import pytest

from dagmar import _core
from dagmar.problem.samples import as_data


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [1, 2, 3, 7, 17, 64, 400])
@pytest.mark.parametrize("offset", [0, 1, 2, 3])
def test_rows_are_copied(rng, dtype, n_features, offset):
    """In the given order, by any number of threads, to any address; nothing else is written."""
    X, index = rng.normal(size=(900, n_features)).astype(dtype), rng.permutation(900)[:700]
    for n_threads in (1, 2):
        memory = np.full(700 * n_features + offset + 1, 7.0, dtype=dtype)
        out = memory[offset:-1].reshape(700, n_features)
        _core.copy_rows(as_data(X), index, out, n_threads)
        np.testing.assert_array_equal(out, X[index])
        np.testing.assert_array_equal(np.append(memory[:offset], memory[-1:]), 7.0)


def test_rows_that_cannot_be_copied():
    """Each refusal names what is wrong."""
    X = as_data(np.ones((4, 3)))
    for index, shape, dtype, words in [
        ([0, 4], (2, 3), np.float64, "index is outside the samples"),
        ([-1], (1, 3), np.float64, "index is outside the samples"),
        ([0], (2, 3), np.float64, "out must have a row for each of index"),
        ([0], (1, 2), np.float64, "out must have a row for each of index"),
        ([0], (1, 3), np.float32, "out must have the type of the samples"),
    ]:
        with pytest.raises(ValueError, match=words):
            _core.copy_rows(X, np.array(index), np.empty(shape, dtype=dtype), 1)
