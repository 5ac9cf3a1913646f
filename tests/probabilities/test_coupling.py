"""Coupling: the minimum of Wu, Lin & Weng, for any probabilities of the pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import coupling as reference

from dagmar import _core
from dagmar.base.instructions import at_level, simd_level
from dagmar.base.pairs import n_pairs, pair_classes
from dagmar.probabilities.coupling import couple
from dagmar.probabilities.sigmoid import SMALLEST


def drawn(rng, n_samples, n_classes, spread):
    """Probabilities of pairs, the closer to 0 and 1 the larger the spread."""
    z = spread * rng.normal(size=(n_samples, n_pairs(n_classes)))
    return np.clip(1 / (1 + np.exp(z)), SMALLEST, 1 - SMALLEST)


@pytest.mark.parametrize("n_classes", [3, 4, 9])
@pytest.mark.parametrize("spread", [0.5, 3.0, 40.0])
def test_probabilities_are_those_of_the_iteration(n_classes, spread, rng):
    """The system solved at once has the solution that the iteration of the paper comes to."""
    later = drawn(rng, 6, n_classes, spread)
    expected = [reference.couple(row, n_classes) for row in later]
    np.testing.assert_allclose(couple(later, n_classes), expected, atol=1e-9)


probabilities = st.floats(SMALLEST, 1 - SMALLEST) | st.sampled_from([SMALLEST, 1 - SMALLEST, 0.5])


@given(st.integers(2, 6).flatmap(lambda k: st.lists(probabilities, min_size=n_pairs(k), max_size=n_pairs(k))))
def test_every_input_gives_the_minimum(pairs):
    """The probabilities are positive with sum 1, and all equations of the minimum hold."""
    n_classes = {n_pairs(k): k for k in range(2, 7)}[len(pairs)]
    (p,) = couple(np.array([pairs]), n_classes)
    assert (p > 0).all()
    assert p.sum() == pytest.approx(1.0, abs=1e-14)
    Q = reference.matrix(pairs, n_classes)
    np.testing.assert_allclose(Q @ p, p @ Q @ p, atol=1e-13)


@given(st.lists(st.floats(1e-5, 1.0), min_size=2, max_size=8))
def test_consistent_pairs_are_found_again(weights):
    """If the pairs come from probabilities of the classes, these are the result."""
    p = np.array(weights) / np.sum(weights)
    i, j = pair_classes(len(p))
    np.testing.assert_allclose(couple((p[j] / (p[i] + p[j]))[None], len(p))[0], p, rtol=1e-7)


def test_classes_may_be_renamed(rng):
    """Another order of the classes gives the same probabilities in that order."""
    later, order = drawn(rng, 5, 6, 4.0), rng.permutation(6)
    i, j = pair_classes(6)
    r = np.zeros((5, 6, 6))
    r[:, j, i], r[:, i, j] = later, 1 - later
    np.testing.assert_allclose(couple(r[:, order[j], order[i]], 6), couple(later, 6)[:, order], atol=1e-13)


@pytest.mark.parametrize("n_classes", [2, 7, 33])
def test_bits_do_not_depend_on_the_batch(n_classes, rng):
    """A sample has the same probabilities alone, in a batch, by several threads, and with AVX2 and AVX-512."""
    later = drawn(rng, 40, n_classes, 5.0)
    together = couple(later, n_classes)
    np.testing.assert_array_equal(np.concatenate([couple(row[None], n_classes) for row in later]), together)
    np.testing.assert_array_equal(couple(later, n_classes, 3), together)
    for level in (level for level in _core.Level if _core.Level.plain.value < level.value <= simd_level().value):
        with at_level(level):
            np.testing.assert_array_equal(couple(later, n_classes), together)
    with at_level(_core.Level.plain):
        np.testing.assert_allclose(couple(later, n_classes), together, rtol=1e-9)


def test_no_samples():
    """No samples have no probabilities."""
    assert couple(np.zeros((0, 3)), 3).shape == (0, 3)


@pytest.mark.parametrize("n_classes", [23, 110])
def test_many_classes(n_classes, rng):
    """The system is solved in blocks of classes, of which the last is smaller."""
    later = drawn(rng, 3, n_classes, 2.0)
    for pairs, p in zip(later, couple(later, n_classes), strict=True):
        Q = reference.matrix(pairs, n_classes)
        np.testing.assert_allclose(Q @ p, p @ Q @ p, atol=1e-13)
        np.testing.assert_allclose(p.sum(), 1.0, rtol=1e-13)
