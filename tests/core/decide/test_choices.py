"""Choices: which way decisions go is said in words, and every way finds the same labels."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import as_single, decide, random_bank, trace
from sklearn.datasets import load_digits, make_blobs

import dagmar
from dagmar import _core
from dagmar.base.instructions import simd_level
from dagmar.structures import as_structure


def choices(bank, structure, n, level=None):
    """The words for n samples; `structure` may be None for values."""
    plan = None if structure is None else as_structure(structure).plan(bank).native
    native = bank.native if level is None else bank.decider(level)
    return native.choices(plan, n, 1)


@pytest.fixture(scope="module")
def digits():
    """Ten classes on a grid of integers, and samples to decide."""
    X, y = load_digits(return_X_y=True)
    return dagmar.SVC(gamma=0.001, precision="single").fit(X[:1200], y[:1200]), X


def test_few_dense_samples_go_one_by_one():
    """Up to 24; more share the loads of vectors."""
    bank = random_bank(0, 5)
    assert [choices(bank, "ddag", n)[0] for n in (1, 24)] == 2 * ["one by one"]
    assert choices(bank, "ddag", 25)[0] == "all machines in lanes"


def test_classes_are_guessed_where_each_has_many_samples(digits):
    """The samples of a guess fill lanes; those of 25 samples do not. The largest value is not found by guessing."""
    clf, X = digits
    for structure in ("max_wins", "ddag", "bracket"):
        assert choices(clf.bank_, structure, len(X))[0] == "guess and check"
    assert choices(clf.bank_, "max_wins", 25)[0] == "all machines in lanes"
    assert choices(random_bank(0, 10, rest=True), "one_vs_rest", len(X))[0] == "all machines in lanes"


def test_machines_with_vectors_of_a_third_class_are_checked_exactly(digits):
    """A check in lanes reads the vectors of two classes, so the signs of machines with others are open."""
    clf, X = digits
    bank = clf.bank_
    index = bank.index.copy()
    at = bank.begin[1] - 1
    index[at] = bank.class_start[2]  # in the machine of the first two classes
    other = replace(bank, index=index)
    assert choices(other, "max_wins", len(X))[0] == "guess and check"
    plan = as_structure("max_wins").plan(other)
    np.testing.assert_array_equal(decide(other, plan, X), trace(other, plan, X)[0])


def test_walks_that_ask_few_of_many_machines_sum_only_those():
    """With 40 classes a walk asks about a twentieth of the machines; one that asks all of them sums all."""
    bank = random_bank(7, 40, per_class=4, n_features=3)
    assert choices(bank, "ddag", 100)[0] == "asked machines in lanes"
    assert choices(bank, "and_gate", 100)[0] == "all machines in lanes"


@pytest.mark.parametrize("structure", ["max_wins", "ddag", "bracket"])
def test_guesses_change_no_label_where_only_asked_machines_are_summed(structure):
    """Machines of the guessed class are asked first: the answers are those of walks, in any order and number of samples."""
    X, y = make_blobs(1000, n_features=3, centers=50, cluster_std=1.5, random_state=0)
    bank = dagmar.SVC(C=10).fit(X[:600], y[:600]).bank_
    assert choices(bank, structure, 100)[0] == "asked machines in lanes"
    plan = as_structure(structure).plan(bank)
    answers = decide(bank, plan, X[600:700])
    np.testing.assert_array_equal(answers, trace(bank, plan, X[600:700])[0])
    np.testing.assert_array_equal(answers[::-1], decide(bank, plan, X[600:700][::-1], n_threads=2))


def test_sparse_samples_go_in_lanes_from_the_second_on():
    """One sample alone reads fewer vectors."""
    bank = random_bank(0, 5)
    bank = replace(bank, vectors=sp.csr_matrix(bank.vectors))
    assert choices(bank, "ddag", 1) == ["one by one", "floating point"]
    assert choices(bank, "ddag", 100) == ["all machines in lanes", "floating point"]


def test_numbers_that_decisions_begin_with(digits):
    """Integer codes only for labels, in single precision, and where the instruction set gains by them."""
    clf, X = digits
    bank = clf.bank_
    assert choices(bank, None, len(X)) == ["all machines in lanes", "floating point"]
    assert choices(bank, "max_wins", len(X), _core.Level.plain)[1] == "floating point"
    assert choices(replace(bank, precision="double"), "max_wins", len(X))[1] == "floating point"
    if simd_level() != _core.Level.plain:
        assert choices(bank, "max_wins", len(X))[1].endswith("integer codes")
        assert choices(bank, "max_wins", 1)[1].endswith("integer codes")


@pytest.mark.parametrize("n", [1, 24, 25, 60, 1797])
@pytest.mark.parametrize("structure", ["max_wins", "ddag", "bracket"])
def test_every_way_finds_the_same_labels(digits, structure, n):
    """The labels are those at the ends of the paths, which are followed one by one."""
    clf, X = digits
    plan = as_structure(structure).plan(clf.bank_)
    for bank in (clf.bank_, replace(clf.bank_, precision="double"), as_single(clf.bank_)):
        np.testing.assert_array_equal(decide(bank, plan, X[:n], 2), trace(bank, plan, X[:n])[0])


def test_decision_cost_says_which_way_predict_takes(digits):
    """For as many samples as it was asked about; breaking ties needs the values of all machines."""
    clf, X = digits
    assert clf.decision_cost(X[:3]).choices[0] == "one by one"
    assert clf.decision_cost(X).choices[0] == "guess and check"
    by_values = dagmar.SVC(gamma=0.001, break_ties=True).fit(X[:300], load_digits().target[:300])
    assert by_values.decision_cost(X[:3]).choices == ("all machines in lanes", "floating point")
