"""Several kernels and scalers in one search."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, PowerTransformer, RobustScaler, StandardScaler

import dagmar
from dagmar import SVCCV
from dagmar.tuning import Ranks

CS, GAMMAS = [1.0, 30.0], [0.05, 0.5]
NAMED = {
    "standard": StandardScaler(),
    "minmax": MinMaxScaler(),
    "robust": RobustScaler(),
    "power": PowerTransformer(),
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
