"""Values of machines as operators, against those of the bank."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs
from onnx_running import run_graph

import dagmar
from dagmar.exports import graph as graph_module
from dagmar.exports.graph import Graph
from dagmar.exports.values import add_values

X, y = blobs(0, 5, 30, 6)
T = blobs(1, 5, 8, 6)[0]

MODELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "coef0": 1.0, "degree": 2},
    "rbf": {"gamma": 0.1},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.01, "coef0": 0.1},
    "a gamma for each pair": {"gamma": np.tile([0.05, 0.1], 5)},
    "one against the rest": {"gamma": 0.1, "structure": "one_vs_rest"},
    "groups": {"gamma": 0.1, "structure": dagmar.FisherTree(machines="groups")},
    "two classes": {"gamma": 0.1, "two": True},
}


def bank_of(two=False, X=X, **parameters):
    parameters = {"structure": "max_wins", "precision": "double", **parameters}
    rows = y < 2 if two else np.ones(len(y), dtype=bool)
    return dagmar.SVC(C=10, **parameters).fit(X[rows], y[rows]).bank_


def values(bank, X, dtype=np.float64):
    graph = Graph(dtype)
    graph.name(add_values(graph, bank, "X"), "values")
    return run_graph(graph, X, values=dtype)[0]


@pytest.mark.parametrize("parameters", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_are_those_of_the_bank(parameters, dtype):
    bank = bank_of(**parameters)
    expected = bank.values(T)
    scale = np.abs(expected).max()
    error = {np.float64: 1e-13, np.float32: 1e-4}[dtype]
    np.testing.assert_allclose(values(bank, T, dtype), expected, rtol=0, atol=error * scale)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_tanimoto_kernel(dtype):
    rows, asked = (np.where(np.abs(Z) < 2, 0.0, np.abs(Z)) for Z in (X, T))
    rows[3] = asked[2] = 0.0
    bank = bank_of(kernel="tanimoto", X=rows)
    error = {np.float64: 1e-12, np.float32: 1e-4}[dtype]
    np.testing.assert_allclose(values(bank, asked, dtype), bank.values(asked), rtol=0, atol=error)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_sparse_banks_take_dense_samples(kernel):
    rows = np.where(np.abs(X) > 3, X, 0.0)
    bank = bank_of(kernel=kernel, X=sp.csr_matrix(rows), gamma=0.1)
    np.testing.assert_allclose(values(bank, T), bank.values(sp.csr_matrix(T)), rtol=1e-11, atol=1e-11)


def test_precomputed_kernels_take_the_columns_of_support_vectors():
    bank = bank_of(kernel="precomputed", X=X @ X.T)
    np.testing.assert_allclose(values(bank, T @ X.T), bank.values(T @ X.T), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("far", [0.0, 1e4])
def test_float32_is_accurate_far_from_the_origin(far):
    """Samples are centred, and where they would still lose digits distances are computed in float64.

    The samples are exact in float32, so that only the arithmetic counts.
    """
    near = np.round(X * 64) / 64
    narrow = np.vstack([near + far, np.full((1, 6), -far - 40.0)])  # one sample is far from all others
    bank = dagmar.SVC(C=10, gamma=0.1, structure="max_wins", precision="double").fit(narrow, np.append(y, 5)).bank_
    test = np.round(T * 64) / 64 + far
    np.testing.assert_allclose(values(bank, test, np.float32), bank.values(test), rtol=0, atol=1e-4)


@pytest.mark.parametrize("size", [1e-25, 1e25])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_float32_has_the_range(size, kernel):
    """Squares of such features are beyond float32; the power of two that the kernel is scaled by keeps them within."""
    bank = bank_of(kernel=kernel, X=size * X, gamma=0.1 / size**2, degree=2)
    expected = bank.values(size * T)
    np.testing.assert_allclose(values(bank, size * T, np.float32), expected, rtol=0, atol=1e-4 * np.abs(expected).max())


def test_pairs_need_no_zeros_of_other_classes():
    """With 5 classes, a matrix per class has 4 columns, where a matrix for all has 10."""
    bank = bank_of(gamma=0.1)
    graph = Graph(np.float64)
    add_values(graph, bank, "X")
    columns = sum(np.prod(tensor.dims) for tensor in graph._constants if len(tensor.dims) == 2)
    assert columns == bank.n_vectors * (6 + 4)


def test_a_bank_without_vectors_has_its_biases():
    bank = bank_of(gamma=0.1)
    none = np.zeros(0, dtype=np.int64)
    empty = replace(
        bank,
        vectors=bank.vectors[:0],
        support=none,
        class_start=0 * bank.class_start,
        begin=0 * bank.begin,
        index=none.astype(np.int32),
        coef=np.zeros(0),
    )
    np.testing.assert_array_equal(values(empty, T), np.tile(bank.bias, (len(T), 1)))


def test_vectors_that_no_machine_uses_are_passed_over():
    """A damaged or foreign bank may have them, even for a whole class."""
    bank = bank_of(gamma=0.1)
    start = np.append(bank.class_start[:-1], bank.n_vectors + 2)
    more = replace(
        bank, vectors=np.vstack([bank.vectors, T[:2]]), support=np.append(bank.support, [0, 1]), class_start=start
    )
    np.testing.assert_allclose(values(more, T), bank.values(T), rtol=1e-12, atol=1e-12)


def test_sparse_vectors_that_would_be_too_large_are_refused(monkeypatch):
    """Before they are made dense."""
    bank = bank_of(X=sp.csr_matrix(X), gamma=0.1)
    monkeypatch.setattr(graph_module, "MOST_BYTES", 1000)
    monkeypatch.setattr(sp.csr_matrix, "toarray", lambda self: pytest.fail("it was made dense"))
    with pytest.raises(ValueError, match="2 GiB"):
        add_values(Graph(np.float64), bank, "X")
