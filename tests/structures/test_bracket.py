"""Knockout bracket: first against last, round by round."""

import math
from collections import Counter

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
from reference import bracket
from reference.kernels import machine_values
from sklearn.base import clone
from tables import REAL, real_data

import dagmar
from dagmar.base.exceptions import MissingMachinesError
from dagmar.structures import Bracket, as_structure

seeds = st.integers(0, 2**32 - 1)


def assert_follows(bank, values, X):
    plan, n_classes = Bracket().plan(bank), bank.n_classes
    answers, paths = trace(bank, plan, X)
    np.testing.assert_array_equal(decide(bank, plan, X), answers)
    for row, answer, path in zip(values, answers, paths, strict=True):
        expected, met = bracket.answer(n_classes, verdict_of(row, n_classes))
        assert (answer, path) == (expected, [int(bank.machine_of[pair]) for pair in met])


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_follows_the_reference_on_every_pattern(n_classes):
    """On all 2^K outcomes the plan plays the games of the reference."""
    patterns = every_pattern(n_classes)
    assert_follows(dialled_pairs(n_classes), patterns, patterns)


@given(n_classes=st.integers(2, 12), seed=seeds)
def test_follows_the_reference(n_classes, seed):
    """On random outcomes, with zeros, games and winners are those of the reference, in the same order."""
    patterns = random_patterns(seed, n_classes, 40)
    assert_follows(dialled_pairs(n_classes), patterns, patterns)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("batch", [1, 5, 30, 200])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_core_decides_as_the_reference(n_classes, batch, precision, rng):
    """On random machines batches of any size get the answers of the reference."""
    bank = random_bank(n_classes, n_classes, precision=precision)
    X = rng.normal(size=(batch, 6))
    assert_follows(bank, machine_values(bank, X), X)
    plan = Bracket().plan(bank)
    np.testing.assert_array_equal(decide(bank, plan, X, n_threads=2), decide(bank, plan, X))


@given(n_classes=st.integers(2, 20), seed=seeds)
def test_class_meets_few_others(n_classes, seed):
    """There are N - 1 games, none twice, and no class plays more than ⌈log2 N⌉ of them."""
    bank = dialled_pairs(n_classes)
    _, paths = trace(bank, Bracket().plan(bank), random_patterns(seed, n_classes, 30))
    for path in paths:
        assert len(path) == len(set(path)) == n_classes - 1
        games = Counter(bank.pairs[path].ravel().tolist())
        assert max(games.values()) <= math.ceil(math.log2(n_classes))


@given(n_classes=st.integers(2, 12), seed=seeds)
def test_transitive_tournaments_are_won_by_their_first_class(n_classes, seed):
    """If verdicts follow a hidden order of the classes, its first class is the answer."""
    patterns, first = transitive_patterns(seed, n_classes, 30)
    bank = dialled_pairs(n_classes)
    np.testing.assert_array_equal(decide(bank, Bracket().plan(bank), patterns), first)


@given(n_classes=st.integers(2, 12), seed=seeds)
def test_unanimous_class_is_the_answer(n_classes, seed):
    """A class that wins all its pairs wins the bracket."""
    bank = dialled_pairs(n_classes)
    patterns = random_patterns(seed, n_classes, 30)
    champion = np.random.default_rng(seed).integers(0, n_classes, 30)
    i, j = bank.pairs.T
    patterns[champion[:, None] == i] = -1.0
    patterns[champion[:, None] == j] = 1.0
    np.testing.assert_array_equal(decide(bank, Bracket().plan(bank), patterns), champion)


@pytest.mark.parametrize("name", REAL)
def test_real_data_follows_the_reference(name):
    """On real data, labels and paths are those of the reference."""
    X, y, T, parameters = real_data(name)
    clf = dagmar.SVC(structure="bracket", n_jobs=-1, **parameters).fit(X, y)
    values, path, labels = clf.pair_decisions(T), clf.decision_path(T), clf.predict(T)
    for i in range(len(T)):
        answer, met = bracket.answer(len(clf.classes_), verdict_of(values[i], len(clf.classes_)))
        assert labels[i] == clf.classes_[answer]
        assert path[i][0].tolist() == [clf.bank_.machine_of[pair] for pair in met]


def test_bank_without_pairs_is_refused():
    """A bank of other machines raises an error that names the missing machines."""
    with pytest.raises(MissingMachinesError, match="Bracket needs a machine for each of the 6 pairs"):
        Bracket().plan(dialled_rest(4))


def test_parameters_follow_scikit_learn():
    """The structure has no parameters, and can be cloned and printed."""
    assert Bracket().get_params() == {}
    assert isinstance(clone(Bracket()), Bracket)
    assert repr(as_structure("bracket")) == "Bracket()"
