"""Max Wins: the knockout by fewest losses gives the answer of the full vote."""

import numpy as np
import pytest
from helpers import (
    decide,
    dialled_pairs,
    dialled_rest,
    every_pattern,
    random_bank,
    random_patterns,
    trace,
    transitive_patterns,
    verdict_of,
)
from hypothesis import given
from hypothesis import strategies as st
from reference import max_wins
from reference.kernels import machine_values
from sklearn.base import clone

from dagmar.base.exceptions import MissingMachinesError
from dagmar.structures import DDAG, MaxWins, as_structure


def full_votes(patterns, n_classes):
    return [max_wins.full_vote(n_classes, verdict_of(values, n_classes)) for values in patterns]


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_every_tournament_has_the_answer_of_the_full_vote(n_classes):
    """On all 2^K outcomes, with ties, the answer is that of the full vote with ties to the lower index."""
    bank = dialled_pairs(n_classes)
    patterns = every_pattern(n_classes)
    np.testing.assert_array_equal(decide(bank, MaxWins().plan(bank), patterns), full_votes(patterns, n_classes))


@given(n_classes=st.integers(2, 12), seed=st.integers(0, 2**32 - 1))
def test_random_tournaments_have_the_answer_of_the_full_vote(n_classes, seed):
    """The reference QWeighted and the core agree with the full vote and consult the same machines in the same order."""
    bank = dialled_pairs(n_classes)
    plan = MaxWins().plan(bank)
    patterns = random_patterns(seed, n_classes, 40)
    expected = full_votes(patterns, n_classes)
    np.testing.assert_array_equal(decide(bank, plan, patterns), expected)
    answers, paths = trace(bank, plan, patterns)
    np.testing.assert_array_equal(answers, expected)
    for values, answer, path in zip(patterns, answers, paths, strict=True):
        slow, asked = max_wins.qweighted(n_classes, verdict_of(values, n_classes))
        assert slow == answer
        assert path == [int(bank.machine_of[pair]) for pair in asked]


@given(n_classes=st.integers(3, 10), seed=st.integers(0, 2**32 - 1))
def test_unanimous_class_is_everyones_answer(n_classes, seed):
    """A class that wins all its pairs is the answer of Max Wins and of DDAG in any order."""
    rng = np.random.default_rng(seed)
    bank = dialled_pairs(n_classes)
    patterns = random_patterns(seed, n_classes, 30)
    champion = rng.integers(0, n_classes, 30)
    i, j = bank.pairs.T
    patterns[champion[:, None] == i] = -1.0
    patterns[champion[:, None] == j] = 1.0
    for structure in (MaxWins(), DDAG(), DDAG(order=rng.permutation(n_classes))):
        np.testing.assert_array_equal(decide(bank, structure.plan(bank), patterns), champion)


@given(n_classes=st.integers(2, 12), seed=st.integers(0, 2**32 - 1))
def test_transitive_tournaments_are_won_by_their_first_class(n_classes, seed):
    """If verdicts follow a hidden order of the classes, its first class is the answer."""
    patterns, first = transitive_patterns(seed, n_classes, 30)
    bank = dialled_pairs(n_classes)
    np.testing.assert_array_equal(decide(bank, MaxWins().plan(bank), patterns), first)


@pytest.mark.parametrize("n_classes", [2, 5, 15])
def test_asks_no_machine_twice_and_at_least_one_less_than_classes(n_classes):
    """A path has between N - 1 and N(N-1)/2 machines, each once."""
    bank = dialled_pairs(n_classes)
    _, paths = trace(bank, MaxWins().plan(bank), random_patterns(1, n_classes, 60))
    for path in paths:
        assert n_classes - 1 <= len(path) == len(set(path)) <= bank.n_machines


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("batch", [1, 5, 30, 200])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_core_decides_as_the_reference(n_classes, batch, precision, rng):
    """On random machines, where champions are rare, batches of any size get the answers of the full vote."""
    bank = random_bank(n_classes, n_classes, precision=precision)
    X = rng.normal(size=(batch, 6))
    expected = full_votes(machine_values(bank, X), n_classes)
    plan = MaxWins().plan(bank)
    np.testing.assert_array_equal(decide(bank, plan, X), expected)
    np.testing.assert_array_equal(decide(bank, plan, X, n_threads=2), expected)
    np.testing.assert_array_equal(trace(bank, plan, X)[0], expected)


def test_bank_without_pairs_is_refused():
    """A bank of other machines raises an error that names the missing machines."""
    with pytest.raises(MissingMachinesError, match="MaxWins needs a machine for each of the 6 pairs"):
        MaxWins().plan(dialled_rest(4))


def test_parameters_follow_scikit_learn():
    """The structure has no parameters, and can be cloned and printed."""
    assert MaxWins().get_params() == {}
    assert isinstance(clone(MaxWins()), MaxWins)
    assert repr(as_structure("max_wins")) == "MaxWins()"
