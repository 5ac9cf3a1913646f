"""Search for C and gamma: the scores of GridSearchCV, by any folds, scalers and parameters."""

import numpy as np
import pandas as pd
import pytest
from searches import CS, GAMMAS, assert_same_search, grid_search
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar import SVCCV
from dagmar.base.exceptions import InvalidParameterError
from dagmar.machines.folds import split


def test_adaptive_cells_are_those_of_the_grid(seven_blobs):
    """What is tried has the scores of the whole grid; at most a third of it is, and the best is near the best of all."""
    X, y = seven_blobs
    Cs, gammas = 2.0 ** np.arange(-3, 7), 2.0 ** np.arange(-8, 2)
    fixed = {"Cs": Cs[::-1], "gammas": np.roll(gammas, 3), "cv": 3, "tol": 1e-6, "refit": False}
    whole, part = SVCCV(**fixed).fit(X, y), SVCCV(**fixed, search="adaptive").fit(X, y)
    rows = [whole.cv_results_["params"].index(cell) for cell in part.cv_results_["params"]]
    assert rows == sorted(rows)
    assert len(rows) <= 33
    for name, column in part.cv_results_.items():
        if "_test_" in name and "rank" not in name:
            np.testing.assert_array_equal(column, whole.cv_results_[name][rows])
    error = whole.cv_results_["std_test_score"][whole.best_index_] / np.sqrt(3)
    assert part.best_score_ >= whole.best_score_ - error
    assert part.best_params_ == part.cv_results_["params"][part.best_index_]
    again = SVCCV(**fixed, search="adaptive", n_jobs=2).fit(X, y)
    assert again.cv_results_["params"] == part.cv_results_["params"]


def test_adaptive_is_guided_by_the_chosen_score(seven_blobs):
    """Metrics that disagree lead to different cells."""
    scoring = {"good": "accuracy", "bad": lambda clf, X, y: -clf.score(X, y)}
    fixed = {"Cs": 4.0 ** np.arange(-5, 5), "gammas": 4.0 ** np.arange(-8, 2), "cv": 2, "search": "adaptive"}
    good, bad = (SVCCV(**fixed, scoring=scoring, refit=name).fit(*seven_blobs) for name in scoring)
    assert good.cv_results_["params"] != bad.cv_results_["params"]
    assert good.cv_results_["mean_test_good"].max() >= bad.cv_results_["mean_test_good"].max()


@pytest.mark.parametrize("fixed", [{"kernel": "linear"}, {"soft_labels": 3}, {"scaler": StandardScaler()}], ids=str)
def test_adaptive_with_other_parameters(fixed, three_blobs):
    """A kernel without gamma has a line of cells; what is fitted alone and what is scaled is tried as well."""
    search = SVCCV(2.0 ** np.arange(8), [0.01, 0.1, 1.0], 3, search="adaptive", **fixed).fit(*three_blobs)
    assert len(search.cv_results_["params"]) < 24
    assert search.score(*three_blobs) > 0.6


@pytest.mark.parametrize("fixed", [{}, {"structure": "adaptive_ddag"}, {"soft_labels": 3}], ids=str)
def test_scaler_is_that_of_a_pipeline(fixed, seven_blobs):
    """Every fold has its own scaler: scores, best cell and answers are those of GridSearchCV over a pipeline."""
    X, y = seven_blobs
    X = X * [1, 10, 100, 0.1, 1] + 5
    grid = {"svc__C": CS, "svc__gamma": GAMMAS}
    theirs = GridSearchCV(
        Pipeline([("scaler", StandardScaler()), ("svc", dagmar.SVC(tol=1e-8, **fixed))]), grid, cv=3
    ).fit(X, y)
    ours = SVCCV(CS, GAMMAS, 3, scaler=StandardScaler(), tol=1e-8, **fixed).fit(X, y)
    for name in ("mean_test_score", "split1_test_score"):
        np.testing.assert_allclose(ours.cv_results_[name], theirs.cv_results_[name], rtol=1e-12)
    assert ours.best_index_ == theirs.best_index_
    for name in ("predict", "decision_function"):
        np.testing.assert_array_equal(getattr(ours, name)(X), getattr(theirs, name)(X))
    np.testing.assert_array_equal(ours.best_estimator_.predict(X), ours.predict(X))
    assert ours.score(X, y) == theirs.score(X, y)
    assert str(ours.explain(X[0])).endswith(f"Answer: {ours.predict(X[:1])[0]}")
    assert ours.n_iter_.shape == ours.best_estimator_[-1].n_iter_.shape


def test_scaler_with_other_things(seven_blobs):
    """Pairs, weights, names of columns, and gammas by name, which are those of the scaled samples."""
    X, y = seven_blobs
    frame = pd.DataFrame(100 * X, columns=list("abcde"))
    search = SVCCV(CS, ["scale"], 3, scaler=StandardScaler(), per_pair=True).fit(frame, y, 1.0 + np.arange(len(y)) % 2)
    assert search.gammas_.tolist() == pytest.approx([1 / 5])
    assert search.feature_names_in_.tolist() == list("abcde")
    assert search.score(frame, y) > 0.7
    with pytest.raises(ValueError, match="feature names should match"):
        search.predict(frame[list("edcba")])


def test_a_share_is_one_stratified_hold_out(seven_blobs):
    """cv=0.3 trains on seventy percent, once, and the same way every time."""
    X, y = seven_blobs
    ours = SVCCV(CS, GAMMAS, 0.3, tol=1e-8, random_state=5).fit(X, y)
    one = StratifiedShuffleSplit(1, test_size=0.3, random_state=5)
    assert ours.n_splits_ == 1
    assert_same_search(ours, grid_search(one, tol=1e-8).fit(X, y))
    first, second = (split(0.3, y, None, None)[0] for _ in range(2))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


def test_splitters_pairs_of_indices_and_masks(seven_blobs):
    """What scikit-learn takes for folds; samples may be left out of all, or named twice."""
    X, y = seven_blobs
    shuffled = StratifiedKFold(3, shuffle=True, random_state=1)
    listed = list(shuffled.split(X, y))
    masks = [(np.isin(np.arange(len(y)), train), np.isin(np.arange(len(y)), test)) for train, test in listed]
    reference = grid_search(shuffled, tol=1e-8).fit(X, y)
    for cv in (shuffled, listed, iter(listed), masks):
        assert_same_search(SVCCV(CS, GAMMAS, cv, tol=1e-8).fit(X, y), reference)
    rng = np.random.default_rng(0)
    bootstrap = [(rng.integers(0, len(y), 200), rng.integers(0, len(y), 50)) for _ in range(2)]
    fixed = {"tol": 1e-8, "class_weight": "balanced", "structure": "divide_and_conquer"}
    assert_same_search(SVCCV(CS, GAMMAS, bootstrap, **fixed).fit(X, y), grid_search(bootstrap, **fixed).fit(X, y))


def test_groups(seven_blobs):
    """Splitters that keep groups together are given them."""
    X, y = seven_blobs
    groups = np.arange(len(y)) % 6
    ours = SVCCV(CS, GAMMAS, GroupKFold(3), tol=1e-8).fit(X, y, groups=groups)
    assert_same_search(ours, grid_search(GroupKFold(3), tol=1e-8).fit(X, y, groups=groups))


def test_pairs_of_other_kernels_choose_C(three_blobs):
    """Without gammas of their own, pairs still have C; several gammas are refused."""
    X, y = three_blobs
    linear = SVCCV(CS, per_pair=True, kernel="linear").fit(X, y)
    assert linear.pair_scores_.shape == (3, 3)
    assert list(linear.best_params_) == ["C"]
    poly = SVCCV(CS, [0.1], per_pair=True, kernel="poly").fit(X, y)
    assert poly.best_params_["gamma"] == 0.1
    with pytest.raises(InvalidParameterError, match="'gammas' parameter of SVCCV must be a list of one number"):
        SVCCV(CS, per_pair=True, kernel="poly").fit(X, y)


def test_inside_the_tools_of_scikit_learn():
    """Cloned, in a pipeline, cross-validated, with parameters of the structure set."""
    X, y = load_iris(return_X_y=True)
    search = SVCCV([1, 10], "dbtc", 3, structure=dagmar.DDAG(order=[2, 1, 0]))
    assert clone(search).get_params()["structure__order"] == [2, 1, 0]
    pipeline = make_pipeline(StandardScaler(), search)
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9
    assert clone(search).set_params(Cs=[5], structure__order=[0, 1, 2]).fit(X, y).best_params_["C"] == 5
    names = pd.DataFrame(X, columns=list("abcd"))
    assert SVCCV([1], [0.1], 3).fit(names, y).feature_names_in_.tolist() == list("abcd")


@pytest.mark.parametrize("fixed", [{}, {"per_pair": True}, {"soft_labels": 3}], ids=str)
def test_verbose_tells_how_far_it_is(fixed, three_blobs, capsys, monkeypatch):
    """Machines of all cells and folds count; in the end it says what was found."""
    told = []
    monkeypatch.setattr("dagmar.tuning.svccv.Progress.advance", lambda self, machines: told.append(machines))
    SVCCV(CS, GAMMAS, 3, verbose=1, refit=False, **fixed).fit(*three_blobs)
    assert "[dagmar] best of 9 cells: C " in capsys.readouterr().out
    np.testing.assert_array_equal(np.sort(np.concatenate(told)), np.arange(3 * 9 * 3))


def test_overflow_is_the_error_of_svc(rng):
    """Answers of a structure cannot be scored without an optimum: the error is that of the fit."""
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 3
    fixed = {"kernel": "sigmoid", "coef0": -1.0}
    words = "C is so large that the multipliers overflow, and .* no optimum: "
    with pytest.raises(ValueError, match=words):
        SVCCV([1.0, 1e308], [1.0], 2, **fixed).fit(X, y)
    with pytest.raises(ValueError, match=words):
        dagmar.SVC(C=1e308, gamma=1.0, **fixed).fit(X, y)


def test_stopping_leaves_the_search_as_it_was(three_blobs):
    """Whatever stops it, an earlier fit stays."""
    X, y = three_blobs
    search = SVCCV(CS, GAMMAS, 3).fit(X, y)
    before = search.best_estimator_

    def interrupt(estimator, X, y):
        raise KeyboardInterrupt

    search.set_params(scoring=interrupt)
    with pytest.raises(KeyboardInterrupt):
        search.fit(X[:60], y[:60])
    assert search.best_estimator_ is before
    assert search.n_splits_ == 3
    assert len(SVCCV(CS, GAMMAS, 3).__dict__) < len(search.__dict__)


def test_bad_folds_are_named(three_blobs):
    """A fold of one class, or of no weight, trains nothing."""
    X, y = three_blobs
    one = np.flatnonzero(y == 1)
    with pytest.raises(ValueError, match="a fold of cv has samples of one class only to train on"):
        SVCCV(CS, GAMMAS, [(one, [0, 1])]).fit(X, y)
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        SVCCV(CS, GAMMAS, [(np.arange(60), np.arange(60, 90))]).fit(X, y, np.arange(90) >= 60)
    with pytest.raises(ValueError, match="got 1 class"):
        SVCCV().fit(X, np.zeros(90))
