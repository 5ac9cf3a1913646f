"""The grid of a search: its cells, their order, and the table of scores."""

import numpy as np
import pandas as pd
import pytest
from helpers import blobs
from searches import CS, GAMMAS, assert_same_search, grid_search
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import (
    ParameterGrid,
)

import dagmar
from dagmar import SVC, SVCCV


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
