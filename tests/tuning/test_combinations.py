"""Several kernels and scalers in one search."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

import dagmar
from dagmar import SVCCV
from dagmar.tuning import Ranks
from dagmar.tuning.choosing import simplest
from dagmar.tuning.combinations import behind

CS, GAMMAS = [1.0, 30.0], [0.05, 0.5]
NAMED = {
    "standard": StandardScaler(),
    "ranks": Ranks(),
    None: "passthrough",
}


@pytest.fixture(scope="module")
def skewed(seven_blobs):
    X, y = seven_blobs
    return np.exp(X * [1, 0.1, 0.5, 0.2, 1] / 3), y


def theirs(kernel, scaler, X, y):
    """The same cells by GridSearchCV over a pipeline."""
    pipeline = Pipeline([("scaler", NAMED[scaler]), ("svc", dagmar.SVC(kernel=kernel, tol=1e-8))])
    grid = {"svc__C": CS} if kernel == "linear" else {"svc__C": CS, "svc__gamma": GAMMAS}
    return GridSearchCV(pipeline, grid, cv=3).fit(X, y)


def test_scores_are_those_of_pipelines(skewed):
    """Each kernel with each scaler has the scores of GridSearchCV, fold by fold; a kernel without gamma has masked ones."""
    X, y = skewed
    kernels, scalers = ("rbf", "linear"), tuple(NAMED)
    ours = SVCCV(CS, GAMMAS, 3, kernels=kernels, scaler=scalers, tol=1e-8).fit(X, y)
    table, row = ours.cv_results_, 0
    for kernel in kernels:
        for scaler in scalers:
            found = theirs(kernel, scaler, X, y).cv_results_
            rows = slice(row, row := row + len(found["params"]))
            for f in range(3):
                np.testing.assert_allclose(
                    table[f"split{f}_test_score"][rows], found[f"split{f}_test_score"], rtol=1e-12
                )
            assert set(table["param_kernel"][rows]) == {kernel}
            assert set(table["param_scaler"][rows]) == {scaler}
            assert list(table["param_C"][rows]) == list(found["param_svc__C"])
    assert row == len(table["params"])
    assert table["param_gamma"].mask.tolist() == [kernel == "linear" for kernel in table["param_kernel"]]
    best = ours.best_params_
    assert best == table["params"][ours.best_index_]
    assert ours.best_score_ == table["mean_test_score"][ours.best_index_]
    again = Pipeline(
        [
            ("scaler", NAMED[best["scaler"]]),
            ("svc", dagmar.SVC(C=best["C"], kernel=best["kernel"], gamma=best.get("gamma", 1.0), tol=1e-8)),
        ]
    ).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), again.predict(X))
    np.testing.assert_array_equal(ours.best_estimator_.predict(X), again.predict(X))


def test_adaptive_search_leaves_hopeless_combinations(skewed):
    """Every combination has its first cells; one that is far behind has no others."""
    X, y = skewed
    X = X * [1, 1e4, 1, 1e4, 1e-4]
    search = SVCCV(search="adaptive", cv=3, scaler=["ranks", None], kernels=("rbf",), refit=False).fit(X, y)
    counts = {scaler: list(search.cv_results_["param_scaler"]).count(scaler) for scaler in ("ranks", None)}
    assert search.best_params_["scaler"] == "ranks"
    assert counts[None] == 30
    assert 30 < counts["ranks"] <= 55
    whole = SVCCV(search="adaptive", cv=3, scaler="ranks", refit=False).fit(X, y)
    assert search.best_score_ == whole.best_score_


def test_grid_search_tries_every_combination_with_kernels_alone(three_blobs):
    """A list of one has its column, too; today's arguments have none."""
    X, y = three_blobs
    search = SVCCV(CS, GAMMAS, 3, kernels=["rbf"]).fit(X, y)
    plain = SVCCV(CS, GAMMAS, 3).fit(X, y)
    assert list(search.best_params_) == ["C", "gamma", "kernel"]
    assert set(search.cv_results_) - set(plain.cv_results_) == {"param_kernel"}
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])


def test_named_scalers_are_not_for_sparse_samples(three_blobs):
    X, y = three_blobs
    with pytest.raises(ValueError, match="must not be 'ranks' for sparse X"):
        SVCCV(CS, GAMMAS, 3, scaler=[None, "ranks"]).fit(sp.csr_matrix(X), y)
    search = SVCCV(CS, GAMMAS, 3, scaler=[None, MaxAbsScaler()]).fit(sp.csr_matrix(X), y)
    assert len(search.cv_results_["params"]) == 8


def test_warnings_are_about_the_chosen_grid_and_all_cells(seven_blobs):
    """The edge is that of the best cell's grid; cells that did not converge are rows of the whole table."""
    X, y = seven_blobs
    with pytest.warns(dagmar.GridEdgeWarning, match=r"edge of the grid: it has .*the largest gamma \(0\.0002\)"):
        SVCCV([0.1, 1.0, 10.0], [1e-4, 2e-4], 3, kernels=("rbf",), scaler=["standard", "ranks"]).fit(X, y)
    with pytest.warns(ConvergenceWarning, match=r"Cells not converged: \d+ of 6 \(.*kernel="):
        search = SVCCV(CS, GAMMAS, 3, kernels=("rbf", "linear"), max_iter=2, refit=False).fit(X, y)
    assert search.unconverged_.max() > 3  # among those of the second kernel


def test_order_of_kernels_is_the_preference(seven_blobs):
    """A combination that is hardly worse than the best is taken if it stands first."""
    X, y = seven_blobs
    first, second = (SVCCV(CS, GAMMAS, 3, scaler=order).fit(X, y) for order in (["standard", None], [None, "standard"]))
    means = [search.cv_results_["mean_test_score"] for search in (first, second)]
    assert sorted(means[0]) == sorted(means[1])
    scores = [np.array([0.9, 0.8, 0.85, 0.9]), np.array([0.9, 0.82, 0.85, 0.89]), np.array([0.7, 0.7, 0.7, 0.7])]
    assert simplest(scores) == 0
    assert simplest(scores[::-1]) == 1
    assert simplest([scores[2], scores[0]]) == 1
    assert simplest([np.full(2, np.nan), np.full(2, np.nan)]) == 0
    assert simplest([np.full(2, np.nan), np.full(2, 0.1)]) == 1


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([0.5, 0.5], 0.0), ([0.4, 0.4], np.inf), ([0.5, 0.3], 1.0), ([0.6, 0.6], 0.0), ([np.nan, 0.5], np.inf)],
)
def test_difference_is_told_in_standard_errors(scores, expected):
    assert behind(np.array(scores), np.array([0.5, 0.5])) == pytest.approx(expected)
