"""What support vectors and features add to the values of machines, against kernels of scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs
from sklearn.metrics.pairwise import pairwise_kernels

import dagmar
from dagmar.analysis.influence import influences
from dagmar.problem.naming import plain_labels
from dagmar.structures import STRUCTURES

NAMES = np.array(["ant", "bee", "cat", "dog", "eel"])
ALL = 10**6  # more support vectors than there are
KERNELS = {
    "linear": {"kernel": "linear"},
    "rbf": {"kernel": "rbf", "gamma": 0.1},
    "poly": {"kernel": "poly", "gamma": 0.2, "coef0": 1.0, "degree": 2},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.01, "coef0": 0.1},
    "laplacian": {"kernel": "laplacian"},
    "chi2": {"kernel": "chi2"},
    "tanimoto": {"kernel": "tanimoto"},
    "callable": {"kernel": lambda A, B: A @ B.T + 1.0},
    "per pair": {"kernel": "rbf", "gamma": np.linspace(0.05, 0.5, 10)},
    "soft labels": {"kernel": "rbf", "gamma": 0.1, "soft_labels": 5},
}


@pytest.fixture(scope="module")
def data():
    X, y = blobs(seed=4, n_classes=5, per_class=20, n_features=4, spread=1.5)
    return abs(X + 3.0), NAMES[y]  # away from the origin, so that centring matters


def check_sums(explanation):
    """Contributions, what is not listed and the constant give the value; so do the features, if there are any."""
    for step in explanation.steps:
        v = step.vectors
        assert v.contributions.sum() + v.rest + v.bias == pytest.approx(step.value, rel=1e-9, abs=1e-9)
        np.testing.assert_allclose(v.contributions, v.coefficients * v.kernel_values, rtol=1e-12)
        if step.features is not None:
            f = step.features
            assert f.contributions.sum() + f.bias == pytest.approx(step.value, rel=1e-9, abs=1e-9)
            np.testing.assert_allclose(f.contributions, f.weights * f.values, rtol=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("top", [0, 3, ALL])
def test_contributions_add_up_to_the_value(data, kernel, top):
    """For every kernel the parts of a value give the value, whatever is listed."""
    X, y = data
    clf = dagmar.SVC(C=3.0, precision="double", structure="ddag", **KERNELS[kernel]).fit(X, y)
    for x in X[:60:20]:
        explanation = clf.explain(x[None], top=top)
        check_sums(explanation)
        for step in explanation.steps:
            assert len(step.vectors.labels) == min(top, step.vectors.n_vectors)


@pytest.mark.parametrize("structure", list(STRUCTURES))
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_contributions_add_up_in_every_structure(data, structure, kernel):
    """Pairs, groups of classes and one class against the rest."""
    X, y = data
    structure = dagmar.FisherTree(machines="groups") if structure == "fisher_tree" else structure
    clf = dagmar.SVC(precision="double", structure=structure, **KERNELS[kernel]).fit(X, y)
    for x in X[:60:20]:
        check_sums(clf.explain(x, top=2))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian", "chi2", "tanimoto"])
def test_sparse_samples_give_the_same(data, kernel):
    """Rows of a sparse matrix have the contributions of dense ones; features that are not stored are left out."""
    X, y = data
    X = np.where(X > 3.5, X, 0.0)
    dense = dagmar.SVC(precision="double", **KERNELS[kernel]).fit(X, y)
    clf = dagmar.SVC(precision="double", **KERNELS[kernel]).fit(sp.csr_matrix(X), y)
    for i in (0, 41, 99):
        mine, theirs = clf.explain(sp.csr_matrix(X[i]), top=ALL), dense.explain(X[i], top=ALL)
        check_sums(mine)
        assert [step.machine for step in mine.steps] == [step.machine for step in theirs.steps]
        if kernel == "linear":
            np.testing.assert_array_equal(mine.steps[0].features.features, np.flatnonzero(X[i]))


def test_an_empty_sparse_sample(data):
    """A sample without any feature is explained by the constants and the kernel with zero."""
    X, y = data
    for kernel in ("linear", "rbf", "chi2", "tanimoto"):
        clf = dagmar.SVC(precision="double", **KERNELS[kernel]).fit(sp.csr_matrix(X), y)
        check_sums(clf.explain(sp.csr_matrix((1, X.shape[1]))))


def test_precomputed_kernel(data):
    """The kernel values are those of the row that was given."""
    X, y = data
    K = pairwise_kernels(X, metric="rbf", gamma=0.1)
    clf = dagmar.SVC(kernel="precomputed").fit(K, y)
    explanation = clf.explain(K[7], top=4)
    check_sums(explanation)
    for step in explanation.steps:
        np.testing.assert_array_equal(step.vectors.kernel_values, K[7][step.vectors.rows])
        assert step.features is None


def test_vectors_are_rows_of_the_training_data(data):
    """Row numbers, labels, places and kernel values belong together, and the largest contributions come first."""
    X, y = data
    clf = dagmar.SVC(C=3.0, gamma=0.1, precision="double", structure="max_wins").fit(X, y)
    x = X[33]
    for step in clf.explain(x).steps:
        v = step.vectors
        assert v.labels == y[v.rows].tolist()
        np.testing.assert_array_equal(clf.support_[v.places], v.rows)
        np.testing.assert_array_equal(clf.support_vectors_[v.places], X[v.rows])
        np.testing.assert_allclose(v.kernel_values, pairwise_kernels(X[v.rows], x[None], metric="rbf", gamma=0.1)[:, 0])
        sizes = np.abs(v.contributions)
        assert (np.diff(sizes) <= 0).all()
        everyone = clf.bank_.coef[clf.bank_.begin[step.machine] : clf.bank_.begin[step.machine + 1]]
        assert v.n_vectors == len(everyone)
        assert {label in step.positive for label, c in zip(v.labels, v.coefficients, strict=True) if c > 0} <= {True}


def test_shares_are_of_all_contributions(data):
    """With every vector listed, absolute shares add up to one; fewer keep the same shares."""
    X, y = data
    clf = dagmar.SVC(kernel="linear", structure="ddag").fit(X, y)
    whole, few = clf.explain(X[3], top=ALL), clf.explain(X[3], top=2)
    for a, b in zip(whole.steps, few.steps, strict=True):
        assert np.abs(a.vectors.shares).sum() == pytest.approx(1.0)
        assert np.abs(a.features.shares).sum() == pytest.approx(1.0)
        np.testing.assert_array_equal(a.vectors.shares[:2], b.vectors.shares)
        np.testing.assert_array_equal(a.vectors.rows[:2], b.vectors.rows)


def test_weights_are_those_of_coef(data):
    """Feature weights and their constant are scikit-learn's coef_ and intercept_, up to the sign of a pair."""
    X, y = data
    clf = dagmar.SVC(kernel="linear", precision="double", structure="ddag").fit(X, y)
    for step in clf.explain(X[11]).steps:
        np.testing.assert_allclose(step.features.weights, -clf.coef_[step.machine], rtol=1e-9)
        assert step.features.bias == pytest.approx(-clf.intercept_[step.machine], rel=1e-9)
        np.testing.assert_array_equal(step.features.values, X[11])
        assert step.features.names == [0, 1, 2, 3]


def test_single_precision_is_explained_in_double(data):
    """The parts are computed in double precision, so they give the value to the accuracy that the value has."""
    X, y = data
    clf = dagmar.SVC(gamma=0.1, precision="single").fit(X, y)
    for step in clf.explain(X[5], top=ALL).steps:
        assert step.vectors.contributions.sum() + step.vectors.bias == pytest.approx(step.value, abs=1e-4)


def test_a_machine_without_support_vectors(data):
    """Its value is its constant, and nothing is listed."""
    X, y = data
    bank = dagmar.SVC(gamma=0.1).fit(X, y).bank_
    kept = slice(0, bank.begin[9])
    bare = replace(
        bank,
        begin=np.append(bank.begin[:10], bank.begin[9]),
        index=bank.index[kept].copy(),
        coef=bank.coef[kept].copy(),
    )
    vectors, features = influences(bare, X[:1], np.array([9, 0]), NAMES)
    assert features is None
    assert (vectors[0].labels, vectors[0].n_vectors, vectors[0].rest) == ([], 0, 0.0)
    assert vectors[0].bias == bank.bias[9]
    assert len(vectors[1].labels) == 5
    assert set(vectors[1].labels) <= set(plain_labels(NAMES[:2]))
