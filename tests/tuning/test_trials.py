"""Trials: every cell on every fold has the score of a fit by itself."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs
from searches import CS, GAMMAS, assert_same_search, grid_search
from sklearn.model_selection import (
    GridSearchCV,
    ParameterGrid,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.svm import SVC as ScikitLearnSVC

import dagmar
from dagmar import SVC, SVCCV
from dagmar.base.pairs import n_pairs, pair_classes
from dagmar.structures import STRUCTURES

STRUCTURED = [
    *(cls() for cls in STRUCTURES.values()),
    dagmar.FisherTree(machines="groups"),
    dagmar.AdaptiveDDAG("fisher", max_samples=10),
    dagmar.AdaptiveDDAG("margin"),
]


@pytest.mark.parametrize("structure", STRUCTURED, ids=repr)
def test_scores_are_those_of_fits_by_themselves(structure, seven_blobs):
    """With a tight tol every score is GridSearchCV's, whatever the structure asks of data and machines."""
    X, y = seven_blobs
    fixed = {"structure": structure, "tol": 1e-8}
    ours = SVCCV(CS, GAMMAS, 2, **fixed).fit(X, y)
    theirs = grid_search(2, **fixed).fit(X, y)
    assert_same_search(ours, theirs)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize(
    "fixed",
    [
        {"class_weight": "balanced"},
        {"class_weight": {0: 3.0, 2: 0.2}},
        {"kernel": "poly", "degree": 2, "coef0": 1.0},
        {"soft_labels": 5},
        {"structure": "max_wins", "break_ties": True},
        {"precision": "single"},
    ],
    ids=str,
)
def test_other_parameters_mean_what_they_mean_in_a_fit(fixed):
    """Each counts in the folds as it would in a fit of the training part alone."""
    X, y = blobs(11, 4, 40, 3, spread=1.8)
    rows = np.flatnonzero((y != 1) | (np.arange(len(y)) < 80))  # classes of unequal sizes
    X, y = X[rows], y[rows]
    fixed = {"tol": 1e-8 if fixed.get("precision") != "single" else 1e-4, **fixed}
    assert_same_search(SVCCV(CS, GAMMAS, 2, **fixed).fit(X, y), grid_search(2, **fixed).fit(X, y))


def test_within_two_tenths_of_a_point_at_the_usual_tol(letters):
    """At default tol a search from warm starts ends within tol of the same machines."""
    X, y = letters
    Cs, gammas = [0.5, 8.0, 128.0], [0.3, 1.0]
    ours = SVCCV(Cs, gammas, 3, structure="max_wins").fit(X, y)
    theirs = GridSearchCV(ScikitLearnSVC(), {"C": Cs, "gamma": gammas}, cv=3).fit(X, y)
    apart = ours.cv_results_["mean_test_score"] - theirs.cv_results_["mean_test_score"]
    assert np.abs(apart).max() <= 0.002


def test_sparse_samples(seven_blobs):
    """Sparse or dense, the scores are the same."""
    X, y = seven_blobs
    X = np.where(np.abs(X) < 1, 0.0, X)
    dense, sparse = (SVCCV(CS, GAMMAS, 3, tol=1e-8).fit(data, y) for data in (X, sp.csr_matrix(X)))
    assert_same_search(sparse, dense)
    assert sp.issparse(sparse.best_estimator_.support_vectors_)


@pytest.mark.parametrize("structure", ["ddag", "adaptive_ddag", "divide_and_conquer", "one_vs_rest"])
def test_weights_count_in_training_and_in_scores(structure, seven_blobs, rng):
    """A sample of weight 0 is as good as absent, one of weight 2 is there twice, in either part of a fold."""
    X, y = seven_blobs
    weight = rng.integers(0, 4, len(y))
    folds = list(StratifiedKFold(3).split(X, y))
    repeated = [tuple(np.repeat(part, weight[part]) for part in fold) for fold in folds]
    fixed = {"structure": structure, "tol": 1e-8}
    weighted = SVCCV(CS, GAMMAS, folds, **fixed).fit(X, y, weight)
    assert_same_search(weighted, grid_search(repeated, **fixed).fit(X, y))


@pytest.mark.parametrize("structure", ["ddag", "one_vs_rest", "fisher_tree"])
def test_class_that_a_fold_lacks(structure):
    """Such a fold is fitted by itself, among fewer classes."""
    X, y = blobs(5, 4, 12, 2)
    y = np.array(list("abcd"))[y]
    rare = np.flatnonzero(y == "c")
    rows = np.setdiff1d(np.arange(len(y)), rare[1:])  # a single sample of class c
    X, y = X[rows], y[rows]
    thirds = [(np.setdiff1d(np.arange(len(y)), test), test) for test in np.array_split(np.arange(len(y)), 3)]
    fixed = {"structure": structure, "tol": 1e-8, "class_weight": "balanced"}
    assert_same_search(SVCCV(CS, GAMMAS, thirds, **fixed).fit(X, y), grid_search(thirds, **fixed).fit(X, y))


def slow_pairs(X, y, Cs, gammas, folds):
    """Accuracy of every pair in every cell, fold by fold: shape (n_pairs, n_Cs, n_gammas, n_folds).

    `gammas` are those of all pairs, or have a row for each pair.
    """
    classes = np.unique(y)
    out = []
    of_pairs = np.broadcast_to(gammas, (n_pairs(len(classes)), np.shape(gammas)[-1]))
    for own_gammas, i, j in zip(of_pairs, *pair_classes(len(classes)), strict=True):
        pair = np.isin(y, classes[[i, j]])
        own = [(np.flatnonzero(np.isin(np.flatnonzero(pair), part)) for part in fold) for fold in folds]
        own = [tuple(parts) for parts in own]
        out.append(
            [
                [
                    cross_val_score(ScikitLearnSVC(C=C, gamma=gamma, tol=1e-8), X[pair], y[pair], cv=own)
                    for gamma in own_gammas
                ]
                for C in Cs
            ]
        )
    return np.array(out)


@pytest.fixture(scope="module")
def four_blobs():
    X, y = blobs(seed=8, n_classes=4, per_class=30, n_features=2, spread=2.5)
    return X, np.array(["d", "b", "a", "c"])[y]


def test_pairs_are_those_of_a_slow_loop(four_blobs):
    """Every pair's accuracy in every cell is that of a fit of its two classes alone, and the first best cell is taken."""
    X, y = four_blobs
    folds = list(StratifiedKFold(3).split(X, y))
    ours = SVCCV(CS, GAMMAS, folds, per_pair=True, tol=1e-8).fit(X, y)
    slow = slow_pairs(X, y, CS, GAMMAS, folds)
    np.testing.assert_allclose(ours.pair_scores_, slow.mean(axis=3), rtol=1e-12)
    np.testing.assert_allclose(ours.cv_results_["split2_test_score"], slow[..., 2].mean(axis=0).ravel(), rtol=1e-12)
    best = slow.mean(axis=3).reshape(6, -1).round(12).argmax(axis=1)
    np.testing.assert_array_equal(ours.best_index_, best)
    cells = list(ParameterGrid({"C": CS, "gamma": GAMMAS}))
    for name in ("C", "gamma"):
        np.testing.assert_array_equal(ours.best_params_[name], [cells[b][name] for b in best])
        np.testing.assert_array_equal(getattr(ours.best_estimator_, name), ours.best_params_[name])
    assert ours.best_score_ == pytest.approx(slow.mean(axis=3).reshape(6, -1).max(axis=1).mean())
    again = SVC(tol=1e-8, **ours.best_params_).fit(X, y)
    np.testing.assert_array_equal(ours.pair_decisions(X), again.pair_decisions(X))


def test_pairs_by_dbtc(four_blobs):
    """Yu et al.: each pair has the gamma of its largest distance, and its C by cross-validation, the largest of equals."""
    X, y = four_blobs
    ours = SVCCV(CS, "dbtc", 5, per_pair=True, structure="adaptive_ddag", tol=1e-8).fit(X, y)
    gamma = dagmar.tuning.dbtc(X, y, per_pair=True).gamma
    np.testing.assert_array_equal(ours.best_params_["gamma"], gamma)
    assert ours.pair_scores_.shape == (6, 3)
    folds = list(StratifiedKFold(5).split(X, y))
    own = slow_pairs(X, y, CS, gamma[:, None], folds)[:, :, 0].mean(axis=2)
    np.testing.assert_allclose(ours.pair_scores_, own, rtol=1e-12)
    ties = own.round(12) == own.round(12).max(axis=1, keepdims=True)
    assert (ties.sum(axis=1) > 1).any()
    np.testing.assert_array_equal(ours.best_params_["C"], [max(np.array(CS)[tied]) for tied in ties])
    assert "param_gamma" not in ours.cv_results_


@pytest.mark.parametrize("gammas", ["dbtc", [0.1, 0.4]])
def test_pairs_that_a_fold_lacks(gammas, four_blobs):
    """A pair is judged by the folds that know both its classes; what is fitted alone counts the same."""
    X, y = four_blobs
    rows = np.flatnonzero((y != "b") | (np.cumsum(y == "b") <= 1))
    X, y = X[rows], y[rows]
    tests = np.array_split(np.arange(len(y)), 4)
    folds = [(np.setdiff1d(np.arange(len(y)), test), test) for test in tests]
    ours = SVCCV(CS, gammas, folds, per_pair=True, tol=1e-8).fit(X, y)
    known = [fold for fold in folds if "b" in y[fold[0]]]
    without = SVCCV(CS, gammas, known, per_pair=True, tol=1e-8).fit(X, y)
    with_b = np.array(
        ["b" in pair for pair in [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]]
    )
    np.testing.assert_allclose(ours.pair_scores_[with_b], without.pair_scores_[with_b], rtol=1e-12)
    others = y != "b"
    sub = [(np.flatnonzero(np.isin(np.flatnonzero(others), part)) for part in fold) for fold in folds]
    if gammas != "dbtc":
        rest = SVCCV(CS, gammas, [tuple(parts) for parts in sub], per_pair=True, tol=1e-8).fit(X[others], y[others])
        np.testing.assert_allclose(ours.pair_scores_[~with_b], rest.pair_scores_, rtol=1e-12)


def test_pairs_with_soft_labels_and_weights(four_blobs):
    """Soft labels of one neighbour are plain ones, fitted cell by cell; weights of 0 do not hide a sample from its test."""
    X, y = four_blobs
    weight = (np.arange(len(y)) % 4 > 0).astype(float)
    plain, soft = (
        SVCCV(CS, GAMMAS, 3, per_pair=True, tol=1e-8, soft_labels=k, class_weight="balanced").fit(X, y, weight)
        for k in (None, 1)
    )
    np.testing.assert_allclose(soft.pair_scores_, plain.pair_scores_, rtol=1e-12)


@pytest.mark.parametrize("per_pair", [False, True])
def test_threads_change_nothing(per_pair, letters):
    """The same table for any number of threads."""
    one, many = (SVCCV([1, 30.0], [0.1, 1.0], 3, per_pair=per_pair, n_jobs=n).fit(*letters) for n in (1, 2))
    for name in one.cv_results_:
        if "score" in name and "time" not in name:
            np.testing.assert_array_equal(one.cv_results_[name], many.cv_results_[name])
    np.testing.assert_array_equal(one.best_index_, many.best_index_)
    X, _ = letters
    np.testing.assert_array_equal(one.pair_decisions(X), many.pair_decisions(X))
