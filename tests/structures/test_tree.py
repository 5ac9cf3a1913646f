"""What holds for every tree, whichever pair is chosen for a node."""

from itertools import pairwise

import numpy as np
import pytest
from helpers import blobs, random_patterns
from hypothesis import given
from hypothesis import strategies as st
from reference import fisher, tree
from sklearn.base import clone
from tables import (
    TableWorkshop,
    assert_walks,
    by_pair,
    check_graph,
    children,
    random_points,
    random_table,
    used_machines,
)

import dagmar
from dagmar.base.exceptions import InvalidParameterError, MissingDataError
from dagmar.structures import CenteredTree, FisherTree, as_structure

seeds = st.integers(0, 2**32 - 1)
# Graphs that are cut on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:The graph of")
thresholds = st.sampled_from([0.0, 0.1, 0.125, 0.25, 1 / 3, 0.49])
TREES = [FisherTree, CenteredTree]


def choice_of(kind, points, sizes):
    """The pair that the reference chooses, over classes with these means and variances."""
    means, variance = points["means"], points["variance"]
    if kind is CenteredTree:
        return lambda classes: tree.centered(classes, means, sizes)
    n = len(means)
    ratios = np.zeros((n, n))
    for a in range(n):
        for b in range(n):
            distance2, spread = float(((means[a] - means[b]) ** 2).sum()), variance[a] + variance[b]
            ratios[a, b] = distance2 / spread if spread > 0 else (np.inf if distance2 > 0 else 0.0)
    return lambda classes: fisher.choose_pair(ratios, classes)


def points_for(kind, seed, n_classes):
    """Means and variances full of ties; none for a centered tree, where a mean of means is not exact."""
    points = random_points(seed, n_classes)
    if kind is CenteredTree:
        points["means"] = np.random.default_rng(seed).normal(size=(n_classes, 2))
    return points


@pytest.mark.parametrize("kind", TREES)
@given(n_classes=st.integers(2, 12), seed=seeds, threshold=thresholds, undecided=st.sampled_from([0.0, 0.3, 0.7]))
def test_tree_is_that_of_the_recursion(kind, n_classes, seed, threshold, undecided):
    """Nodes, answers and paths are those of the construction in words; machines are trained once, and all are used."""
    for_later, sizes = random_table(seed, n_classes, undecided=undecided)
    points = points_for(kind, seed, n_classes)
    workshop = TableWorkshop(for_later, sizes, points)
    plan = kind(threshold=threshold, max_nodes=10**6).build(workshop)
    split = tree.pair_split(choice_of(kind, points, sizes), by_pair(for_later), sizes, threshold)
    memo = tree.nodes(n_classes, split)
    bank = workshop.bank
    questions = bank.tasks.keys()
    assert len(plan.machine) == len(memo)
    for node, row in enumerate(plan.node_classes):
        found = (questions[plan.machine[node]], *children(plan, node))
        assert found == memo[frozenset(np.flatnonzero(row).tolist())]
    assert sorted(workshop.trained) == sorted(questions) == sorted({question for question, _, _ in memo.values()})
    check_graph(plan, bank.tasks)
    assert_walks(bank, plan, memo, random_patterns(seed, 40, 40)[:, : bank.n_machines])


@pytest.mark.parametrize("kind", TREES)
@given(n_classes=st.integers(2, 12), seed=seeds)
def test_groups_have_one_machine_less_than_classes(kind, n_classes, seed):
    """With groups there are N - 1 nodes and machines, classes are never copied, and walks are the reference's."""
    for_later, sizes = random_table(seed, n_classes, largest=4)
    points = points_for(kind, seed, n_classes)
    workshop = TableWorkshop(for_later, sizes, points)
    plan = kind(machines="groups").build(workshop)
    memo = tree.nodes(n_classes, tree.group_split(choice_of(kind, points, sizes), by_pair(for_later), sizes))
    bank = workshop.bank
    assert bank.n_machines == len(plan.machine) == len(memo) == n_classes - 1
    questions = bank.tasks.keys()
    for node, row in enumerate(plan.node_classes):
        left, right = children(plan, node)
        assert not left & right
        assert (questions[plan.machine[node]], left, right) == memo[frozenset(np.flatnonzero(row).tolist())]
    check_graph(plan, bank.tasks)
    assert_walks(bank, plan, memo, random_patterns(seed, 40, 40)[:, : bank.n_machines])


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("machines", ["pairs", "groups"])
@given(n_classes=st.integers(3, 12), seed=seeds, max_nodes=st.sampled_from([1, 3, 10]))
def test_cap_on_nodes_leaves_lists(kind, machines, n_classes, seed, max_nodes):
    """Beyond the cap sets are decided as the lists of a DDAG; the machines of the lists are trained, and no others kept."""
    for_later, sizes = random_table(seed, n_classes, undecided=0.7, largest=4)
    points = points_for(kind, seed, n_classes)
    workshop = TableWorkshop(for_later, sizes, points)
    plan = kind(machines=machines, max_nodes=max_nodes).build(workshop)
    choose_pair, rows = choice_of(kind, points, sizes), by_pair(for_later)
    split = (
        tree.pair_split(choose_pair, rows, sizes, 0.0)
        if machines == "pairs"
        else tree.group_split(choose_pair, rows, sizes)
    )
    memo = tree.capped_nodes(n_classes, split, max_nodes)
    bank = workshop.bank
    assert len(plan.machine) == len(memo) <= max_nodes
    assert used_machines(plan) == set(range(bank.n_machines))
    check_graph(plan, bank.tasks)
    assert_walks(bank, plan, memo, random_patterns(seed, 40, 40)[:, : bank.n_machines])


@pytest.mark.parametrize("kind", TREES)
def test_blobs_on_a_line_need_no_copies(kind):
    """Threshold 0, a linear kernel, separable blobs on a line: N - 1 machines, and no class on both sides."""
    rng = np.random.default_rng(0)
    y = np.tile(np.arange(8), 15)  # of an even number, none lies on the cut halfway between the two at the ends
    X = (10.0 * rng.permutation(8)[y] + np.repeat(rng.uniform(-1, 1, 15), 8))[:, None]
    clf = dagmar.SVC(kernel="linear", C=100, structure=kind()).fit(X, y)
    assert clf.bank_.n_machines == len(clf.plan_.machine) == 7
    for node in range(7):
        left, right = children(clf.plan_, node)
        assert not left & right
    np.testing.assert_array_equal(clf.predict(X), y)
    assert clf.decision_cost(X).machines.max() <= 7


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("machines", ["pairs", "groups"])
def test_machines_are_those_of_the_plan(letters, kind, machines):
    """Only machines that the plan names are kept, no more than there are pairs, each as it is trained by itself."""
    X, y = letters
    clf = dagmar.SVC(gamma=0.1, C=10, structure=kind(machines=machines)).fit(X, y)
    K = 8 * 7 // 2
    assert used_machines(clf.plan_) == set(range(clf.bank_.n_machines))
    assert len(clf.report_.iterations) == clf.bank_.n_machines <= K
    if machines == "groups":
        assert clf.bank_.n_machines == 7
        return
    everyone = dagmar.SVC(gamma=0.1, C=10).fit(X, y)
    number = everyone.bank_.machine_of[tuple(clf.bank_.pairs.T)]
    np.testing.assert_array_equal(clf.bank_.bias, everyone.bank_.bias[number])
    np.testing.assert_allclose(
        clf.pair_decisions(X), everyone.pair_decisions(X)[:, number], rtol=1e-5, atol=1e-5
    )  # the rest is the precision that a bank of its size decides in


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("machines", ["pairs", "groups"])
@pytest.mark.parametrize("max_nodes", [1, 3, 4096])
def test_decision_function_has_its_largest_score_at_the_answer(kind, machines, max_nodes):
    """Whatever machines a tree has, the argmax of decision_function is predict, and scores are finite."""
    X, y = blobs(5, 7, 25, 4, spread=2.5)
    clf = dagmar.SVC(gamma=0.1, structure=kind(machines=machines, max_nodes=max_nodes)).fit(X, y)
    scores = clf.decision_function(X)
    assert scores.shape == (len(y), 7)
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(clf.classes_[scores.argmax(axis=1)], clf.predict(X))


@pytest.mark.parametrize("kind", TREES)
def test_later_dropped_classes_score_higher(kind):
    """A class that left play earlier never scores more than one that left later."""
    X, y = blobs(6, 6, 20, 3, spread=2.0)
    clf = dagmar.SVC(gamma=0.1, structure=kind(machines="groups")).fit(X, y)
    scores, path, plan = clf.decision_function(X), clf.decision_path(X), clf.plan_
    for i, (_, values) in enumerate(path):
        node, in_play, floor = 0, frozenset(range(6)), []
        for value in values:
            left = children(plan, node)[int(value >= 0)]
            floor.append([scores[i, c] for c in in_play - left])
            in_play = left
            node = int((plan.on_positive if value >= 0 else plan.on_negative)[node])
        steps = [*floor, [scores[i, path.answers[i]]]]
        for earlier, later in pairwise(steps):
            assert max(earlier) < min(later)


@pytest.mark.parametrize("kind", TREES)
def test_two_classes_need_one_machine(kind, two_moons):
    """With two classes the answer is the word of the one machine, and decision_function its value."""
    X, y = two_moons
    plain = dagmar.SVC().fit(X, y)
    for machines in ("pairs", "groups"):
        clf = dagmar.SVC(structure=kind(machines=machines)).fit(X, y)
        np.testing.assert_array_equal(clf.predict(X), plain.predict(X))
        np.testing.assert_array_equal(clf.decision_function(X), plain.decision_function(X))


BAD = [
    {"threshold": 0.5},
    {"threshold": -0.01},
    {"threshold": None},
    {"threshold": float("nan")},
    {"machines": "group"},
    {"machines": None},
    {"max_nodes": 0},
    {"max_nodes": 1.5},
]


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("parameters", BAD, ids=range(len(BAD)))
def test_bad_parameters_are_refused_before_training(kind, parameters, three_blobs, monkeypatch):
    """A threshold of one half or more, or anything else that is no value of a parameter, is an error before training."""
    monkeypatch.setattr("dagmar.machines.workshop.train", lambda *_: pytest.fail("trained"))
    with pytest.raises(InvalidParameterError, match=f"'{next(iter(parameters))}' parameter of {kind.__name__} must be"):
        dagmar.SVC(structure=kind(**parameters)).fit(*three_blobs)


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("scale", [0.1, 1 / 3, 0.003])
@pytest.mark.parametrize("threshold", [0.0, 0.1])
def test_scale_of_weights_does_not_matter(kind, seven_blobs, threshold, scale):
    """All weights times a, with C over a, is the same problem: the same tree."""
    X, y = seven_blobs
    structure = kind(threshold=threshold)
    plain = dagmar.SVC(structure=structure, gamma=0.1, C=1.0).fit(X, y)
    scaled = dagmar.SVC(structure=structure, gamma=0.1, C=1.0 / scale).fit(X, y, np.full(len(y), scale))
    np.testing.assert_array_equal(scaled.bank_.pairs, plain.bank_.pairs)
    np.testing.assert_array_equal(scaled.plan_.node_classes, plain.plan_.node_classes)


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("machines", ["pairs", "groups"])
def test_explain_names_the_sides(kind, machines, seven_blobs):
    """The words of a path name classes on both sides of each machine asked."""
    X, y = seven_blobs
    names = np.array(["ant", "bee", "cat", "dog", "eel", "fox", "gnu"])
    clf = dagmar.SVC(gamma=0.1, structure=kind(machines=machines)).fit(X, names[y])
    keys = clf.bank_.tasks.keys()
    for x in X[:10]:
        lines = str(clf.explain(x)).splitlines()
        asked = clf.decision_path(x[None])[0][0].tolist()
        assert len(lines) == len(asked) + 1
        for line, m in zip(lines, asked, strict=False):
            for side in keys[m]:
                assert "rest" in line or any(name in line for name in names[list(side)])


@pytest.mark.parametrize("kind", TREES)
def test_restructure_with_data_trains_nothing_new(kind, seven_blobs, monkeypatch):
    """From a bank of all pairs a tree takes the machines it needs; without data it says what is missing."""
    X, y = seven_blobs
    clf = dagmar.SVC(gamma=0.1).fit(X, y)
    fitted = dagmar.SVC(gamma=0.1, structure=kind()).fit(X, y)
    with pytest.raises(MissingDataError, match="pass X and y"):
        clf.restructure(kind())
    monkeypatch.setattr("dagmar.machines.workshop.train", lambda *_: pytest.fail("trained"))
    other = clf.restructure(kind(), X, y)
    np.testing.assert_array_equal(other.plan_.node_classes, fitted.plan_.node_classes)
    np.testing.assert_array_equal(other.bank_.pairs[other.plan_.machine], fitted.bank_.pairs[fitted.plan_.machine])
    assert other.bank_.n_machines == fitted.bank_.n_machines
    np.testing.assert_array_equal(other.predict(X), fitted.predict(X))


@pytest.mark.parametrize("kind", TREES)
def test_parameters_follow_scikit_learn(kind):
    """The structure has parameters, clones and prints."""
    structure = kind(threshold=0.1, machines="groups")
    assert structure.get_params() == {"threshold": 0.1, "machines": "groups", "max_nodes": 1_000_000}
    assert clone(structure).get_params() == structure.get_params()
    assert repr(structure) == f"{kind.__name__}(machines='groups', threshold=0.1)"
    assert repr(as_structure("fisher_tree")) == "FisherTree()"
    assert repr(as_structure("centered_tree")) == "CenteredTree()"
