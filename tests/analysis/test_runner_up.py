"""The runner-up, against plans that are followed in plain Python."""

import numpy as np
import pytest
from classifiers import NearestMean
from helpers import blobs

import dagmar
from dagmar.analysis.runner_up import RunnerUp, _by_votes
from dagmar.base.pairs import pair_numbers as all_pairs_of
from dagmar.structures import STRUCTURES
from dagmar.structures.plans import GraphPlan

N = 6


@pytest.fixture(scope="module")
def data():
    return blobs(seed=5, n_classes=N, per_class=25, n_features=3, spread=2.0)


@pytest.fixture(scope="module")
def models(data):
    base = dagmar.SVC(gamma=0.1, precision="double").fit(*data)
    return {name: base.restructure(name, *data) for name in STRUCTURES}


def end_of_graph(plan, pairs, values, flipped):
    """The class at the end of a walk through a graph, with the verdict of one step changed."""
    edge, step = plan.root, 0
    while edge >= 0:
        positive = (values[plan.machine[edge]] >= 0) != (step == flipped)
        edge, step = int((plan.on_positive if positive else plan.on_negative)[edge]), step + 1
    return -1 - edge


def end_of_bracket(machine_of, values, flipped, order):
    """The winner of a knockout, with the result of one match changed."""
    left, step = list(order), 0
    while len(left) > 1:
        winners, half = [], len(left) // 2
        for k in range(half):
            a, b = sorted((left[k], left[-1 - k]))
            later = (values[machine_of[a, b]] >= 0) != (step == flipped)
            winners.append(b if later else a)
            step += 1
        left = winners + left[half : len(left) - half]
    return left[0]


@pytest.mark.parametrize("name", ["ddag", "divide_and_conquer", "fisher_tree", "centered_tree", "bracket"])
def test_closest_verdict_that_changes_the_answer(models, data, name):
    """Of the steps whose change changes the answer, the closest is found, with the class at the end of that path."""
    clf, X = models[name], data[0]
    plan, values = clf.plan_, clf.pair_decisions(X)
    for i in range(0, len(X), 7):
        machines, told = clf.decision_path(X[i : i + 1])[0]
        answer = clf.decision_path(X[i : i + 1]).answers[0]
        ends = [
            end_of_graph(plan, clf.bank_, values[i], k)
            if isinstance(plan, GraphPlan)
            else end_of_bracket(plan.machine_of, values[i], k, range(N))
            for k in range(len(machines))
        ]
        changing = [k for k in np.argsort(np.abs(told), kind="stable") if ends[k] != answer]
        second = clf.explain(X[i]).runner_up
        assert second.class_index == ends[changing[0]]
        assert second.label == clf.classes_[second.class_index]
        assert second.machines == (machines[changing[0]],)
        assert second.gap == abs(told[changing[0]]) == abs(second.values[0])


def winner(values, machine_of):
    """Max Wins by counting; ties go to the lower index."""
    votes = np.zeros(N, dtype=int)
    for i in range(N):
        for j in range(i + 1, N):
            votes[j if values[machine_of[i, j]] >= 0 else i] += 1
    return int(np.argmax(votes)), votes


@pytest.mark.parametrize("name", ["max_wins", "and_gate"])
def test_second_in_votes_and_what_it_lacks(models, data, name):
    """The runner-up has the most votes of the others, and would be the answer if the machines named changed their minds."""
    clf, X = models[name], data[0]
    machine_of, values = clf.bank_.machine_of, clf.pair_decisions(X)
    for i in range(0, len(X), 7):
        answer, votes = winner(values[i], machine_of)
        second = clf.explain(X[i]).runner_up
        assert votes[second.class_index] == max(v for c, v in enumerate(votes) if c != answer)
        changed = values[i].copy()
        changed[list(second.machines)] *= -1
        assert winner(changed, machine_of)[0] == second.class_index
        np.testing.assert_allclose(second.values, values[i][list(second.machines)], rtol=1e-9)
        assert second.gap == max(np.abs(second.values))
        assert all(second.class_index in clf.bank_.pairs[m] for m in second.machines)


def test_votes_of_random_tournaments(rng):
    """Also where verdicts contradict each other: the verdicts named make the second the answer, and none is superfluous."""
    machine_of, counts = all_pairs_of(N), []
    for _ in range(300):
        values = rng.normal(size=N * (N - 1) // 2)
        answer, votes = winner(values, machine_of)
        second, machines, told = _by_votes(N, machine_of, values, answer)
        assert second != answer
        assert votes[second] == max(v for c, v in enumerate(votes) if c != answer)
        changed = values.copy()
        changed[list(machines)] *= -1
        assert winner(changed, machine_of)[0] == second
        assert told == tuple(values[list(machines)])
        farthest = machines[int(np.argmax(np.abs(told)))]
        changed[farthest] *= -1
        assert winner(changed, machine_of)[0] != second
        counts.append(len(machines))
    assert {1, 2} <= set(counts)


def test_second_largest_value(models, data):
    """One-vs-rest compares values, so the gap is a difference."""
    clf, X = models["one_vs_rest"], data[0]
    for i in range(0, len(X), 25):
        values = clf.pair_decisions(X[i : i + 1])[0]
        second = clf.explain(X[i]).runner_up
        first, next_ = np.argsort(-values)[:2]
        assert (second.class_index, second.machines) == (next_, (first, next_))
        assert second.gap == pytest.approx(values[first] - values[next_])


def test_broken_ties_have_a_runner_up(data):
    """With break_ties the answer is by decision_function; the second in votes must gain at least one pair."""
    X, y = data
    clf = dagmar.SVC(gamma=0.1, break_ties=True).fit(X, y)
    for x in X[::25]:
        explanation = clf.explain(x)
        assert explanation.runner_up.label != explanation.answer == clf.predict(x[None])[0]
        assert len(explanation.runner_up.machines) >= 1


@pytest.mark.parametrize("structure", ["max_wins", "ddag", "one_vs_rest", "bracket"])
def test_two_classes(structure, two_moons):
    """The runner-up is the other class, as close as the value of the only machine."""
    X, y = two_moons
    explanation = dagmar.SVC(structure=structure).fit(X, y).explain(X[0])
    assert {explanation.answer, explanation.runner_up.label} == {0, 1}
    assert explanation.runner_up.gap == abs(explanation.steps[0].value)


@pytest.mark.parametrize("structure", ["max_wins", "ddag", "one_vs_rest", "adaptive_ddag", "fisher_tree"])
def test_other_machines(structure, data):
    """Machines of any classifier have runners-up by the same rules."""
    X, y = data
    clf = dagmar.PairwiseClassifier(NearestMean(), structure=structure).fit(X, y)
    for x in X[::25]:
        explanation = clf.explain(x)
        assert explanation.runner_up.label != explanation.answer
        assert np.isfinite(explanation.runner_up.gap)


def test_words():
    """It prints the class and how close it was."""
    assert str(RunnerUp(1, "bee", (0,), (-0.25,), 0.25)) == "bee (0.25 away)"
