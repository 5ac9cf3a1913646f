"""Estimators hold one model: it is published by one assignment, and read by fitted attributes."""

import copy
import importlib
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

import dagmar
from dagmar.base import versions
from dagmar.estimators.holding import hold


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


@pytest.mark.parametrize(
    "name",
    [
        "dagmar.problem.validation.Columns",
        "dagmar.problem.validation.KernelFunction",
        "dagmar.tuning.svccv.SearchResult",
        "dagmar.dask.sharded.ShardedModel",
    ],
)
def test_classes_in_earlier_pickles_are_found(name):
    """Pickles name the module of a class: one that has moved must still be found there."""
    if name.startswith("dagmar.dask."):
        pytest.importorskip("distributed")
    home, _, kind = name.rpartition(".")
    assert getattr(importlib.import_module(home), kind).__name__ == kind
