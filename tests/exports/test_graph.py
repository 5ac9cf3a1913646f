"""Graphs: constants, loops, sizes, and what a model says about itself."""

import sys

import numpy as np
import pytest
from onnx_running import run_graph

from dagmar.exports import graph as graph_module
from dagmar.exports.graph import Graph, load_onnx


def test_a_loop_carries_its_state():
    """After n steps the state is what n steps of Python give; the number of the step counts from 0."""
    graph = Graph(np.float64)

    def step(number, x, total):
        return [graph.add("Mul", x, graph.constant(2.0)), graph.add("Add", total, number)]

    x, total = graph.loop(5, step, ("X", np.float64), (graph.constant(100), np.int64))
    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    doubled, count = run_graph(graph, X, **{x: np.float64, total: np.int64})
    np.testing.assert_array_equal(doubled, 32 * X)
    assert count == 100 + 0 + 1 + 2 + 3 + 4


def test_a_row_is_repeated_for_every_sample():
    graph = Graph(np.float32)
    repeated = graph.repeated([3, 1, 2], "X")
    for n in (0, 1, 4):
        (out,) = run_graph(graph, np.zeros((n, 2)), **{repeated: np.int64})
        np.testing.assert_array_equal(out, np.tile([3, 1, 2], (n, 1)))


def test_constants_have_the_type_of_the_graph():
    """Floats are rounded to it; whole numbers, truth values and texts have their own."""
    graph = Graph(np.float32)
    for values in ([0.1], [1], [True], ["é"], np.array(["a"], dtype=object)):
        graph.constant(values)
    types = [tensor.data_type for tensor in graph._constants]
    proto = load_onnx().TensorProto
    assert types == [proto.FLOAT, proto.INT64, proto.BOOL, proto.STRING, proto.STRING]


def test_numbers_beyond_float32_are_refused():
    with pytest.raises(ValueError, match=r"too large for float32; use dtype='float64'"):
        Graph(np.float32).constant([1e39])
    Graph(np.float64).constant([1e39])


def test_a_model_that_is_too_large_is_refused(monkeypatch):
    """All constants count, and a matrix can be refused before it is made."""
    monkeypatch.setattr(graph_module, "MOST_BYTES", 100)
    graph = Graph(np.float64)
    graph.constant(np.zeros(10))
    with pytest.raises(ValueError, match="cannot be larger than 2 GiB"):
        graph.constant(np.zeros(10))
    with pytest.raises(ValueError, match="cannot be larger than 2 GiB"):
        graph.room_for(10**6, 10**6)


def test_a_missing_onnx_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'dagmar\[onnx\]'"):
        Graph(np.float64)
