"""Margins in kernel space against whole kernel matrices, and banks of some of the machines."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import dialled_pairs, random_bank, values_of
from hypothesis import given
from hypothesis import strategies as st
from reference import bounds as paper
from reference.kernels import kernel_matrix, machine_values

import dagmar
from dagmar.analysis import margins
from dagmar.analysis.margins import margins_of

PARTS = ["smallest", "placed", "misplaced", "norm", "slack"]


def reference(clf, X, y):
    """The reference's five columns, for a fitted model over dense samples."""
    bank = clf.bank_
    kernel = bank.kernel
    coefs = np.zeros((bank.n_machines, len(X)))
    for m in range(bank.n_machines):
        here = slice(bank.begin[m], bank.begin[m + 1])
        coefs[m, bank.support[bank.index[here]]] = bank.coef[here]
    if bank.gammas is None:
        K = kernel_matrix(kernel.name, X, X, kernel.gamma, kernel.coef0, kernel.degree)
        return paper.nodes(machine_values(bank, X), K, y, coefs)
    values = machine_values(bank, X)
    columns = []
    for m, gamma in enumerate(bank.gammas):
        K = kernel_matrix("rbf", X, X, gamma)
        columns.append([column[m] for column in paper.nodes(values, K, y, coefs)])
    return [np.array(column) for column in zip(*columns, strict=True)]


def assert_same(found, expected, rtol=1e-9, atol=1e-12):
    """Every column of the margins is as expected."""
    for part, column in zip(PARTS, expected, strict=True):
        np.testing.assert_allclose(getattr(found, part), column, rtol=rtol, atol=atol, err_msg=part)


@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": "linear", "C": 0.1},
        {"kernel": "poly", "gamma": 0.1, "coef0": 1.0, "degree": 2},
        {"kernel": "rbf", "gamma": 0.1, "C": 10.0},
        {"kernel": "rbf", "gamma": 0.1, "precision": "single"},
        {"kernel": "rbf", "gamma": 0.1, "soft_labels": 5},
        {"kernel": "rbf", "gamma": list(np.geomspace(0.02, 0.5, 21)), "structure": "max_wins"},
    ],
    ids=["linear", "poly", "rbf", "single", "soft labels", "own gammas"],
)
def test_margins_are_those_of_the_formulas(parameters, seven_blobs):
    """Margins, counts, norms and slacks are those from the whole kernel matrix, also where decisions are made in single."""
    X, y = seven_blobs
    clf = dagmar.SVC(**parameters).fit(X, y)
    found = margins_of(clf.bank_, X, y)
    assert_same(found, reference(clf, X, y))
    assert 0 < found.misplaced.sum() < len(y) * 6
    np.testing.assert_array_equal(found.separable, found.misplaced == 0)


def test_norms_are_those_of_the_solver(seven_blobs):
    """The length of a weight vector is the one in the report."""
    X, y = seven_blobs
    clf = dagmar.SVC(gamma=0.1, precision="double").fit(X, y)
    np.testing.assert_allclose(margins_of(clf.bank_, X, y).norm ** 2, clf.report_.norm2, rtol=1e-9)


def test_sparse_and_precomputed_are_the_same(seven_blobs):
    """Rows dense or sparse, or the matrix of their kernel: the same machines have the same margins."""
    X, y = seven_blobs
    X = X * (np.abs(X) > 1)
    K = kernel_matrix("rbf", X, X, 0.1)
    expected = reference(dagmar.SVC(gamma=0.1, tol=1e-9).fit(X, y), X, y)
    for samples, kernel in [(sp.csr_matrix(X), "rbf"), (K, "precomputed")]:
        clf = dagmar.SVC(gamma=0.1, tol=1e-9, kernel=kernel).fit(samples, y)
        assert_same(margins_of(clf.bank_, samples, y), expected, rtol=1e-6, atol=1e-8)


@given(seed=st.integers(0, 2**32 - 1))
def test_blocks_and_threads_change_nothing(seed):
    """Few samples at a time or all at once, one thread or two: the same margins."""
    bank = random_bank(seed, 5)
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(400, 6)), rng.permutation(np.arange(400) % 5)
    whole = margins_of(bank, X, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(margins, "VALUES_AT_ONCE", 1)
        blocks = margins_of(bank, X, y, n_threads=2)
    for part in PARTS:
        np.testing.assert_allclose(getattr(blocks, part), getattr(whole, part), rtol=1e-13)


def test_dialled_values():
    """Of machines whose values are given: signs, samples on the hyperplane, and classes all misplaced."""
    bank = dialled_pairs(3)  # |w| is 1 for each of (0, 1), (0, 2), (1, 2), and sample x has the value x[m]
    X = np.array([[-2.0, -1.0, 9.0], [-0.5, 3.0, 9.0], [0.25, 9.0, 0.0], [9.0, 4.0, 2.0], [9.0, 2.0, 0.5]])
    found = margins_of(bank, X, np.array([0, 0, 1, 2, 2]))
    np.testing.assert_allclose(found.norm, 1.0)
    np.testing.assert_allclose(found.smallest, [0.25, -3.0, 0.0])
    np.testing.assert_allclose(found.placed, [0.25, 1.0, 0.5])
    np.testing.assert_array_equal(found.misplaced, [0, 1, 1])
    np.testing.assert_allclose(found.slack, [np.hypot(0.5, 0.75), 4.0, np.hypot(1.0, 0.5)])
    wrong = margins_of(bank, -X, np.array([0, 0, 1, 2, 2]))
    assert np.isnan(wrong.placed).tolist() == [True, False, True]
    assert wrong.smallest.tolist() == [-2.0, -4.0, -2.0]


def test_classes_in_one_place():
    """A machine without a hyperplane, of two classes that are the same, separates nothing."""
    X = np.array([[0.0], [0.0], [5.0]])
    found = margins_of(dagmar.SVC(gamma=1.0).fit(X, [0, 1, 2]).bank_, X, np.array([0, 1, 2]))
    assert found.separable.tolist() == [False, True, True]


def test_a_class_without_weight(seven_blobs):
    """Machines that had nothing to learn from one of their classes have no vectors, no hyperplane and no margin."""
    X, y = seven_blobs
    bank = dagmar.SVC(gamma=0.1).fit(X, y, (y != 3).astype(float)).bank_
    found = margins_of(bank, X, y)
    idle = (bank.pairs == 3).any(axis=1)
    np.testing.assert_array_equal(found.norm == 0, idle)
    assert (found.smallest[idle] == 0).all()
    assert np.isnan(found.placed[idle]).all()
    assert not found.separable[idle].any()


def test_taken_machines_say_the_same():
    """Some machines of a bank, over fewer vectors, have the values they had."""
    bank = random_bank(7, 5)
    X = np.random.default_rng(7).normal(size=(30, 6))
    some = bank.select(np.array([8, 1, 3]))
    assert some.n_vectors < bank.n_vectors
    np.testing.assert_allclose(values_of(some, X), values_of(bank, X)[:, [8, 1, 3]], rtol=1e-12)
    assert bank.select(np.array([0]), precision="single").precision == "single"


def test_no_space():
    """A matrix that is no kernel gives weight vectors of negative squared length, and is refused."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(20, 20))
    y = np.arange(20) % 2
    clf = dagmar.SVC(kernel="precomputed", C=1.0).fit(A + A.T - 8 * np.eye(20), y)
    with pytest.raises(ValueError, match="not positive semi-definite"):
        margins_of(clf.bank_, A + A.T - 8 * np.eye(20), y)
