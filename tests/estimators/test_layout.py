"""Scikit-learn's layout of what all pairs say."""

from itertools import combinations

import numpy as np
import pytest
from helpers import blobs, random_patterns

import dagmar
from dagmar.estimators import layout, model


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
