"""A search answers by its best estimator."""

import numpy as np
import pytest
from searches import CS, GAMMAS
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

import dagmar
from dagmar import SVCCV


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


def test_search_without_refit_has_no_answers(three_blobs):
    """With refit=False the methods that decide are not there, and what the search found is."""
    X, y = three_blobs
    search = dagmar.SVCCV(Cs=[1.0], gammas=[0.5], cv=2, refit=False).fit(X, y)
    for name in ("predict", "decision_function", "pair_decisions", "decision_path", "decision_cost", "explain"):
        assert not hasattr(search, name)
    assert search.best_params_ == {"C": 1.0, "gamma": 0.5}
    np.testing.assert_array_equal(search.classes_, [0, 1, 2])
    assert not hasattr(search, "best_estimator_")
    assert not hasattr(search, "bank_")
