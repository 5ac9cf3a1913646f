"""The working set: who is chosen, and what steps inside it do."""

import numpy as np
import pytest
from helpers import LEVELS


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [40, 300, 1000])
def test_first_member_attains_the_top_and_its_best_partner_is_there(make, n, level):
    """Fan, Chen & Lin: a has the largest score that may go up; b has the largest second-order gain beside it."""
    problem = make(n, n, level=level, start=0.5)
    members = problem.parts.select(1e-3)
    scores = problem.scores(problem.lam)
    a = int(np.argmax(scores))  # all may go up and low
    assert members[0] == a
    assert len(set(members)) == len(members) <= 32
    drop = np.maximum(scores[a] - scores, 0.0)
    gain = drop**2 / np.maximum(problem.K[a, a] + np.diag(problem.K) - 2 * problem.K[a], 1e-12)
    assert int(np.argmax(gain)) in members


def test_half_of_a_set_comes_from_the_one_before(make):
    problem = make(4, 1000, start=0.5)
    first = problem.parts.select(1e-3)
    second = problem.parts.select(1e-3)
    assert sorted(first) == sorted(second)  # nothing moved: the same candidates, each once


def test_no_candidate_where_the_gap_is_hidden(make):
    """Candidates must be above the other extreme by half of the goal."""
    problem = make(5, 100)
    top, bottom = problem.parts.extremes()
    assert problem.parts.select(2.1 * (top - bottom)) == []
    assert problem.parts.select(1.9 * (top - bottom)) != []


@pytest.mark.parametrize("level", LEVELS)
def test_steps_lower_the_objective_and_keep_the_constraints(make, level):
    """Inside the set the gap falls to a fifth; the box and the equality hold."""
    problem = make(6, 400, level=level)
    members = problem.parts.select(1e-3)
    made, places, to = problem.parts.solve(1e-3, 10**6)
    assert made > 0
    assert set(places) <= set(members)
    lam = problem.lam.copy()
    lam[places] = to
    assert ((lam >= 0) & (lam <= problem.U)).all()
    assert abs(problem.s @ lam) < 1e-12
    scores = problem.scores(lam)
    assert 0.5 * lam @ (-problem.s * scores - problem.t) < 0  # the objective was 0
    up, low = problem.rooms(lam)
    inside = np.isin(np.arange(400), members)
    top, bottom = problem.parts.extremes()
    assert scores[up & inside].max() - scores[low & inside].min() <= 0.2 * (top - bottom)


def test_steps_can_be_counted(make):
    problem = make(7, 200)
    problem.parts.select(1e-3)
    assert problem.parts.solve(1e-3, 3)[0] == 3
