"""Probabilities as operators, against those of NumPy."""

import numpy as np
import pytest
from helpers import blobs, dialled_pairs
from onnx_running import run_graph

import dagmar
from dagmar.base.pairs import n_pairs
from dagmar.exports.graph import Graph
from dagmar.exports.probabilities import add_coupling, add_probabilities
from dagmar.probabilities.combining import class_probabilities
from dagmar.probabilities.coupling import couple
from dagmar.probabilities.sigmoid import SMALLEST, Sigmoids
from dagmar.structures.plans import GraphPlan, list_edge


@pytest.mark.parametrize("n_classes", [2, 3, 4, 9])
def test_coupling(n_classes):
    """Probabilities of pairs that agree, that contradict each other, and at the limits, are coupled as by NumPy."""
    rng = np.random.default_rng(n_classes)
    later = rng.random((60, n_pairs(n_classes)))
    later[20:40] = rng.choice([SMALLEST, 1.0 - SMALLEST], size=later[20:40].shape)
    later[40:50] = 0.5
    graph = Graph(np.float64)
    graph.name(add_coupling(graph, "X", n_classes), "out")
    (out,) = run_graph(graph, later, out=np.float64)
    np.testing.assert_allclose(out, couple(later, n_classes), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(out.sum(axis=1), 1.0, rtol=1e-12)


MODELS = {
    "coupled": ("ddag", 6),
    "a tree that has all pairs": (dagmar.CenteredTree(), 3),
    "normalised": ("one_vs_rest", 6),
    "multiplied": (dagmar.FisherTree(machines="groups"), 6),
    "two classes": ("ddag", 2),
}


@pytest.mark.parametrize(("structure", "n_classes"), MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_probabilities_of_a_model(structure, n_classes, dtype):
    """From the same values, the probabilities are the same; those of float32 are only rounded at the end."""
    for seed in range(3):  # a tree trains its pairs in an order that depends on the data
        X, y = blobs(seed, n_classes, 12, 4, spread=2.0)
        clf = dagmar.SVC(structure=structure, probability=True).fit(X, y)
        model, values = clf._fitted(), clf.pair_decisions(X).astype(dtype)
        graph = Graph(dtype)
        graph.name(add_probabilities(graph, model.bank, model.plan, model.sigmoids, "X"), "out")
        (found,) = run_graph(graph, values, out=dtype)
        expected = class_probabilities(model.bank, model.plan, model.sigmoids, values.astype(np.float64))
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6 if dtype == np.float32 else 1e-10, atol=1e-12)


def test_lists_of_a_tree_are_coupled():
    """A node over a list of three classes and a list of two: products of the node's probability and the coupled ones."""
    pairs = [(0, 1), (0, 2), (1, 2), (3, 4), (2, 3)]
    numbers = [dialled_pairs(5).machine_of[i, j] for i, j in pairs]
    bank = dialled_pairs(5).select(np.array(numbers))
    plan = GraphPlan(
        n_classes=5,
        root=0,
        machine=np.array([4]),
        on_negative=np.array([list_edge(5, 0)]),
        on_positive=np.array([list_edge(5, 1)]),
        machine_of=bank.machine_of,
        node_classes=np.ones((1, 5), dtype=bool),
        list_begin=np.array([0, 3, 5], dtype=np.int64),
        list_classes=np.arange(5, dtype=np.int32),
    )
    sigmoids = Sigmoids(np.full(5, -1.5), np.full(5, 0.25))
    values = np.random.default_rng(0).normal(size=(30, 5))
    graph = Graph(np.float64)
    graph.name(add_probabilities(graph, bank, plan, sigmoids, "X"), "out")
    (out,) = run_graph(graph, values, out=np.float64)
    np.testing.assert_allclose(out, class_probabilities(bank, plan, sigmoids, values), rtol=1e-12)
