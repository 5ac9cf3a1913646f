"""What all classifiers have in common: they hold a model, publish it by one assignment, and ask it."""

import copy
import pickle
import threading
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers import blobs
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

import dagmar
from dagmar.base import versions
from dagmar.estimators.classifier import hold

ALL = [
    dagmar.SVC(),
    dagmar.SVCCV(Cs=[1.0], gammas=[0.5], cv=2),
    dagmar.PairwiseClassifier(LogisticRegression()),
]


@pytest.fixture(params=ALL, ids=lambda clf: type(clf).__name__)
def unfitted(request):
    """One estimator of each kind."""
    return clone(request.param)


def test_unfitted_estimators_say_so(unfitted, three_blobs):
    """Methods raise scikit-learn's NotFittedError, and fitted attributes are not there."""
    for method in ("predict", "decision_function", "pair_decisions", "decision_path"):
        with pytest.raises(NotFittedError):
            getattr(unfitted, method)(three_blobs[0])
    for name in ("classes_", "bank_", "plan_", "structure_", "n_features_in_", "feature_names_in_", "target_name_"):
        assert not hasattr(unfitted, name)
    with pytest.raises(NotFittedError):
        check_is_fitted(unfitted)


def test_fitted_attributes_are_those_of_the_model(unfitted, three_blobs):
    """Classes, columns, bank, plan and structure are there after a fit."""
    X, y = three_blobs
    clf = unfitted.fit(X, y)
    check_is_fitted(clf)
    np.testing.assert_array_equal(clf.classes_, [0, 1, 2])
    assert clf.n_features_in_ == 2
    assert not hasattr(clf, "feature_names_in_")
    assert not hasattr(clf, "target_name_")
    assert clf.bank_.n_machines == 3
    assert type(clf.structure_).__name__ == "MaxWins"
    assert clf.plan_.n_classes == 3


def test_name_of_the_target_is_known_if_y_has_one(unfitted, three_blobs):
    """A Series of pandas or polars has a name; an empty one, or a number, is none."""
    X, y = three_blobs
    for named in (pd.Series(y, name="species"), pl.Series("species", y)):
        assert unfitted.fit(X, named).target_name_ == "species"
    for unnamed in (pd.Series(y), pd.Series(y, name=3), pl.Series(y)):
        assert not hasattr(unfitted.fit(X, unnamed), "target_name_")


def test_fitted_attributes_cannot_be_replaced(three_blobs):
    """A fitted attribute is read from the model, so assigning to it is an error."""
    clf = dagmar.SVC().fit(*three_blobs)
    with pytest.raises(AttributeError):
        clf.classes_ = np.array([1, 2, 3])


def test_copies_are_fitted(unfitted, three_blobs):
    """Shallow, deep and pickled copies of a fitted estimator answer as it does."""
    X, y = three_blobs
    clf = unfitted.fit(X, y)
    for other in (copy.copy(clf), copy.deepcopy(clf), pickle.loads(pickle.dumps(clf))):
        np.testing.assert_array_equal(other.predict(X), clf.predict(X))


def test_pickle_of_another_version_is_refused(unfitted, three_blobs, monkeypatch):
    """The error names the estimator, both versions and what to do; unfitted estimators are refused as well."""
    for clf in (clone(unfitted), unfitted.fit(*three_blobs)):
        with monkeypatch.context() as patch:
            patch.setattr(versions, "running_version", lambda: "0.0.1")
            old = pickle.dumps(clf)
        with pytest.raises(dagmar.PickleVersionError, match=rf"written by dagmar 0\.0\.1.*{dagmar.__version__}.*again"):
            pickle.loads(old)


def test_hold_makes_an_estimator_fitted(three_blobs):
    """An estimator that is given a model answers by it, with parameters of its own."""
    X, y = three_blobs
    fitted = dagmar.SVC(structure="ddag").fit(X, y)
    other = hold(dagmar.SVC(structure="ddag", decision_function_shape="ovo"), fitted._model)
    np.testing.assert_array_equal(other.predict(X), fitted.predict(X))
    np.testing.assert_array_equal(other.decision_function(X), -fitted.pair_decisions(X))


def test_fit_that_fails_keeps_the_model(unfitted, three_blobs):
    """An error in fit leaves the model that was there; without one, the estimator stays unfitted."""
    X, y = three_blobs
    wrong = np.full_like(X, np.nan), y[:-1]
    with pytest.raises(ValueError, match=r"inconsistent|NaN"):
        unfitted.fit(*wrong)
    assert not hasattr(unfitted, "classes_")
    before = vars(unfitted.fit(X, y)).copy()
    with pytest.raises(ValueError, match=r"inconsistent|NaN"):
        unfitted.fit(*wrong)
    assert {name: id(value) for name, value in vars(unfitted).items()} == {
        name: id(value) for name, value in before.items()
    }


def test_warning_turned_into_an_error_keeps_the_model(seven_blobs):
    """If the warning about convergence is an error, the fit failed, and the old model stays."""
    X, y = seven_blobs
    clf = dagmar.SVC().fit(X, y)
    before = clf._model
    clf.set_params(C=100, max_iter=30)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        with pytest.raises(ConvergenceWarning):
            clf.fit(X, y)
    assert clf._model is before


def test_restructure_warns_about_machines_that_did_not_converge(seven_blobs):
    """Machines that restructure trains and that stop early are named, and the new status says so."""
    X, y = seven_blobs
    clf = dagmar.SVC(C=10, gamma=0.5, max_iter=400).fit(X, y)
    assert clf.fit_status_ == 0
    with pytest.warns(ConvergenceWarning, match=r"max_iter=400.*not converged: \(rest, 0\)") as caught:
        rest = clf.restructure("one_vs_rest", X, y)
    assert [w.filename for w in caught] == [__file__]
    assert rest.fit_status_ == 1
    assert clf.fit_status_ == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert clf.restructure("max_wins", X, y).fit_status_ == 0
        assert rest.restructure("one_vs_rest").fit_status_ == 1  # known already; nothing was trained


def test_predict_during_fit_answers_by_one_model_or_the_other():
    """Threads that predict while another fits see labels of one model only, never a mixture or an error."""
    X, y = blobs(seed=6, n_classes=4, per_class=30, n_features=3, spread=0.3)
    words = np.array(["ash", "elm", "fir", "oak"])
    X_other = np.hstack([X, X])  # another number of features and other labels
    clf = dagmar.SVC(gamma=0.5).fit(X, y)
    wrong, done = [], threading.Event()

    def ask():
        while not done.is_set():
            for samples in (X, X_other):
                try:
                    labels = clf.predict(samples)
                except ValueError as error:
                    if "features" not in str(error):  # the other model is there: that is one of the two answers
                        wrong.append(error)
                    continue
                kinds = {type(label) for label in labels.tolist()}
                expected = {int} if samples is X else {str}
                if kinds != expected or np.mean(labels == (y if samples is X else words[y])) < 0.9:
                    wrong.append(labels)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(40):
            clf.fit(X_other, words[y])
            clf.fit(X, y)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert not wrong


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
