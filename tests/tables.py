"""Tables of what machines say of classes, workshops that read them, and real data for structures."""

from functools import cached_property
from itertools import pairwise

import numpy as np
import pytest
from datasets import arrays
from helpers import decide, dialled_bank, trace
from reference import tree
from sklearn.preprocessing import MinMaxScaler

import dagmar
from dagmar.problem.separation import Moments
from dagmar.problem.tasks import Tasks, all_pairs
from dagmar.structures.plans import is_leaf, is_node, leaf_class, list_number

# ------------------------------------------------------------------- tables


def random_table(seed, n_classes, *, undecided=0.4, errors=0.1, largest=8):
    """Sizes of the classes, 1 to `largest`, and how many samples of each class each pair calls its later one.

    Classes of one sample, undecided classes, and machines that err on their own classes are all in it, and ties are many.
    """
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, largest + 1, n_classes)
    pairs = all_pairs(n_classes).pairs
    side = rng.integers(0, 2, size=(len(pairs), n_classes))
    side[np.arange(len(pairs)), pairs[:, 0]] = 0
    side[np.arange(len(pairs)), pairs[:, 1]] = 1
    chance = np.full(side.shape, undecided)
    own = np.zeros(side.shape, dtype=bool)
    own[np.arange(len(pairs))[:, None], pairs] = True
    chance[own] = errors
    mixed = rng.integers(0, sizes + 1, size=side.shape)
    return np.where(rng.random(side.shape) < chance, mixed, side * sizes).astype(float), sizes.astype(float)


def by_pair(for_later):
    """The rows of a table by their pairs, as the references take them."""
    n_classes = for_later.shape[1]
    return {tuple(pair): row.tolist() for pair, row in zip(all_pairs(n_classes).pairs.tolist(), for_later, strict=True)}


class TableWorkshop:
    """A workshop whose machines see the classes as a table says, and have on sample x the value x[m].

    Every machine may be trained once only, and what is asked for is written down.
    """

    def __init__(self, for_later, sizes, points=None, norm2=None):
        self.n_classes = len(sizes)
        self.labels = np.arange(self.n_classes)
        self.class_totals = sizes
        self._rows = by_pair(for_later)
        self._points = points  # one sample per class: the means of classes without variance
        self._norm2 = norm2
        self._keys, self.trained = [], []

    def sample_blocks(self):
        """No samples: the table knows only how many there are."""
        return iter(())

    def train(self, tasks):
        """Places of these tasks among all so far; the new ones are written down."""
        keys = tasks.keys()
        for t, key in enumerate(keys):
            if key not in self._keys:
                assert key not in self.trained, f"{key} is trained twice"
                assert key == tasks.select(np.array([t])).keys()[0]
                self._keys.append(key)
                self.trained.append(key)
        return np.array([self._keys.index(key) for key in keys], dtype=np.int64)

    def train_only(self, tasks):
        """Have these machines and no others."""
        self.keep(self.train(tasks))

    def keep(self, machines):
        """Drop all but these."""
        self._keys = [self._keys[m] for m in machines]

    def predictions(self, machines, max_samples=None):
        """The rows of the table."""
        assert max_samples is None
        rows = [self._rows[negative[0], positive[0]] for negative, positive in (self._keys[m] for m in machines)]
        return np.array(rows).reshape(len(rows), self.n_classes), self.class_totals

    @property
    def bank(self):
        """Machines of all tasks, dialled."""
        return dialled_bank(self.tasks, self.n_classes)

    @property
    def tasks(self):
        """The tasks of all machines."""
        sizes = [len(n) + len(p) for n, p in self._keys]
        return Tasks(
            np.cumsum([0, *sizes]).astype(np.int64),
            np.concatenate([[*n, *p] for n, p in self._keys]).astype(np.int32),
            np.concatenate([[-1] * len(n) + [1] * len(p) for n, p in self._keys]).astype(np.int8),
        )

    @property
    def norm2(self):
        """Squared norms, as given."""
        return self._norm2

    @cached_property
    def moments(self):
        """Means and variances, as given."""
        means = self._points["means"]
        products = means @ means.T
        own = np.diag(products)
        distance2 = own[:, None] + own - 2 * products
        return Moments(distance2, self._points["variance"], products, self.class_totals)


def random_points(seed, n_classes):
    """Means and variances of classes, in whole numbers, so that ties are many and sums exact."""
    rng = np.random.default_rng(seed)
    means = rng.integers(-2, 3, size=(n_classes, 2)).astype(float)
    return {"means": means, "variance": rng.integers(0, 3, n_classes).astype(float)}


def asker(bank, values):
    """What `reference.tree.walk` asks: whether a machine of the bank, by its classes, is positive on a sample."""
    value_of = dict(zip(bank.tasks.keys(), values.tolist(), strict=True))
    return lambda question: value_of[question] >= 0


# ------------------------------------------------------------------- graphs


def children(plan, node):
    """The class sets on the negative and on the positive side of a node."""
    out = []
    for edge in (int(plan.on_negative[node]), int(plan.on_positive[node])):
        if is_node(edge):
            out.append(frozenset(np.flatnonzero(plan.node_classes[edge]).tolist()))
        elif is_leaf(plan.n_classes, edge):
            out.append(frozenset([leaf_class(edge)]))
        else:
            number = list_number(plan.n_classes, edge)
            listed = plan.list_classes[plan.list_begin[number] : plan.list_begin[number + 1]]
            out.append(frozenset(listed.tolist()))
    return out


def check_graph(plan, tasks):
    """Sets shrink, each side loses the other's classes, nothing is lost, every class ends a path, depth is below N."""
    n = plan.n_classes
    questions = tasks.keys()
    assert plan.root == 0
    assert plan.node_classes[0].all()
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in plan.node_classes]
    assert len(set(sets)) == len(sets)
    for node, classes in enumerate(sets):
        negative, positive = questions[plan.machine[node]]
        left, right = children(plan, node)
        assert left < classes
        assert right < classes
        assert left | right == classes
        assert not set(negative) & right
        assert not set(positive) & left
        assert set(negative) <= left
        assert set(positive) <= right
    depth, reached, level = 0, set(), {0}
    longest_list = 1
    while level:
        depth += 1
        following = set()
        for node in level:
            for edge, child in zip((plan.on_negative[node], plan.on_positive[node]), children(plan, node), strict=True):
                if is_node(edge):
                    following.add(int(edge))
                else:
                    reached |= child
                    longest_list = max(longest_list, depth + len(child) - 1)
        level = following
    assert reached == set(range(n))
    assert max(depth, longest_list) <= n - 1


# ---------------------------------------------------------------- real data

PARAMETERS = {
    "glass": {"C": 100.0, "gamma": 1.0},
    "vowel": {"C": 10.0, "gamma": 1.0},
    "vehicle": {"C": 100.0, "gamma": 0.5},
    "segment": {"C": 10.0, "gamma": 0.5},
    "letter": {"C": 10.0, "gamma": 2.5},
}
REAL = [
    "glass",
    "vowel",
    "vehicle",
    "segment",
    pytest.param("letter", marks=pytest.mark.slow),
]


def real_data(name):
    """Training samples and classes, test samples, and the parameters of `SVC`; features scaled to [-1, 1]."""
    stored = arrays(name)
    if "X" in stored:  # no split of its own: every third sample is for testing
        X, y = stored["X"].astype(float), stored["y"]
        test = np.arange(len(y)) % 3 == 2
        X, y, T = X[~test], y[~test], X[test]
    else:
        X, y, T = stored["X_train"].astype(float), stored["y_train"], stored["X_test"].astype(float)
    scale = MinMaxScaler((-1, 1)).fit(X)
    return scale.transform(X), y.astype(int), scale.transform(T), PARAMETERS[name]


def table_of(pairs_model, X, y):
    """The all-predictions table by looking at every sample and machine."""
    values = pairs_model.pair_decisions(X)
    n_classes = len(pairs_model.classes_)
    for_later = np.zeros((values.shape[1], n_classes))
    for m in range(values.shape[1]):
        for c in range(n_classes):
            for_later[m, c] = sum(1 for v in values[y == c, m].tolist() if v >= 0)
    return for_later, np.bincount(y).astype(float)


def used_machines(plan):
    """The machines that the nodes of a plan and its lists may ask."""
    used = set(plan.machine.tolist())
    for b, e in pairwise(plan.list_begin):
        listed = plan.list_classes[b:e]
        used |= {int(plan.machine_of[a, c]) for a in listed for c in listed if a != c}
    return used


def assert_follows_on_data(X, y, T, parameters, structure, choose_pair):
    """Fit a tree, build it again by the reference, and compare labels, questions and machines."""
    clf = dagmar.SVC(structure=structure, n_jobs=-1, **parameters).fit(X, y)
    for_later, sizes = table_of(dagmar.SVC(n_jobs=-1, **parameters).fit(X, y), X, y)
    n_classes = len(sizes)
    if structure.machines == "groups":
        memo = tree.nodes(n_classes, tree.group_split(choose_pair, by_pair(for_later), sizes))
        assert clf.bank_.n_machines == n_classes - 1
    else:
        memo = tree.nodes(n_classes, tree.pair_split(choose_pair, by_pair(for_later), sizes, structure.threshold))
    if len(memo) > structure.max_nodes:
        split = {classes: (question, left, right) for classes, (question, left, right) in memo.items()}
        memo = tree.capped_nodes(n_classes, split.__getitem__, structure.max_nodes)
    questions = clf.bank_.tasks.keys()
    values, path, labels = clf.pair_decisions(T), clf.decision_path(T), clf.predict(T)
    for i in range(len(T)):
        answer, met = tree.walk(n_classes, memo, asker(clf.bank_, values[i]))
        assert labels[i] == clf.classes_[answer]
        assert [questions[m] for m in path[i][0]] == met
    assert used_machines(clf.plan_) == set(range(clf.bank_.n_machines))
    assert len(clf.report_.iterations) == clf.bank_.n_machines <= n_classes * (n_classes - 1) // 2


def assert_walks(bank, plan, memo, X):
    """Answers and paths are those of the reference's nodes, and no machine is asked twice."""
    answers, paths = trace(bank, plan, X)
    np.testing.assert_array_equal(decide(bank, plan, X), answers)
    questions = bank.tasks.keys()
    for values, answer, path in zip(X, answers, paths, strict=True):
        expected, met = tree.walk(bank.n_classes, memo, asker(bank, values))
        assert answer == expected
        assert [questions[m] for m in path] == met
        assert len(path) == len(set(path)) <= bank.n_classes - 1
