"""Plans as operators, against the core's walks over the same signs."""

import numpy as np
import pytest
from helpers import dialled_pairs
from onnx_running import run_graph

from dagmar import _core
from dagmar.base.pairs import n_pairs, pair_numbers
from dagmar.estimators.layout import votes_and_confidence
from dagmar.exports.decisions import add_decisions, add_scores, add_tie_breaking, depth_of, without_lists
from dagmar.exports.graph import Graph
from dagmar.structures.ddag import DDAG
from dagmar.structures.plans import GraphPlan, KnockoutPlan, PollPlan, is_leaf, leaf_edge, list_edge


def core_walk(plan, values):
    """The classes by the core, which names the machine that each sample needs next."""
    walks = _core.Walks(plan.native, len(values))
    while (asked := walks.next()).max() >= 0:
        walks.tell(values[np.arange(len(values)), np.maximum(asked, 0)] >= 0)
    return walks.answers()


def decide(plan, values, dtype=np.float64):
    graph = Graph(dtype)
    graph.name(add_decisions(graph, plan, "X"), "out")
    return run_graph(graph, values, out=np.int64)[0]


def random_values(rng, n_samples, n_machines):
    """Values of either sign, and zeros of either sign."""
    return rng.choice([-1.0, -1e-300, -0.0, 0.0, 1e-300, 2.0], size=(n_samples, n_machines))


def random_tree(rng, n_classes):
    """A random graph: nodes over a random split of the classes, then leaves, and lists of up to four classes."""
    machine_of = pair_numbers(n_classes)
    machine, sides, lists = [], [], []

    def grow(classes):
        if len(classes) == 1 and rng.random() < 0.7:
            return leaf_edge(int(classes[0]))
        if len(classes) <= 4 and rng.random() < 0.6:
            lists.append(rng.permutation(classes))
            return list_edge(n_classes, len(lists) - 1)
        if len(classes) == 1:
            return leaf_edge(int(classes[0]))
        node = len(machine)
        machine.append(int(rng.integers(n_pairs(n_classes))))
        sides.append(None)
        cut = int(rng.integers(1, len(classes)))
        sides[node] = grow(classes[:cut]), grow(classes[cut:])
        return node

    root = grow(np.sort(rng.permutation(n_classes)))
    negative, positive = np.array(sides, dtype=np.int64).reshape(-1, 2).T
    return GraphPlan(
        n_classes=n_classes,
        root=root,
        machine=np.array(machine, dtype=np.int64),
        on_negative=np.ascontiguousarray(negative),
        on_positive=np.ascontiguousarray(positive),
        machine_of=machine_of,
        list_begin=np.concatenate([[0], np.cumsum([len(part) for part in lists])]).astype(np.int64),
        list_classes=np.concatenate([np.zeros(0), *lists]).astype(np.int32),
    )


@pytest.mark.parametrize("seed", range(30))
def test_graphs_with_lists(seed):
    """A walk ends in the class that the core finds, whatever the graph; zeros are on the positive side."""
    rng, n_classes = np.random.default_rng(seed), 2 + seed % 8
    plan = random_tree(rng, n_classes)
    values = random_values(rng, 20, n_pairs(n_classes))
    np.testing.assert_array_equal(decide(plan, values), core_walk(plan, values))


def plans(n_classes, seed):
    """A plan of every other kind over all pairs."""
    rng = np.random.default_rng(seed)
    machine_of = pair_numbers(n_classes)
    others = [rng.permutation([c for c in range(n_classes) if c != own]) for own in range(n_classes)]
    order = rng.permutation(n_classes).astype(np.int32)
    return {
        "ddag": DDAG(order=order.tolist()).plan(dialled_pairs(n_classes)),
        "fewest_losses": KnockoutPlan(n_classes, machine_of),
        "everyone": KnockoutPlan(n_classes, machine_of, "everyone"),
        "ranked": KnockoutPlan(n_classes, machine_of, "ranked", order[:1], np.array(others, dtype=np.int32)),
        "bracket": KnockoutPlan(n_classes, machine_of, "bracket", order),
    }


@pytest.mark.parametrize("kind", plans(2, 0))
@pytest.mark.parametrize("n_classes", [2, 3, 4, 7, 8])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_plans_over_all_pairs(kind, n_classes, dtype):
    """The classes are those of the core, for random signs and zeros, most of which are no tournament with a champion."""
    plan = plans(n_classes, n_classes)[kind]
    values = random_values(np.random.default_rng(n_classes), 200, n_pairs(n_classes))
    # Values below the range of float32 are zeros there, and their signs are no longer known.
    values = values if dtype == np.float64 else np.where(np.abs(values) == 1e-300, 1e30 * values, values)
    np.testing.assert_array_equal(decide(plan, values.astype(dtype), dtype), core_walk(plan, values.astype(dtype)))


def test_polls():
    """The largest value wins; ties go to the lower index."""
    values = np.array([[1.0, 2.0, 2.0], [-1.0, -3.0, -2.0], [0.0, -0.0, 0.0]])
    assert decide(PollPlan(3), values).tolist() == [1, 0, 0]


@pytest.mark.parametrize("n_classes", [3, 6])
def test_scores_are_votes_and_confidence(n_classes):
    """As `decision_function` has them, where a zero is a vote for the earlier class."""
    rng = np.random.default_rng(n_classes)
    values = rng.choice([-1.5, -0.5, 0.0, 0.25, 3.0], size=(100, n_pairs(n_classes)))
    graph = Graph(np.float64)
    plan = KnockoutPlan(n_classes, pair_numbers(n_classes))
    graph.name(add_scores(graph, plan, "X"), "scores")
    graph.name(add_tie_breaking(graph, plan, "X"), "answers")
    out, classes = run_graph(graph, values, scores=np.float64, answers=np.int64)
    expected = votes_and_confidence(values, n_classes)
    np.testing.assert_allclose(out, expected, rtol=1e-14)
    np.testing.assert_array_equal(classes, np.argmax(expected, axis=1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_of_huge_values_are_finite(dtype):
    """Sums that overflow have the score of the formula, too, beside ordinary samples."""
    n_classes, rng = 20, np.random.default_rng(0)
    values = rng.uniform(-1, 1, size=(60, n_pairs(n_classes)))
    values[::2] *= float(np.finfo(dtype).max)
    values = values.astype(dtype)
    graph = Graph(dtype)
    graph.name(add_scores(graph, KnockoutPlan(n_classes, pair_numbers(n_classes)), "X"), "scores")
    (out,) = run_graph(graph, values, scores=dtype)
    expected = votes_and_confidence(values.astype(np.float64), n_classes)
    np.testing.assert_allclose(out, expected, rtol=1e-4 if dtype is np.float32 else 1e-12)


def test_lists_become_nodes():
    """A list of k classes is k (k - 1) / 2 nodes, a list of one class is its leaf, and the depth counts both."""
    plan = GraphPlan(
        n_classes=5,
        root=0,
        machine=np.array([3]),
        on_negative=np.array([list_edge(5, 0)]),
        on_positive=np.array([list_edge(5, 1)]),
        machine_of=pair_numbers(5),
        list_begin=np.array([0, 4, 5], dtype=np.int64),
        list_classes=np.array([0, 1, 2, 3, 4], dtype=np.int32),
    )
    root, machine, negative, positive = without_lists(plan)
    assert len(machine) == 1 + 6
    assert positive[0] == leaf_edge(4)
    assert depth_of(root, negative, positive) == 1 + 3
    assert all(edge >= 0 or is_leaf(5, edge) for edge in [*negative.tolist(), *positive.tolist()])


def test_a_root_that_is_a_leaf():
    none = np.zeros(0, dtype=np.int64)
    plan = GraphPlan(n_classes=3, root=leaf_edge(2), machine=none, on_negative=none, on_positive=none)
    assert decide(plan, np.zeros((4, 3))).tolist() == [2] * 4
