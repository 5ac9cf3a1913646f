"""One against the rest: the largest value wins."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import as_single, decide, dialled_pairs, dialled_rest, random_bank, trace
from hypothesis import given
from hypothesis import strategies as st
from reference import one_vs_rest
from reference.kernels import machine_values

import dagmar
from dagmar.base.exceptions import MissingMachinesError
from dagmar.structures import OneVsRest, walks
from dagmar.structures.plans import KnockoutPlan, PollPlan


@given(n_classes=st.integers(3, 10), seed=st.integers(0, 2**32 - 1))
def test_largest_value_wins_and_ties_go_to_the_lower_index(n_classes, seed):
    """The answer is the first of the largest values, ties and negative values included."""
    X = np.random.default_rng(seed).integers(-3, 3, size=(60, n_classes)).astype(float)
    bank = dialled_rest(n_classes)
    plan = OneVsRest().plan(bank)
    expected = [one_vs_rest.answer(row) for row in X]
    for batch in (60, 5):
        np.testing.assert_array_equal(decide(bank, plan, X[:batch]), expected[:batch])
    answers, paths = trace(bank, plan, X)
    np.testing.assert_array_equal(answers, expected)
    assert all(path == list(range(n_classes)) for path in paths)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("batch", [1, 5, 30, 200])
@pytest.mark.parametrize("n_classes", [3, 7])
def test_core_decides_as_the_reference(n_classes, batch, precision, rng):
    """On random machines, batches of any size get the class of the largest value."""
    bank = random_bank(n_classes, n_classes, rest=True, precision=precision)
    X = rng.normal(size=(batch, 6))
    expected = [one_vs_rest.answer(v) for v in machine_values(bank, X)]
    plan = OneVsRest().plan(bank)
    np.testing.assert_array_equal(decide(bank, plan, X), expected)
    np.testing.assert_array_equal(decide(bank, plan, X, n_threads=2), expected)


def test_near_ties_are_decided_in_double_precision(rng):
    """Values that differ by less than single precision can tell still have the answer of double precision."""
    n_classes, X = 4, rng.normal(size=(100, 4))
    X[:, 2] = X[:, 1] * (1 + rng.choice([-1e-10, 1e-10], size=100))
    X[:, [0, 3]] = -10.0
    bank = dialled_rest(n_classes)
    plan = OneVsRest().plan(bank)
    expected = [one_vs_rest.answer(row) for row in X]
    np.testing.assert_array_equal(decide(bank, plan, X), expected)
    np.testing.assert_array_equal(decide(as_single(bank), plan, X), expected)


def test_path_answers_are_the_predictions(seven_blobs):
    """The path ends at what predict says, in either precision."""
    X, y = seven_blobs
    for precision in ("single", "double"):
        clf = dagmar.SVC(structure="one_vs_rest", precision=precision).fit(X, y)
        np.testing.assert_array_equal(clf.classes_[clf.decision_path(X).answers], clf.predict(X))
        np.testing.assert_array_equal(clf.decision_function(X).argmax(axis=1), clf.predict(X))


def test_one_machine_per_class(seven_blobs):
    """N machines are trained, each on all samples, and all are consulted."""
    X, y = seven_blobs
    clf = dagmar.SVC(structure="one_vs_rest").fit(X, y)
    assert clf.bank_.n_machines == 7
    assert isinstance(clf.plan_, PollPlan)
    np.testing.assert_array_equal(clf.decision_cost(X).machines, 7)


def test_machine_is_the_binary_problem_of_its_class(three_blobs):
    """Machine c is the one that a fit of class c against the rest gives."""
    X, y = three_blobs
    clf = dagmar.SVC(structure="one_vs_rest", tol=1e-8).fit(X, y)
    for c in range(3):
        binary = dagmar.SVC(tol=1e-8).fit(X, y == c)
        np.testing.assert_allclose(clf.decision_function(X)[:, c], binary.decision_function(X), atol=1e-5)


def test_two_classes_need_one_machine(two_moons):
    """With two classes, the pair is the only machine, and answers as any structure does."""
    X, y = two_moons
    clf = dagmar.SVC(structure="one_vs_rest").fit(X, y)
    assert clf.bank_.n_machines == 1
    assert isinstance(clf.plan_, KnockoutPlan)
    np.testing.assert_array_equal(clf.predict(X), dagmar.SVC().fit(X, y).predict(X))


def test_bank_of_pairs_is_refused():
    """A bank of pairs is an error that says what is missing, also for three classes, where the counts are equal."""
    for n_classes in (3, 4):
        with pytest.raises(MissingMachinesError, match=f"each of the {n_classes} classes against the rest"):
            OneVsRest().plan(dialled_pairs(n_classes))


def test_order_of_sparse_values_is_certain(rng):
    """Far from the origin, sparse values whose order rounding could change are computed again from differences."""
    y = np.arange(90) % 6
    X = np.eye(6)[y] + 0.3 * rng.normal(size=(90, 6)) + 2.0**22
    clf = dagmar.SVC(structure="one_vs_rest", gamma=0.5).fit(X, y)
    bank = replace(clf.bank_, vectors=sp.csr_matrix(clf.bank_.vectors), centre=None, precision="double")
    T = np.repeat(X, 20, axis=0) + 0.3 * rng.normal(size=(1800, 6))
    expected = [one_vs_rest.answer(v) for v in machine_values(clf.bank_, T)]
    samples = sp.csr_matrix(T)
    np.testing.assert_array_equal(walks.decide(bank, clf.plan_, samples), expected)
    np.testing.assert_array_equal(walks.trace(bank, clf.plan_, samples).answers, expected)
    np.testing.assert_array_equal(bank.values(samples, ranked=True).argmax(axis=1), expected)
