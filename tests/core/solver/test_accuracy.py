"""What rounding hides: functions of a few numbers."""

import numpy as np
import pytest

from dagmar._core import Accuracy, Footing

EPSILON = np.finfo(float).eps


def test_rounding_adds_up_like_a_random_walk():
    """The error of a kernel value, relative to the largest, times the root of squares of the multipliers."""
    accuracy = Accuracy(tol=1e-3, kernel_error=2e-7, finer_error=1e-15, largest=4.0)
    assert accuracy.rounding(Footing(100.0, 100.0, False, 0.0)) == pytest.approx(2e-7 / 4.0 * 100.0)


def test_after_a_refinement_only_the_change_counts():
    """And the rounding of double precision, which is as large here as a third of it."""
    accuracy = Accuracy(tol=1e-3, kernel_error=1e-7, finer_error=1e-15, largest=1.0)
    refined = accuracy.rounding(Footing(1e8, 3.0, True, 0.0))
    assert refined == pytest.approx(np.hypot(1e-7 * 3.0, 1e-15 * 1e8))
    assert refined < 1e-2 * accuracy.rounding(Footing(1e8, 1e8, False, 0.0))


def test_hidden_joins_both_errors_four_times():
    accuracy = Accuracy(tol=1e-3, kernel_error=1e-7, finer_error=0.0, largest=1.0)
    footing = Footing(300.0, 300.0, False, 1e-10)
    lost = 1e-5 - 2 * EPSILON * 300.0
    assert accuracy.lost(footing) == pytest.approx(lost)
    assert accuracy.hidden(footing) == pytest.approx(4.0 * np.hypot(3e-5, lost))


@pytest.mark.parametrize(("drift", "stale"), [(4.9e-5, False), (5.1e-5, True)])
def test_scores_are_stale_from_a_twentieth_of_tol_on(drift, stale):
    assert Accuracy(1e-3, 0.0, 0.0, 1.0).stale(Footing(1.0, 1.0, False, drift**2)) is stale


@pytest.mark.parametrize(("reach", "coarse"), [(1.6e3, False), (1.7e3, True)])
def test_kernel_is_too_coarse_where_six_errors_reach_tol(reach, coarse):
    accuracy = Accuracy(tol=1e-3, kernel_error=1e-7, finer_error=0.0, largest=1.0)
    assert accuracy.too_coarse(Footing(reach, reach, False, 0.0)) is coarse


def test_a_kernel_without_error_is_never_too_coarse():
    """The user's own matrix counts as exact."""
    accuracy = Accuracy(tol=1e-9, kernel_error=0.0, finer_error=0.0, largest=1.0)
    assert not accuracy.too_coarse(Footing(1e300, 1e300, False, 0.0))


def test_far_too_coarse_is_a_thousand_times_tol():
    accuracy = Accuracy(tol=1e-3, kernel_error=1e-3, finer_error=0.0, largest=1.0)
    assert not accuracy.far_too_coarse(Footing(999.0, 999.0, False, 0.0))
    assert accuracy.far_too_coarse(Footing(1001.0, 1001.0, False, 0.0))


def test_bias_is_measured_if_it_could_matter():
    """Until then half of the standard error counts; afterwards what was found, in proportion to the multipliers."""
    accuracy = Accuracy(tol=1e-3, kernel_error=1e-7, finer_error=0.0, largest=1.0, measurable=True)
    few, many = Footing(10.0, 10.0, False, 0.0, 1800.0), Footing(100.0, 100.0, False, 0.0, 7000.0)
    assert accuracy.hidden(few) == pytest.approx(0.5 * 1800e-7 + 4 * 1e-6)
    assert not accuracy.must_measure(few, 1000)
    assert accuracy.must_measure(many, 1000)
    assert not accuracy.must_measure(many, 100)  # closing the gap takes less time
    accuracy.measured(many, 2e-4, 3e-5)
    assert accuracy.hidden(many) == pytest.approx(2e-4 + 8 * 3e-5)
    accuracy.measured(many, 2e-4, 1e-6)  # a smaller spread is no proof
    assert accuracy.hidden(many) == pytest.approx(2e-4 + 8 * 3e-5)
    assert not accuracy.too_coarse(many)
    assert not accuracy.must_measure(Footing(100.0, 100.0, False, 0.0, 8500.0), 1000)
    assert accuracy.must_measure(Footing(200.0, 200.0, False, 0.0, 14000.0), 1000)
    assert accuracy.too_coarse(Footing(200.0, 200.0, False, 0.0, 14000.0))  # 2 * (2e-4 + 12 * 3e-5)
    assert accuracy.hidden(Footing(200.0, 0.0, True, 0.0, 0.0)) == 0.0


def test_bias_counts_only_if_it_can_be_measured():
    """In double precision there is nothing to compare with."""
    accuracy = Accuracy(tol=1e-3, kernel_error=1e-7, finer_error=0.0, largest=1.0)
    footing = Footing(100.0, 100.0, False, 0.0, 1e6)
    assert not accuracy.must_measure(footing, 1000)
    assert accuracy.hidden(footing) == pytest.approx(4e-5)
