"""What scikit-learn's tools expect of an estimator: metadata, tags, its view in a notebook, parameters changed after a fit."""

import importlib.metadata
import pickle
from email.message import Message

import numpy as np
import pytest
import sklearn
import sklearn.svm
from classifiers import NearestMean, Recorder
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr, get_tags

import dagmar
from dagmar.base.exceptions import InvalidParameterError

ALL = [
    dagmar.SVC(gamma=0.1),
    dagmar.SVCCV(Cs=[1.0], gammas=[0.1], cv=2),
    dagmar.PairwiseClassifier(NearestMean()),
]
every_classifier = pytest.mark.parametrize("clf", ALL, ids=lambda clf: type(clf).__name__)


@pytest.fixture
def weights(seven_blobs):
    return np.random.default_rng(0).integers(1, 4, len(seven_blobs[1])).astype(float)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


# ------------------------------------------------------------------ metadata


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("clf", ALL[:2], ids=lambda clf: type(clf).__name__)
def test_weights_are_routed_on_request(seven_blobs, weights, clf):
    """In a pipeline and in a grid search, weights reach a fit that requests them, and only that."""
    X, y = seven_blobs
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    expected = clone(clf).fit(scaler.fit_transform(X), y, weights).decision_function(scaler.transform(X))
    unweighted = clone(clf).fit(scaler.transform(X), y).decision_function(scaler.transform(X))
    assert not np.allclose(expected, unweighted)
    asks = clone(clf).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    pipeline = make_pipeline(scaler, asks).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(pipeline.decision_function(X), expected)
    grid = GridSearchCV(make_pipeline(scaler, asks), {f"{type(clf).__name__.lower()}__tol": [1e-3]}, cv=2)
    grid.fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(grid.best_estimator_.decision_function(X), expected)
    with pytest.raises(UnsetMetadataPassedError, match=r"not explicitly set as requested or not"):
        make_pipeline(scaler, clone(clf)).fit(X, y, sample_weight=weights)


@pytest.mark.usefixtures("routing")
def test_scores_are_weighted_on_request(seven_blobs, weights):
    """Score requests weights, and a search inside a search gets its groups."""
    X, y = seven_blobs
    clf = dagmar.SVC(gamma=0.1).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    scores = cross_validate(clf, X, y, params={"sample_weight": weights}, cv=2)["test_score"]
    plain = cross_validate(dagmar.SVC(gamma=0.1), X, y, cv=2)["test_score"]
    assert not np.array_equal(scores, plain)
    groups = np.arange(len(y)) % 5
    search = dagmar.SVCCV([1.0], [0.1], GroupKFold(5)).set_fit_request(groups=True, sample_weight=True)
    pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), search)
    pipeline.fit(X, y, sample_weight=weights, groups=groups)
    assert pipeline[-1].n_splits_ == 5


@pytest.mark.usefixtures("routing")
def test_a_scorer_with_requests_works_in_a_search(seven_blobs, weights):
    """A scorer of the user's own gets the weights of its samples."""
    X, y = seven_blobs
    scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
    asked = dagmar.SVCCV([1.0], [0.1], 2, scoring=scorer).fit(X, y, weights)
    assert asked.best_score_ == dagmar.SVCCV([1.0], [0.1], 2).fit(X, y, weights).best_score_


@pytest.mark.usefixtures("routing")
def test_metadata_reach_the_machines(seven_blobs, weights):
    """PairwiseClassifier passes on what its estimator requests."""
    X, y = seven_blobs
    asks = Recorder().set_fit_request(sample_weight=True, tag=True)
    clf = dagmar.PairwiseClassifier(asks).fit(X, y, sample_weight=weights, tag="t")
    (i, j), machine = clf.bank_.pairs[0], clf.estimators_[0]
    np.testing.assert_array_equal(machine.sample_weight_, weights[(y == i) | (y == j)])
    assert machine.tag_ == "t"
    with pytest.raises(UnsetMetadataPassedError):
        dagmar.PairwiseClassifier(Recorder()).fit(X, y, sample_weight=weights)


# ---------------------------------------------------------------------- tags


@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed", lambda X, Z: X @ Z.T])
def test_tags_are_those_of_scikit_learn(kernel):
    """Tools that ask for tags see what they see of sklearn.svm.SVC; of a PairwiseClassifier, what its estimator reads."""
    expected = get_tags(sklearn.svm.SVC(kernel=kernel))
    assert get_tags(dagmar.SVC(kernel=kernel)) == expected
    assert get_tags(dagmar.SVCCV(kernel=kernel)) == expected
    pairwise = get_tags(dagmar.PairwiseClassifier(sklearn.svm.SVC(kernel=kernel)))
    assert pairwise.input_tags == expected.input_tags
    assert pairwise.classifier_tags == expected.classifier_tags


def test_output_is_not_to_be_configured():
    """set_output is for transformers: pipelines skip classifiers, as they skip those of scikit-learn."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    assert not any(hasattr(clf, "set_output") for clf in [*ALL, sklearn.svm.SVC()])
    pipeline = make_pipeline(StandardScaler(), dagmar.SVC()).set_output(transform="pandas").fit(X, y)
    assert pipeline[-1].feature_names_in_.tolist() == X.columns.tolist()
    assert isinstance(pipeline.predict(X), np.ndarray)


# ------------------------------------------------------------------ notebooks


@every_classifier
def test_html_shows_every_estimator(three_blobs, clf):
    """A notebook shows the estimator before and after a fit; no link leads to the pages of another project."""
    for estimator in (clone(clf), clone(clf).fit(*three_blobs)):
        page = estimator_html_repr(estimator)
        assert type(clf).__name__ in page
        assert f"for {type(clf).__name__}" not in page  # the words of a documentation link


@every_classifier
def test_html_links_to_the_documentation_that_the_package_names(clf, monkeypatch):
    """If the metadata of the package has a "Documentation" address, the question mark leads there."""
    package = Message()
    package["Project-URL"] = "Source, https://dagmar.example/source"
    package["Project-URL"] = "Documentation, https://dagmar.example/docs"
    monkeypatch.setattr(importlib.metadata, "metadata", lambda name: package if name == "dagmar" else None)
    name = type(clf).__name__
    assert clf._get_doc_link() == f"https://dagmar.example/docs#dagmar.{name}"
    page = estimator_html_repr(make_pipeline(StandardScaler(), clf))
    assert f'href="https://dagmar.example/docs#dagmar.{name}"' in page


# --------------------------------------------- parameters changed after a fit


METHODS = ("predict", "decision_function", "pair_decisions", "decision_path", "decision_cost", "explain")


@every_classifier
def test_a_structure_changed_after_the_fit_is_an_error(seven_blobs, clf):
    """Every answer names restructure, until the structure is changed back, restructured or fitted."""
    X, y = seven_blobs
    clf = clone(clf).fit(X, y)
    expected = clf.predict(X)
    clf.set_params(structure="ddag")
    for method in (*METHODS, "score"):
        with pytest.raises(InvalidParameterError, match=r"changed to 'ddag' after the fit.*MaxWins\(\).*restructure\("):
            clf.score(X, y) if method == "score" else getattr(clf, method)(X[:1])
    fitted = getattr(clf, "best_estimator_", clf)
    divided = fitted.restructure("ddag")
    assert set(divided.decision_cost(X).machines) == {6}
    np.testing.assert_array_equal(clone(clf).fit(X, y).predict(X), divided.predict(X))
    np.testing.assert_array_equal(clf.set_params(structure="max_wins").predict(X), expected)
    np.testing.assert_array_equal(clf.set_params(structure=dagmar.MaxWins()).predict(X), expected)
    clf.structure = "ddag"
    assert clf.fit(X, y).structure_.order is None


def test_parameters_of_a_structure_count(seven_blobs):
    """A changed order, theta or matrix is a change; an equal one is none, in copies and pickles as well."""
    X, y = seven_blobs
    far = np.ones((7, 7))
    np.fill_diagonal(far, np.nan)
    for structure, change in (
        (dagmar.DDAG(order=[6, 5, 4, 3, 2, 1, 0]), {"structure__order": [0, 1, 2, 3, 4, 5, 6]}),
        (dagmar.DDAG(order=range(7)), {"structure__order": None}),
        (dagmar.DivideAndConquer(theta=0.01), {"structure__theta": 0.02}),
        (dagmar.FisherTree(machines="pairs"), {"structure__machines": "groups"}),
        (dagmar.AdaptiveDDAG(separation=1.0 - np.eye(7)), {"structure__separation": 2.0 - np.eye(7)}),
    ):
        clf = dagmar.SVC(gamma=0.1, structure=structure).fit(X, y)
        expected = clf.predict(X)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(clf)).predict(X), expected)
        np.testing.assert_array_equal(clf.set_params(structure=clone(structure)).predict(X), expected)
        with pytest.raises(InvalidParameterError, match="restructure"):
            clf.set_params(**change).predict(X)


def test_a_structure_with_parameters_of_any_kind_is_no_change(three_blobs):
    """What cannot be compared, and attributes that are no parameters, raise no alarm."""

    class Helped(dagmar.Structure):
        def __init__(self, helper=None, table=None):
            self.helper = helper
            self.table = table

        def plan(self, bank):
            self.seen_ = bank.n_machines
            return dagmar.DDAG().plan(bank)

    X, y = three_blobs
    for helper, table in ((object(), [[1], [1, 2]]), (len, np.array([object()])), (LogisticRegression(), [np.nan])):
        structure = Helped(helper, table)
        structure.note = "mine"
        assert dagmar.SVC(structure=structure).fit(X, y).predict(X).shape == y.shape


def test_other_parameters_wait_for_the_next_fit(seven_blobs):
    """As in scikit-learn: what shaped the machines has no effect until the next fit, how they are asked has at once."""
    X, y = seven_blobs
    clf = dagmar.SVC(gamma=0.1).fit(X, y)
    values = clf.decision_function(X)
    clf.set_params(
        C=100.0, gamma=5.0, kernel="linear", degree=7, coef0=3.0, tol=1e-9, class_weight="balanced", max_iter=1
    )
    np.testing.assert_array_equal(clf.decision_function(X), values)
    assert clf.set_params(decision_function_shape="ovo").decision_function(X).shape == (len(y), 21)


def test_break_ties_is_refused_where_nothing_is_counted(seven_blobs):
    """Only max_wins compares votes; other structures say so at fit, at restructure and at predict."""
    X, y = seven_blobs
    words = r"'break_ties' parameter of SVC.* must be False with DDAG\(\): only the votes of \"max_wins\""
    for clf in (
        dagmar.SVC(structure="ddag", break_ties=True),
        dagmar.SVCCV([1], [1], 2, structure="ddag", break_ties=True),
    ):
        with pytest.raises(InvalidParameterError, match=words):
            clf.fit(X, y)
    with pytest.raises(InvalidParameterError, match=words):
        dagmar.SVC(structure="ddag").fit(X, y).set_params(break_ties=True).predict(X)
    with pytest.raises(InvalidParameterError, match=words):
        dagmar.SVC(break_ties=True).fit(X, y).restructure("ddag")
    theirs = sklearn.svm.SVC(break_ties=True).fit(X, y)
    assert dagmar.from_sklearn(theirs).break_ties
    with pytest.raises(InvalidParameterError, match=words):
        dagmar.from_sklearn(theirs, "ddag")


def test_paths_show_what_breaks_ties(seven_blobs):
    """With break_ties every machine is consulted, and path, cost and words end with the label of predict."""
    X, y = seven_blobs
    wide = np.random.default_rng(0).normal(size=(300, 5)) * 10
    clf = dagmar.SVC(gamma=0.01, break_ties=True).fit(X, y)
    labels = clf.predict(wide)
    path = clf.decision_path(wide)
    np.testing.assert_array_equal(clf.classes_[path.answers], labels)
    assert set(clf.decision_cost(wide).machines) == {21}
    plain = clone(clf).set_params(break_ties=False).fit(X, y).predict(wide)
    tied = np.flatnonzero(plain != labels)
    assert len(tied) > 0
    for i in tied[:3]:
        assert str(clf.explain(wide[i])).endswith(f"Answer: {labels[i]}")
