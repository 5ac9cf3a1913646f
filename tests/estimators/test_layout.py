"""Scikit-learn's layout of what all pairs say."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from classifiers import NearestMean
from helpers import blobs, random_patterns

import dagmar
from dagmar.estimators import layout, model


class Certain(NearestMean):
    """A classifier whose values are infinite."""

    def decision_function(self, X):
        """Infinite, with the sign of the nearest mean."""
        return super().decision_function(X) * np.inf


def added_up(values, n_classes):
    """Pair after pair, as scikit-learn does it."""
    votes, confidence = np.zeros((2, len(values), n_classes))
    for pair, (a, b) in enumerate(combinations(range(n_classes), 2)):
        confidence[:, a] -= values[:, pair]
        confidence[:, b] += values[:, pair]
        votes[values[:, pair] <= 0, a] += 1
        votes[values[:, pair] > 0, b] += 1
    return votes + confidence / (3 * (np.abs(confidence) + 1))


@pytest.mark.parametrize("n_classes", [3, 4, 9])
def test_votes_and_confidence_are_added_up_pair_after_pair(n_classes, seed):
    """To the bit; a value of exactly zero is for the earlier class."""
    values = random_patterns(seed, n_classes, 200)
    values *= np.random.default_rng(seed).uniform(0.1, 3.0, size=values.shape)
    np.testing.assert_array_equal(layout.votes_and_confidence(values, n_classes), added_up(values, n_classes))


def test_decision_function_does_not_depend_on_the_block(monkeypatch):
    """Samples are scored a block at a time, where all values would be too many; that changes no bit."""
    X, y = blobs(seed=5, n_classes=12, per_class=30, n_features=4, spread=2.0)
    clf = dagmar.SVC(structure="max_wins").fit(X, y)
    whole = clf.decision_function(X)
    monkeypatch.setattr(model, "VALUES_AT_ONCE", 1)
    np.testing.assert_array_equal(clf.decision_function(X), whole)
    assert len(X) > 2 * 128


@pytest.mark.parametrize("size", [1e302, 1e307, 1.7e308])
@pytest.mark.parametrize("n_classes", [3, 20, 60])
def test_sums_that_overflow_have_the_score_of_the_formula(n_classes, size, seed):
    """Where a sum exceeds the largest double, the score is that of exact arithmetic, without a warning."""
    values = np.random.default_rng(seed).uniform(-1, 1, size=(5, n_classes * (n_classes - 1) // 2)) * size
    values[1] = np.abs(values[1])  # many of one sign
    values[2, ::2] = 1e-3  # beside small ones
    values[3] = 0.5  # an ordinary sample beside the others
    scores = layout.votes_and_confidence(values, n_classes)
    for sample, found in zip(values.tolist(), scores.tolist(), strict=True):
        votes, sums = [0] * n_classes, [Fraction(0)] * n_classes
        for (a, b), value in zip(combinations(range(n_classes), 2), sample, strict=True):
            votes[b if value > 0 else a] += 1
            sums[a] -= Fraction(value)
            sums[b] += Fraction(value)
        expected = [v + float(s / (3 * (abs(s) + 1))) for v, s in zip(votes, sums, strict=True)]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_infinite_values_are_a_third_of_a_vote_or_an_error():
    """An infinite sum is the limit of the formula; infinite values of both signs have no sum."""
    inf = np.inf
    np.testing.assert_allclose(
        layout.votes_and_confidence(np.array([[-inf, -inf, 0.0]]), 3), [[2 + 1 / 3, 1 - 1 / 3, -1 / 3]]
    )
    with pytest.raises(ValueError, match=r"^1 samples have infinite values both for a class and against it"):
        layout.votes_and_confidence(np.array([[1.0, 2.0, 3.0], [inf, inf, inf], [-inf, 1.0, -1.0]]), 3)


@pytest.mark.parametrize("break_ties", [False, True])
def test_decision_function_of_huge_samples(break_ties, rng):
    """Values of pairs near the largest double give finite scores, whose best class is the answer where votes decide."""
    clf = dagmar.SVC(C=10, kernel="precomputed", break_ties=break_ties).fit(np.eye(80), np.arange(80) % 40)
    far = rng.uniform(-5e307, 5e307, size=(30, 80))
    with np.errstate(over="ignore"):
        of_last = clf.pair_decisions(far)[:, clf.bank_.pairs[:, 1] == 39].sum(axis=1)
    assert np.isinf(of_last).any()
    scores = clf.decision_function(far)
    assert np.isfinite(scores).all()
    votes = np.rint(scores)
    clear = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) == 1
    answers = clf.predict(far)
    assert clear.sum() > 10
    np.testing.assert_array_equal(scores.argmax(axis=1)[clear], answers[clear])
    if break_ties:
        np.testing.assert_array_equal(scores.argmax(axis=1), answers)
    assert clf.explain(far[0]).runner_up is not None


def test_infinite_values_of_estimators(three_blobs):
    """A classifier that is certain of a pair has infinite values; decisions follow their signs."""
    X, y = three_blobs
    clf = dagmar.PairwiseClassifier(Certain()).fit(X, y)
    assert clf.predict(X).shape == y.shape
    assert clf.explain(X[0]).answer == clf.predict(X[:1])[0]
    with pytest.raises(ValueError, match="infinite values both for a class and against it"):
        clf.decision_function(X)
