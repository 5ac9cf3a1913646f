"""Probabilities of `SVC` and `SVCCV`: what they leave unchanged, and every kind of input."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV

import dagmar
from dagmar import SVC, SVCCV
from dagmar.base.exceptions import InvalidParameterError
from dagmar.estimators import model
from dagmar.structures import STRUCTURES

STRUCTURED = [*(kind() for kind in STRUCTURES.values()), dagmar.FisherTree(machines="groups")]


def assert_probabilities(p, n_classes):
    """Positive numbers with sum 1 in each row."""
    assert p.shape[1] == n_classes
    assert (p > 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)


def test_probability_must_be_a_bool(three_blobs):
    """Anything else is refused by name."""
    for classifier in (SVC(probability="yes"), SVCCV(probability=1)):
        with pytest.raises(InvalidParameterError, match="'probability' parameter"):
            classifier.fit(*three_blobs)


@pytest.mark.parametrize("structure", STRUCTURED, ids=repr)
def test_machines_and_answers_stay_the_same(structure, seven_blobs):
    """Machines, costs and labels are those of a fit without probabilities, bit for bit."""
    X, y = seven_blobs
    plain = SVC(gamma=0.3, structure=structure).fit(X, y)
    clf = SVC(gamma=0.3, structure=structure, probability=True).fit(X, y)
    for name in ("begin", "index", "coef", "bias", "support"):
        np.testing.assert_array_equal(getattr(clf.bank_, name), getattr(plain.bank_, name))
    np.testing.assert_array_equal(clf.report_.iterations, plain.report_.iterations)
    np.testing.assert_array_equal(clf.predict(X), plain.predict(X))
    p = clf.predict_proba(X)
    assert_probabilities(p, 7)
    np.testing.assert_allclose(np.exp(clf.predict_log_proba(X)), p)
    assert log_loss(y, p) < 0.8 * np.log(7)


# -------------------------------------------------------------- every kind of input


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_bits_do_not_depend_on_threads_or_batches(n_jobs, seven_blobs, monkeypatch):
    """Any number of threads and any number of samples at once give the same probabilities, bit for bit."""
    X, y = seven_blobs
    expected = SVC(gamma=0.3, probability=True).fit(X, y).predict_proba(X)
    clf = SVC(gamma=0.3, probability=True, n_jobs=n_jobs, cache_size=1).fit(X, y)
    np.testing.assert_array_equal(clf.predict_proba(X), expected)
    np.testing.assert_array_equal(np.concatenate([clf.predict_proba(row[None]) for row in X[:20]]), expected[:20])
    monkeypatch.setattr(model, "VALUES_AT_ONCE", 1)
    np.testing.assert_array_equal(clf.predict_proba(X), expected)


def test_sparse_precomputed_and_callable_kernels(three_blobs):
    """The same kernel in any form gives the same probabilities, but for rounding and tol."""
    X, y = three_blobs
    expected = SVC(gamma=0.5, tol=1e-8, probability=True).fit(X, y).predict_proba(X)

    def kernel(A, B):
        return rbf_kernel(A, B, gamma=0.5)

    K = kernel(X, X)
    S = sp.csr_matrix(X)
    for clf, data in [
        (SVC(gamma=0.5, tol=1e-8, probability=True), S),
        (SVC(kernel="precomputed", tol=1e-8, probability=True), K),
        (SVC(kernel=kernel, tol=1e-8, probability=True), X),
    ]:
        np.testing.assert_allclose(clf.fit(data, y).predict_proba(data), expected, atol=1e-4)


@pytest.mark.parametrize("per_pair", [{"gamma": [0.5] * 3}, {"C": [1.0] * 3}], ids=str)
def test_parameters_per_pair(per_pair, three_blobs):
    """C and gamma of each pair count in the folds, too."""
    X, y = three_blobs
    expected = SVC(**{"gamma": 0.5, "probability": True}).fit(X, y)
    clf = SVC(**{"gamma": 0.5, "probability": True, **per_pair}).fit(X, y)
    np.testing.assert_allclose(clf.predict_proba(X), expected.predict_proba(X), atol=1e-3)


def test_soft_labels(three_blobs):
    """Machines on soft labels have probabilities; one neighbour gives those of ordinary machines."""
    X, y = three_blobs
    plain = SVC(gamma=0.5, probability=True).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(SVC(gamma=0.5, probability=True, soft_labels=1).fit(X, y).predict_proba(X), plain)
    p = SVC(gamma=0.5, probability=True, soft_labels=7).fit(X, y).predict_proba(X)
    assert_probabilities(p, 3)
    assert np.abs(p - plain).max() > 1e-3


@pytest.mark.parametrize("structure", ["max_wins", "one_vs_rest", "fisher_tree"])
def test_small_classes(structure):
    """Classes with one sample, and with fewer samples than folds; a class without weight is improbable."""
    X, y = blobs(4, 4, 12, 2, spread=0.5)
    keep = np.concatenate([np.flatnonzero(y == c)[:n] for c, n in enumerate([12, 3, 2, 1])])
    first = np.array([np.flatnonzero(y == c)[0] for c in range(4)])
    clf = SVC(probability=True, structure=structure).fit(X[keep], y[keep])
    assert_probabilities(clf.predict_proba(X), 4)
    one_each = SVC(probability=True, structure=structure).fit(X[first], y[first])
    assert_probabilities(one_each.predict_proba(X), 4)
    if structure != "fisher_tree":  # whose short paths count more than such uncertain machines
        assert (one_each.predict_proba(X[first]).argmax(axis=1) == np.arange(4)).all()
    weight = np.where(y == 2, 0.0, 1.0)
    without = SVC(probability=True, structure=structure).fit(X, y, weight)
    assert without.predict_proba(X[y != 2])[:, 2].max() < 0.2


@pytest.mark.parametrize(
    ("X", "y", "parameters"),
    [
        ([[0.0], [1.0]], [0, 1], {}),
        (np.zeros((20, 2)), [0, 1] * 10, {"kernel": "linear"}),
        (np.repeat([[0.0], [1.0]], 20, axis=0), [0] * 20 + [1] * 20, {"kernel": "linear", "C": np.inf}),
        (1e150 * np.repeat([[0.0], [1.0], [2.0]], 9, axis=0), [0] * 9 + [1] * 9 + [2] * 9, {"gamma": 1e-300}),
        ([[0.0], [1.0]] * 30, [0, 1, 1] * 20, {"C": 1e-9}),
    ],
    ids=["two samples", "equal samples", "hard margin", "huge values", "tiny C"],
)
def test_degenerate_data(X, y, parameters):
    """No warning, no overflow and no NaN."""
    clf = SVC(probability=True, **parameters).fit(X, y)
    assert_probabilities(clf.predict_proba(X), len(set(y)))


def test_class_weights_move_the_machines_not_the_meaning(two_moons):
    """A class weight shifts the boundary; probabilities still mean the shares of the classes in the data."""
    X, y = two_moons
    plain = SVC(probability=True).fit(X, y).predict_proba(X)
    heavy = SVC(probability=True, class_weight={1: 20.0}).fit(X, y).predict_proba(X)
    assert abs(heavy[:, 1].mean() - plain[:, 1].mean()) < 0.1


# ----------------------------------------------------------------- what carries them


@pytest.mark.parametrize("structure", STRUCTURED, ids=repr)
def test_restructure_keeps_them(structure, seven_blobs):
    """The same machines keep their sigmoids; other machines get the sigmoids of a fit."""
    X, y = seven_blobs
    pairs = SVC(gamma=0.3, structure="max_wins", probability=True).fit(X, y)
    found = pairs.restructure(structure, X, y)
    fitted = SVC(gamma=0.3, structure=structure, probability=True).fit(X, y)
    np.testing.assert_allclose(found.predict_proba(X), fitted.predict_proba(X), rtol=1e-12)
    if found.bank_.all_pairs:
        np.testing.assert_array_equal(found.predict_proba(X), pairs.predict_proba(X))


def test_pickles_and_checkpoints(three_blobs, tmp_path):
    """A pickle gives the same bits; so does a fit that finds its machines in a checkpoint."""
    X, y = three_blobs
    clf = SVC(probability=True, checkpoint=tmp_path / "kept").fit(X, y)
    expected = clf.predict_proba(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(clf)).predict_proba(X), expected)
    np.testing.assert_array_equal(clf.fit(X, y).predict_proba(X), expected)


def test_damaged_sigmoids_are_an_error(three_blobs):
    """A model with sigmoids of other machines does not give probabilities of something else."""
    X, y = three_blobs
    clf, two = SVC(probability=True).fit(X, y), SVC(probability=True).fit(X[y < 2], y[y < 2])
    object.__setattr__(clf._model, "sigmoids", two._model.sigmoids)
    with pytest.raises(ValueError, match="not as many sigmoids"):
        clf.predict_proba(X)


# ------------------------------------------------------------------------ searches


@pytest.mark.parametrize(
    ("scoring", "structure"),
    [("neg_log_loss", "max_wins"), ("neg_log_loss", "fisher_tree"), ("roc_auc_ovr", "one_vs_rest")],
)
def test_searches_score_probabilities(scoring, structure, three_blobs):
    """Every cell has the score of GridSearchCV, and the best is refitted with probabilities."""
    X, y = three_blobs
    grid = {"C": [0.5, 8.0], "gamma": [0.05, 0.5]}
    fixed = {"structure": structure, "probability": True, "tol": 1e-6}
    ours = SVCCV(grid["C"], grid["gamma"], 2, scoring=scoring, **fixed).fit(X, y)
    theirs = GridSearchCV(SVC(**fixed), grid, scoring=scoring, cv=2).fit(X, y)
    scores = dict(zip(map(str, theirs.cv_results_["params"]), theirs.cv_results_["mean_test_score"], strict=True))
    for cell, score in zip(ours.cv_results_["params"], ours.cv_results_["mean_test_score"], strict=True):
        assert score == pytest.approx(scores[str(cell)], abs=2e-3)
    np.testing.assert_array_equal(ours.predict_proba(X), ours.best_estimator_.predict_proba(X))
    assert ours.score(X, y) > ours.best_score_ - 0.1


def test_searches_without_scores_of_probabilities(three_blobs):
    """Accuracy is scored without them; soft labels, which are fitted separately, have them, too."""
    X, y = three_blobs
    search = SVCCV([1.0], [0.5], 2, probability=True).fit(X, y)
    assert_probabilities(search.predict_proba(X), 3)
    assert search.best_score_ == SVCCV([1.0], [0.5], 2).fit(X, y).best_score_
    soft = SVCCV([1.0], [0.5], 2, probability=True, scoring="neg_log_loss", soft_labels=3).fit(X, y)
    assert -np.log(3) < soft.best_score_ < 0
