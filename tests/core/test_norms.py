"""Squared norms of samples as given."""

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
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (700, 300)])
def test_nonzeros_are_counted_as_far_as_needed(rng, dtype, shape):
    """Both zeros are zero, the smallest number is not."""
    values = np.array([0.0, -0.0, np.finfo(dtype).smallest_subnormal, -1.0], dtype=dtype)
    X = rng.choice(values, shape)
    count = np.count_nonzero(X)
    for most in (0, max(0, count - 1), count, count + 1, X.size):
        assert _core.more_nonzeros(as_data(X), most) == (count > most)
    assert not _core.more_nonzeros(as_data(X[:0]), 0)


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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (2000, 200)])
def test_finite_samples(rng, dtype, shape):
    """One number that is not finite is found wherever it stands; the largest and smallest of numbers are finite."""
    largest, smallest = np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal
    X = rng.choice(np.array([largest, -largest, smallest, -smallest, 0.0, -0.0, 1.0], dtype=dtype), shape)
    for n_threads in (1, 3):
        assert _core.finite_samples(X, n_threads)
        for place in (0, X.size // 2, X.size - 1):
            for wrong in (np.inf, -np.inf, np.nan, -np.nan):
                other = X.copy()
                other.flat[place] = wrong
                assert not _core.finite_samples(other, n_threads)


def test_what_is_no_array_of_samples_has_no_finite_samples():
    """Nothing is converted."""
    X = np.ones((2, 3))
    for other in (X.astype(int), X.astype(">f8"), X.T, X[0], X[:0], X[:, :0], X.tolist(), sp.csr_matrix(X)):
        assert not _core.finite_samples(other, 1)


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


@pytest.mark.parametrize(("n", "n_spread"), [(1, 64), (10, 64), (100, 64), (1000, 256)])
def test_samples_to_measure_have_the_largest_norms_and_are_spread(n, n_spread):
    """Half of the rows are the samples farthest from the centre; the columns are those and others from everywhere."""
    norms = np.random.default_rng(n).random(n)
    samples, rows = _core.samples_to_measure(norms, 32, n_spread)
    n_far = min(n, 16)
    assert samples[:n_far].tolist() == np.argsort(-norms)[:n_far].tolist()
    evenly = np.arange(min(n, n_spread)) * n // min(n, n_spread)
    assert samples[n_far:].tolist() == np.setdiff1d(evenly, samples[:n_far]).tolist()
    assert rows[:n_far].tolist() == list(range(n_far))
    assert len(np.unique(rows)) == len(rows) <= 2 * 32
    assert rows.max() < len(samples)


def test_samples_of_equal_norms_are_measured_in_order():
    """Nothing depends on how a library sorts."""
    assert _core.samples_to_measure(np.ones(100), 32, 64)[0][:16].tolist() == list(range(16))
    with pytest.raises(ValueError, match="n_rows"):
        _core.samples_to_measure(np.ones(3), 0, 1)
