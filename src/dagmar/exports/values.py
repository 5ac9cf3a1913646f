"""The values of the machines of a bank as operators: kernel values, then sums of coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from ..base.typing import Array, Features, Index
from ..machines.bank import Bank
from ..problem.kernels import NONNEGATIVE, largest_norm2
from ..problem.samples import most_terms
from .graph import Graph

# If float32 has a larger error than this in the values of an rbf kernel, which are at most 1, they are computed in float64.
LARGEST_ERROR = 1e-5


def add_values(graph: Graph, bank: Bank, x: str) -> str:
    """Add the operators from samples to values, and return the values, shape (n_samples, n_machines).

    Parameters
    ----------
    graph : Graph
    bank : Bank
    x : str
        Samples of shape (n_samples, n_features); with a precomputed kernel, (n_samples, n_training_samples).

    Returns
    -------
    str
    """
    bank.check()
    if not bank.n_vectors:
        return graph.repeated(bank.bias, x)
    if bank.kernel.name == "linear":
        weights = bank.weights()
        graph.room_for(*weights.shape)
        dense = weights.toarray() if sp.issparse(weights) else weights
        if bank.centre is not None:
            x = graph.add("Sub", x, graph.constant(bank.centre))
        sums = graph.add("MatMul", x, graph.constant(dense.T))
    else:
        vectors, class_start, index, gamma = bank.pool()
        kernel_values = _kernel_values(graph, bank, vectors, gamma, x)
        sums = _sums(graph, bank, class_start, index, kernel_values)
    return graph.add("Add", sums, graph.constant(bank.bias))


# ------------------------------------------------------------------- kernels


def _kernel_values(graph: Graph, bank: Bank, vectors: Features, gamma: Array, x: str) -> str:
    """Add the kernel values of samples and vectors, shape (n_samples, n_vectors)."""
    kernel = bank.kernel
    if vectors is None:
        return graph.add("Gather", x, graph.constant(bank.support), axis=1)
    graph.room_for(*vectors.shape)
    rows = vectors.toarray() if sp.issparse(vectors) else np.asarray(vectors, dtype=np.float64)
    dtype = _kernel_type(graph, bank)
    if dtype != graph.dtype:
        x = graph.cast(x, dtype)
    if bank.centre is not None:
        # Any centre will do, as long as samples and vectors have the same: so it is rounded first.
        centre = bank.centre.astype(dtype)
        x, rows = graph.add("Sub", x, graph.constant(centre, dtype)), rows - centre
    if kernel.scale != 1.0:
        x, rows = graph.add("Mul", x, graph.constant(kernel.scale, dtype)), rows * kernel.scale
    gamma = np.asarray(kernel.for_scaled(gamma))
    if kernel.name == "rbf":
        values = _rbf(graph, rows.astype(dtype).astype(np.float64), gamma, x, dtype)
    elif kernel.of_distance:
        values = _of_differences(graph, kernel.name, rows, gamma, x, dtype)
    elif kernel.name == "tanimoto":
        values = _tanimoto(graph, rows.astype(dtype).astype(np.float64), x, dtype)
    else:
        products = graph.add("MatMul", x, graph.constant(gamma * rows.T, dtype))
        inner = graph.add("Add", products, graph.constant(kernel.coef0, dtype))
        if kernel.name == "poly":
            values = graph.add("Pow", inner, graph.constant(float(kernel.degree), dtype))
        elif kernel.name == "sigmoid":
            values = graph.add("Tanh", inner)
        else:
            raise ValueError(f"the kernel {kernel.name!r} cannot be exported to ONNX")
    return values if dtype == graph.dtype else graph.cast(values, graph.dtype)


def _kernel_type(graph: Graph, bank: Bank) -> np.dtype[Any]:
    if graph.dtype == np.float64 or not bank.kernel.of_distance:
        return graph.dtype
    with np.errstate(over="ignore", invalid="ignore"):
        error = bank.kernel.error(largest_norm2(bank.vectors, bank.kernel, bank.centre), most_terms(bank.vectors))
    return graph.dtype if error <= LARGEST_ERROR else np.dtype(np.float64)


def _rbf(graph: Graph, vectors: Array, gamma: Array, x: str, dtype: DTypeLike) -> str:
    """Add exp(-gamma |x - v|²), from products: -gamma |x - v|² = 2 gamma x·v - gamma |v|² - gamma |x|²."""
    products = graph.add("MatMul", x, graph.constant(2.0 * gamma * vectors.T, dtype))
    of_vectors = graph.constant(-gamma * np.einsum("ij,ij->i", vectors, vectors), dtype)
    squares = graph.add("ReduceSum", graph.add("Mul", x, x), graph.constant([1]), keepdims=1)
    of_samples = graph.add("Mul", squares, graph.constant(gamma, dtype))
    exponent = graph.add("Sub", graph.add("Add", products, of_vectors), of_samples)
    # A distance that rounding has made negative is 0.
    return graph.add("Exp", graph.add("Min", exponent, graph.constant(0.0, dtype)))


def _of_differences(graph: Graph, name: str, vectors: Array, gamma: Array, x: str, dtype: DTypeLike) -> str:
    """Add exp(-gamma * distance), where the distance is a sum over features of a term of differences.

    ONNX has no operator for such distances, so that the terms of all samples, vectors and features are in memory at a time.
    """
    graph.room_for(*vectors.shape)
    samples, rows = graph.add("Unsqueeze", x, graph.constant([1])), graph.constant(vectors[None], dtype)
    difference = graph.add("Sub", samples, rows)
    if name == "laplacian":
        terms = graph.add("Abs", difference)
    elif name == "chi2":
        sums = graph.add("Max", graph.add("Add", samples, rows), graph.constant(np.finfo(dtype).tiny, dtype))
        terms = graph.add("Mul", difference, graph.add("Div", difference, sums))
    else:
        raise ValueError(f"the kernel {name!r} cannot be exported to ONNX")
    distances = graph.add("ReduceSum", terms, graph.constant([2]), keepdims=0)
    if name in NONNEGATIVE:  # the root of a negative number is NaN, and a row with a NaN has no label
        nothing = graph.add("Mul", graph.add("Sqrt", x), graph.constant(0.0, dtype))
        distances = graph.add("Add", distances, graph.add("ReduceSum", nothing, graph.constant([1]), keepdims=1))
    return graph.add("Exp", graph.add("Mul", distances, graph.constant(-gamma, dtype)))


def _tanimoto(graph: Graph, vectors: Array, x: str, dtype: DTypeLike) -> str:
    """Add x·v / (|x|² + |v|² - x·v), and 1 where that is 0 / 0."""
    products = graph.add("MatMul", x, graph.constant(vectors.T, dtype))
    squares = graph.add("ReduceSum", graph.add("Mul", x, x), graph.constant([1]), keepdims=1)
    both = graph.add("Add", squares, graph.constant(np.einsum("ij,ij->i", vectors, vectors), dtype))
    either = graph.add("Sub", both, products)
    zeros = graph.add("Equal", either, graph.constant(0.0, dtype))
    return graph.add("Where", zeros, graph.constant(1.0, dtype), graph.add("Div", products, either))


# ---------------------------------------------------------------------- sums


def _sums(graph: Graph, bank: Bank, class_start: Index, index: NDArray[np.int32], kernel_values: str) -> str:
    """Add the sums of coefficients times kernel values, shape (n_samples, n_machines)."""
    n_vectors, n_machines = int(class_start[-1]), bank.n_machines
    machine = np.repeat(np.arange(n_machines), np.diff(bank.begin))
    vector_class = np.searchsorted(class_start, index, side="right") - 1
    parts = np.unique(vector_class * n_machines + machine)  # the machines that vectors of a class serve, class by class
    part_class, part_machine = np.divmod(parts, n_machines)
    if not (np.bincount(part_machine, minlength=n_machines) == 2).all():
        graph.room_for(n_vectors, n_machines)
        dense = np.zeros((n_vectors, n_machines))
        np.add.at(dense, (index, machine), bank.coef)
        return graph.add("MatMul", kernel_values, graph.constant(dense))
    # Every machine has vectors of two classes, as pairs have. With a matrix per class the zeros of other classes are left out.
    n_parts = np.bincount(part_class, minlength=bank.n_classes)
    sizes = np.diff(class_start)
    used = np.flatnonzero(sizes)
    blocks = graph.add_several("Split", len(used), kernel_values, graph.constant(sizes[used]), axis=1)
    column = np.searchsorted(parts, vector_class * n_machines + machine)
    by_class = np.argsort(vector_class, kind="stable")
    entries = np.split(by_class, np.searchsorted(vector_class[by_class], np.arange(1, bank.n_classes)))
    first = np.cumsum(n_parts) - n_parts
    sums = []
    for c, block in zip(used.tolist(), blocks, strict=True):
        if not n_parts[c]:
            continue
        here = entries[c]
        coef = np.zeros((sizes[c], n_parts[c]))
        np.add.at(coef, (index[here] - class_start[c], column[here] - first[c]), bank.coef[here])
        sums.append(graph.add("MatMul", block, graph.constant(coef)))
    joined = graph.add("Concat", *sums, axis=1)
    by_machine = np.argsort(part_machine, kind="stable").reshape(n_machines, 2)
    halves = [graph.add("Gather", joined, graph.constant(half), axis=1) for half in by_machine.T]
    return graph.add("Add", *halves)
