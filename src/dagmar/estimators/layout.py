"""A bank of machines in the layout and with the signs of scikit-learn (which are LIBSVM's).

Inside, a positive value of a pair is for its later class. Scikit-learn's multiclass attributes have it for the earlier
one; with two classes they agree with us.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.typing import Array
from ..machines.bank import Bank


def _sign(bank: Bank) -> float:
    return -1.0 if bank.all_pairs and bank.n_classes > 2 else 1.0


def intercept(bank: Bank) -> Array:
    """The constants of the machines, shape (n_machines,)."""
    return _sign(bank) * bank.bias


def dual_coef(bank: Bank) -> Any:
    """The coefficients of the support vectors.

    With machines for all pairs the shape is (n_classes - 1, n_vectors), where row r of a vector of class c is its
    coefficient against the r-th of the other classes. Otherwise there is one row per machine. A sparse matrix if the
    vectors are one.
    """
    machine = np.repeat(np.arange(bank.n_machines), np.diff(bank.begin))
    if bank.all_pairs:
        own = np.searchsorted(bank.class_start, bank.index, side="right") - 1
        i, j = bank.pairs[machine].T
        row, n_rows = np.where(own == i, j - 1, i), bank.n_classes - 1
    else:
        row, n_rows = machine, bank.n_machines
    dense = np.zeros((n_rows, bank.n_vectors))
    dense[row, bank.index] = _sign(bank) * bank.coef
    return sp.csr_matrix(dense) if sp.issparse(bank.vectors) else dense


def coef(bank: Bank) -> Any:
    """The weights of the features for a linear kernel, one row per machine; read-only."""
    machines = sp.csr_matrix((bank.coef, bank.index, bank.begin), shape=(bank.n_machines, bank.n_vectors))
    weights = _sign(bank) * (machines @ bank.vectors)
    (weights.data if sp.issparse(weights) else weights).flags.writeable = False
    return weights


def votes_and_confidence(values: Array, n_classes: int) -> Array:
    """Scores per class from the values of all pairs.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_classes * (n_classes - 1) / 2)
        Positive for the later class.
    n_classes : int

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        The votes of each class, plus its summed values squeezed below a third of a vote.
    """
    votes, confidence = np.zeros((2, n_classes, len(values)))
    last = 0
    for a in range(n_classes - 1):  # and every later class
        first, last = last, last + n_classes - 1 - a
        of_a = np.ascontiguousarray(values[:, first:last].T)
        later = of_a > 0  # exactly zero counts for the earlier class here, for the later one in predict: so do they
        # One after the other, as scikit-learn adds them up: np.sum would round in another way.
        confidence[a] = np.subtract.reduce(np.concatenate([confidence[a : a + 1], of_a]))
        confidence[a + 1 :] += of_a
        votes[a] += (~later).sum(axis=0)
        votes[a + 1 :] += later
    scores: Array = votes + confidence / (3 * (np.abs(confidence) + 1))
    return np.ascontiguousarray(scores.T)
