"""Scores that are not finite, that tie, or that a constant answer would reach are told."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV

from dagmar import SVC, SVCCV, GridEdgeWarning
from dagmar.tuning.score_notes import constant_pair_scores, constant_score, no_guidance

NOT_FINITE = "One or more of the test scores are non-finite"
USELESS = "is not above that of always answering the largest class"
GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]}


def told(search, X, y, **rest):
    """The texts of the warnings of a search, all of which name this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(X, y, **rest)
    assert {warning.filename for warning in caught} <= {__file__}
    for warning in caught:  # about scores that are missing, or about the grid
        missing = str(warning.message).startswith((NOT_FINITE, "No fold can score"))
        assert warning.category is (UserWarning if missing else GridEdgeWarning)
    return [str(warning.message) for warning in caught]


def unknown_if(condition):
    """A score that is the accuracy, but NaN for some classifiers."""
    return lambda svc, X, y: np.nan if condition(svc) else accuracy_score(y, svc.predict(X))


NAN_CASES = {
    "all": lambda svc: True,
    "one cell": lambda svc: svc.C == 1.0,
    "all but one": lambda svc: svc.C != 10.0 or svc.gamma != 0.1,
}


@pytest.mark.parametrize("case", NAN_CASES)
@pytest.mark.parametrize("search", ["grid", "adaptive"])
def test_nan_scores_are_told_as_by_grid_search(case, search, three_blobs):
    """The text is that of GridSearchCV, and so are the ranks and the choice."""
    scoring = unknown_if(NAN_CASES[case])
    ours = SVCCV(GRID["C"], GRID["gamma"], 3, scoring=scoring, search=search)
    theirs = GridSearchCV(SVC(), GRID, cv=3, scoring=scoring)
    mine = told(ours, *three_blobs)
    with pytest.warns(UserWarning, match=NOT_FINITE) as expected:
        theirs.fit(*three_blobs)
    assert [text for text in mine if NOT_FINITE in text] == [str(expected[0].message)]
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_array_equal(ours.cv_results_["rank_test_score"], theirs.cv_results_["rank_test_score"])
    if case == "all":
        assert len(mine) == 1  # nothing about edges of scores that are not known


def test_a_fold_that_is_nan_is_told(three_blobs):
    """One NaN among the folds makes the mean of the cell NaN."""
    calls = []

    def scoring(svc, X, y):
        calls.append(svc)
        return np.nan if len(calls) == 1 else accuracy_score(y, svc.predict(X))

    assert any(NOT_FINITE in text for text in told(SVCCV([0.01, 10.0], [0.1], 3, scoring=scoring), *three_blobs))


def test_infinite_scores_and_several_metrics(three_blobs):
    """One warning per metric that is not finite; an infinite score counts as such."""
    scoring = {
        "accuracy": "accuracy",
        "endless": lambda svc, X, y: np.inf,
        "unknown": lambda svc, X, y: np.nan,
    }
    search = SVCCV([0.001, 10.0], [0.1], 3, scoring=scoring, refit=False)
    assert [text for text in told(search, *three_blobs) if NOT_FINITE in text] == [
        f"{NOT_FINITE}: [inf inf]",
        f"{NOT_FINITE}: [nan nan]",
    ]


def test_pairs_without_a_score_are_named(three_blobs):
    """If no fold tests the samples of a pair, the warning names the pair."""
    X, y = three_blobs
    only_first = np.flatnonzero(y == 0)[:10]
    folds = [(np.setdiff1d(np.arange(len(y)), only_first), only_first)]
    texts = told(SVCCV([0.01, 1.0], [0.1], folds, per_pair=True), X, np.array(["ant", "bee", "cat"])[y])
    assert any(text.startswith("No fold can score these pairs") and text.endswith("(bee, cat)") for text in texts)


USELESS_SEARCHES = {
    "accuracy": {},
    "named accuracy": {"scoring": "accuracy"},
    "balanced": {"scoring": "balanced_accuracy"},
    "several": {"scoring": ["accuracy", "f1_macro"], "refit": "f1_macro"},
    "by name": {"scoring": {"mine": "f1_macro", "other": "accuracy"}, "refit": "mine"},
    "adaptive": {"search": "adaptive"},
    "pairs": {"per_pair": True},
}


@pytest.mark.parametrize("case", USELESS_SEARCHES)
def test_gammas_for_other_data_are_told(case):
    """On digits that are not scaled, gammas of 10 and more remember the samples and learn nothing."""
    X, y = load_digits(return_X_y=True)
    parameters = {"Cs": [1, 16], "gammas": [10.0, 20.0], "cv": 2, "refit": False, **USELESS_SEARCHES[case]}
    (text,) = told(SVCCV(**parameters), X[:600], y[:600])
    assert USELESS in text
    assert text.startswith("All 4 cells have the same score")


def test_useless_scores_of_own_functions_are_told_by_the_tie():
    """A function of the user is not asked about a constant classifier, which it may not know."""
    X, y = load_digits(return_X_y=True)
    asked = []

    def scoring(svc, X, y):
        asked.append(type(svc))
        return accuracy_score(y, svc.predict(X))

    (text,) = told(SVCCV([1, 16], [10.0, 20.0], 2, scoring=scoring, refit=False), X[:300], y[:300])
    assert text.startswith("All 4 cells have the same score")
    assert USELESS not in text
    assert set(asked) == {SVC}


def test_a_tie_is_told_unless_it_is_perfect(three_blobs):
    """Equal scores do not guide a choice; but if all are 1, there is nothing to choose."""
    X, y = three_blobs
    score = make_scorer(lambda y, predicted: 0.75)
    (text,) = told(SVCCV([1.0, 10.0], [0.1], 3, scoring=score), X, y)
    assert text.startswith("All 2 cells have the same score (0.75)")
    assert told(SVCCV([1.0, 10.0], [0.1, 0.2], 3), X + 1000 * y[:, None], y) == []
    assert told(SVCCV([1.0, 10.0], [0.1, 0.2], 3, per_pair=True), X + 1000 * y[:, None], y) == []


def test_useful_scores_are_not_warned_about(seven_blobs):
    """With cells that differ and a best cell in the middle there is no warning."""
    assert told(SVCCV([1e-3, 1.0, 1e4], [1e-5, 0.1, 100.0], 3), *seven_blobs) == []


def test_constant_scores_count_weights(rng):
    """The largest class is that of the most weight, and held-out samples count by their weights."""
    X, y = np.zeros((12, 1)), np.repeat([0, 1], [8, 4])
    weight = np.where(y == 1, 6.0, 1.0)
    search = SVCCV([1.0], [0.1], 2)
    plain, _ = search._samples(X, y, None, None)
    weighted, _ = search._samples(X, y, weight, None)
    scoring = search._scoring()
    assert constant_score(scoring, "score", plain) == pytest.approx(8 / 12)
    assert constant_score(scoring, "score", weighted) == pytest.approx(24 / 32)
    np.testing.assert_allclose(constant_pair_scores(plain), [[8 / 12] * 2])
    np.testing.assert_allclose(constant_pair_scores(weighted), [[24 / 32] * 2])


def test_ties_of_pairs_need_all_pairs():
    """Cells tie only if they do so for every pair."""
    assert no_guidance(np.array([[0.5, 0.5], [0.6, 0.7]]), 0.6, 0.1) == []
    assert len(no_guidance(np.array([[0.5, 0.5], [0.6, 0.6]]), 0.55, 0.1)) == 1
    assert no_guidance(np.array([0.5]), 0.5, None) == no_guidance(np.array([0.5]), 0.5, 0.6) == []


def test_a_constant_answer_that_is_as_good_is_told_without_a_tie():
    """Scores that differ are of no use either if none is above it."""
    ((category, text),) = no_guidance(np.array([0.4, 0.5]), 0.5, 0.5)
    assert category is GridEdgeWarning
    assert text.startswith("The best score (0.5) is not above that of always answering the largest class (0.5).")
    assert no_guidance(np.array([0.4, 0.5]), 0.5, 0.49) == no_guidance(np.array([0.4, 0.5]), 0.5, None) == []
