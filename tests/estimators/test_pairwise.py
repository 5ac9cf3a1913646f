"""Any classifier at the nodes of any structure."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from classifiers import NearestMean
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as LibSVC
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import dagmar
from dagmar import AdaptiveDDAG, CenteredTree, FisherTree, PairwiseClassifier
from dagmar.base.exceptions import InvalidParameterError, MissingDataError, MissingMachinesError
from dagmar.structures import STRUCTURES

EVERY_STRUCTURE = [
    *STRUCTURES,
    AdaptiveDDAG(separation="fisher"),
    FisherTree(machines="groups"),
    CenteredTree(machines="groups"),
]


# Check: why it cannot hold.
EXPECTED_FAILURES = {}


@parametrize_with_checks(
    [PairwiseClassifier(LogisticRegression()), *(PairwiseClassifier(NearestMean(), name) for name in STRUCTURES)],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_estimator_checks(estimator, check):
    """What scikit-learn asks of every classifier holds whatever the structure."""
    assert check(estimator) is None


# ------------------------------------------------------------------ agreement


def test_max_wins_is_one_vs_one(seven_blobs):
    """The labels are those of OneVsOneClassifier wherever one class has most votes."""
    X, y = seven_blobs
    ours = PairwiseClassifier(LogisticRegression(), structure="max_wins").fit(X, y)
    theirs = OneVsOneClassifier(LogisticRegression()).fit(X, y)
    values = ours.pair_decisions(X)
    votes = np.round(ours.decision_function(X))
    clear = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) == 1
    assert clear.mean() > 0.9
    np.testing.assert_array_equal(ours.predict(X)[clear], theirs.predict(X)[clear])
    np.testing.assert_allclose(values[:, 0], theirs.estimators_[0].decision_function(X))


def test_one_vs_rest_is_one_vs_rest(seven_blobs):
    """Labels and values are those of OneVsRestClassifier."""
    X, y = seven_blobs
    ours = PairwiseClassifier(LogisticRegression(), structure="one_vs_rest").fit(X, y)
    theirs = OneVsRestClassifier(LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X))


@pytest.mark.parametrize("structure", EVERY_STRUCTURE, ids=str)
def test_linear_machines_are_those_of_svc(seven_blobs, structure):
    """With LIBSVM's linear machines, labels, values and paths are those of dagmar.SVC, structure by structure."""
    X, y = seven_blobs
    ours = PairwiseClassifier(LibSVC(kernel="linear", tol=1e-6), structure=structure).fit(X, y)
    svc = dagmar.SVC(kernel="linear", tol=1e-6, structure=structure).fit(X, y)
    np.testing.assert_array_equal(ours.bank_.tasks.classes, svc.bank_.tasks.classes)
    np.testing.assert_allclose(ours.pair_decisions(X), svc.pair_decisions(X), atol=1e-3)
    assert (ours.predict(X) == svc.predict(X)).mean() > 0.99
    same_paths = [
        np.array_equal(a, b) for (a, _), (b, _) in zip(ours.decision_path(X), svc.decision_path(X), strict=True)
    ]
    assert np.mean(same_paths) > 0.99
    np.testing.assert_allclose(ours.decision_function(X[same_paths]), svc.decision_function(X[same_paths]), atol=1e-2)


def test_perceptron_ddag():
    """The Perceptron DDAG of Platt et al. trains all pairs, asks N - 1 of them, and is a good classifier."""
    X, y = load_digits(return_X_y=True)
    clf = PairwiseClassifier(Perceptron(random_state=0), structure="ddag").fit(X[:1200], y[:1200])
    assert len(clf.estimators_) == clf.bank_.n_machines == 45
    assert set(np.diff(clf.decision_path(X[:50]).begin)) == {9}
    assert clf.score(X[1200:], y[1200:]) > 0.88


@pytest.mark.parametrize("structure", EVERY_STRUCTURE, ids=str)
@pytest.mark.parametrize(
    "estimator",
    [
        LinearSVC(),
        GaussianNB(),
        DecisionTreeClassifier(max_depth=3, random_state=0),
        KNeighborsClassifier(2),
        make_pipeline(StandardScaler(), NearestMean()),
    ],
    ids=lambda e: type(e).__name__,
)
def test_any_classifier_in_any_structure(seven_blobs, estimator, structure):
    """Classifiers with values, with probabilities only, and pipelines all do."""
    X, y = seven_blobs
    clf = PairwiseClassifier(estimator, structure).fit(X, y)
    assert clf.score(X, y) > 0.9
    scores = clf.decision_function(X)
    assert scores.shape == (len(y), 7)
    assert (np.argmax(scores, axis=1) == clf.predict(X)).mean() > 0.95


# --------------------------------------------------------------- what is given


def test_string_labels(seven_blobs):
    """Labels are the user's own."""
    X, y = seven_blobs
    names = np.array(["ant", "bee", "cat", "dog", "elk", "fox", "gnu"])
    clf = PairwiseClassifier(NearestMean()).fit(X, names[y])
    plain = PairwiseClassifier(NearestMean()).fit(X, y)
    np.testing.assert_array_equal(clf.predict(X), names[plain.predict(X)])
    np.testing.assert_array_equal(clf.classes_, names)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_sparse_is_dense(seven_blobs, structure):
    """Sparse samples get the answers of dense ones, whatever the format."""
    X, y = seven_blobs
    X = np.where(np.abs(X) > 1, X, 0)
    dense = PairwiseClassifier(NearestMean(), structure).fit(X, y)
    for form in (sp.csr_matrix, sp.csc_array):
        sparse = PairwiseClassifier(NearestMean(), structure).fit(form(X), y)
        assert (sparse.predict(form(X)) == dense.predict(X)).mean() > 0.99


def test_two_classes(two_moons):
    """With two classes there is one machine, whose value is the decision function."""
    X, y = two_moons
    alone = LogisticRegression().fit(X, y)
    for structure in STRUCTURES:
        clf = PairwiseClassifier(LogisticRegression(), structure).fit(X, y)
        np.testing.assert_array_equal(clf.decision_function(X), alone.decision_function(X))
        np.testing.assert_array_equal(clf.predict(X), alone.predict(X))


def test_data_frames_reach_the_machines(three_blobs):
    """A data frame is handed on with its columns, and other columns are refused."""
    X, y = three_blobs
    frame = pd.DataFrame(X, columns=["a", "b"])
    clf = PairwiseClassifier(LogisticRegression(), "fisher_tree").fit(frame, y)
    assert clf.feature_names_in_.tolist() == clf.estimators_[0].feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(
        clf.predict(frame), PairwiseClassifier(LogisticRegression(), "fisher_tree").fit(X, y).predict(X)
    )
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(frame[["b", "a"]])


def test_texts_reach_a_pipeline():
    """Samples that are no arrays are for the pipeline to read."""
    texts, y = [f"word{c} text" for c in range(4)] * 5, list("abcd") * 5
    clf = PairwiseClassifier(make_pipeline(TfidfVectorizer(), LogisticRegression()), "divide_and_conquer")
    assert clf.fit(texts, y).predict(["word2 text"]) == ["c"]


def test_missing_values_are_for_the_estimator_to_allow(three_blobs):
    """NaN is an error with most estimators and fine with those that allow it."""
    X, y = three_blobs
    X = np.where(np.arange(len(y))[:, None] % 9 == 0, np.nan, X)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        PairwiseClassifier(LogisticRegression()).fit(X, y)
    trees = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5)
    clf = PairwiseClassifier(trees).fit(X, y)
    assert clf.__sklearn_tags__().input_tags.allow_nan
    assert clf.score(X, y) > 0.8


@pytest.mark.parametrize("estimator", [Ridge(), LogisticRegression, None, "logistic"])
def test_what_is_no_classifier_is_refused(three_blobs, estimator):
    """A regressor, a class or anything else is an error that says so."""
    with pytest.raises(InvalidParameterError, match="'estimator' parameter of PairwiseClassifier must be a classifier"):
        PairwiseClassifier(estimator).fit(*three_blobs)


def test_parameters_are_checked(three_blobs):
    """Wrong parameters are errors that name the estimator."""
    X, y = three_blobs
    with pytest.raises(InvalidParameterError, match="'structure' parameter of PairwiseClassifier"):
        PairwiseClassifier(LogisticRegression(), "dag").fit(X, y)
    with pytest.raises(InvalidParameterError, match="'n_jobs' parameter of PairwiseClassifier"):
        PairwiseClassifier(LogisticRegression(), n_jobs="all").fit(X, y)


def test_data_is_checked(three_blobs):
    """One class, missing weights support, no fit and wrong features are errors as scikit-learn users know them."""
    X, y = three_blobs
    clf = PairwiseClassifier(LogisticRegression())
    with pytest.raises(NotFittedError):
        clf.predict(X)
    with pytest.raises(ValueError, match="got 1 class"):
        clf.fit(X, np.zeros(len(y)))
    with pytest.raises(TypeError, match="KNeighborsClassifier does not support sample_weight"):
        PairwiseClassifier(KNeighborsClassifier()).fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(ValueError, match="X has 1 features, but PairwiseClassifier is expecting 2"):
        clf.fit(X, y).predict(X[:, :1])


def test_failed_refit_changes_nothing(three_blobs):
    """A fit that fails leaves the estimator as it was."""
    X, y = three_blobs
    clf = PairwiseClassifier(LogisticRegression()).fit(X, y)
    before, labels = dict(clf.__dict__), clf.predict(X)
    with pytest.raises(ValueError, match="NaN"):
        clf.fit(np.full((4, 3), np.nan), list("aabb"))
    assert clf.__dict__ == before
    np.testing.assert_array_equal(clf.predict(X), labels)


# ----------------------------------------------------------------- restructure


def test_restructure_uses_the_same_machines(seven_blobs):
    """Restructuring gives the labels of fitting anew, over the very same machines."""
    X, y = seven_blobs
    clf = PairwiseClassifier(NearestMean()).fit(X, y)
    for structure in ("max_wins", "and_gate", "bracket", "ddag"):
        other = clf.restructure(structure)
        assert all(a is b for a, b in zip(other.estimators_, clf.estimators_, strict=True))
        np.testing.assert_array_equal(
            other.predict(X), PairwiseClassifier(NearestMean(), structure).fit(X, y).predict(X)
        )
    assert clf.structure == "max_wins"


@pytest.mark.parametrize("structure", EVERY_STRUCTURE, ids=str)
def test_restructure_with_data_is_a_new_fit(seven_blobs, structure):
    """With the training data at hand, any structure can be had from any other."""
    X, y = seven_blobs
    clf = PairwiseClassifier(NearestMean(), "fisher_tree").fit(X, y).restructure(structure, X, y)
    new = PairwiseClassifier(NearestMean(), structure).fit(X, y)
    np.testing.assert_array_equal(clf.predict(X), new.predict(X))
    assert sorted(clf.bank_.tasks.keys()) == sorted(new.bank_.tasks.keys())


def test_restructure_tells_what_is_missing(seven_blobs):
    """Missing machines are named, missing data is an error, and other data is refused."""
    X, y = seven_blobs
    names = np.array(list("abcdefg"))
    tree = PairwiseClassifier(NearestMean(), FisherTree(machines="groups")).fit(X, names[y])
    with pytest.raises(MissingMachinesError, match=r"Pass X and y to train them. Missing: \(a, c\), \(a, d\)"):
        tree.restructure("ddag")
    with pytest.raises(MissingDataError, match="pass X and y"):
        PairwiseClassifier(NearestMean()).fit(X, y).restructure("divide_and_conquer")
    with pytest.raises(ValueError, match="labels that this model does not know"):
        tree.restructure("ddag", X, y)
    with pytest.raises(ValueError, match="not the data this model was trained on"):
        tree.restructure("ddag", X[1:], names[y][1:])
    with pytest.raises(ValueError, match="X and y go together"):
        tree.restructure("ddag", X)


# --------------------------------------------------------------------- manners


def test_nested_parameters_and_clone():
    """Parameters of estimator and structure are reached by their names."""
    clf = PairwiseClassifier(LogisticRegression(), dagmar.DivideAndConquer())
    clf.set_params(estimator__C=3.0, structure__theta=0.1)
    copy = clone(clf)
    assert copy.get_params()["estimator__C"] == 3.0
    assert copy.get_params()["structure__theta"] == 0.1


def test_tags_are_the_estimators():
    """Sparse samples, missing values and kernel matrices are announced as the estimator announces them."""
    for estimator in (LogisticRegression(), GaussianNB()):
        announced = estimator.__sklearn_tags__().input_tags
        assert PairwiseClassifier(estimator).__sklearn_tags__().input_tags.sparse == announced.sparse
    assert PairwiseClassifier(LibSVC(kernel="precomputed")).__sklearn_tags__().input_tags.pairwise


def test_in_a_grid_search(three_blobs):
    """It works inside pipelines, grids and cross-validation."""
    X, y = three_blobs
    clf = PairwiseClassifier(LogisticRegression(), dagmar.DivideAndConquer())
    grid = {"pairwiseclassifier__estimator__C": [0.1, 1], "pairwiseclassifier__structure__theta": [0.0, 0.1]}
    search = GridSearchCV(make_pipeline(StandardScaler(), clf), grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    assert cross_val_score(clf, X, y).mean() > 0.8


@pytest.mark.parametrize("structure", EVERY_STRUCTURE, ids=str)
def test_pickle(seven_blobs, structure):
    """A pickled model gives the same values and answers."""
    X, y = seven_blobs
    clf = PairwiseClassifier(GaussianNB(), structure).fit(X, y)
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.predict(X), clf.predict(X))
    np.testing.assert_array_equal(again.decision_function(X), clf.decision_function(X))


def test_metadata_routing(three_blobs):
    """With scikit-learn's routing on, weights go where they are asked for."""
    X, y = three_blobs
    weight = 1.0 + np.arange(len(y)) % 3
    plain = PairwiseClassifier(LogisticRegression()).fit(X, y, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = LogisticRegression().set_fit_request(sample_weight=True)
        routed = PairwiseClassifier(asked).fit(X, y, sample_weight=weight)
        np.testing.assert_array_equal(routed.pair_decisions(X), plain.pair_decisions(X))
        with pytest.raises(ValueError, match="sample_weight"):
            PairwiseClassifier(LogisticRegression()).fit(X, y, sample_weight=weight)


def test_methods_of_svc(seven_blobs):
    """explain, decision_cost and report_ say of any machines what can be said of them."""
    X, y = seven_blobs
    clf = PairwiseClassifier(make_pipeline(StandardScaler(), LogisticRegression()), "ddag").fit(X, y)
    cost = clf.decision_cost(X)
    np.testing.assert_array_equal(cost.machines, 6)
    assert str(cost) == "6.0 machines per sample"
    machines, values = clf.decision_path(X[:1])[0]
    lines = str(clf.explain(X[0])).splitlines()
    assert lines[-1] == f"Answer: {clf.predict(X[:1])[0]}"
    for line, machine, value in zip(lines, machines, values, strict=False):
        winner, loser = clf.bank_.pairs[machine][:: -1 if value >= 0 else 1]
        assert line.endswith(f". {winner} beats {loser} ({abs(value):.3g})")
    report = clf.report_
    assert report.seconds.shape == report.iterations.shape == (21,)
    assert (report.seconds > 0).all()
    np.testing.assert_array_equal(report.iterations, [machine[-1].n_iter_[0] for machine in clf.estimators_])
    assert "s of fitting; gap not known" in str(report)


def test_report_follows_the_machines(seven_blobs):
    """Machines that restructure trains are added to the report, and those it drops leave it."""
    X, y = seven_blobs
    clf = PairwiseClassifier(NearestMean()).fit(X, y)
    assert clf.report_.iterations.tolist() == [0] * 21  # it has no n_iter_
    rest = clf.restructure("one_vs_rest", X, y)
    assert len(rest.report_.seconds) == rest.bank_.n_machines == 7
    tree = clf.restructure(FisherTree(), X, y)
    np.testing.assert_array_equal(
        tree.report_.seconds, clf.report_.seconds[[clf.bank_.machine_of[i, j] for i, j in tree.bank_.pairs]]
    )


def test_a_text_is_explained():
    """One sample of a pipeline that reads texts is a text."""
    texts, y = [f"word{c} text" for c in range(4)] * 5, list("abcd") * 5
    clf = PairwiseClassifier(make_pipeline(TfidfVectorizer(), LogisticRegression())).fit(texts, y)
    assert str(clf.explain("word2 text")).endswith("Answer: c")
