"""Max Wins: fewest losses finds what the full vote finds."""

import numpy as np
import pytest
from helpers import (
    decide,
    dialled_pairs,
    every_pattern,
    random_patterns,
    trace,
    verdict_of,
)
from hypothesis import given
from hypothesis import strategies as st
from reference import max_wins

from dagmar.structures import MaxWins


def full_votes(patterns, n_classes):
    return [max_wins.full_vote(n_classes, verdict_of(values, n_classes)) for values in patterns]


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_every_tournament_has_the_answer_of_the_full_vote(n_classes):
    """On all 2^K outcomes, ties included, the answer is the full vote's with ties to the lower index."""
    bank = dialled_pairs(n_classes)
    patterns = every_pattern(n_classes)
    np.testing.assert_array_equal(decide(bank, MaxWins().plan(bank), patterns), full_votes(patterns, n_classes))


@pytest.mark.parametrize("n_classes", [2, 5, 15])
def test_asks_no_machine_twice_and_at_least_one_less_than_classes(n_classes):
    """Every path has between N - 1 and all machines, each once."""
    bank = dialled_pairs(n_classes)
    _, paths = trace(bank, MaxWins().plan(bank), random_patterns(1, n_classes, 60))
    for path in paths:
        assert n_classes - 1 <= len(path) == len(set(path)) <= bank.n_machines


@given(n_classes=st.integers(2, 12), seed=st.integers(0, 2**32 - 1))
def test_random_tournaments_have_the_answer_of_the_full_vote(n_classes, seed):
    """Asking by fewest losses finds the answer of the full vote, whatever the outcomes."""
    bank, patterns = dialled_pairs(n_classes), random_patterns(seed, n_classes, 40)
    np.testing.assert_array_equal(decide(bank, MaxWins().plan(bank), patterns), full_votes(patterns, n_classes))
