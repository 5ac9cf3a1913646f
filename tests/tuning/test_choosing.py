"""The best cells are chosen from scores; those on the edge and those that did not converge are named."""

import warnings

import numpy as np
import pytest
from searches import CS, GAMMAS
from sklearn.exceptions import ConvergenceWarning

import dagmar
from dagmar import SVCCV
from dagmar.tuning.choosing import choose_for_pairs, mean_of_known
from dagmar.tuning.combinations import Attempt, Combination
from dagmar.tuning.grid import Grid
from dagmar.tuning.trials import PairTrials


def test_best_on_the_edge_is_a_warning(seven_blobs):
    """It says which parameter and which side, and names the caller; in the middle there is none."""
    with pytest.warns(
        dagmar.GridEdgeWarning, match=r"^The best cell is on the edge of the grid: .* the largest gamma"
    ) as told:
        SVCCV([0.1, 1.0, 10.0], [1e-4, 2e-4], 3).fit(*seven_blobs)
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SVCCV([1.0], [1e-4], 3).fit(*seven_blobs)
        SVCCV([1e-3, 1.0, 1e4], [1e-5, 0.1, 100.0], 3).fit(*seven_blobs)


def test_best_of_pairs_on_the_edge_is_one_warning(seven_blobs):
    """It counts the pairs."""
    with pytest.warns(dagmar.GridEdgeWarning, match=r"^The best cells of pairs .*: the .* for \d+ of 21 pairs") as told:
        SVCCV([1e-3, 1.0], [1e-4, 1e-1], 3, per_pair=True).fit(*seven_blobs)
    assert len(told) == 1


def test_not_converging_is_one_warning(seven_blobs):
    """It says in how many cells; the refit speaks for itself."""
    search = SVCCV(CS, GAMMAS, 3, max_iter=2, refit=False)
    words = r"Solver terminated early \(max_iter=2\).*Cells not converged: 9 of 9 \(C=4.0, gamma=0.1; C=4.0, gamma=0.02; .*\)$"
    with pytest.warns(ConvergenceWarning, match=words) as told:
        search.fit(*seven_blobs)
    told = [warning for warning in told if warning.category is ConvergenceWarning]
    assert len(told) == 1
    assert search.unconverged_.tolist() == list(range(9))
    assert told[0].filename == __file__


# Problems that do not converge, in the words of `SVC`.
CAUSES = {
    "overflow": (
        {"kernel": "sigmoid", "coef0": -1.0, "per_pair": True},
        1e308,
        r"C is so large that the multipliers overflow, and the kernel matrix is not positive semi-definite, "
        r"so these machines have no optimum: \(0, 1\).*\. ",
    ),
    "indefinite": ({"kernel": "sigmoid", "coef0": -1.0}, 1e300, "The kernel matrix is not positive semi-definite, and"),
    "rounding": ({"kernel": "linear"}, 1e300, "The solver makes no further progress: the KKT gap is still"),
}


@pytest.mark.parametrize("case", CAUSES)
def test_cause_of_not_converging_is_named(case, rng):
    """The warning has the words that SVC has for the same machines, not those of a limit that was not met."""
    fixed, C, words = CAUSES[case]
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 3
    search = SVCCV([1.0, C], [1.0], 2, refit=False, **fixed)
    with pytest.warns(ConvergenceWarning, match=f"^{words}.*Cells not converged: 1 of 2 ") as told:
        search.fit(X, y)
    told = [warning for warning in told if warning.category is ConvergenceWarning]
    assert len(told) == 1
    assert search.cv_results_["params"][search.unconverged_[0]]["C"] == C
    assert f"(C={C}" in str(told[0].message)
    assert "max_iter" not in str(told[0].message)


def test_mean_of_known_leaves_out_unknown_scores():
    """NaN stands for a score that is not known; the mean of none is NaN."""
    values = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan]])
    np.testing.assert_array_equal(mean_of_known(values, axis=1), [2.0, np.nan])


def test_equal_cells_of_a_pair_are_decided_by_place_or_by_C():
    """The first of equally good cells, or that with the largest C, where rounding errors are no difference."""
    grid = Grid(np.array([4.0, 64.0, 1.0]), [0.1], named=True)
    trials = PairTrials.__new__(PairTrials)
    trials.samples = SVCCV(cv=2)._samples(np.zeros((8, 1)), np.arange(8) % 2, None, None)[0]
    trials.scores = np.array([0.5, 0.5 + 1e-15, 0.25])[None, :, None, None] + np.zeros((1, 3, 1, 2))
    trials.fit_seconds = trials.score_seconds = np.zeros((3, 1, 2))
    trials.tried, trials.unconverged = np.ones((3, 1), dtype=bool), np.zeros((3, 1, 2), dtype=bool)
    for largest_C, expected in ((False, 4.0), (True, 64.0)):
        choice = choose_for_pairs(Attempt(Combination("rbf", None), grid, trials), largest_C, -1)
        assert choice.best_params["C"].tolist() == [expected]
        assert choice.best_score == pytest.approx(0.5)
