"""Search for C and gamma: the scores of GridSearchCV, the machines of a fit alone, and what users may write."""

import warnings

import numpy as np
import pandas as pd
import pytest
from searches import CS, GAMMAS, assert_same_search, grid_search
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import f1_score, make_scorer
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
from dagmar.estimators.model import Model
from dagmar.machines.folds import split

# ----------------------------------------------------------- against GridSearchCV


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


SEVERAL = {
    "list": (["accuracy", "f1_macro"], "f1_macro"),
    "dict": ({"mine": "balanced_accuracy", "own": make_scorer(f1_score, average="micro")}, "mine"),
    "callable": (lambda clf, X, y: {"good": clf.score(X, y), "bad": -clf.score(X, y)}, "bad"),
    "undecided": (["accuracy", "roc_auc_ovr"], False),
}


@pytest.mark.parametrize("case", ["list", "dict", "callable"])
def test_several_scores_are_those_of_grid_search(case, seven_blobs):
    """Every column of every metric, and the best by the one that refit names, also in `score`."""
    X, y = seven_blobs
    scoring, refit = SEVERAL[case]
    ours = SVCCV(CS, GAMMAS, 3, tol=1e-8, scoring=scoring, refit=refit).fit(X, y)
    theirs = grid_search(3, tol=1e-8).set_params(scoring=scoring, refit=refit).fit(X, y)
    assert set(ours.cv_results_) == set(theirs.cv_results_)
    for name, column in ours.cv_results_.items():
        if "_test_" in name:
            np.testing.assert_allclose(column, theirs.cv_results_[name], rtol=1e-12, err_msg=name)
    assert ours.multimetric_
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-12)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), rel=1e-12)


def test_several_scores_without_a_choice(three_blobs):
    """With refit=False there is a table and no best cell, as in GridSearchCV."""
    search = SVCCV(CS, GAMMAS, 3, scoring=["accuracy", "f1_macro"], refit=False).fit(*three_blobs)
    assert {"mean_test_accuracy", "rank_test_f1_macro"} <= set(search.cv_results_)
    for name in ("best_index_", "best_params_", "best_score_", "best_estimator_"):
        assert not hasattr(search, name)
    assert not SVCCV(CS, GAMMAS, 3).fit(*three_blobs).multimetric_


def test_several_scores_ask_once(three_blobs, monkeypatch):
    """Metrics over the same answers share them."""
    asked = []
    decide = Model.decide
    monkeypatch.setattr(Model, "decide", lambda self, X, *how: asked.append(len(X)) or decide(self, X, *how))
    SVCCV([1.0], [0.1], 3, scoring=["accuracy", "f1_macro", "balanced_accuracy"], refit="accuracy").fit(*three_blobs)
    assert asked == [30] * 3


def test_a_callable_that_names_scores_needs_a_choice(three_blobs):
    """Its names are known only from its answers."""
    scoring, _ = SEVERAL["callable"]
    with pytest.raises(InvalidParameterError, match=r"Got True; the names are \['good', 'bad'\]"):
        SVCCV([1.0], [0.1], 3, scoring=scoring).fit(*three_blobs)
    with pytest.raises(InvalidParameterError, match=r"Got 'x'; the names are \['score'\]"):
        SVCCV([1.0], [0.1], 3, scoring=lambda clf, X, y: 1.0, refit="x").fit(*three_blobs)


# ------------------------------------------------------------------- the edge of the grid


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


# ---------------------------------------------------------------------- adaptive


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


# ------------------------------------------------------------------------ scaler


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


# --------------------------------------------------------------------- per pair


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


# ------------------------------------------------------------------ good manners


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
    assert str(search.explain(X[0])) == str(best.explain(X[0]))
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
            "The 'gammas' parameter of SVCCV must be a str among {'auto', 'dbtc', 'scale', 'scale-grid'} or an array",
        ),
        ({"gammas": ["scale", "dbtc"]}, "in the range (0.0, inf) or 'scale' or 'auto'. Got ['scale', 'dbtc'] instead"),
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
        ({"refit": "C"}, "The 'refit' parameter of SVCCV must be a bool with a single score. Got 'C' instead"),
        ({"refit": 1}, "The 'refit' parameter of SVCCV must be a bool or a str"),
        (
            {"scoring": []},
            "The 'scoring' parameter of SVCCV must be None or a str or a callable or a list of str or a dict",
        ),
        (
            {"scoring": ["accuracy"]},
            "'refit' parameter of SVCCV must be the name of the one that chooses the best cell",
        ),
        ({"scoring": ["accuracy"], "refit": "f1"}, "or False. Got 'f1'; the names are ['accuracy']"),
        ({"scoring": ["accuracy"] * 2, "refit": "accuracy"}, "must not have a name twice"),
        ({"scoring": ["accuracy"], "refit": False, "search": "adaptive"}, "the one that guides the search"),
        ({"scoring": {"a": "accuracy"}, "refit": "a", "per_pair": True}, "must be None with per_pair=True"),
        ({"search": "random"}, "The 'search' parameter of SVCCV must be a str among {'adaptive', 'grid'}"),
        ({"search": "adaptive", "per_pair": True}, "The 'search' parameter of SVCCV must be 'grid' with per_pair=True"),
        ({"scaler": "standard"}, "The 'scaler' parameter of SVCCV must be None or a transformer"),
        (
            {"scaler": StandardScaler(), "kernel": "precomputed"},
            "The 'scaler' parameter of SVCCV must be None if the kernel is precomputed or callable",
        ),
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


def test_a_search_with_a_scaler_has_no_predictor(three_blobs):
    """It would leave out the scaler. The scaler and the classifier of the best estimator do the same in two steps."""
    X, y = three_blobs
    search = SVCCV([1.0], [0.1], 3, scaler=StandardScaler()).fit(X, y)
    with pytest.raises(ValueError, match="with a scaler has no predictor"):
        search.predictor()
    scale, predict = search.best_estimator_[:-1].transform, search.best_estimator_[-1].predictor()
    np.testing.assert_array_equal(predict(scale(X)), search.predict(X))
    plain = SVCCV([1.0], [0.1], 3).fit(X, y)
    np.testing.assert_array_equal(plain.predictor()(X), plain.predict(X))
