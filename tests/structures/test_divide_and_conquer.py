"""Divide and conquer: tables, measures and graphs, against the formulas and the paper's worked example."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import decide, dialled_pairs, every_pattern, problem_of, random_patterns, trace
from hypothesis import given
from hypothesis import strategies as st
from reference import divide_and_conquer as paper
from reference import tree
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from tables import (
    REAL,
    TableWorkshop,
    asker,
    assert_walks,
    by_pair,
    check_graph,
    children,
    random_table,
    real_data,
    table_of,
)

import dagmar
from dagmar.base.exceptions import InvalidParameterError, MissingDataError
from dagmar.problem.tasks import all_pairs
from dagmar.structures import DivideAndConquer, as_structure
from dagmar.structures.divide_and_conquer import PredictionsTable, balance, purity, score

seeds = st.integers(0, 2**32 - 1)
# Graphs that are cut on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:The graph of")
thetas = st.sampled_from([0.0, 0.1, 0.125, 0.25, 1 / 3, 0.4, 0.49])


def table_from(for_later, sizes, labels=None):
    n = len(sizes)
    return PredictionsTable(all_pairs(n).pairs, for_later, sizes, np.arange(n) if labels is None else labels)


def plan_from(structure, for_later, sizes):
    """Return the plan for a table, with a bank of all pairs whose values the test sets."""
    bank = dialled_pairs(len(sizes))
    return bank, replace(structure.divide(table_from(for_later, sizes)), machine_of=bank.machine_of)


# ------------------------------------------------------- the worked example

# Sides of the made-up table that meets every number of the paper: -1 for i, 1 for j, 0 undecided.
LABELS = np.array([1, 2, 3, 5, 6, 7])
SIDES = np.array([
    [-1, 1, 1, 1, 1, 1], [-1, 0, 1, 0, 0, 0], [-1, 0, -1, 1, 0, 0], [-1, 0, -1, 0, 1, 0], [-1, 0, 0, 0, 1, 1],
    [0, -1, 1, -1, 0, 0], [-1, -1, -1, 1, 0, 1], [-1, -1, 0, 0, 1, 0], [-1, -1, 0, 0, -1, 1],
    [0, 0, -1, 1, 1, 1], [-1, -1, -1, 0, 1, -1], [-1, 0, -1, 0, 0, 1],
    [-1, -1, -1, -1, 1, 1], [1, 1, 1, -1, -1, 1],
    [0, 0, 0, 0, -1, 1],
])  # fmt: skip
PURITY = [0, 4, 3, 3, 3, 3, 1, 3, 2, 2, 1, 3, 0, 0, 4]
BALANCE = [1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 2, 2, 1]
SIZE = 61  # of class 2 in the paper's split: 5 of 61 are the 8.2 % of machine (1, 6)


@pytest.fixture
def glass_table():
    for_later = np.array([0.0, 5.0, SIZE])[np.where(SIDES < 0, 0, np.where(SIDES == 0, 1, 2))]
    return table_from(for_later, np.full(6, float(SIZE)), LABELS)


@pytest.mark.parametrize("theta", [0.0, 0.02, 0.05])
def test_paper_table_1(glass_table, theta):
    """Purity, balance and score of all fifteen machines are those of Table 1, at every theta the text uses."""
    assert purity(glass_table, theta).tolist() == PURITY
    assert balance(glass_table, theta).tolist() == BALANCE
    assert score(glass_table).tolist() == [1.0] * 15


def test_paper_table_2(glass_table):
    """Over classes 1, 2, 3, 5 the remaining machines have the purities and balances of Table 2."""
    classes = np.isin(LABELS, [1, 2, 3, 5])
    rows = [0, 1, 2, 5, 6, 9]
    assert purity(glass_table, 0.0, classes)[rows].tolist() == [0, 2, 1, 1, 0, 2]
    assert balance(glass_table, 0.0, classes)[rows].tolist() == [1] * 6


def test_paper_shares(glass_table):
    """Machine (1, 6) assigns 91.8 % of class 2 to 1 and 8.2 % to 6, also in the data frame."""
    row = glass_table.pairs.tolist().index([0, 4])
    np.testing.assert_allclose(glass_table.shares[row, 1], [0.918, 0.082], atol=5e-4)
    frame = glass_table.to_frame()
    assert frame.loc[(1, 6), (2, "i")] == pytest.approx(0.918, abs=5e-4)
    assert frame.loc[(1, 6), (2, "j")] == pytest.approx(0.082, abs=5e-4)


def test_paper_separation(glass_table):
    """58 of the 90 cells are decided."""
    earlier, later = glass_table.decided(0.02)
    assert not (earlier & later).any()
    assert int((earlier | later).sum()) == 58
    assert earlier.size == 90
    assert earlier.size - purity(glass_table, 0.02).sum() == 58


def test_paper_tree(glass_table):
    """Root (5, 6); on its left (1, 2) with leaf 1, then (2, 3) and (2, 5); on its right (6, 7)."""
    plan = DivideAndConquer().divide(glass_table)
    found = {}
    for node in range(len(plan.machine)):
        classes = tuple(LABELS[plan.node_classes[node]].tolist())
        left, right = (tuple(LABELS[sorted(child)].tolist()) for child in children(plan, node))
        found[classes] = tuple(LABELS[glass_table.pairs[plan.machine[node]]].tolist()), left, right
    assert found == {
        (1, 2, 3, 5, 6, 7): ((5, 6), (1, 2, 3, 5), (6, 7)),
        (1, 2, 3, 5): ((1, 2), (1,), (2, 3, 5)),
        (2, 3, 5): ((2, 3), (2, 5), (3,)),
        (2, 5): ((2, 5), (2,), (5,)),
        (6, 7): ((6, 7), (6,), (7,)),
    }


# ------------------------------------------------------------ random tables


@given(n_classes=st.integers(2, 9), seed=seeds, theta=thetas)
def test_measures_are_the_formulas(n_classes, seed, theta):
    """Purity, balance and score are the paper's sums, over all classes and over some."""
    for_later, sizes = random_table(seed, n_classes)
    table, rows = table_from(for_later, sizes), by_pair(for_later)
    some = np.random.default_rng(seed).random(n_classes) < 0.6
    for mask in (None, some):
        classes = set(range(n_classes)) if mask is None else set(np.flatnonzero(mask).tolist())
        pairs = list(rows)
        assert purity(table, theta, mask).tolist() == [paper.purity(rows, sizes, p, theta, classes) for p in pairs]
        assert balance(table, theta, mask).tolist() == [paper.balance(rows, sizes, p, theta, classes) for p in pairs]
    np.testing.assert_allclose(score(table), [paper.score(rows, sizes, p) for p in rows], rtol=1e-12)


@given(
    n_classes=st.integers(2, 12),
    seed=seeds,
    theta=thetas,
    prefer=st.sampled_from(["speed", "accuracy"]),
    undecided=st.sampled_from([0.0, 0.3, 0.7]),
)
def test_graph_is_that_of_the_recursion(n_classes, seed, theta, prefer, undecided):
    """Nodes, answers and paths are those of the memoised recursion, for tables with many ties and single samples."""
    for_later, sizes = random_table(seed, n_classes, undecided=undecided)
    bank, plan = plan_from(DivideAndConquer(theta=theta, prefer=prefer, max_nodes=10**6), for_later, sizes)
    memo = tree.nodes(n_classes, paper.splitter(by_pair(for_later), sizes, theta, prefer))
    assert len(plan.machine) == len(memo)
    questions = bank.tasks.keys()
    for node in range(len(plan.machine)):
        classes = frozenset(np.flatnonzero(plan.node_classes[node]).tolist())
        assert (questions[plan.machine[node]], *children(plan, node)) == memo[classes]
    assert_walks(bank, plan, memo, random_patterns(seed, n_classes, 40))


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_every_outcome_is_walked_as_the_recursion_walks_it(n_classes):
    """On all 2^K outcomes core and recursion agree."""
    for seed in range(6):
        for_later, sizes = random_table(seed, n_classes)
        bank, plan = plan_from(DivideAndConquer(), for_later, sizes)
        memo = tree.nodes(n_classes, paper.splitter(by_pair(for_later), sizes, 0.0))
        assert_walks(bank, plan, memo, every_pattern(n_classes))


@given(n_classes=st.integers(2, 6), seed=seeds, theta=thetas)
def test_shared_nodes_answer_as_the_tree_that_shares_nothing(n_classes, seed, theta):
    """The naive recursion, with one node per branch, gives the same answers."""
    for_later, sizes = random_table(seed, n_classes)
    bank, plan = plan_from(DivideAndConquer(theta=theta), for_later, sizes)
    split = paper.splitter(by_pair(for_later), sizes, theta)

    def naive(classes, ask):
        if len(classes) == 1:
            return next(iter(classes))
        question, left, right = split(classes)
        return naive(right if ask(question) else left, ask)

    X = random_patterns(seed, n_classes, 20)
    expected = [naive(frozenset(range(n_classes)), asker(bank, values)) for values in X]
    np.testing.assert_array_equal(decide(bank, plan, X), expected)


@given(n_classes=st.integers(2, 10), seed=seeds, theta=thetas, max_nodes=st.sampled_from([1, 3, 10, 4096]))
def test_graph_is_sound(n_classes, seed, theta, max_nodes):
    """Sets shrink, i is never on the right nor j on the left, every class is a leaf, paths have at most N - 1 machines."""
    for_later, sizes = random_table(seed, n_classes)
    bank, plan = plan_from(DivideAndConquer(theta=theta, max_nodes=max_nodes), for_later, sizes)
    check_graph(plan, bank.tasks)
    _, paths = trace(bank, plan, random_patterns(seed, n_classes, 30))
    for path in paths:
        assert len(path) == len(set(path)) <= n_classes - 1


@given(n_classes=st.integers(3, 12), seed=seeds, max_nodes=st.sampled_from([1, 3, 10]))
def test_cap_on_nodes_leaves_lists(n_classes, seed, max_nodes):
    """A level that would exceed max_nodes is not divided: its sets are decided as the lists of a DDAG."""
    for_later, sizes = random_table(seed, n_classes, undecided=0.6)
    bank, plan = plan_from(DivideAndConquer(max_nodes=max_nodes), for_later, sizes)
    assert len(plan.machine) <= max_nodes
    memo = tree.capped_nodes(n_classes, paper.splitter(by_pair(for_later), sizes, 0.0), max_nodes)
    assert len(memo) == len(plan.machine)
    assert_walks(bank, plan, memo, random_patterns(seed, n_classes, 40))


@given(n_classes=st.integers(2, 12), seed=seeds)
def test_machines_that_tell_nobody_else_apart_eliminate_one_class_each(n_classes, seed):
    """If no machine decides a third class, every path has N - 1 machines, and a class that wins all its pairs wins."""
    pairs = all_pairs(n_classes).pairs
    for_later, row = np.ones((len(pairs), n_classes)), np.arange(len(pairs))
    for_later[row, pairs[:, 0]], for_later[row, pairs[:, 1]] = 0.0, 2.0
    bank, plan = plan_from(DivideAndConquer(max_nodes=10**6), for_later, np.full(n_classes, 2.0))
    patterns = random_patterns(seed, n_classes, 30)
    champion = np.random.default_rng(seed).integers(0, n_classes, 30)
    _, paths = trace(bank, plan, patterns)
    assert {len(path) for path in paths} == {n_classes - 1}
    patterns[champion[:, None] == pairs[:, 0]] = -1.0
    patterns[champion[:, None] == pairs[:, 1]] = 1.0
    np.testing.assert_array_equal(decide(bank, plan, patterns), champion)


@pytest.mark.parametrize("n_classes", [2, 4, 8, 16])
def test_perfect_halves_need_log2_machines(n_classes):
    """If every machine divides its set of classes into two halves, a path has log2 N machines."""
    code = np.arange(n_classes)
    pairs = all_pairs(n_classes).pairs
    highest = np.floor(np.log2(pairs[:, 0] ^ pairs[:, 1])).astype(int)  # the bit in which the two classes first differ
    for_later = ((code >> highest[:, None]) & 1) * 3.0
    # i has a 0 there and j a 1, as i < j.
    bank, plan = plan_from(DivideAndConquer(), for_later, np.full(n_classes, 3.0))
    _, paths = trace(bank, plan, random_patterns(0, n_classes, 50))
    assert {len(path) for path in paths} == {int(np.log2(n_classes))}
    assert len(plan.machine) == n_classes - 1


def test_counts_decide_at_equality():
    """A share of exactly theta counts as decided, even if its rounded quotient is larger: 3 of 10 at 0.3, 29 of 100."""
    for size, theta in ((10, 0.3), (100, 0.29), (10, 0.1), (1000, 0.007), (3, 1 / 3)):
        count = round(size * theta)
        for_later = np.array([[0.0, size, count], [0.0, 0.0, size], [0.0, 0.0, size]])
        earlier, later = table_from(for_later, np.full(3, float(size))).decided(theta)
        assert earlier[0, 2]
        assert not later[0, 2]
        above = for_later + np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]])
        assert not table_from(above, np.full(3, float(size))).decided(theta)[0][0, 2]


# -------------------------------------------------------------- through SVC


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize(("theta", "prefer"), [(0.0, "speed"), (0.02, "speed"), (0.05, "accuracy")])
def test_real_data_follows_the_reference(name, theta, prefer):
    """On real data, table, labels and paths are those of the reference with counts by loops."""
    X, y, T, parameters = real_data(name)
    structure = DivideAndConquer(theta=theta, prefer=prefer)
    clf = dagmar.SVC(structure=structure, n_jobs=-1, **parameters).fit(X, y)
    for_later, sizes = table_of(clf, X, y)
    table = clf.plan_.predictions_table
    np.testing.assert_array_equal(table.for_later, for_later)
    np.testing.assert_array_equal(table.sizes, sizes)
    memo = tree.nodes(len(sizes), paper.splitter(by_pair(for_later), sizes, theta, prefer))
    values, path, labels = clf.pair_decisions(T), clf.decision_path(T), clf.predict(T)
    questions = clf.bank_.tasks.keys()
    for i in range(len(T)):
        answer, met = tree.walk(len(sizes), memo, asker(clf.bank_, values[i]))
        assert labels[i] == clf.classes_[answer]
        assert [questions[m] for m in path[i][0]] == met
    check_graph(clf.plan_, clf.bank_.tasks)


def test_table_is_a_frame_of_shares_with_labels(three_blobs):
    """The frame has the user's labels and the shares that a loop over samples and machines finds."""
    X, y = three_blobs
    names = np.array(["ant", "bee", "cat"])
    clf = dagmar.SVC(structure="divide_and_conquer", C=0.1).fit(X, names[y])
    frame = clf.plan_.predictions_table.to_frame()
    values = clf.pair_decisions(X)
    assert frame.shape == (3, 6)
    for m, (i, j) in enumerate([("ant", "bee"), ("ant", "cat"), ("bee", "cat")]):
        for c, name in enumerate(names):
            later = np.mean([v >= 0 for v in values[y == c, m]])
            assert frame.loc[(i, j), (name, "j")] == pytest.approx(later)
            assert frame.loc[(i, j), (name, "i")] == pytest.approx(1 - later)
    assert "ant" in clf.plan_.predictions_table._repr_html_()


def test_table_shows_itself(seven_blobs):
    """One line for the table; in a notebook the shares that machines give to j, with labels as text."""
    X, y = seven_blobs
    names = np.array(["ant", "<b>", "cat", "dog", "eel", "fox", "gnu"])
    table = dagmar.SVC(structure="divide_and_conquer", gamma=0.1).fit(X, names[y]).plan_.predictions_table
    divided = int(((table.for_later > 0) & (table.for_later < table.sizes)).sum())
    assert repr(table) == f"PredictionsTable(21 machines, 7 classes, {divided} entries divided)"
    page = table._repr_html_()
    assert "<b>" not in page
    assert f"<td>{table.shares[0, 0, 1]:.1%}</td>" in page
    assert "9 more lines" in page


def test_table_counts_weights(seven_blobs):
    """A sample of integer weight w counts as w samples."""
    X, y = seven_blobs
    weight = 1.0 + np.arange(len(y)) % 3
    clf = dagmar.SVC(structure="divide_and_conquer", gamma=0.1).fit(X, y, sample_weight=weight)
    values = clf.pair_decisions(X)
    table = clf.plan_.predictions_table
    for m in range(21):
        for c in range(7):
            assert table.for_later[m, c] == weight[(y == c) & (values[:, m] >= 0)].sum()
    assert table.sizes.tolist() == [weight[y == c].sum() for c in range(7)]


@pytest.mark.parametrize("scale", [0.1, 0.003, 1 / 3, 1e-12, 1e9])
@pytest.mark.parametrize("theta", [0.0, 0.1])
def test_scale_of_weights_does_not_matter(seven_blobs, theta, scale):
    """Multiplying all weights by a and dividing C by a is the same problem: it gives the same graph and answers."""
    X, y = seven_blobs
    structure = DivideAndConquer(theta=theta)
    plain = dagmar.SVC(structure=structure, gamma=0.1, C=1.0).fit(X, y)
    scaled = dagmar.SVC(structure=structure, gamma=0.1, C=1.0 / scale).fit(X, y, np.full(len(y), scale))
    np.testing.assert_array_equal(scaled.plan_.machine, plain.plan_.machine)
    np.testing.assert_array_equal(scaled.plan_.node_classes, plain.plan_.node_classes)


def test_fractional_weights_are_compared_as_shares():
    """A class with a share of at most theta on the other side is decided, also with weights that are not integers."""
    sizes = np.array([1.0, 1.0, 10.5])
    for_later = np.array([[0.0, 1.0, 3.12], [0.0, 0.0, 10.5], [0.0, 0.0, 10.5]])  # 3.12 / 10.5 = 0.297
    earlier, _ = table_from(for_later, sizes).decided(0.3)
    assert earlier[0, 2]


def test_max_samples_looks_at_a_part(seven_blobs):
    """With a limit, the table counts the samples spread evenly over each class."""
    X, y = seven_blobs
    clf = dagmar.SVC(structure=DivideAndConquer(max_samples=7), gamma=0.1).fit(X, y)
    table, problem, values = clf.plan_.predictions_table, problem_of(X, y), clf.pair_decisions(X)
    assert table.sizes.tolist() == [7] * 7
    for c in range(7):
        rows = problem.order[problem.sample_of_class(c, 7)]
        np.testing.assert_array_equal(table.for_later[:, c], (values[rows] >= 0).sum(axis=0))


def test_larger_theta_makes_paths_no_longer(letters):
    """At a large theta paths are much shorter than N - 1."""
    X, y = letters
    clf = dagmar.SVC(gamma=0.1, C=10).fit(X, y)
    steps = [
        clf.restructure(DivideAndConquer(theta=theta), X, y).decision_cost(X).machines.mean()
        for theta in (0.0, 0.2, 0.45)
    ]
    assert steps[0] <= 7
    assert steps[2] < steps[0]


BAD = [
    {"theta": 0.5},
    {"theta": -0.1},
    {"theta": "0.1"},
    {"theta": float("nan")},
    {"theta": None},
    {"prefer": "size"},
    {"prefer": None},
    {"max_nodes": 0},
    {"max_nodes": 2.5},
    {"max_samples": 0},
    {"max_samples": -1},
]


@pytest.mark.parametrize("parameters", BAD, ids=range(len(BAD)))
def test_bad_parameters_are_refused_before_training(parameters, three_blobs, monkeypatch):
    """A theta of one half or more, or any other invalid parameter, raises an error before training."""
    monkeypatch.setattr("dagmar.machines.workshop.train", lambda *_: pytest.fail("trained"))
    with pytest.raises(
        InvalidParameterError, match=f"'{next(iter(parameters))}' parameter of DivideAndConquer must be"
    ):
        dagmar.SVC(structure=DivideAndConquer(**parameters)).fit(*three_blobs)


def test_restructure_asks_for_the_data(three_blobs):
    """The table needs the training data, so they must be passed; then the plan is that of a fit."""
    X, y = three_blobs
    clf = dagmar.SVC().fit(X, y)
    with pytest.raises(MissingDataError, match="pass X and y"):
        clf.restructure("divide_and_conquer")
    other = clf.restructure("divide_and_conquer", X, y)
    fitted = dagmar.SVC(structure="divide_and_conquer").fit(X, y)
    np.testing.assert_array_equal(other.plan_.machine, fitted.plan_.machine)
    np.testing.assert_array_equal(other.predict(X), fitted.predict(X))


def test_trains_all_pairs_once():
    """All pairs are trained, each once, and kept in their order."""
    for_later, sizes = random_table(0, 6)
    workshop = TableWorkshop(for_later, sizes)
    plan = DivideAndConquer().build(workshop)
    np.testing.assert_array_equal(workshop.tasks.pairs, all_pairs(6).pairs)
    np.testing.assert_array_equal(plan.machine_of, workshop.bank.machine_of)


def test_grid_search_over_theta(seven_blobs):
    """A grid search can set theta as structure__theta."""
    X, y = seven_blobs
    search = GridSearchCV(
        dagmar.SVC(structure=DivideAndConquer(), gamma=0.1), {"structure__theta": [0.0, 0.1, 0.3]}, cv=3
    ).fit(X, y)
    assert search.best_params_["structure__theta"] in (0.0, 0.1, 0.3)
    assert search.best_estimator_.structure_.theta == search.best_params_["structure__theta"]
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_two_classes_need_one_machine(two_moons):
    """With two classes the answer is the verdict of their machine."""
    X, y = two_moons
    clf = dagmar.SVC(structure="divide_and_conquer").fit(X, y)
    np.testing.assert_array_equal(clf.predict(X), dagmar.SVC().fit(X, y).predict(X))


def test_parameters_follow_scikit_learn():
    """The structure has parameters, and can be cloned and printed."""
    structure = DivideAndConquer(theta=0.02, prefer="accuracy")
    assert structure.get_params() == {"theta": 0.02, "prefer": "accuracy", "max_nodes": 1_000_000, "max_samples": None}
    assert clone(structure).get_params() == structure.get_params()
    assert repr(structure) == "DivideAndConquer(prefer='accuracy', theta=0.02)"
    assert repr(as_structure("divide_and_conquer")) == "DivideAndConquer()"


def test_a_sample_may_need_fewer_decisions_than_the_logarithm_of_the_classes():
    """On iris one machine suffices for a third of the samples, fewer than ⌈log2 3⌉, and none needs more than N-1."""
    X, y = load_iris(return_X_y=True)
    clf = dagmar.SVC(structure="divide_and_conquer").fit(X, y)
    consulted = clf.decision_cost(X).machines
    assert consulted.min() == 1
    assert consulted.max() == 2
    assert consulted.mean() == pytest.approx(5 / 3)
