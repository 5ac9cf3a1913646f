"""Search for C and gamma: the scores of GridSearchCV, the machines of a fit alone, and what users may write."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from helpers import blobs
from reference.kernels import kernel_matrix
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import f1_score, make_scorer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    ParameterGrid,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as ScikitLearnSVC

import dagmar
from dagmar import SVC, SVCCV
from dagmar.base.exceptions import InvalidParameterError
from dagmar.machines.cross_fitting import variants
from dagmar.machines.folds import Fold, split
from dagmar.machines.training import TrainSettings, train_variants
from dagmar.problem.making import ProblemParameters, make_problem
from dagmar.problem.tasks import all_pairs, each_against_rest
from dagmar.structures import STRUCTURES

# Not in order; cells in which every machine has a free sample, so that its bias is unique.
CS, GAMMAS = [4.0, 1.0, 64.0], [0.1, 0.02, 0.4]
STRUCTURED = [
    *(cls() for cls in STRUCTURES.values()),
    dagmar.FisherTree(machines="groups"),
    dagmar.AdaptiveDDAG("fisher", max_samples=10),
    dagmar.AdaptiveDDAG("margin"),
]


def grid_search(cv, Cs=CS, gammas=GAMMAS, **parameters):
    """The same search, every fit by itself."""
    grid = {"C": Cs} if gammas is None else {"C": Cs, "gamma": gammas}
    return GridSearchCV(SVC(**parameters), grid, cv=cv, error_score="raise")


def assert_same_search(ours, theirs):
    """Every score of every fold, and what was chosen."""
    assert ours.cv_results_["params"] == list(theirs.cv_results_["params"])
    for name in ours.cv_results_:
        if name.endswith("_test_score"):
            np.testing.assert_allclose(ours.cv_results_[name], theirs.cv_results_[name], rtol=1e-12, atol=1e-15)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-12)
    assert ours.n_splits_ == theirs.n_splits_


# ----------------------------------------------------------- against GridSearchCV


@pytest.mark.parametrize("structure", STRUCTURED, ids=repr)
def test_scores_are_those_of_fits_by_themselves(structure, seven_blobs):
    """With a tight tol every score is GridSearchCV's, whatever the structure asks of data and machines."""
    X, y = seven_blobs
    fixed = {"structure": structure, "tol": 1e-8}
    ours = SVCCV(CS, GAMMAS, 4, **fixed).fit(X, y)
    theirs = grid_search(4, **fixed).fit(X, y)
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
    assert_same_search(SVCCV(CS, GAMMAS, 3, **fixed).fit(X, y), grid_search(3, **fixed).fit(X, y))


def test_within_two_tenths_of_a_point_at_the_usual_tol(letters):
    """At default tol a search from warm starts ends within tol of the same machines."""
    X, y = letters
    Cs, gammas = [0.5, 8.0, 128.0], [0.3, 1.0]
    ours = SVCCV(Cs, gammas, 3, structure="max_wins").fit(X, y)
    theirs = GridSearchCV(ScikitLearnSVC(), {"C": Cs, "gamma": gammas}, cv=3).fit(X, y)
    apart = ours.cv_results_["mean_test_score"] - theirs.cv_results_["mean_test_score"]
    assert np.abs(apart).max() <= 0.002


@pytest.mark.parametrize("kernel", ["linear", "precomputed", rbf_kernel])
def test_kernels_without_gamma_search_for_C_alone(kernel, three_blobs):
    """The grid is one of C; a kernel function is called for the whole matrix, once, and again to refit."""
    X, y = three_blobs
    data = rbf_kernel(X) if kernel == "precomputed" else X
    ours = SVCCV(CS, GAMMAS, 3, kernel=kernel, tol=1e-8).fit(data, y)
    assert_same_search(ours, grid_search(3, gammas=None, kernel=kernel, tol=1e-8).fit(data, y))
    assert list(ours.best_params_) == ["C"]
    assert ours.score(data, y) == ours.best_estimator_.score(data, y)


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


def test_scores_that_take_no_weights(three_blobs):
    """They are not given any."""
    X, y = three_blobs
    weight = 1.0 + np.arange(len(y)) % 2

    def count(estimator, X, y):
        return float((estimator.predict(X) == y).sum())

    assert SVCCV([1.0], [0.1], 3, scoring=count).fit(X, y, weight).best_score_ == pytest.approx(30, abs=2)


def test_scoring(seven_blobs):
    """Any score of scikit-learn's, also in `score`."""
    X, y = seven_blobs
    fixed = {"tol": 1e-8}
    for scoring in ("balanced_accuracy", make_scorer(f1_score, average="macro")):
        theirs = grid_search(3, **fixed).set_params(scoring=scoring).fit(X, y)
        ours = SVCCV(CS, GAMMAS, 3, scoring=scoring, **fixed).fit(X, y)
        assert_same_search(ours, theirs)
        assert ours.score(X, y) == theirs.score(X, y)
    weight = np.arange(len(y)) % 2
    assert ours.score(X, y, weight) == pytest.approx(
        f1_score(y, ours.predict(X), sample_weight=weight, average="macro")
    )


# ------------------------------------------------------------------------ folds


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


def gap_of(K, s, lam, cap):
    """The KKT gap of a binary machine, from scratch."""
    score = s - K @ (s * lam)
    up = ((s > 0) & (lam < cap)) | ((s < 0) & (lam > 0))
    low = ((s > 0) & (lam > 0)) | ((s < 0) & (lam < cap))
    return score[up].max() - score[low].min() if up.any() and low.any() else 0.0


@pytest.mark.parametrize("machines_of", [all_pairs, each_against_rest])
def test_every_machine_is_optimal_whatever_it_started_from(machines_of, seven_blobs):
    """KKT within tol, recomputed for every fold and C; no sample held out has a multiplier."""
    X, y = seven_blobs
    Cs, tol, gamma = np.array([0.1, 1.0, 3.0, 50.0, 1000.0]), 1e-4, 0.3
    problem, _ = make_problem(ProblemParameters(gamma=gamma, precision="double"), X, y)
    parts = split(3, y, None, None)
    folds = [Fold.of(train, test, y, np.arange(7), "balanced", np.ones(len(y))) for train, test in parts]
    tasks = machines_of(7)
    trained, _ = train_variants(problem, tasks, TrainSettings(tol=tol), variants(folds, Cs, problem))
    assert len(trained) == len(folds) * len(Cs)
    X, y = X[problem.order], y[problem.order]
    K = kernel_matrix("rbf", X, X, gamma)
    for v, machines in enumerate(trained):
        cap = Cs[v % len(Cs)] * folds[v // len(Cs)].cap[problem.order]
        for t in range(len(tasks)):
            here = slice(tasks.begin[t], tasks.begin[t + 1])
            side = np.zeros(7)
            side[tasks.classes[here]] = tasks.sides[here]
            s = side[y]
            lam = np.zeros(len(y))
            own = slice(machines.begin[t], machines.begin[t + 1])
            lam[machines.sample[own]] = s[machines.sample[own]] * machines.coef[own]
            assert (lam >= 0).all()
            assert (lam <= cap * (1 + 1e-12)).all()
            assert abs(s @ lam) <= 1e-9 * (1 + lam.sum())
            inside = (s != 0) & (cap > 0)
            assert gap_of(K[np.ix_(inside, inside)], s[inside], lam[inside], cap[inside]) <= 1.01 * tol


# --------------------------------------------------------------------- per pair


def slow_pairs(X, y, Cs, gammas, folds):
    """Accuracy of every pair in every cell, fold by fold: shape (n_pairs, n_Cs, n_gammas, n_folds)."""
    classes = np.unique(y)
    out = []
    for i, j in np.stack(np.triu_indices(len(classes), k=1), axis=1):
        pair = np.isin(y, classes[[i, j]])
        own = [(np.flatnonzero(np.isin(np.flatnonzero(pair), part)) for part in fold) for fold in folds]
        own = [tuple(parts) for parts in own]
        out.append(
            [
                [
                    cross_val_score(ScikitLearnSVC(C=C, gamma=gamma, tol=1e-8), X[pair], y[pair], cv=own)
                    for gamma in gammas
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
    folds = list(StratifiedKFold(5).split(X, y))
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
    """Yu et al.: each pair has the gamma of its largest distance, and its C by cross-validation."""
    X, y = four_blobs
    ours = SVCCV(CS, "dbtc", 10, per_pair=True, structure="adaptive_ddag", tol=1e-8).fit(X, y)
    gamma = dagmar.tuning.dbtc(X, y, per_pair=True).gamma
    np.testing.assert_array_equal(ours.best_params_["gamma"], gamma)
    assert ours.pair_scores_.shape == (6, 3)
    folds = list(StratifiedKFold(10).split(X, y))
    slow = slow_pairs(X, y, CS, gamma, folds)
    own = np.array([slow[m, :, m].mean(axis=1) for m in range(6)])
    np.testing.assert_allclose(ours.pair_scores_, own, rtol=1e-12)
    np.testing.assert_array_equal(ours.best_params_["C"], np.array(CS)[own.round(12).argmax(axis=1)])
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


def test_pairs_of_other_kernels_choose_C(four_blobs):
    """Without gammas of their own, pairs still have C; several gammas are refused."""
    X, y = four_blobs
    linear = SVCCV(CS, per_pair=True, kernel="linear").fit(X, y)
    assert linear.pair_scores_.shape == (6, 3)
    assert list(linear.best_params_) == ["C"]
    poly = SVCCV(CS, [0.1], per_pair=True, kernel="poly").fit(X, y)
    assert poly.best_params_["gamma"] == 0.1
    with pytest.raises(InvalidParameterError, match="'gammas' parameter of SVCCV must be a list of one number"):
        SVCCV(CS, per_pair=True, kernel="poly").fit(X, y)


# ------------------------------------------------------------- gammas by a name


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


# ------------------------------------------------------------------ good manners


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


def test_answers_are_those_of_the_best_estimator(seven_blobs):
    """Everything asked of the search is asked of it."""
    X, y = seven_blobs
    search = SVCCV(CS, GAMMAS, 3, structure=dagmar.DDAG(order=range(7)[::-1])).fit(X, y)
    best = search.best_estimator_
    np.testing.assert_array_equal(search.predict(X), best.predict(X))
    np.testing.assert_array_equal(search.decision_function(X), best.decision_function(X))
    np.testing.assert_array_equal(search.pair_decisions(X), best.pair_decisions(X))
    np.testing.assert_array_equal(search.decision_path(X).machines, best.decision_path(X).machines)
    np.testing.assert_array_equal(search.decision_cost(X).machines, best.decision_cost(X).machines)
    assert search.explain(X[0]) == best.explain(X[0])
    assert search.score(X, y) == best.score(X, y)
    np.testing.assert_array_equal(search.classes_, best.classes_)


def test_without_refit_nothing_is_answered(three_blobs):
    """The table is there, the classifier is not, also after a search that had one."""
    search = SVCCV(CS, GAMMAS, 3).fit(*three_blobs)
    search.set_params(refit=False).fit(*three_blobs)
    assert search.best_params_["C"] in CS
    assert not hasattr(search, "best_estimator_")
    assert not hasattr(search, "predict")
    with pytest.raises(AttributeError, match="'SVCCV' has no attribute 'predict'"):
        search.predict(three_blobs[0])
    with pytest.raises(NotFittedError):
        SVCCV().predict(three_blobs[0])


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


def test_not_converging_is_one_warning(seven_blobs):
    """It says in how many cells; the refit speaks for itself."""
    search = SVCCV(CS, GAMMAS, 3, max_iter=2, refit=False)
    with pytest.warns(ConvergenceWarning, match=r"Solver terminated early \(max_iter=2\) in 9 of 9 cells") as told:
        search.fit(*seven_blobs)
    assert len(told) == 1
    assert told[0].filename == __file__


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


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"Cs": []}, "The 'Cs' parameter of SVCCV must be an array of one or more floats in the range (0.0, inf)"),
        ({"Cs": [1, -1]}, "The 'Cs' parameter of SVCCV must be an array of one or more floats in the range (0.0, inf)"),
        (
            {"Cs": [np.inf]},
            "The 'Cs' parameter of SVCCV must be an array of one or more floats in the range (0.0, inf)",
        ),
        ({"Cs": 3.0}, "The 'Cs' parameter of SVCCV must be"),
        (
            {"gammas": [0.1, -0.1]},
            "The 'gammas' parameter of SVCCV must be a str among {'dbtc', 'scale-grid'} or an array",
        ),
        ({"gammas": "scale"}, "The 'gammas' parameter of SVCCV must be a str among {'dbtc', 'scale-grid'} or an array"),
        ({"gammas": []}, "The 'gammas' parameter of SVCCV must be"),
        ({"gammas": "dbtc", "kernel": "poly"}, "The 'gammas' parameter of SVCCV may be 'dbtc' for kernel='rbf' only"),
        (
            {"cv": 1},
            "The 'cv' parameter of SVCCV must be an int in the range [2, inf) or a float in the range (0.0, 1.0)",
        ),
        ({"cv": 1.5}, "The 'cv' parameter of SVCCV must be"),
        ({"cv": True}, "The 'cv' parameter of SVCCV must be"),
        ({"cv": "five"}, "The 'cv' parameter of SVCCV must be"),
        ({"cv": []}, "cv makes no folds"),
        ({"cv": [([0, 1, 2], [])]}, "fold 0 of cv has 3 samples to train on and 0 to be tested on"),
        ({"per_pair": 1}, "The 'per_pair' parameter of SVCCV must be a bool"),
        ({"refit": "C"}, "The 'refit' parameter of SVCCV must be a bool"),
        ({"scoring": ["accuracy"]}, "The 'scoring' parameter of SVCCV must be None or a str or a callable"),
        ({"scoring": "accuracy", "per_pair": True}, "The 'scoring' parameter of SVCCV must be None with per_pair=True"),
        ({"structure": "one_vs_rest", "per_pair": True}, "all machines must be pairs"),
        ({"structure": "dag"}, "The 'structure' parameter of SVCCV must be a str among"),
        ({"tol": 0.0}, "The 'tol' parameter of SVCCV must be a float in the range (0.0, inf)"),
        ({"cv": [(range(90), range(90))], "per_pair": True}, "no sample may be in both the training and the test part"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(parameters, words, three_blobs):
    """The error says which, what it may be, and what was given."""
    with pytest.raises(ValueError) as error:  # noqa: PT011
        SVCCV(**parameters).fit(*three_blobs)
    assert words in str(error.value)


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
