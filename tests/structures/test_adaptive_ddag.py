"""Adaptive DDAG: ranked rivals find what a search of all classes alive finds."""

import numpy as np
import pytest
from helpers import (
    problem_of,
)
from hypothesis import strategies as st
from reference import adaptive_ddag, dbtc, fisher
from reference.kernels import kernel_matrix
from sklearn.base import clone
from tables import REAL, TableWorkshop, random_points, real_data
from tournaments import assert_model_plays, random_separation

import dagmar
from dagmar.base.exceptions import InvalidParameterError, MissingDataError, MissingMachinesError
from dagmar.structures import AdaptiveDDAG, as_structure
from dagmar.structures.plans import KnockoutPlan

seeds = st.integers(0, 2**32 - 1)


def bench(n_classes, **given):
    """A workshop over dialled pairs."""
    K = n_classes * (n_classes - 1) // 2
    return TableWorkshop(np.zeros((K, n_classes)), np.ones(n_classes), **given)


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
    assert_model_plays(clf, T, lambda verdict: adaptive_ddag.answer(separation, verdict))


def test_dbtc_is_the_distance_of_means_in_kernel_space(seven_blobs):
    """The default separation ranks rivals by the double loops of the paper."""
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
    """A model restructured by margin looks at no data; by distance it asks for them."""
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
    """A machine whose weight vector is zero separates nothing and everything: it is met first, without a warning."""
    workshop = bench(3, norm2=np.array([1.0, 0.0, 4.0]))
    plan = AdaptiveDDAG(separation="margin").build(workshop)
    assert plan.order.tolist() == [0]
    assert plan.rivals.tolist() == [[2, 1], [0, 2], [0, 1]]


def test_given_matrix_is_not_changed():
    """The user's matrix stays as it is."""
    separation = random_separation(0, 4, 5)
    before = separation.copy()
    AdaptiveDDAG(separation=separation).build(bench(4))
    np.testing.assert_array_equal(separation, before)


def test_infinite_separations_are_ranked():
    """Separations may be infinite either way; each class still has every other among its rivals, once."""
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
    """What is no separation or no number of samples is an error that names the parameter."""
    with pytest.raises(InvalidParameterError, match=f"'{next(iter(parameters))}' parameter of AdaptiveDDAG"):
        dagmar.SVC(structure=AdaptiveDDAG(**parameters)).fit(*three_blobs)


@pytest.mark.parametrize("separation", ["distance", np.zeros((2, 2))], ids=["name", "shape"])
def test_bad_separation_is_refused_before_training(separation, three_blobs, monkeypatch):
    """No machine is trained for a structure that cannot be built."""
    monkeypatch.setattr("dagmar.machines.workshop.train", lambda *_: pytest.fail("trained"))
    with pytest.raises(InvalidParameterError, match="'separation' parameter of AdaptiveDDAG"):
        dagmar.SVC(structure=AdaptiveDDAG(separation=separation)).fit(*three_blobs)


def test_two_classes_need_one_machine(two_moons):
    """With two classes the answer is the word of the one machine."""
    X, y = two_moons
    clf = dagmar.SVC(structure="adaptive_ddag").fit(X, y)
    np.testing.assert_array_equal(clf.predict(X), dagmar.SVC().fit(X, y).predict(X))
    assert (clf.decision_cost(X).machines == 1).all()


def test_bank_without_pairs_is_restructured_with_data_only(three_blobs):
    """Machines that are missing are an error that says so."""
    clf = dagmar.SVC(structure="one_vs_rest").fit(*three_blobs)
    with pytest.raises(MissingMachinesError, match="3 machines"):
        clf.restructure(AdaptiveDDAG(separation="margin"))


def test_plan_is_a_knockout():
    """The order depends on the sample, so the plan is no graph."""
    plan = AdaptiveDDAG(separation="fisher").build(bench(4, points=random_points(0, 4)))
    assert isinstance(plan, KnockoutPlan)
    assert plan.rule == "ranked"


def test_parameters_follow_scikit_learn():
    """The structure has parameters, clones and prints."""
    structure = AdaptiveDDAG(separation="margin", max_samples=7)
    assert structure.get_params() == {"separation": "margin", "max_samples": 7}
    assert clone(structure).get_params() == structure.get_params()
    assert repr(structure) == "AdaptiveDDAG(max_samples=7, separation='margin')"
    assert repr(as_structure("adaptive_ddag")) == "AdaptiveDDAG()"
    matrix = random_separation(0, 3, 4)
    np.testing.assert_array_equal(clone(AdaptiveDDAG(separation=matrix)).separation, matrix)
