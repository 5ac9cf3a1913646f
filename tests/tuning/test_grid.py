"""The grid of a search: its cells, their order, and the table of scores."""

import numpy as np
import pandas as pd
import pytest
from helpers import blobs
from searches import CS, GAMMAS, assert_same_search, grid_search
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import ParameterGrid

import dagmar
from dagmar import SVC, SVCCV
from dagmar.tuning.grid import Grid

SEARCHES = ("grid", "adaptive")


@pytest.mark.parametrize("kernel", ["linear", "precomputed", rbf_kernel])
def test_kernels_without_gamma_search_for_C_alone(kernel, three_blobs):
    """The grid is one of C; a kernel function is called for the whole matrix, once, and again to refit."""
    X, y = three_blobs
    data = rbf_kernel(X) if kernel == "precomputed" else X
    ours = SVCCV(CS, GAMMAS, 3, kernel=kernel, tol=1e-8).fit(data, y)
    assert_same_search(ours, grid_search(3, gammas=None, kernel=kernel, tol=1e-8).fit(data, y))
    assert list(ours.best_params_) == ["C"]
    assert ours.score(data, y) == ours.best_estimator_.score(data, y)


def test_default_grid_is_around_scale(seven_blobs):
    """Five gammas by factors of four, whose middle is SVC's default."""
    X, y = seven_blobs
    search = SVCCV([1.0], cv=2).fit(X, y)
    gammas = search.cv_results_["param_gamma"]
    scale = 1 / (X.shape[1] * X.var())
    np.testing.assert_allclose(gammas, scale * 4.0 ** np.arange(-2, 3))


def test_default_grid_of_the_adaptive_search_is_finer_and_wider():
    """Powers of two; it contains every C and gamma of the default of search="grid"."""
    X, y = blobs(0, 3, 20, 2)
    grids = {
        search: Grid.resolve(None, "scale-grid", "rbf", X, y, np.ones(len(y)), False, 1, search) for search in SEARCHES
    }
    assert grids["grid"].shape == (7, 5)
    assert grids["adaptive"].shape == (15, 11)
    for axis in ("Cs", "gammas"):
        fine, coarse = (np.array(getattr(grids[search], axis)) for search in ("adaptive", "grid"))
        np.testing.assert_allclose(fine[1:] / fine[:-1], 2.0)
        assert all(np.isclose(fine, value).any() for value in coarse)
    search = SVCCV(search="adaptive", cv=2, refit=False).fit(X, y)
    assert len(search.cv_results_["params"]) <= 15 * 11 / 3
    assert len(search.gammas_) == 11


def test_dbtc_is_one_gamma(seven_blobs):
    """The gamma of dagmar.tuning.dbtc, with the weights of the samples."""
    X, y = seven_blobs
    weight = 1.0 + np.arange(len(y)) % 3
    search = SVCCV(CS, "dbtc", 3).fit(X, y, weight)
    assert search.best_params_["gamma"] == dagmar.tuning.dbtc(X, y, sample_weight=weight).gamma
    assert len(search.cv_results_["params"]) == len(CS)


def test_table_is_for_pandas_and_in_the_order_of_the_grid(three_blobs):
    """Columns as GridSearchCV has them, cells as ParameterGrid."""
    X, y = three_blobs
    search = SVCCV(CS, GAMMAS, 3).fit(X, y)
    frame = pd.DataFrame(search.cv_results_)
    assert search.cv_results_["params"] == list(ParameterGrid({"C": CS, "gamma": GAMMAS}))
    assert set(frame) == set(grid_search(3).fit(X, y).cv_results_)
    assert frame.loc[search.best_index_, "rank_test_score"] == 1
    assert (frame["mean_fit_time"] > 0).all()
    assert (frame["mean_score_time"] > 0).all()
    assert isinstance(search.best_estimator_, SVC)
    assert search.refit_time_ > 0


def test_first_of_equals_wins():
    """Where all is easy, the first cell is as good as any."""
    X, y = blobs(1, 3, 20, 2, spread=0.1)
    assert SVCCV([3.0, 1.0, 9.0], [0.1, 1.0], 3).fit(X, y).best_params_ == {"C": 3.0, "gamma": 0.1}


def test_cells_are_in_the_order_of_parameter_grid():
    """Gamma changes fastest; where the kernel has none to choose, cells name C alone."""
    assert Grid(np.array(CS), GAMMAS, named=True).cells == list(ParameterGrid({"C": CS, "gamma": GAMMAS}))
    assert Grid(np.array(CS), [1.0], named=False).cells == list(ParameterGrid({"C": CS}))


def test_best_cell_of_each_pair():
    """A cell for all is its parameters, a cell for each pair an array of them; a gamma for all stays a number."""
    grid = Grid(np.array(CS), GAMMAS, named=True)
    assert grid.cells[4] == {"C": 1.0, "gamma": 0.02}
    of_pairs = grid.best_of_pairs(np.array([4, 0, 8]))
    assert {name: values.tolist() for name, values in of_pairs.items()} == {"C": [1, 4, 64], "gamma": [0.02, 0.1, 0.4]}
    alone = Grid(np.array(CS), [0.1], named=True).best_of_pairs(np.array([2, 0]))
    assert (alone["C"].tolist(), alone["gamma"]) == ([64.0, 4.0], 0.1)


def test_table_ranks_cells_by_their_mean():
    """Means, spreads and ranks are NumPy's over the folds; equal cells share a rank, and cells without a score come last."""
    scores = np.array([[[0.5, 0.7], [0.9, 0.9]], [[0.6, 0.6], [np.nan, 0.9]]])
    grid = Grid(np.array([1.0, 2.0]), [0.1, 0.2], named=True)
    table = grid.table({"score": scores, "other": -scores}, np.ones((2, 2, 2)), np.zeros((2, 2, 2)))
    by_cell = scores.reshape(4, 2)
    np.testing.assert_allclose(table["mean_test_score"], by_cell.mean(axis=1))
    np.testing.assert_allclose(table["std_test_score"], by_cell.std(axis=1))
    np.testing.assert_array_equal(table["split1_test_score"], by_cell[:, 1])
    assert table["rank_test_score"].tolist() == [2, 1, 2, 4]
    np.testing.assert_array_equal(table["mean_test_other"], -table["mean_test_score"])
    assert table["rank_test_other"].tolist() == [1, 3, 1, 4]
    assert table["mean_fit_time"].tolist() == [1.0] * 4
    assert table["param_gamma"].tolist() == [0.1, 0.2, 0.1, 0.2]
    some = grid.table(
        {"score": scores}, np.ones((2, 2, 2)), np.zeros((2, 2, 2)), np.array([[True, False], [True, False]])
    )
    assert some["params"] == [{"C": 1.0, "gamma": 0.1}, {"C": 2.0, "gamma": 0.1}]
    assert some["split1_test_score"].tolist() == [0.7, 0.6]


@pytest.mark.parametrize("gammas", [["scale", 0.05, "auto"], np.array(["auto", "scale"]), "scale", ("auto",)], ids=str)
def test_names_among_gammas(gammas, seven_blobs):
    """Cells have the names, machines the numbers that a fit of all samples has, and the scores are those of the numbers."""
    X, y = seven_blobs
    named = SVCCV(CS, gammas, 3, tol=1e-8).fit(X, y)
    given = [gammas] if isinstance(gammas, str) else list(gammas)
    numbers = {"scale": 1 / (X.shape[1] * X.var()), "auto": 1 / X.shape[1], 0.05: 0.05}
    np.testing.assert_allclose(named.gammas_, [numbers[gamma] for gamma in given], rtol=1e-12)
    assert named.cv_results_["params"] == list(ParameterGrid({"C": CS, "gamma": given}))
    assert named.cv_results_["param_gamma"].tolist() == given * len(CS)
    numbered = SVCCV(CS, named.gammas_, 3, tol=1e-8).fit(X, y)
    np.testing.assert_array_equal(named.cv_results_["mean_test_score"], numbered.cv_results_["mean_test_score"])
    assert named.best_index_ == numbered.best_index_
    np.testing.assert_array_equal(named.pair_decisions(X), numbered.pair_decisions(X))


def test_names_are_nearly_those_of_each_fold(letters):
    """GridSearchCV has a "scale" for each fold; it differs so little that scores do, too."""
    ours = SVCCV(CS, ["scale"], 3).fit(*letters)
    theirs = grid_search(3, gammas=["scale"]).fit(*letters)
    assert ours.cv_results_["params"] == list(theirs.cv_results_["params"])
    apart = ours.cv_results_["mean_test_score"] - theirs.cv_results_["mean_test_score"]
    assert np.abs(apart).max() < 0.005


def test_names_with_a_gamma_for_each_pair(three_blobs):
    """Then parameters are numbers, one for each pair."""
    search = SVCCV(CS, ["auto", "scale"], 3, per_pair=True).fit(*three_blobs)
    assert np.isin(search.best_params_["gamma"], search.gammas_).all()


# ----------------------------------------------------------------------- edges


def edges(scores, Cs=(1, 2, 4), gammas=(0.3, 0.1, 0.2)):
    scores = np.array(scores, dtype=float)
    return Grid(np.array(Cs, dtype=float), list(gammas), named=True).edges(scores, int(np.nanargmax(scores)))


def test_edges_are_named_by_axis_and_side():
    """The ends are those of the values, not of the list."""
    assert edges([[1, 1, 1], [1, 1, 9], [1, 1, 1]]) == []
    assert edges([[1, 1, 1], [9, 1, 1], [1, 1, 1]]) == ["the largest gamma (0.3)"]
    assert edges([[1, 9, 1], [1, 1, 1], [1, 1, 1]]) == ["the smallest C (1)", "the smallest gamma (0.1)"]
    assert edges([[1, 1, 1], [1, 1, 1], [1, 1, 9]]) == ["the largest C (4)"]


def test_an_edge_that_is_no_better_is_none():
    """If a cell away from the edge is as good, nothing tells that one beyond is better."""
    assert edges([[1, 1, 9], [1, 1, 9], [1, 1, 1]]) == []
    assert edges([[1, 9, 1], [1, 1, 9], [1, 1, 1]]) == []
    assert edges([[1, 1, 9], [np.nan] * 3, [1, 1, 1]]) == ["the smallest C (1)"]


def test_an_axis_of_one_value_has_no_edge():
    """Nor has one whose values are all the same, or a kernel without gamma."""
    assert edges([[1, 1, 9]], Cs=[1]) == []
    assert edges([[9], [1], [1]], gammas=[0.1]) == ["the smallest C (1)"]
    assert edges([[1, 1, 9], [2, 2, 2], [2, 2, 2]], Cs=[1, 1, 1]) == []
    assert Grid(np.array([1.0, 2.0]), [1.0], named=False).edges(np.array([[1.0], [2.0]]), 1) == ["the largest C (2)"]
