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
    assert grid.best(4) == {"C": 1.0, "gamma": 0.02}
    of_pairs = grid.best(np.array([4, 0, 8]))
    assert {name: values.tolist() for name, values in of_pairs.items()} == {"C": [1, 4, 64], "gamma": [0.02, 0.1, 0.4]}
    alone = Grid(np.array(CS), [0.1], named=True).best(np.array([2, 0]))
    assert (alone["C"].tolist(), alone["gamma"]) == ([64.0, 4.0], 0.1)


def test_table_ranks_cells_by_their_mean():
    """Means, spreads and ranks are NumPy's over the folds; equal cells share a rank, and cells without a score come last."""
    scores = np.array([[[0.5, 0.7], [0.9, 0.9]], [[0.6, 0.6], [np.nan, 0.9]]])
    table = Grid(np.array([1.0, 2.0]), [0.1, 0.2], named=True).table(scores, np.ones((2, 2, 2)), np.zeros((2, 2, 2)))
    by_cell = scores.reshape(4, 2)
    np.testing.assert_allclose(table["mean_test_score"], by_cell.mean(axis=1))
    np.testing.assert_allclose(table["std_test_score"], by_cell.std(axis=1))
    np.testing.assert_array_equal(table["split1_test_score"], by_cell[:, 1])
    assert table["rank_test_score"].tolist() == [2, 1, 2, 4]
    assert table["mean_fit_time"].tolist() == [1.0] * 4
    assert table["param_gamma"].tolist() == [0.1, 0.2, 0.1, 0.2]
