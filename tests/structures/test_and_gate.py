"""AND gate: all pairs are consulted; the class that wins all its pairs is the answer."""

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
from reference import and_gate
from reference.kernels import machine_values
from sklearn.base import clone
from tables import REAL, real_data

import dagmar
from dagmar.base.exceptions import MissingMachinesError
from dagmar.structures import AndGate, MaxWins, as_structure

seeds = st.integers(0, 2**32 - 1)


def assert_follows(bank, values, X):
    plan, n_classes = AndGate().plan(bank), bank.n_classes
    answers, paths = trace(bank, plan, X)
    np.testing.assert_array_equal(decide(bank, plan, X), answers)
    sure = AndGate.unanimous(values, n_classes)
    for row, answer, path, one in zip(values, answers, paths, sure, strict=True):
        verdict = verdict_of(row, n_classes)
        expected, met = and_gate.answer(n_classes, verdict)
        assert (answer, path) == (expected, [int(bank.machine_of[pair]) for pair in met])
        assert one == (and_gate.unanimous(n_classes, verdict) is not None)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_follows_the_reference_on_every_pattern(n_classes):
    """On all 2^K outcomes answers, paths and unanimity are those of the reference."""
    patterns = every_pattern(n_classes)
    assert_follows(dialled_pairs(n_classes), patterns, patterns)


@given(n_classes=st.integers(2, 12), seed=seeds)
def test_follows_the_reference(n_classes, seed):
    """On random outcomes, with zeros, all pairs are consulted in order, and the answers are those of the reference."""
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
    plan = AndGate().plan(bank)
    np.testing.assert_array_equal(decide(bank, plan, X, n_threads=2), decide(bank, plan, X))


@given(n_classes=st.integers(2, 12), seed=seeds)
def test_answers_are_those_of_max_wins(n_classes, seed):
    """A class that wins all its pairs has the most votes; without such a class the vote decides."""
    bank = dialled_pairs(n_classes)
    patterns = random_patterns(seed, n_classes, 60)
    np.testing.assert_array_equal(
        decide(bank, AndGate().plan(bank), patterns), decide(bank, MaxWins().plan(bank), patterns)
    )


@given(n_classes=st.integers(2, 12), seed=seeds)
def test_transitive_tournaments_are_unanimous(n_classes, seed):
    """If verdicts follow a hidden order of the classes, its first class wins all its pairs and is the answer."""
    patterns, first = transitive_patterns(seed, n_classes, 30)
    bank = dialled_pairs(n_classes)
    np.testing.assert_array_equal(decide(bank, AndGate().plan(bank), patterns), first)
    assert AndGate.unanimous(patterns, n_classes).all()


@pytest.mark.parametrize("name", REAL)
def test_real_data_follows_the_reference(name):
    """On real data, labels and paths are those of the reference."""
    X, y, T, parameters = real_data(name)
    T = T[:500]
    clf = dagmar.SVC(structure="and_gate", n_jobs=-1, **parameters).fit(X, y)
    values, path, labels = clf.pair_decisions(T), clf.decision_path(T), clf.predict(T)
    for i in range(len(T)):
        answer, met = and_gate.answer(len(clf.classes_), verdict_of(values[i], len(clf.classes_)))
        assert labels[i] == clf.classes_[answer]
        assert path[i][0].tolist() == [clf.bank_.machine_of[pair] for pair in met]


def test_bank_without_pairs_is_refused():
    """A bank of other machines raises an error that names the missing machines."""
    with pytest.raises(MissingMachinesError, match="AndGate needs a machine for each of the 6 pairs"):
        AndGate().plan(dialled_rest(4))


def test_parameters_follow_scikit_learn():
    """The structure has no parameters, and can be cloned and printed."""
    assert AndGate().get_params() == {}
    assert isinstance(clone(AndGate()), AndGate)
    assert repr(as_structure("and_gate")) == "AndGate()"
