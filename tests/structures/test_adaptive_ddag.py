"""Adaptive DDAG: ranked rivals give the same answers as a search over all remaining classes."""

import numpy as np
import pytest
from helpers import (
    decide,
    dialled_pairs,
    every_pattern,
    problem_of,
    random_bank,
    random_patterns,
    trace,
    transitive_patterns,
    verdict_of,
)
from hypothesis import given
from hypothesis import strategies as st
from reference import adaptive_ddag, dbtc, fisher
from reference.kernels import kernel_matrix, machine_values
from sklearn.base import clone
from tables import REAL, TableWorkshop, random_points, real_data

import dagmar
from dagmar.base.exceptions import InvalidParameterError, MissingDataError, MissingMachinesError
from dagmar.structures import AdaptiveDDAG, as_structure
from dagmar.structures.plans import KnockoutPlan

seeds = st.integers(0, 2**32 - 1)


def random_separation(seed, n_classes, n_values):
    """A symmetric matrix with few different numbers, so that there are many ties."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(0, n_values, size=(n_classes, n_classes)).astype(float), k=1)
    return upper + upper.T


def bench(n_classes, **given):
    """A workshop over dialled pairs."""
    K = n_classes * (n_classes - 1) // 2
    return TableWorkshop(np.zeros((K, n_classes)), np.ones(n_classes), **given)


def assert_follows(bank, plan, values, X, separation):
    n_classes = bank.n_classes
    answers, paths = trace(bank, plan, X)
    np.testing.assert_array_equal(decide(bank, plan, X), answers)
    for row, answer, path in zip(values, answers, paths, strict=True):
        expected, met = adaptive_ddag.answer(separation, verdict_of(row, n_classes))
        assert (answer, path) == (expected, [int(bank.machine_of[pair]) for pair in met])


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_follows_the_reference_on_every_pattern(n_classes):
    """On all 2^K outcomes, paths and answers are those of a search over all remaining classes."""
    for seed in range(5):
        separation = random_separation(seed, n_classes, 3)
        workshop = bench(n_classes)
        plan = AdaptiveDDAG(separation=separation).build(workshop)
        patterns = every_pattern(n_classes)
        assert_follows(workshop.bank, plan, patterns, patterns, separation)


@given(n_classes=st.integers(2, 12), seed=seeds, n_values=st.sampled_from([1, 2, 4, 1000]))
def test_follows_the_reference(n_classes, seed, n_values):
    """On random outcomes, with zeros and tied separations, paths and answers are those of the reference."""
    separation = random_separation(seed, n_classes, n_values)
    workshop = bench(n_classes)
    plan = AdaptiveDDAG(separation=separation).build(workshop)
    patterns = random_patterns(seed, n_classes, 40)
    assert_follows(workshop.bank, plan, patterns, patterns, separation)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("batch", [1, 5, 30, 200])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_core_decides_as_the_reference(n_classes, batch, precision, rng):
    """On random machines, where champions are rare, batches of any size get the answers of the reference."""
    bank = random_bank(n_classes, n_classes, precision=precision)
    X = rng.normal(size=(batch, 6))
    separation = random_separation(batch, n_classes, 10)
    plan = AdaptiveDDAG(separation=separation).build(bench(n_classes))
    assert_follows(bank, plan, machine_values(bank, X), X, separation)
    np.testing.assert_array_equal(decide(bank, plan, X, n_threads=2), decide(bank, plan, X))


@given(n_classes=st.integers(2, 12), seed=seeds)
def test_transitive_tournaments_are_won_by_their_first_class(n_classes, seed):
    """If verdicts follow a hidden order of the classes, its first class is the answer for any separation."""
    patterns, first = transitive_patterns(seed, n_classes, 30)
    plan = AdaptiveDDAG(separation=random_separation(seed, n_classes, 4)).build(bench(n_classes))
    np.testing.assert_array_equal(decide(dialled_pairs(n_classes), plan, patterns), first)


@given(n_classes=st.integers(2, 12), seed=seeds)
def test_unanimous_class_is_the_answer(n_classes, seed):
    """A class that wins all its pairs is the answer, after N - 1 machines, each consulted once."""
    rng = np.random.default_rng(seed)
    bank = dialled_pairs(n_classes)
    patterns = random_patterns(seed, n_classes, 30)
    champion = rng.integers(0, n_classes, 30)
    i, j = bank.pairs.T
    patterns[champion[:, None] == i] = -1.0
    patterns[champion[:, None] == j] = 1.0
    plan = AdaptiveDDAG(separation=random_separation(seed, n_classes, 4)).build(bench(n_classes))
    answers, paths = trace(bank, plan, patterns)
    np.testing.assert_array_equal(answers, champion)
    assert all(len(path) == len(set(path)) == n_classes - 1 for path in paths)


@pytest.mark.parametrize("name", REAL)
def test_real_data_follows_the_reference(name):
    """On real data, labels and paths are those of a simulation by the distances of class means in kernel space."""
    X, y, T, parameters = real_data(name)
    clf = dagmar.SVC(structure="adaptive_ddag", n_jobs=-1, **parameters).fit(X, y)
    n_classes = len(clf.classes_)
    S = np.empty((n_classes, n_classes))
    for a in range(n_classes):
        for b in range(n_classes):
            S[a, b] = kernel_matrix("rbf", X[y == a], X[y == b], parameters["gamma"]).mean()
    separation = np.diag(S)[:, None] + np.diag(S) - 2 * S
    values, path, labels = clf.pair_decisions(T), clf.decision_path(T), clf.predict(T)
    for i in range(len(T)):
        answer, met = adaptive_ddag.answer(separation, verdict_of(values[i], n_classes))
        assert labels[i] == clf.classes_[answer]
        assert path[i][0].tolist() == [clf.bank_.machine_of[pair] for pair in met]


def test_dbtc_is_the_distance_of_means_in_kernel_space(seven_blobs):
    """The default separation ranks rivals by the paper's double sums."""
    X, y = seven_blobs
    X, y = X[::4], y[::4]
    clf = dagmar.SVC(structure="adaptive_ddag", gamma=0.05).fit(X, y)

    def k(x, z):
        return np.exp(-0.05 * ((x - z) ** 2).sum())

    distance = np.array([[dbtc.dbtc(k, X[y == a], X[y == b]) for b in range(7)] for a in range(7)])
    for c in range(7):
        others = [b for b in range(7) if b != c]
        assert clf.plan_.rivals[c].tolist() == sorted(others, key=lambda b: (-distance[c, b], b))


def test_fisher_and_margin_rank_rivals(seven_blobs):
    """The two other separations are the Fisher ratio and the width of the margin."""
    X, y = seven_blobs
    ratios = fisher.matrix(X, y)
    by_fisher = dagmar.SVC(structure=AdaptiveDDAG(separation="fisher"), gamma=0.1).fit(X, y)
    by_margin = dagmar.SVC(structure=AdaptiveDDAG(separation="margin"), gamma=0.1).fit(X, y)
    bank = by_margin.bank_
    norm2 = np.empty(bank.n_machines)
    for m in range(bank.n_machines):
        here = slice(bank.begin[m], bank.begin[m + 1])
        V = bank.vectors[bank.index[here]]
        norm2[m] = bank.coef[here] @ kernel_matrix("rbf", V, V, 0.1) @ bank.coef[here]
    for c in range(7):
        others = [b for b in range(7) if b != c]
        assert by_fisher.plan_.rivals[c].tolist() == sorted(others, key=lambda b: (-ratios[c, b], b))
        assert by_margin.plan_.rivals[c].tolist() == sorted(others, key=lambda b: norm2[bank.machine_of[c, b]])


def test_margin_needs_no_data(seven_blobs):
    """Restructuring by margin needs no data; by distance it raises an error without them."""
    X, y = seven_blobs
    clf = dagmar.SVC(gamma=0.1).fit(X, y)
    other = clf.restructure(AdaptiveDDAG(separation="margin"))
    np.testing.assert_array_equal(
        other.predict(X), dagmar.SVC(gamma=0.1, structure=AdaptiveDDAG(separation="margin")).fit(X, y).predict(X)
    )
    for separation in ("dbtc", "fisher"):
        with pytest.raises(MissingDataError, match="pass X and y"):
            clf.restructure(AdaptiveDDAG(separation=separation))
    np.testing.assert_array_equal(
        clf.restructure("adaptive_ddag", X, y).predict(X),
        dagmar.SVC(gamma=0.1, structure="adaptive_ddag").fit(X, y).predict(X),
    )


def test_machine_without_vectors_has_the_widest_margin():
    """A machine whose weight vector is zero has an infinite margin: its classes meet first, without a warning."""
    workshop = bench(3, norm2=np.array([1.0, 0.0, 4.0]))
    plan = AdaptiveDDAG(separation="margin").build(workshop)
    assert plan.order.tolist() == [0]
    assert plan.rivals.tolist() == [[2, 1], [0, 2], [0, 1]]


def test_given_matrix_is_not_changed():
    """The user's matrix is not changed."""
    separation = random_separation(0, 4, 5)
    before = separation.copy()
    AdaptiveDDAG(separation=separation).build(bench(4))
    np.testing.assert_array_equal(separation, before)


def test_infinite_separations_are_ranked():
    """With separations of plus or minus infinity, each class still has every other class as a rival once."""
    separation = np.full((4, 4), -np.inf)
    separation[0, 3] = separation[3, 0] = np.inf
    plan = AdaptiveDDAG(separation=separation).build(bench(4))
    for c in range(4):
        assert sorted(plan.rivals[c].tolist()) == [b for b in range(4) if b != c]


def test_max_samples_estimates_from_a_part(seven_blobs):
    """With a limit on samples the distance is that of the samples spread evenly over each class."""
    X, y = seven_blobs
    clf = dagmar.SVC(structure=AdaptiveDDAG(max_samples=5), gamma=0.1).fit(X, y)
    problem = problem_of(X, y, gamma=0.1)
    part = np.concatenate([problem.order[problem.sample_of_class(c, 5)] for c in range(7)])
    expected = dagmar.SVC(structure=AdaptiveDDAG(), gamma=0.1).fit(X[part], y[part])
    np.testing.assert_array_equal(clf.plan_.rivals, expected.plan_.rivals)
    assert clf.plan_.order == expected.plan_.order


BAD = [
    {"separation": "distance"},
    {"separation": None},
    {"separation": 3},
    {"separation": np.zeros((2, 2))},
    {"separation": np.arange(9.0).reshape(3, 3)},
    {"separation": np.full((3, 3), np.nan)},
    {"separation": [["a", "b"], ["c", "d"]]},
    {"separation": [[0, 1, 2], [1, 0], [2]]},
    {"max_samples": 0},
    {"max_samples": -3},
    {"max_samples": "all"},
    {"max_samples": 2.5},
]


@pytest.mark.parametrize("parameters", BAD, ids=range(len(BAD)))
def test_bad_parameters_are_refused(parameters, three_blobs):
    """An invalid separation or number of samples raises an error that names the parameter."""
    with pytest.raises(InvalidParameterError, match=f"'{next(iter(parameters))}' parameter of AdaptiveDDAG"):
        dagmar.SVC(structure=AdaptiveDDAG(**parameters)).fit(*three_blobs)


@pytest.mark.parametrize("separation", ["distance", np.zeros((2, 2))], ids=["name", "shape"])
def test_bad_separation_is_refused_before_training(separation, three_blobs, monkeypatch):
    """No machine is trained for a structure that cannot be built."""
    monkeypatch.setattr("dagmar.machines.workshop.train", lambda *_: pytest.fail("trained"))
    with pytest.raises(InvalidParameterError, match="'separation' parameter of AdaptiveDDAG"):
        dagmar.SVC(structure=AdaptiveDDAG(separation=separation)).fit(*three_blobs)


def test_two_classes_need_one_machine(two_moons):
    """With two classes the answer is the verdict of their machine."""
    X, y = two_moons
    clf = dagmar.SVC(structure="adaptive_ddag").fit(X, y)
    np.testing.assert_array_equal(clf.predict(X), dagmar.SVC().fit(X, y).predict(X))
    assert (clf.decision_cost(X).machines == 1).all()


def test_bank_without_pairs_is_restructured_with_data_only(three_blobs):
    """Missing machines raise an error that says so."""
    clf = dagmar.SVC(structure="one_vs_rest").fit(*three_blobs)
    with pytest.raises(MissingMachinesError, match="3 machines"):
        clf.restructure(AdaptiveDDAG(separation="margin"))


def test_plan_is_a_knockout():
    """The order depends on the sample, so the plan is not a graph."""
    plan = AdaptiveDDAG(separation="fisher").build(bench(4, points=random_points(0, 4)))
    assert isinstance(plan, KnockoutPlan)
    assert plan.rule == "ranked"


def test_parameters_follow_scikit_learn():
    """The structure has parameters, and can be cloned and printed."""
    structure = AdaptiveDDAG(separation="margin", max_samples=7)
    assert structure.get_params() == {"separation": "margin", "max_samples": 7}
    assert clone(structure).get_params() == structure.get_params()
    assert repr(structure) == "AdaptiveDDAG(max_samples=7, separation='margin')"
    assert repr(as_structure("adaptive_ddag")) == "AdaptiveDDAG()"
    matrix = random_separation(0, 3, 4)
    np.testing.assert_array_equal(clone(AdaptiveDDAG(separation=matrix)).separation, matrix)
