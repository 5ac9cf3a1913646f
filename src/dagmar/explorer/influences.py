"""Values and influences computed beforehand, for pages that do not compute with the model themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.frozen import FrozenArrays
from ..base.typing import Array, Index
from ..machines.bank import Bank
from ..problem.kernels import distances, tanimoto
from ..structures.paths import DecisionPath
from .packing import packed

# Support vectors shown for each side of a machine.
MOST_SHOWN = 6


@dataclass(frozen=True, eq=False)
class Influences(FrozenArrays):
    """The most influential support vectors of some machines, for some samples.

    Entry e is one machine on the path of one sample; entries are in the order of the path. Its vectors are
    ``vectors[begin[e]:begin[e+1]]``, with their `terms`, coefficient times kernel value: at most six positive and six negative
    terms, the largest first.

    Attributes
    ----------
    begin : ndarray of shape (n_entries + 1,), int64
    vectors : ndarray of int64
        Numbers of support vectors in the bank.
    terms : ndarray of float64
    totals : ndarray of shape (n_entries,)
        The sum of the absolute values of all terms of the machine.
    """

    begin: Index
    vectors: Index
    terms: Array
    totals: Array


def influences(bank: Bank, X: Any, path: DecisionPath) -> Influences:
    """Find the most influential support vectors on the paths of some samples.

    Parameters
    ----------
    bank : Bank
    X : array or CSR matrix of shape (n_samples, n_features), or kernel values of shape (n_samples, n_training_samples)
        Samples as the bank takes them.
    path : DecisionPath
        Of these samples.

    Returns
    -------
    Influences
    """
    begin, vectors, terms, totals = [0], [], [], []
    for i, (machines, _) in enumerate(path):
        row = X[i : i + 1]
        for m in machines.tolist():
            here = slice(bank.begin[m], bank.begin[m + 1])
            of_machine = bank.index[here].astype(np.int64)
            pulls = bank.coef[here] * _kernel_values(bank, m, of_machine, row)
            order = np.argsort(pulls, kind="stable")
            ends = np.concatenate([order[::-1][:MOST_SHOWN], order[:MOST_SHOWN]])
            ends = ends[np.sort(np.unique(ends, return_index=True)[1])]
            vectors.append(of_machine[ends])
            terms.append(pulls[ends])
            totals.append(np.abs(pulls).sum())
            begin.append(begin[-1] + len(ends))
    return Influences(
        np.array(begin, dtype=np.int64),
        np.concatenate([np.zeros(0, dtype=np.int64), *vectors]),
        np.concatenate([np.zeros(0), *terms]),
        np.array(totals, dtype=np.float64),
    )


def _kernel_values(bank: Bank, machine: int, vectors: Index, row: Any) -> Array:
    """Return the kernel values of one sample against some vectors, in double precision."""
    if bank.vectors is None:
        values: Array = np.asarray(row, dtype=np.float64)[0, bank.columns[vectors]]
        return values
    x, rows = (
        part.toarray() if sp.issparse(part) else np.asarray(part, dtype=np.float64)
        for part in (row, bank.vectors[vectors])
    )
    if bank.centre is not None:
        x, rows = x - bank.centre, rows - bank.centre
    kernel = bank.kernel
    gamma = kernel.gamma if bank.gammas is None else float(bank.gammas[machine])
    if kernel.name == "tanimoto":
        return tanimoto(rows @ x[0], distances("rbf", rows, x[0]))
    return kernel.of(distances(kernel.name, rows, x[0]) if kernel.of_distance else rows @ x[0], gamma)


def compact_influences(found: Influences, kept: Index) -> dict[str, Any]:
    """Return influences for the page; `kept` are the support vectors that the page has, ascending."""
    return {
        "begin": packed(found.begin, "i4"),
        "vectors": packed(np.searchsorted(kept, found.vectors), "i4"),
        "terms": packed(found.terms, "f4"),
        "totals": packed(found.totals, "f4"),
    }
