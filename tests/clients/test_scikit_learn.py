"""Tools of scikit-learn around `SVC`: each gives what it gives around scikit-learn's own."""

import numpy as np
import pytest
from clients.pairs import both
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SelectFromModel, SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, RandomizedSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

GRID = {"C": [0.1, 1, 10], "gamma": [0.0003, 0.001]}


def scaled(svc):
    return make_pipeline(StandardScaler(), svc)


def columns(svc):
    parts = [("left", StandardScaler(), slice(0, 32)), ("right", MinMaxScaler(), slice(32, 64))]
    return make_pipeline(ColumnTransformer(parts), svc)


TOOLS = {
    "pipeline": scaled,
    "columns": columns,
    "grid search": lambda svc: GridSearchCV(svc, GRID, cv=3),
    "random search": lambda svc: RandomizedSearchCV(svc, GRID, n_iter=3, cv=3, random_state=0),
    "halving search": lambda svc: HalvingGridSearchCV(svc, GRID, cv=3, random_state=0, min_resources=60),
    "calibration": lambda svc: CalibratedClassifierCV(svc, cv=3),
    "bagging": lambda svc: BaggingClassifier(svc, n_estimators=5, random_state=0),
    "boosting": lambda svc: AdaBoostClassifier(svc, n_estimators=3, random_state=0),
    "voting": lambda svc: VotingClassifier([("svc", svc), ("bayes", GaussianNB())]),
    "stacking": lambda svc: StackingClassifier([("svc", svc)], scaled(LogisticRegression(max_iter=1000)), cv=3),
    "one against the rest": OneVsRestClassifier,
}


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_the_same_labels(tool, digits):
    X, X_test, y, _ = digits
    ours, theirs = (tool(svc).fit(X, y).predict(X_test) for svc in both())
    np.testing.assert_array_equal(ours, theirs)


def test_the_same_probabilities_after_calibration(digits):
    X, X_test, y, _ = digits
    ours, theirs = (CalibratedClassifierCV(svc, cv=3).fit(X, y).predict_proba(X_test) for svc in both())
    np.testing.assert_allclose(ours, theirs, atol=1e-4)


SELECTIONS = {
    "from model": lambda svc: SelectFromModel(svc, max_features=10, importance_getter=weights),
    "recursive": lambda svc: RFECV(svc, step=16, cv=3, importance_getter=weights),
    "sequential": lambda svc: SequentialFeatureSelector(svc, n_features_to_select=2, cv=2),
}


def weights(svc):
    """The squared weights of each feature, over all machines."""
    return (np.asarray(svc.coef_) ** 2).sum(axis=0)


@pytest.mark.parametrize("select", SELECTIONS.values(), ids=SELECTIONS)
def test_the_same_features(select, digits):
    X, _, y, _ = digits
    ours, theirs = (select(svc).fit(X[:, 16:48], y).get_support() for svc in both(kernel="linear"))
    np.testing.assert_array_equal(ours, theirs)


def test_the_same_scores(digits):
    X, _, y, _ = digits
    ours, theirs = (cross_val_score(svc, X, y, scoring="f1_macro") for svc in both())
    np.testing.assert_array_equal(ours, theirs)
