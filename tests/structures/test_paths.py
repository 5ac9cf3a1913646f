"""Paths and costs, against counts by sets in plain Python."""

import numpy as np
import pytest
from helpers import verdict_of
from reference import costs, ddag, max_wins

import dagmar


@pytest.fixture(scope="module")
def fitted(seven_blobs):
    X, y = seven_blobs
    clf = dagmar.SVC(C=3.0, gamma=0.1).fit(X, y)
    return {s: clf.restructure(s, X, y) for s in ("ddag", "max_wins", "one_vs_rest")}, X


@pytest.mark.parametrize("structure", ["ddag", "max_wins", "one_vs_rest"])
def test_costs_are_the_counts_of_the_path(fitted, structure):
    """Machines, distinct vectors and summed vectors of each path are those of plain sets."""
    models, X = fitted
    clf = models[structure]
    path, cost = clf.decision_path(X), clf.decision_cost(X)
    for i, (machines, _) in enumerate(path):
        assert cost.machines[i] == len(machines)
        assert cost.kernel_evaluations[i] == costs.kernel_evaluations(clf.bank_, machines)
        assert cost.support_vectors[i] == costs.summed_vectors(clf.bank_, machines)
    assert cost.size_in_parameters == costs.size_in_parameters(clf.bank_)


def test_paths_are_those_of_the_reference(fitted):
    """The machines met are those that the list form and QWeighted ask, given the values of all pairs."""
    models, X = fitted
    bank = models["ddag"].bank_
    values = models["ddag"].pair_decisions(X)
    paths = {name: models[name].decision_path(X) for name in ("ddag", "max_wins")}
    for i, row in enumerate(values):
        verdict = verdict_of(row, 7)
        expected = {"ddag": ddag.list_form(range(7), verdict), "max_wins": max_wins.qweighted(7, verdict)}
        for name, (answer, met) in expected.items():
            assert paths[name].answers[i] == answer
            assert paths[name][i][0].tolist() == [bank.machine_of[pair] for pair in met]


def test_values_on_the_path_are_the_machines_values(fitted):
    """A path tells the values that pair_decisions tells."""
    models, X = fitted
    for clf in models.values():
        values = clf.pair_decisions(X)
        for i, (machines, told) in enumerate(clf.decision_path(X)):
            np.testing.assert_allclose(told, values[i, machines], rtol=1e-9, atol=1e-9)


def test_costs_are_ordered(fitted):
    """Distinct vectors are no more than summed ones, and a DDAG path no dearer than all machines."""
    models, X = fitted
    bank = models["ddag"].bank_
    cost = models["ddag"].decision_cost(X)
    assert (cost.kernel_evaluations <= cost.support_vectors).all()
    assert (cost.kernel_evaluations <= bank.n_vectors).all()
    assert (cost.support_vectors <= len(bank.coef)).all()
    assert (cost.machines == 6).all()
    assert (models["max_wins"].decision_cost(X).machines >= 6).all()


def test_path_is_a_sequence(fitted):
    """A path has a length, is indexed from either end, and is iterated."""
    models, X = fitted
    path = models["ddag"].decision_path(X[:5])
    assert len(path) == len(list(path)) == 5
    np.testing.assert_array_equal(path[-1][0], path[4][0])
    with pytest.raises(IndexError):
        path[5]


def test_cost_reads_as_a_sentence(fitted):
    """The words hold the means."""
    models, X = fitted
    cost = models["ddag"].decision_cost(X)
    assert str(cost).startswith(f"6.0 machines, {cost.kernel_evaluations.mean():.1f} kernel evaluations and ")


def test_letter_costs_what_platt_reports(data_set):
    """Platt's Letter: path within 1 %, size within 2 %, error 2.2 %; with the other kernel, vectors within 3 %."""
    X, y, T, truth = data_set("letter")
    X, T = X / 7.5 - 1, T / 7.5 - 1
    clf = dagmar.SVC(C=10, gamma=2.5024, structure="ddag", n_jobs=-1).fit(X, y)
    cost = clf.decision_cost(T)
    assert cost.kernel_evaluations.mean() == pytest.approx(3834, rel=0.01)
    assert cost.size_in_parameters == pytest.approx(223_000, rel=0.02)
    assert np.mean(clf.predict(T) != truth) == pytest.approx(0.022, abs=0.001)
    other = dagmar.SVC(C=100, gamma=1.2518, n_jobs=-1).fit(X, y)
    assert other.bank_.n_vectors == pytest.approx(7357, rel=0.03)
