"""Influence: what each support vector, and for a linear kernel each feature, adds to the value of a machine."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.frozen import FrozenArrays
from ..base.lists import select_lists
from ..base.typing import Array, Features, Index, Labels
from ..machines.bank import Bank
from ..problem.kernels import Kernel, distances, from_origin, tanimoto
from ..problem.naming import plain_labels


@dataclass(frozen=True, eq=False)
class VectorInfluence(FrozenArrays):
    """The most influential support vectors of a machine for one sample, largest contribution first (in size).

    The value of the machine is ``contributions.sum() + rest + bias``.

    Attributes
    ----------
    rows : ndarray of shape (n,), int64, or None
        Their rows in the training data; None if they are not known, as in a model read from LIBSVM's text.
    places : ndarray of shape (n,), int64
        Their places in ``bank_.vectors`` (``support_vectors_`` of an `SVC`).
    labels : list of n labels
        Their labels.
    coefficients : ndarray of shape (n,)
        Their coefficients in the machine; positive for a vector on the positive side.
    kernel_values : ndarray of shape (n,)
        The kernel between them and the sample. A linear kernel is that of the centred samples that the machine was trained on.
    contributions : ndarray of shape (n,)
        Coefficient times kernel value: what the vector adds to the value of the machine.
    shares : ndarray of shape (n,)
        The contribution divided by the sum of the absolute contributions of all support vectors of the machine, so between
        -1 and 1. Positive pulls to the positive side.
    rest : float
        What the support vectors that are not listed add.
    bias : float
        The constant of the machine.
    n_vectors : int
        Number of support vectors of the machine.
    """

    rows: Index | None
    places: Index
    labels: list[Any]
    coefficients: Array
    kernel_values: Array
    contributions: Array
    shares: Array
    rest: float
    bias: float
    n_vectors: int


@dataclass(frozen=True, eq=False)
class FeatureInfluence(FrozenArrays):
    """What each feature adds to the value of a machine with a linear kernel: weight times feature.

    The value of the machine is ``contributions.sum() + bias``.

    Attributes
    ----------
    features : ndarray of shape (n,), int64
        The columns of the features: all of them; of a sparse sample, those that are stored.
    names : list of n names
        Names of the features, or their numbers if there are no names.
    values : ndarray of shape (n,)
        The features of the sample.
    weights : ndarray of shape (n,)
        Weights of the features in the machine; positive for the positive side.
    contributions : ndarray of shape (n,)
        Weight times feature.
    shares : ndarray of shape (n,)
        The contribution divided by the sum of all absolute contributions.
    bias : float
        The constant of the machine for features that are not centred.
    """

    features: Index
    names: list[Any]
    values: Array
    weights: Array
    contributions: Array
    shares: Array
    bias: float


def influences(
    bank: Bank, x: Features, machines: Index, labels: Labels, names: Labels | None = None, top: int = 5
) -> tuple[list[VectorInfluence], list[FeatureInfluence] | None]:
    """Compute the influence of support vectors and features on the values of machines for one sample, in double precision.

    Parameters
    ----------
    bank : Bank
    x : ndarray or CSR matrix of shape (1, n_features)
        A checked sample; for a precomputed kernel, its kernel values against the training samples.
    machines : ndarray of shape (n_machines,), int64
    labels : ndarray of shape (n_classes,)
    names : ndarray of shape (n_features,), optional
        Names of the features.
    top : int
        The number of support vectors of each machine.

    Returns
    -------
    vectors : list of n_machines VectorInfluence
    features : list of n_machines FeatureInfluence, or None
        None unless the kernel is linear.
    """
    bank.check()
    begin, entries = select_lists(bank.begin, machines)
    pool = _Pool(bank, x, bank.index[entries].astype(np.int64))
    gamma = bank.kernel.gamma if bank.gammas is None else np.repeat(bank.gammas[machines], np.diff(begin))
    kernel_values = pool.kernel_values(gamma)
    coef = bank.coef[entries]
    terms = coef * kernel_values
    sizes = np.abs(terms)
    known = bank.n_vectors == 0 or bool(bank.support.min() >= 0)
    support = bank.support if known else None
    class_labels, vector_class = plain_labels(labels), np.searchsorted(bank.class_start, pool.index, side="right") - 1
    vectors = []
    for m, (first, last) in enumerate(pairwise(begin.tolist())):
        chosen = first + np.argsort(-sizes[first:last], kind="stable")[:top]
        added, total = terms[chosen], sizes[first:last].sum()
        vectors.append(
            VectorInfluence(
                rows=None if support is None else support[pool.index[chosen]],
                places=pool.index[chosen],
                labels=[class_labels[c] for c in vector_class[chosen].tolist()],
                coefficients=coef[chosen],
                kernel_values=kernel_values[chosen],
                contributions=added,
                shares=added / total if total > 0 else np.zeros(len(added)),
                rest=float(terms[first:last].sum() - added.sum()) if len(added) < last - first else 0.0,
                bias=float(bank.bias[machines[m]]),
                n_vectors=last - first,
            )
        )
    if bank.kernel.name != "linear":
        return vectors, None
    return vectors, pool.features(coef, begin, bank.bias[machines], names)


class _Pool:
    """The support vectors of some machines, and one sample.

    Parameters
    ----------
    bank : Bank
    x : ndarray or CSR matrix of shape (1, n_features)
    index : ndarray of shape (n_entries,), int64
        The support vectors of the machines, one machine after the other.
    """

    def __init__(self, bank: Bank, x: Features, index: Index) -> None:
        self.index = index
        self.kernel: Kernel = bank.kernel
        self.centre = bank.centre
        self.distance = "rbf" if bank.kernel.name == "tanimoto" else bank.kernel.name
        self.sizes: Array | None = None
        if bank.vectors is None:
            self.in_row = np.asarray(x[0], dtype=np.float64)[bank.columns[index]]
            return
        used = np.zeros(bank.n_vectors, dtype=bool)
        used[index] = True
        self.place = (np.cumsum(used) - 1)[index]
        rows = bank.vectors[np.flatnonzero(used)]
        if sp.issparse(rows):
            # Only the features of the sample matter; a product of SciPy's matrices would take memory for all of them.
            x = sp.csr_matrix(x)
            at = np.searchsorted(x.indices, rows.indices)
            at[at == len(x.indices)] = 0
            both = x.indices[at] == rows.indices if len(x.indices) else np.zeros(len(at), dtype=bool)
            row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
            self.columns: Index = x.indices.astype(np.int64)
            self.x = x.data.astype(np.float64)
            shape = rows.shape[0], len(self.columns)
            self.rows = sp.csr_matrix((rows.data[both], (row[both], at[both])), shape=shape)
            if self.kernel.has_unit_length:  # a function of distances, "tanimoto" too
                self.sizes = from_origin(self.distance, rows)
        else:
            self.x, self.rows = np.asarray(x[0], dtype=np.float64), np.asarray(rows, dtype=np.float64)
            self.columns = np.arange(len(self.x))

    def kernel_values(self, gamma: float | Array) -> Array:
        """Return the kernel of the sample with the vector of each entry; gamma may differ between entries."""
        k = self.kernel
        if k.name == "precomputed":
            return self.in_row
        if k.name == "tanimoto":
            shared: Array = tanimoto(self._dots(), distances(self.distance, self.rows, self.x, self.sizes))[self.place]
            return shared
        inner = distances(k.name, self.rows, self.x, self.sizes) if k.of_distance else self._dots()
        return k.of(inner[self.place], gamma)

    def _dots(self) -> Array:
        dots: Array = self.rows @ self.x if self.centre is None else (self.rows - self.centre) @ (self.x - self.centre)
        return dots

    def features(self, coef: Array, begin: Index, bias: Array, names: Labels | None) -> list[FeatureInfluence]:
        """Return what each feature adds to the value of each machine."""
        machines = sp.csr_matrix((coef, self.place, begin), shape=(len(begin) - 1, self.rows.shape[0]))
        weights = machines @ (self.rows if self.centre is None else self.rows - self.centre)
        weights = weights.toarray() if sp.issparse(weights) else weights
        bias = bias if self.centre is None else bias - weights @ self.centre
        added = weights * self.x
        sizes = np.abs(added).sum(axis=1, keepdims=True)
        shares = added / np.where(sizes > 0, sizes, 1.0)
        named = self.columns.tolist() if names is None else plain_labels(np.asarray(names)[self.columns])
        return [
            FeatureInfluence(self.columns, named, self.x, weights[m], added[m], shares[m], float(bias[m]))
            for m in range(len(weights))
        ]
