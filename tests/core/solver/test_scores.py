"""Scores follow the multipliers: against their definition in NumPy."""

import numpy as np
import pytest
from helpers import LEVELS


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [2, 17, 100, 2100])
def test_scores_and_extremes_of_a_start(make, n, level):
    """With all multipliers at half of their caps, and with all at zero."""
    for start in (0.0, 0.5):
        problem = make(n, n, level=level, start=start)
        expected = problem.scores(problem.lam)
        np.testing.assert_allclose(problem.parts.values[:n], expected, atol=1e-12)
        up, low = problem.rooms(problem.lam)
        top, bottom = problem.parts.extremes()
        assert top == pytest.approx(expected[up].max(), abs=1e-12)
        assert bottom == pytest.approx(expected[low].min(), abs=1e-12)


@pytest.mark.parametrize("n", [17, 100])
def test_scores_move_with_the_multipliers(make, n):
    """Also to a cap and back to zero, which changes who may go where."""
    problem = make(1, n)
    places = [0, 3, n - 1]
    lam = problem.lam.copy()
    for to in ([0.1, problem.U[3], 0.2], [problem.U[0], 0.3, 0.0]):
        problem.parts.move(places, list(to))
        lam[places] = to
        np.testing.assert_allclose(problem.parts.values[:n], problem.scores(lam), atol=1e-12)
        up, low = problem.rooms(lam)
        assert [problem.parts.may_move(k) for k in range(n)] == list(zip(up.tolist(), low.tolist(), strict=True))
    assert problem.parts.refresh() == pytest.approx(problem.parts.extremes(), abs=1e-12)
    np.testing.assert_array_equal(problem.parts.lam[:n], lam)


def test_reach_is_the_root_of_squares_times_the_largest_kernel_value(make):
    problem = make(2, 50, start=0.5)
    assert problem.parts.reach == pytest.approx(np.linalg.norm(problem.lam) * problem.K.max())


def test_violation_is_measured_against_the_other_extreme(make):
    """A sample that may go both ways violates by the larger of its two distances."""
    problem = make(3, 30, start=0.5)
    scores, (top, bottom) = problem.scores(problem.lam), problem.parts.extremes()
    for k in range(30):
        assert problem.parts.violation(k) == pytest.approx(max(scores[k] - bottom, top - scores[k]), abs=1e-12)
