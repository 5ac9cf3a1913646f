"""Scores of a search: one or several, those of scikit-learn, with weights where a metric takes them."""

import numpy as np
import pytest
from searches import CS, GAMMAS, assert_same_search, grid_search
from sklearn.metrics import f1_score, make_scorer

from dagmar import SVCCV
from dagmar.base.exceptions import InvalidParameterError
from dagmar.estimators.model import Model


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
