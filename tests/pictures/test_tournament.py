"""The matches of a bracket are those that the core plays."""

import numpy as np
import pytest

from dagmar.pictures.tournament import Tournament


@pytest.mark.parametrize("n", [2, 3, 5, 8, 13, 26])
def test_every_class_but_one_loses_once(n):
    """There are n - 1 matches in ceil(log2 n) rounds, and everyone but the winner enters exactly one."""
    cup = Tournament.of(range(n))
    assert len(cup.matches) == n - 1
    assert sorted(cup.matches.ravel().tolist()) == list(range(2 * n - 2))
    assert cup.rounds.max() == int(np.ceil(np.log2(n)))


@pytest.mark.parametrize("n", [2, 5, 7])
def test_winners_are_those_of_the_classifier(n, fitted):
    """Played with the values of the path, match by match, the winner is the answer, and the pairs are those consulted."""
    clf, X, _ = fitted("bracket", n)
    cup = Tournament.of(clf.plan_.order)
    path = clf.decision_path(X[:40])
    for (machines, values), answer in zip(path, path.answers, strict=True):
        who = cup.play(values)
        assert who[-1] == answer
        met = np.sort(who[cup.matches], axis=1)
        np.testing.assert_array_equal(clf.bank_.pairs[machines], met)
