"""Nearest neighbours against sorting all distances."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import problem_of
from hypothesis import given
from hypothesis import strategies as st

from dagmar.problem import neighbours
from dagmar.problem.neighbours import Among, DenseDistances, KernelDistances, Nearest, SparseDistances, distances_of

seeds = st.integers(0, 2**32 - 1)
KINDS = {
    "dense": lambda X: DenseDistances(X, 1.0),
    "sparse": lambda X: SparseDistances(sp.csr_matrix(X), 1.0),
    "kernel": lambda X: KernelDistances(X @ X.T),
}


def whole_numbers(seed, n, d=3, span=4):
    """Samples with many equal distances, none of which is rounded."""
    return np.random.default_rng(seed).integers(-span, span, (n, d)).astype(float)


def squared(X):
    return ((X[:, None] - X) ** 2).sum(axis=2)


def slow_nearest(X, row, columns, count):
    """The nearest of `columns`, ties by index, by sorting."""
    distance = squared(X)[row]
    return sorted((c for c in columns if c != row), key=lambda c: (distance[c], c))[:count]


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, n=st.integers(2, 40), count=st.integers(1, 12))
def test_nearest_are_the_first_of_all(kind, seed, n, count):
    """Neighbours and distances are those of a sorted list, padded where there are too few."""
    X = whole_numbers(seed, n)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(n)[: n // 2 + 1], np.sort(rng.permutation(n)[: n // 2 + 1])
    found = Nearest.find(rows, Among(KINDS[kind](X), columns), count)
    for row, neighbour, distance in zip(rows, found.neighbour, found.distance, strict=True):
        expected = slow_nearest(X, row, columns, count)
        there = len(expected)
        assert neighbour[:there].tolist() == expected
        assert (neighbour[there:] == -1).all()
        np.testing.assert_array_equal(distance[:there], squared(X)[row][expected])
        assert np.isinf(distance[there:]).all()


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, n=st.integers(6, 40), count=st.integers(1, 12))
def test_places_that_another_group_takes(kind, seed, n, count):
    """Each group is added alone: its share of the nearest is that of a sorted list of both."""
    X = whole_numbers(seed, n)
    of_group = np.random.default_rng(seed).integers(0, 3, n)
    own, *others = (np.flatnonzero(of_group == g) for g in range(3))
    if not len(own):
        return
    columns, group = np.concatenate(others), np.repeat([0, 1], [len(part) for part in others])
    of = KINDS[kind](X)
    counts = Nearest.find(own, Among(of, own), count).places_for(Among(of, columns), group, 2)
    for row, found in zip(own, counts, strict=True):
        for other, places in zip(others, found, strict=True):
            nearest = slow_nearest(X, row, np.concatenate([own, other]), count)
            assert places == np.isin(nearest, other).sum()


@pytest.mark.parametrize("scale", [1e-160, 1e-20, 1.0, 1e20, 1e140])
@pytest.mark.parametrize("offset", [0.0, 1.0, 1e6])
def test_bounds_are_below_the_distances(scale, offset, rng):
    """Nowhere is a bound above the distance, nor farther below than it says, near the origin or far from it."""
    X = scale * (offset + rng.normal(size=(300, 7)) * 10.0 ** rng.integers(-3, 2, 300)[:, None])
    problem = problem_of(X, np.arange(300) % 2)
    every = np.arange(300)
    for of in (distances_of(problem), SparseDistances(sp.csr_matrix(X), problem.kernel.scale)):
        lower = Among(of, every).lower(every).astype(float)
        exact = of._exact(*np.divmod(np.arange(300**2), 300)).reshape(300, 300)
        assert (lower <= exact).all()
        assert (lower + of.width(every, every)[:, None] >= exact).all()


def test_distances_equal_on_paper_are_ties():
    """Distances of 0.1 steps differ in their last bits; the sample that comes first is nearer all the same."""
    X = np.array([[0.3], [0.1], [0.5], [0.2], [0.4], [0.0], [0.6]])
    assert len(set(((X - X[0]) ** 2).ravel())) > 4
    among = Among(DenseDistances(X, 1.0), np.arange(7))
    assert Nearest.find(np.array([0]), among, 6).neighbour.tolist() == [[3, 4, 1, 2, 5, 6]]


def test_parts_change_nothing(rng, monkeypatch):
    """Differences are taken in parts, of any size."""
    X = rng.normal(size=(50, 6))
    of, pairs = DenseDistances(X, 1.0), np.divmod(np.arange(2500), 50)
    whole = of(*pairs)
    monkeypatch.setattr(neighbours, "AT_ONCE", 40)
    np.testing.assert_array_equal(of(*pairs), whole)
