"""A bank of classifiers: the value of a machine, and of every machine that is asked."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from classifiers import NearestMean, OnlyPredicts, Recorder
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC as LibSVC
from sklearn.tree import DecisionTreeClassifier

from dagmar import AdaptiveDDAG, CenteredTree, FisherTree, PairwiseClassifier
from dagmar.machines.estimator_bank import select_rows, value_of
from dagmar.structures import STRUCTURES

EVERY_STRUCTURE = [
    *STRUCTURES,
    AdaptiveDDAG(separation="fisher"),
    FisherTree(machines="groups"),
    CenteredTree(machines="groups"),
]


@pytest.mark.parametrize("structure", EVERY_STRUCTURE, ids=str)
def test_only_machines_on_the_path_are_asked(seven_blobs, structure):
    """A machine is given just the samples whose path it is on, all of a step at once."""
    X, y = seven_blobs
    clf = PairwiseClassifier(Recorder(), structure).fit(X, y)
    path = clf.decision_path(X)
    for machine in clf.estimators_:
        machine.asked_.clear()
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[path.answers])
    asked = np.array([sum(map(len, machine.asked_)) for machine in clf.estimators_])
    np.testing.assert_array_equal(asked, np.bincount(path.machines, minlength=clf.bank_.n_machines))
    for m, machine in enumerate(clf.estimators_):
        on_path = [i for i, (machines, _) in enumerate(path) if m in machines]
        if on_path:
            given = np.concatenate(machine.asked_)
            np.testing.assert_array_equal(np.sort(given, axis=0), np.sort(X[on_path], axis=0))
    assert max(len(machine.asked_) for machine in clf.estimators_) <= np.diff(path.begin).max()


def test_paths_hold_the_values(seven_blobs):
    """The values on a path are those of its machines."""
    X, y = seven_blobs
    clf = PairwiseClassifier(LogisticRegression(), "max_wins").fit(X, y)
    values = clf.pair_decisions(X)
    for i, (machines, told) in enumerate(clf.decision_path(X)):
        np.testing.assert_allclose(told, values[i, machines], rtol=1e-9)


def test_value_of_a_machine():
    """The value is the decision function, else the probability less a half, else plus or minus one."""
    X, y = np.array([[0.0], [1.0]]), np.array([False, True])
    logistic = LogisticRegression().fit(X, y)
    np.testing.assert_array_equal(value_of(logistic, X), logistic.decision_function(X))
    np.testing.assert_array_equal(value_of(KNeighborsClassifier(1).fit(X, y), X), [-0.5, 0.5])
    np.testing.assert_array_equal(value_of(OnlyPredicts().fit(X, y), X), [-1.0, 1.0])


class Answering(ClassifierMixin, BaseEstimator):
    """A classifier whose method gives a chosen answer, made from the number of samples."""

    def __init__(self, method="predict", answer=None, classes=(False, True)):
        self.method, self.answer, self.classes = method, answer, classes

    def fit(self, X, y):
        """Take what is given; what is returned must not matter."""
        if self.classes is not None:
            self.classes_ = np.array(self.classes)

    def __getattr__(self, name):
        if name in ("predict", "predict_proba", "decision_function") and name == self.method:
            return lambda X: self.answer(len(X))
        raise AttributeError(name)


UNUSABLE = {
    "one value for all": ("decision_function", lambda n: np.ones(1), r"shape \(1,\) instead of"),
    "a number": ("decision_function", lambda n: 1.0, r"shape \(\) instead of"),
    "a value too many": ("decision_function", lambda n: np.ones(n + 1), "shape"),
    "two columns": ("decision_function", lambda n: np.ones((n, 2)), "shape"),
    "a NaN": ("decision_function", lambda n: np.where(np.arange(n) == 1, np.nan, 1.0), "returned NaN for 1 of"),
    "texts": ("decision_function", lambda n: np.full(n, "1.5"), "other than numbers"),
    "complex": ("decision_function", lambda n: np.ones(n, dtype=complex), "other than numbers"),
    "nothing": ("decision_function", lambda n: None, "other than numbers|NaN|shape"),
    "ragged": ("decision_function", lambda n: [[1.0], [1.0, 2.0]], "other than numbers"),
    "sparse": ("decision_function", lambda n: sp.csr_matrix(np.ones((n, 1))), "other than numbers"),
    "one probability": ("predict_proba", lambda n: np.ones((n, 1)), "shape"),
    "a flat probability": ("predict_proba", lambda n: np.ones(n), "shape"),
    "three probabilities": ("predict_proba", lambda n: np.full((n, 3), 1 / 3), "shape"),
    "probability of one row": ("predict_proba", lambda n: np.full((1, 2), 0.5), "shape"),
    "probability NaN": ("predict_proba", lambda n: np.full((n, 2), np.nan), "returned NaN for"),
    "probability 7": ("predict_proba", lambda n: np.full((n, 2), 7.0), "not between 0 and 1"),
    "another label": ("predict", lambda n: np.full(n, 2), "predict returned 2"),
    "a text label": ("predict", lambda n: np.full(n, "cat"), "predict returned 'cat'"),
    "None as label": ("predict", lambda n: np.full(n, None), "predict returned None"),
    "NaN as label": ("predict", lambda n: np.full(n, np.nan), "predict returned nan"),
    "one label": ("predict", lambda n: True, "shape"),
    "too few labels": ("predict", lambda n: np.ones(n - 1, dtype=bool), "shape"),
}


@pytest.mark.parametrize("case", UNUSABLE)
@pytest.mark.parametrize("structure", ["max_wins", "ddag", "one_vs_rest", "divide_and_conquer"])
def test_unusable_answers_are_refused(three_blobs, case, structure):
    """An answer that is not one value per sample is an error that names the pair and the classifier."""
    X, y = three_blobs
    method, answer, words = UNUSABLE[case]
    names = np.array(["ant", "bee", "cat"])[y]
    with pytest.raises(ValueError, match=rf"Answering cannot decide \((ant|ant \+ bee|bee \+ cat|ant \+ cat).*{words}"):
        PairwiseClassifier(Answering(method, answer), structure).fit(X, names).predict(X)


@pytest.mark.parametrize("classes", [(True,), (True, False), (0, 1, 2)], ids=str)
@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_classes_of_a_machine(three_blobs, method, classes):
    """A classifier that names other classes than False and True, or in another order, is refused."""
    answers = {"predict_proba": lambda n: np.full((n, 2), 0.5), "decision_function": np.ones}
    clf = PairwiseClassifier(Answering(method, answers[method], classes)).fit(*three_blobs)
    with pytest.raises(ValueError, match=r"Answering cannot decide \(0, 1\): its classes_ are"):
        clf.decision_function(three_blobs[0])


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("decision_function", lambda n: np.ones((n, 1))),
        ("decision_function", lambda n: [1] * n),
        ("decision_function", lambda n: np.full(n, np.inf)),
        ("decision_function", lambda n: np.ones(n, dtype=object)),
        ("predict_proba", lambda n: pd.DataFrame(np.full((n, 2), np.float32(0.5)))),
        ("predict", lambda n: np.ones((n, 1))),
        ("predict", lambda n: np.ones(n, dtype=object)),
    ],
)
def test_usable_answers_of_other_forms(three_blobs, method, answer):
    """A column, a list, objects and data frames are read, with or without classes_."""
    X, y = three_blobs
    for classes in [(False, True), ("False", "True"), None]:
        clf = PairwiseClassifier(Answering(method, answer, classes)).fit(X, y)
        assert set(clf.predict(X)) == {2}


def test_even_chances_are_for_the_later_class():
    """Where all machines are undecided, Max Wins and the decision function say the last class."""
    X, y = np.zeros((6, 1)), np.repeat([0, 1, 2], 2)
    clf = PairwiseClassifier(DecisionTreeClassifier(), "max_wins").fit(X, y)
    assert (clf.pair_decisions(X) == 0).all()
    assert set(clf.predict(X)) == {2}
    assert set(np.argmax(clf.decision_function(X), axis=1)) == {2}


@pytest.fixture(scope="module")
def bank(seven_blobs):
    """A bank of logistic regressions for all pairs."""
    return PairwiseClassifier(LogisticRegression()).fit(*seven_blobs).bank_


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_values_are_those_of_each_machine(bank, seven_blobs, n_jobs):
    """A column per machine, whoever computes it."""
    X = seven_blobs[0][:50]
    values = bank.values(X, n_jobs)
    assert values.shape == (50, 21)
    for m, machine in enumerate(bank.estimators):
        np.testing.assert_array_equal(values[:, m], machine.decision_function(X))
        np.testing.assert_array_equal(bank.value(m, X), values[:, m])


def test_machines_over_a_kernel_see_their_own_columns(seven_blobs):
    """Of a kernel matrix each machine is given the columns of the samples that it was trained on."""
    X, y = seven_blobs
    bank = PairwiseClassifier(LibSVC(kernel="precomputed")).fit(X @ X.T, y).bank_
    K = X[:20] @ X.T
    for m, (i, j) in enumerate(bank.pairs):
        np.testing.assert_array_equal(bank.columns[m], np.flatnonzero((y == i) | (y == j)))
        np.testing.assert_array_equal(bank.value(m, K), bank.estimators[m].decision_function(K[:, bank.columns[m]]))


def test_some_samples_of_anything():
    """Samples are selected from arrays, sparse matrices and data frames alike."""
    X, rows = np.arange(12.0).reshape(6, 2), np.array([4, 1])
    for made in (X, sp.csr_matrix(X), pd.DataFrame(X, columns=["a", "b"], index=list("uvwxyz"))):
        some = select_rows(made, rows)
        assert type(some) is type(made)
        np.testing.assert_array_equal(some.toarray() if sp.issparse(some) else np.asarray(some), X[rows])


def test_bank_shows_itself(three_blobs):
    """One line with the kinds of the machines; a frame with the user's labels."""
    X, y = three_blobs
    bank = PairwiseClassifier(NearestMean(), structure="one_vs_rest").fit(X, np.array(["a", "b", "c"])[y]).bank_
    assert repr(bank) == "EstimatorBank(3 machines, 3 classes, NearestMean)"
    assert bank.to_frame().positive.tolist() == ["a", "b", "c"]
    assert bank.to_frame().estimator.tolist() == ["NearestMean"] * 3
    assert "NearestMean" in bank._repr_html_()
