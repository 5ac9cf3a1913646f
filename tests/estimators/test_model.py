"""The fitted model: one frozen object, made in one function."""

import pickle
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest
from helpers import blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC as TheirSVC

import dagmar
from dagmar.estimators.model import Model, build_model
from dagmar.machines.bank import Bank
from dagmar.machines.estimator_bank import EstimatorBank
from dagmar.machines.training import TrainSettings
from dagmar.machines.workshop import Workshop
from dagmar.problem.making import ProblemParameters, make_problem
from dagmar.structures import STRUCTURES, as_structure


def model_of(structure, X, y, **given):
    """A model without an estimator around it."""
    problem, learned = make_problem(ProblemParameters(**given), X, y)
    return build_model(as_structure(structure), Workshop(learned.classes, problem, TrainSettings()), learned)


@pytest.mark.parametrize("structure", list(STRUCTURES))
def test_model_answers_as_the_estimator_does(structure, three_blobs):
    """Labels, values, scores and paths of a bare model are those of the estimator that holds the same one."""
    X, y = three_blobs
    model, clf = model_of(structure, X, y, C=3.0), dagmar.SVC(C=3.0, structure=structure).fit(X, y)
    np.testing.assert_array_equal(model.labels(model.decide(X)), clf.predict(X))
    np.testing.assert_array_equal(model.values(X), clf.pair_decisions(X))
    np.testing.assert_array_equal(model.scores(X), clf.decision_function(X))
    mine, theirs = model.trace(X), clf.decision_path(X)
    for f in fields(mine):
        np.testing.assert_array_equal(getattr(mine, f.name), getattr(theirs, f.name))


@pytest.mark.parametrize("structure", list(STRUCTURES))
def test_scores_name_the_answer(structure, seven_blobs):
    """The largest score is the answer of the structure wherever that is promised: for polls and paths."""
    X, y = seven_blobs
    model = model_of(structure, X, y, gamma=0.5)
    if not model.bank.all_pairs:
        np.testing.assert_array_equal(np.argmax(model.scores(X), axis=1), model.decide(X))
    else:
        theirs = TheirSVC(gamma=0.5, tol=1e-3).fit(X, y)
        np.testing.assert_allclose(model.scores(X), theirs.decision_function(X), atol=5e-3)


def test_model_is_frozen(three_blobs):
    """Neither the fields nor the arrays of a model can be changed."""
    model = dagmar.SVC().fit(*three_blobs)._model
    with pytest.raises(FrozenInstanceError):
        model.plan = None
    for array in (model.classes, model.learned.class_weight, model.bank.coef, model.report.gap):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_every_estimator_holds_one(three_blobs):
    """`SVC`, `SVCCV` and `PairwiseClassifier` ask a `Model`, and so does a converted one."""
    X, y = three_blobs
    search = dagmar.SVCCV(Cs=[1.0], gammas=[1.0], cv=2).fit(X, y)
    others = [
        dagmar.SVC().fit(X, y),
        dagmar.PairwiseClassifier(LogisticRegression()).fit(X, y),
        dagmar.from_sklearn(TheirSVC().fit(X, y)),
    ]
    for clf in others:
        assert type(vars(clf)["_model"]) is Model
        assert set(vars(clf)) == {*clf.get_params(deep=False), "_model"}
    assert search._fitted() is search.best_estimator_._model
    assert set(vars(search)) == {*search.get_params(deep=False), "_result"}


def test_unconverged_machines_are_listed(seven_blobs):
    """Status and list of machines that stopped early agree with the report."""
    X, y = seven_blobs
    with pytest.warns(ConvergenceWarning):
        model = dagmar.SVC(C=100, max_iter=40).fit(X, y)._model
    late = np.flatnonzero(~model.report.converged)
    assert len(late) > 0
    assert model.status == 1
    np.testing.assert_array_equal(model.unconverged, late)


def test_numbers_that_are_not_finite_are_refused(three_blobs):
    """A bank with a coefficient that is not finite never becomes a model."""
    X, y = three_blobs
    problem, learned = make_problem(ProblemParameters(), X, y)
    shop = Workshop(learned.classes, problem, TrainSettings())
    structure = as_structure("ddag")
    structure.build(shop)
    for name in ("coef", "bias"):
        broken = getattr(shop.bank, name).copy()
        broken[0] = np.nan
        spoiled = Workshop(
            learned.classes, None, TrainSettings(), bank=replace(shop.bank, **{name: broken}), report=shop.report
        )
        with pytest.raises(ValueError, match="not finite"):
            build_model(structure, spoiled, learned)


def test_hard_margin_must_be_reached():
    """With an infinite C, classes that cannot be separated are an error that names them, in fit and in restructure."""
    X, y = blobs(seed=5, n_classes=3, per_class=20, n_features=2, spread=0.2)
    clf = dagmar.SVC(C=np.inf, kernel="linear").fit(X, y)
    assert clf.fit_status_ == 0
    # One class between two others: the pairs can be separated by lines, one class against the rest cannot.
    line = np.repeat([[0.0], [1.0], [2.0]], 5, axis=0) + 0.01 * np.arange(15)[:, None]
    middle = np.repeat(["left", "middle", "right"], 5)
    between = dagmar.SVC(C=np.inf, kernel="linear").fit(line, middle)
    with pytest.raises(ValueError, match=r"C=inf allows no margin error.*\(left \+ right, middle\)"):
        between.restructure("one_vs_rest", line, middle)


def test_two_classes_have_one_score(two_moons):
    """With two classes the score is the value of their machine, positive for the later."""
    X, y = two_moons
    model = model_of("max_wins", X, y)
    assert model.scores(X).shape == (len(X),)
    np.testing.assert_array_equal(model.scores(X) >= 0, model.decide(X) == 1)


def test_pickle_brings_the_same_answers(seven_blobs):
    """A model that was pickled answers to the bit as before."""
    X, y = seven_blobs
    model = model_of("fisher_tree", X, y)
    again = pickle.loads(pickle.dumps(model))
    assert isinstance(again.bank, Bank)
    np.testing.assert_array_equal(again.values(X), model.values(X))
    np.testing.assert_array_equal(again.decide(X), model.decide(X))


def test_bank_of_another_kind_is_refused(three_blobs):
    """A model of kernel machines has no bank of estimators."""
    model = dagmar.SVC().fit(*three_blobs)._model
    assert model.bank_as(Bank) is model.bank
    with pytest.raises(TypeError, match="must be in EstimatorBank, not in Bank"):
        model.bank_as(EstimatorBank)
