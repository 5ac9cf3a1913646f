"""Properties that hold for every structure."""

import numpy as np
import pytest
from helpers import blobs, decide, dialled_pairs, random_patterns, trace, transitive_patterns
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from tables import TableWorkshop, random_table
from tournaments import champion_patterns

import dagmar
from dagmar.structures import (
    DDAG,
    STRUCTURES,
    AdaptiveDDAG,
    AndGate,
    Bracket,
    CenteredTree,
    DivideAndConquer,
    FisherTree,
    MaxWins,
)

VARIANTS = [
    *(kind() for kind in STRUCTURES.values()),
    AdaptiveDDAG(separation="fisher"),
    AdaptiveDDAG(separation="margin"),
    DivideAndConquer(theta=0.05, prefer="accuracy"),
    DivideAndConquer(max_nodes=2),
    FisherTree(machines="groups"),
    FisherTree(max_nodes=2),
    CenteredTree(machines="groups"),
    CenteredTree(threshold=0.1),
]
seeds = st.integers(0, 2**32 - 1)
# Graphs that are cut on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:The graph of")


def eliminations(seed, n_classes):
    """Plans of all structures that rule out one class per machine, or consult all machines."""
    rng = np.random.default_rng(seed)
    bank = dialled_pairs(n_classes)
    separation = rng.integers(0, 5, size=(n_classes, n_classes)).astype(float)
    workshop = TableWorkshop(*random_table(seed, n_classes))
    adaptive = AdaptiveDDAG(separation=separation + separation.T).build(workshop)
    plain = [s.plan(bank) for s in (DDAG(), DDAG(order=rng.permutation(n_classes)), Bracket())]
    return bank, [adaptive, *plain], [MaxWins().plan(bank), AndGate().plan(bank)]


@given(n_classes=st.integers(2, 12), seed=seeds)
def test_unanimous_class_is_everyones_answer(n_classes, seed):
    """A class that wins all its pairs is the answer of all elimination structures and votes."""
    bank, knockouts, votes = eliminations(seed, n_classes)
    patterns, champion = champion_patterns(seed, n_classes, 30)
    for plan in [*knockouts, *votes]:
        np.testing.assert_array_equal(decide(bank, plan, patterns), champion)


@given(n_classes=st.integers(2, 12), seed=seeds)
def test_transitive_tournaments_have_one_answer(n_classes, seed):
    """If verdicts follow a hidden order of the classes, every structure answers its first class."""
    bank, knockouts, votes = eliminations(seed, n_classes)
    patterns, first = transitive_patterns(seed, n_classes, 30)
    for plan in [*knockouts, *votes]:
        np.testing.assert_array_equal(decide(bank, plan, patterns), first)


@given(n_classes=st.integers(2, 12), seed=seeds)
def test_eliminations_consult_one_machine_less_than_classes(n_classes, seed):
    """Every elimination structure asks exactly N - 1 machines, none twice."""
    bank, knockouts, _ = eliminations(seed, n_classes)
    for plan in knockouts:
        _, paths = trace(bank, plan, random_patterns(seed, n_classes, 30))
        assert all(len(path) == len(set(path)) == n_classes - 1 for path in paths)


@pytest.mark.parametrize("structure", VARIANTS, ids=str)
def test_separable_classes_have_one_answer(structure):
    """On classes far apart every structure answers as Max Wins, on training samples and on others like them."""
    rng = np.random.default_rng(11)
    means = 40.0 * rng.permutation(np.eye(8))
    y = np.tile(np.arange(8), 30)
    X = means[y] + rng.normal(size=(len(y), 8))
    clf = dagmar.SVC(gamma=0.01, C=10, structure=structure).fit(X[:160], y[:160])
    expected = dagmar.SVC(gamma=0.01, C=10, structure="max_wins").fit(X[:160], y[:160]).predict(X)
    np.testing.assert_array_equal(expected, y)
    np.testing.assert_array_equal(clf.predict(X), expected)


@pytest.mark.parametrize("structure", VARIANTS, ids=str)
def test_every_way_of_asking_gives_one_answer(structure, letters):
    """The label is the same for one sample or many, one thread or two, and by predict or by the path."""
    X, y = letters
    clf = dagmar.SVC(gamma=0.1, C=10, structure=structure).fit(X, y)
    labels = clf.predict(X)
    np.testing.assert_array_equal(clf.classes_[clf.decision_path(X).answers], labels)
    np.testing.assert_array_equal(clone(clf).set_params(n_jobs=2).fit(X, y).predict(X), labels)
    np.testing.assert_array_equal([clf.predict(x[None])[0] for x in X[:40]], labels[:40])


@pytest.mark.parametrize("structure", VARIANTS, ids=str)
def test_labels_are_names_only(structure, three_blobs):
    """Renaming the labels in the same order changes only the labels of the answers."""
    X, y = three_blobs
    names = np.array(["ant", "bee", "cat"])
    plain = dagmar.SVC(structure=structure).fit(X, y)
    named = dagmar.SVC(structure=structure).fit(X, names[y])
    np.testing.assert_array_equal(named.predict(X), names[plain.predict(X)])


@pytest.mark.parametrize("structure", VARIANTS, ids=str)
def test_one_sample_per_class(structure, rng):
    """One sample of each class is enough to build any structure, and each is classified correctly."""
    X = 5 * rng.normal(size=(6, 4))
    clf = dagmar.SVC(C=100, gamma=0.1, structure=structure).fit(X, np.arange(6))
    np.testing.assert_array_equal(clf.predict(X), np.arange(6))


@pytest.mark.parametrize("structure", VARIANTS, ids=str)
def test_samples_that_are_all_the_same(structure):
    """Any structure can be built from identical samples, which all get the same answer."""
    X, y = np.full((12, 3), 7.0), np.repeat([0, 1, 2], 4)
    clf = dagmar.SVC(structure=structure).fit(X, y)
    assert len(set(clf.predict(X))) == 1


@pytest.mark.parametrize("structure", VARIANTS, ids=str)
def test_class_of_weight_zero_never_wins(structure, seven_blobs):
    """A class whose samples all have weight zero is never the answer."""
    X, y = seven_blobs
    clf = dagmar.SVC(structure=structure, gamma=0.1).fit(X, y, sample_weight=(y != 2).astype(float))
    assert 2 not in set(clf.predict(X))
    assert np.mean(clf.predict(X)[y != 2] == y[y != 2]) > 0.8


@pytest.mark.parametrize("structure", VARIANTS, ids=str)
def test_samples_of_weight_zero_are_absent(structure, seven_blobs):
    """A sample of weight zero changes neither labels nor paths."""
    X, y = seven_blobs
    here = np.arange(len(y)) % 4 != 0
    weighted = dagmar.SVC(structure=structure, gamma=0.1, tol=1e-8).fit(X, y, sample_weight=here.astype(float))
    without = dagmar.SVC(structure=structure, gamma=0.1, tol=1e-8).fit(X[here], y[here])
    np.testing.assert_array_equal(weighted.predict(X), without.predict(X))
    assert [m.tolist() for m, _ in weighted.decision_path(X)] == [m.tolist() for m, _ in without.decision_path(X)]


@pytest.mark.parametrize("structure", VARIANTS, ids=str)
def test_precomputed_kernel_builds_any_structure(structure, seven_blobs):
    """A linear kernel given as a precomputed matrix gives the same answers."""
    X, y = seven_blobs
    X = X / 4
    plain = dagmar.SVC(structure=structure, kernel="linear", tol=1e-6).fit(X, y)
    given_matrix = dagmar.SVC(structure=structure, kernel="precomputed", tol=1e-6).fit(X @ X.T, y)
    np.testing.assert_array_equal(given_matrix.predict(X @ X.T), plain.predict(X))


@pytest.mark.parametrize("structure", VARIANTS, ids=str)
def test_sparse_samples_build_any_structure(structure, seven_blobs):
    """Sparse samples give the same answers as dense ones."""
    import scipy.sparse as sp

    X, y = seven_blobs
    X = np.where(np.abs(X) < 1, 0.0, X)
    plain = dagmar.SVC(structure=structure, gamma=0.1, tol=1e-6).fit(X, y)
    sparse = dagmar.SVC(structure=structure, gamma=0.1, tol=1e-6).fit(sp.csr_matrix(X), y)
    np.testing.assert_array_equal(sparse.predict(sp.csr_matrix(X)), plain.predict(X))


@pytest.mark.parametrize("structure", VARIANTS, ids=str)
def test_argmax_of_decision_function_is_near_predict(structure):
    """The argmax of decision_function is predict for trees and one-vs-rest, and scikit-learn's vote for all pairs."""
    X, y = blobs(8, 5, 30, 3, spread=2.0)
    clf = dagmar.SVC(structure=structure, gamma=0.1).fit(X, y)
    answer = clf.decision_function(X).argmax(axis=1)
    if clf.bank_.all_pairs:
        vote = dagmar.SVC(structure="max_wins", gamma=0.1, break_ties=True).fit(X, y).predict(X)
        np.testing.assert_array_equal(answer, vote)
    else:
        np.testing.assert_array_equal(answer, clf.predict(X))


@pytest.mark.parametrize("structure", VARIANTS, ids=str)
def test_structures_clone_print_and_list_their_parameters(structure):
    """Every structure follows scikit-learn's rules, and its parameters can be set through the estimator."""
    assert clone(structure).get_params() == structure.get_params()
    assert repr(structure).startswith(type(structure).__name__ + "(")
    clf = dagmar.SVC(structure=structure)
    for name, value in structure.get_params().items():
        assert clf.get_params()[f"structure__{name}"] == value
        clf.set_params(**{f"structure__{name}": value})


@pytest.mark.parametrize("structure", VARIANTS, ids=str)
def test_restructured_model_is_the_fitted_one(structure, seven_blobs):
    """Restructuring any model with its data gives the same plan as a fit."""
    X, y = seven_blobs
    fitted = dagmar.SVC(structure=structure, gamma=0.1).fit(X, y)
    for start in ("ddag", "one_vs_rest", FisherTree(machines="groups")):
        other = dagmar.SVC(structure=start, gamma=0.1).fit(X, y).restructure(structure, X, y)
        np.testing.assert_array_equal(other.predict(X), fitted.predict(X))
        assert other.bank_.n_machines == fitted.bank_.n_machines == len(other.report_.iterations)
