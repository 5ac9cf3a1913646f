"""The automatic search and feature weights."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GroupKFold, LeaveOneOut, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar import SVC, SVCCV
from dagmar.tuning import FeatureWeights, searching
from dagmar.tuning.searching import some_of_each

CELLS = {"Cs": [1.0, 8.0, 64.0], "gammas": [0.02, 0.1, 0.5], "cv": 3}


@pytest.fixture(scope="module")
def hidden():
    """The product of two features among eight decides; their scales differ."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(240, 8))
    return X * 10.0 ** np.arange(-3, 5), np.where(X[:, 1] * X[:, 4] > 0, "yes", "no")


def test_weights_are_learned_inside_the_folds(hidden):
    """Their cells have the scores of a pipeline whose weights are learned from the training samples of the fold."""
    X, y = hidden
    plain = SVCCV(**CELLS, scaler="standard").fit(X, y)
    search = SVCCV(**CELLS, scaler="standard", feature_weights="learned").fit(X, y)
    weighted = [cell["feature_weights"] == "learned" for cell in search.cv_results_["params"]]
    assert weighted[:9] == [False] * 9
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"][:9], plain.cv_results_["mean_test_score"])
    best = search.best_params_
    assert best["feature_weights"] == "learned"
    machines = SVC(C=plain.best_params_["C"], gamma=plain.best_params_["gamma"])
    pipeline = Pipeline(
        [
            ("scaler", StandardScaler()),
            ("weights", FeatureWeights(svc=machines)),
            ("svc", SVC(C=best["C"], gamma=best["gamma"])),
        ]
    )
    for f, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        score = clone(pipeline).fit(X[train], y[train]).score(X[test], y[test])
        assert score == search.cv_results_[f"split{f}_test_score"][search.best_index_]
    pipeline.fit(X, y)
    np.testing.assert_array_equal(search.predict(X), pipeline.predict(X))
    np.testing.assert_array_equal(search.feature_weights_, pipeline[1].feature_weights_)
    assert set(np.argsort(search.feature_weights_)[-2:]) == {1, 4}
    assert [name for name, _ in search.best_estimator_.steps] == ["scaler", "feature_weights", "svc"]


def test_weights_that_do_not_help_are_not_taken():
    search = SVCCV(**CELLS, feature_weights="learned").fit(*blobs(1, 3, 20, 2, spread=0.1))
    assert search.best_params_["feature_weights"] is None
    assert isinstance(search.best_estimator_, SVC)
    with pytest.raises(AttributeError, match="has not chosen weights"):
        _ = search.feature_weights_


def test_kernels_without_gradients_get_no_weights(three_blobs):
    """The best of the others gets them, if there are others."""
    X, y = three_blobs
    X = np.abs(X)
    some = SVCCV(**CELLS, kernels=["chi2", "rbf"], feature_weights="learned", refit=False).fit(X, y)
    assert {c["kernel"] for c in some.cv_results_["params"] if c["feature_weights"]} == {"rbf"}
    alone = SVCCV(**CELLS, search="auto", kernel="chi2", scaler=[None]).fit(X, y)
    assert {c["feature_weights"] for c in alone.cv_results_["params"]} == {None}


def test_auto_chooses_everything(hidden):
    """Kernels, scalers and weights are tried, and the scores are those of the same cells alone."""
    X, y = hidden
    search = SVCCV(search="auto", cv=3, n_jobs=2).fit(X, y)
    table = search.cv_results_
    tried = {(cell["kernel"], cell["scaler"], cell["feature_weights"]) for cell in table["params"]}
    plain = {(kernel, scaler, None) for kernel in ("rbf", "laplacian") for scaler in ("standard", "ranks")}
    assert plain < tried
    assert len(tried) == 5
    assert search.best_params_["feature_weights"] == "learned"
    assert search.best_score_ > 0.9
    assert table["params"] == SVCCV(search="auto", cv=3, refit=False).fit(X, y).cv_results_["params"]
    row = next(k for k, cell in enumerate(table["params"]) if cell["kernel"] == "laplacian")
    cell = table["params"][row]
    alone = SVCCV([cell["C"]], [cell["gamma"]], 3, kernel="laplacian", scaler=cell["scaler"]).fit(X, y)
    assert alone.best_score_ == table["mean_test_score"][row]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"kernels": ("linear", "rbf")}, {"kernel": {"linear", "rbf"}, "scaler": {"standard", "ranks"}}),
        ({"kernel": "poly"}, {"kernel": {"poly"}, "scaler": {"standard", "ranks"}}),
        ({"scaler": [None]}, {"kernel": {"rbf", "laplacian"}, "scaler": {None}}),
        ({"scaler": "minmax", "feature_weights": False}, {"kernel": {"rbf", "laplacian"}, "scaler": {"minmax"}}),
        ({"Cs": [1.0, 3.0], "gammas": ["scale", 0.1]}, {"C": {1.0, 3.0}, "gamma": {"scale", 0.1}}),
    ],
)
def test_auto_respects_what_is_given(given, expected, three_blobs):
    cells = SVCCV(search="auto", cv=2, **given).fit(*three_blobs).cv_results_["params"]
    for name, values in expected.items():
        found = {cell[name] for cell in cells if name in cell and not cell.get("feature_weights")}
        assert found == values
    if given.get("feature_weights") is False:
        assert all("feature_weights" not in cell for cell in cells)


@pytest.mark.parametrize("look", [1000, 50])
def test_auto_takes_any_samples(look, three_blobs, monkeypatch):
    """Sparse samples are not scaled; kernel matrices have only C."""
    X, y = three_blobs
    monkeypatch.setattr(searching, "LOOK_ROWS", look)
    sparse = SVCCV(search="auto", cv=2).fit(sp.csr_matrix(X), y)
    assert {(cell["kernel"], cell["scaler"]) for cell in sparse.cv_results_["params"]} <= {
        ("rbf", None),
        ("laplacian", None),
    }
    for kernel, data in (("precomputed", rbf_kernel(X)), (rbf_kernel, X)):
        matrix = SVCCV(search="auto", cv=2, kernel=kernel).fit(data, y)
        assert {cell["scaler"] for cell in matrix.cv_results_["params"]} == {None}
        assert matrix.score(data, y) > 0.6


def test_auto_looks_at_some_samples_first(monkeypatch):
    """Of many samples, only two combinations are tried with all of them; their scores are those of all folds."""
    X, y = blobs(3, 4, 60, 3, spread=1.5)
    monkeypatch.setattr(searching, "LOOK_ROWS", 100)
    search = SVCCV(search="auto", cv=3).fit(X, y)
    cells = search.cv_results_["params"]
    tried = {(cell["kernel"], cell["scaler"], cell["feature_weights"]) for cell in cells}
    assert 1 <= len(tried) <= searching.MOST_FINALISTS
    assert len(cells) <= searching.MOST_FINALISTS * searching.MOST_CELLS
    first = cells[0]
    alone = SVCCV([first["C"]], [first["gamma"]], 3, kernel=first["kernel"], scaler=first["scaler"])
    if first["feature_weights"] is None:
        assert alone.fit(X, y).best_score_ == search.cv_results_["mean_test_score"][0]


@pytest.mark.parametrize("cv", [0.3, LeaveOneOut(), GroupKFold(3)], ids=repr)
def test_auto_looks_with_any_folds(cv, monkeypatch):
    """A look has the parts of the folds that its samples have."""
    X, y = blobs(3, 2, 15, 2, spread=1.5)
    monkeypatch.setattr(searching, "LOOK_ROWS", 20)
    search = SVCCV([1.0], [0.1, 1.0], cv, search="auto", feature_weights=False, kernels=["rbf"], scaler=[None])
    search.fit(X, y, groups=np.arange(30) % 7 if isinstance(cv, GroupKFold) else None)
    assert search.score(X, y) > 0.6


def test_some_of_each_class():
    """Every class has its share, or a few more."""
    index = np.repeat([0, 1, 2], [900, 95, 5])
    rows = some_of_each(index, 100, 4)
    assert (np.diff(rows) > 0).all()
    assert np.bincount(index[rows]).tolist() == [90, 10, 4]
    assert some_of_each(index, 100, 10).shape == (105,)


def test_search_with_weights_can_be_saved(hidden, tmp_path):
    """The best estimator is a pipeline that model files know."""
    X, y = hidden
    search = SVCCV(**CELLS, scaler="ranks", feature_weights="learned").fit(X, y)
    dagmar.save(search.best_estimator_, tmp_path / "a.dagmar")
    np.testing.assert_array_equal(dagmar.load(tmp_path / "a.dagmar").predict(X), search.predict(X))
