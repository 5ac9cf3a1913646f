"""Sigmoids: the least log loss, for all machines at once, whatever the values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import sigmoid as reference

from dagmar import _core
from dagmar.base.instructions import at_level, simd_level
from dagmar.probabilities.sigmoid import SMALLEST, Sigmoids, fit_sigmoids


def made(rng, sizes, shift=1.0):
    """Values of several machines in a mixed order, with weights."""
    machine = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    positive = rng.random(len(machine)) < 0.4
    values = np.where(positive, shift, -shift) * (1 + machine) + rng.normal(size=len(machine)) * (1 + machine)
    return values, positive, rng.uniform(0.1, 3.0, len(machine)), machine


def fit_one(values, positive, weight=None):
    values, positive = np.asarray(values, dtype=float), np.asarray(positive)
    weight = np.ones(len(values)) if weight is None else weight
    fitted = fit_sigmoids(values, positive, weight, np.zeros(len(values), dtype=int), 1)
    return fitted.slope[0], fitted.offset[0]


def test_fits_are_those_of_the_reference(rng):
    """Slope and offset of each machine are found by a slow search, too; weights count."""
    values, positive, weight, machine = made(rng, [30, 7, 50])
    fitted = fit_sigmoids(values, positive, weight, machine, 3)
    for m in range(3):
        here = machine == m
        slope, offset = reference.fit(values[here], positive[here], weight[here])
        np.testing.assert_allclose([fitted.slope[m], fitted.offset[m]], [slope, offset], rtol=1e-5, atol=1e-6)


def test_machines_are_fitted_as_if_alone(rng):
    """Together or alone, a machine gets the same sigmoid, to rounding; one without entries says 1/2."""
    values, positive, weight, machine = made(rng, [30, 7, 50, 400])
    together = fit_sigmoids(values, positive, weight, machine + 1, 6)
    for m in range(4):
        here = machine == m
        alone = fit_one(values[here], positive[here], weight[here])
        np.testing.assert_allclose([together.slope[m + 1], together.offset[m + 1]], alone, rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(together.of(np.ones((1, 6)))[0, [0, 5]], 0.5)


def test_bits_do_not_depend_on_threads_or_instructions(rng):
    """Any number of threads, and AVX2 or AVX-512, give the same sigmoids."""
    made_of = made(rng, [30, 7, 50, 400, *[12] * 40])
    expected = fit_sigmoids(*made_of, 44)
    several = [fit_sigmoids(*made_of, 44, 3)]
    for level in (level for level in _core.Level if _core.Level.plain.value < level.value <= simd_level().value):
        with at_level(level):
            several.append(fit_sigmoids(*made_of, 44))
    for found in several:
        np.testing.assert_array_equal([found.slope, found.offset], [expected.slope, expected.offset])


def test_weights_are_counts(rng):
    """A sample of weight 3 is three samples."""
    values, positive, _, _ = made(rng, [25])
    times = rng.integers(1, 4, len(values))
    np.testing.assert_allclose(
        fit_one(values, positive, times.astype(float)),
        fit_one(np.repeat(values, times), np.repeat(positive, times)),
        rtol=1e-6,
    )


numbers = st.floats(-1e308, 1e308, allow_nan=False) | st.floats(-3.0, 3.0) | st.sampled_from([0.0, 1.0, -1.0, 5e-324])


@given(st.lists(st.tuples(numbers, st.booleans()), min_size=1, max_size=12))
def test_every_input_gives_probabilities(entries):
    """Equal, tiny, huge and separable values: all numbers are finite, probabilities are between the limits and monotone."""
    values, positive = np.array([v for v, _ in entries]), np.array([p for _, p in entries])
    slope, offset = fit_one(values, positive)
    assert np.isfinite([slope, offset]).all()
    asked = np.sort(np.concatenate([values, [0.0, 1e308, -1e308]]))[:, None]
    p = Sigmoids(np.array([slope]), np.array([offset])).of(asked)[:, 0]
    assert ((p >= SMALLEST * (1 - 1e-9)) & (p <= 1 - SMALLEST * (1 - 1e-9))).all()
    assert (np.diff(p) >= 0).all() or (np.diff(p) <= 0).all()


@given(st.lists(st.tuples(st.floats(-4.0, 4.0), st.booleans()), min_size=2, max_size=12))
def test_no_neighbour_is_better(entries):
    """No other slope or offset nearby has a smaller loss."""
    values, positive = np.array([v for v, _ in entries]), np.array([p for _, p in entries])
    slope, offset = fit_one(values, positive)
    weight = np.ones(len(values))
    least = reference.loss(slope, offset, values, positive, weight)
    for a, b in [(0.01, 0.0), (-0.01, 0.0), (0.0, 0.01), (0.0, -0.01)]:
        assert reference.loss(slope + a, offset + b, values, positive, weight) >= least - 1e-9


def test_exchanged_sides_mirror_the_sigmoid(rng):
    """With the sides exchanged and the values negated, the probabilities are those of the other side."""
    values, positive, _, _ = made(rng, [40])
    slope, offset = fit_one(values, positive)
    other_slope, other_offset = fit_one(-values, ~positive)
    assert slope == pytest.approx(other_slope, rel=1e-6)
    assert offset == pytest.approx(-other_offset, rel=1e-6)


def test_equal_values_give_the_share():
    """If all values are equal, the probability is the share of the positive side, drawn towards 1/2."""
    slope, offset = fit_one([2.0] * 6, [True, True, True, True, False, False])
    expected = (4 * (5 / 6) + 2 * (1 / 4)) / 6
    np.testing.assert_allclose(1 / (1 + np.exp(slope * 2.0 + offset)), expected, rtol=1e-6)
