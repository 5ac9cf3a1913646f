"""The cells that an adaptive search tries, on tables of scores that are known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagmar.tuning.adaptive import Adaptive, spread


def tried_on(scores, Cs=None, gammas=None, error=0.0):
    """The cells that are tried if these are the mean scores of all, with this standard error."""
    n, m = scores.shape
    folds = scores[:, :, None] + np.sqrt(2) * error * np.array([-1, 1])
    adaptive = Adaptive(np.arange(n) if Cs is None else Cs, np.arange(m) if gammas is None else gammas)
    tried = np.zeros(scores.shape, dtype=bool)
    cells = adaptive.first()
    while cells.any():
        assert not (cells & tried).any()
        tried |= cells
        cells = adaptive.next(np.where(tried[:, :, None], folds, np.nan), tried)
    return tried


def hill(n, m, c, g):
    """Scores that fall off from one cell."""
    return -((np.arange(n)[:, None] - c) ** 2) - (np.arange(m) - g) ** 2.0


@given(n=st.integers(1, 40))
def test_first_values_are_spread_over_all(n):
    """Both ends are there, and no step is larger than three."""
    places = spread(n)
    assert places[0] == 0
    assert places[-1] == n - 1
    assert (np.diff(places) <= 3).all()


@given(c=st.integers(0, 9), g=st.integers(0, 9))
def test_a_hill_is_climbed(c, g):
    """Wherever the best cell of a smooth table is, it is found with a third of the cells."""
    tried = tried_on(hill(10, 10, c, g))
    assert tried[c, g]
    assert tried.sum() <= 33


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 14), m=st.integers(1, 14))
def test_no_table_takes_more_than_the_limit(seed, n, m):
    """Whatever the scores: a third of the cells, or the first ones and the neighbours of the best."""
    scores = np.random.default_rng(seed).normal(size=(n, m))
    n_first = len(spread(n)) * len(spread(m))
    assert tried_on(scores).sum() <= max(n * m // 3, n_first + 8)


def test_values_in_any_order_have_the_same_neighbours(rng):
    """Neighbours are next in value, wherever they stand in the list."""
    Cs, gammas = rng.permutation(10), rng.permutation(8)
    scores = hill(10, 8, 4, 7)
    np.testing.assert_array_equal(tried_on(scores[Cs][:, gammas], Cs, gammas), tried_on(scores)[Cs][:, gammas])


@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (5, 1), (2, 2)])
def test_small_grids(shape):
    """They end, and the best is among the cells."""
    scores = np.arange(np.prod(shape), dtype=float).reshape(shape)
    assert tried_on(scores)[-1, -1]


def test_cells_without_a_score_are_not_followed():
    """A metric that has no answer does not stop the search."""
    scores = hill(10, 10, 5, 5)
    scores[:, 0] = np.nan
    assert tried_on(scores)[5, 5]


def test_cells_within_a_standard_error_are_followed():
    """A second peak is climbed if its foot is as good as the best known, give or take one standard error; not otherwise."""
    scores = np.maximum(hill(10, 10, 0, 0), hill(10, 10, 8, 8) + 0.5)
    assert not tried_on(scores)[8, 8]
    assert tried_on(scores, error=2.0)[8, 8]
