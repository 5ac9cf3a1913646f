"""A bank of machines as arrays in scikit-learn's layout, which is LIBSVM's, with its signs.

In a bank, a positive value of a pair is for its later class. In scikit-learn's attributes it is for the earlier class, except
with two classes, where it is for the later one as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import _core
from ..base.frozen import freeze
from ..base.typing import Array
from ..machines.bank import Bank
from ..probabilities.sigmoid import Sigmoids


def _sign(bank: Bank) -> float:
    return -1.0 if bank.all_pairs and bank.n_classes > 2 else 1.0


def intercept(bank: Bank) -> Array:
    """Return the constants of the machines, shape (n_machines,); read-only."""
    bank.check()
    return freeze(_sign(bank) * bank.bias_from(None))


def dual_coef(bank: Bank) -> Any:
    """Return the coefficients of the support vectors.

    With machines for all pairs the shape is (n_classes - 1, n_vectors), where row r of a vector of class c is its
    coefficient against the r-th of the other classes. Otherwise there is one row per machine. The result is sparse if the
    vectors are. It is a copy and read-only: changing it would not change the model.
    """
    bank.check()
    machine = np.repeat(np.arange(bank.n_machines), np.diff(bank.begin))
    if bank.all_pairs:
        vector_class = np.searchsorted(bank.class_start, bank.index, side="right") - 1
        i, j = bank.pairs[machine].T
        row, n_rows = np.where(vector_class == i, j - 1, i), bank.n_classes - 1
    else:
        row, n_rows = machine, bank.n_machines
    dense = np.zeros((n_rows, bank.n_vectors))
    dense[row, bank.index] = _sign(bank) * bank.coef
    return freeze(sp.csr_matrix(dense) if sp.issparse(bank.vectors) else dense)


def coef(bank: Bank) -> Any:
    """Return the weights of the features for a linear kernel, one row per machine; read-only."""
    bank.check()
    return freeze(_sign(bank) * bank.weights())


def sigmoids(bank: Bank, sigmoids: Sigmoids) -> tuple[Array, Array]:
    """Return probA and probB: 1 / (1 + exp(probA * v + probB)) is the probability of the side that the value v speaks for.

    With machines for all pairs, v is positive for the earlier class, as in LIBSVM, also with two classes. Otherwise it is
    positive for the positive side of the machine, as in the bank.
    """
    return sigmoids.slope, freeze(-sigmoids.offset) if bank.all_pairs else sigmoids.offset


# The largest sum that is used as it is; three times as much is finite.
LARGEST = 2.0**1000
# Values are scaled by this factor where their sum overflows; it is a power of two, so that nothing is rounded.
SMALLER = 2.0**-40


def votes_and_confidence(values: Array, n_classes: int, n_threads: int = 1) -> Array:
    """Return a score per class from the values of all pairs.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_classes * (n_classes - 1) / 2)
        Positive for the later class; as in scikit-learn, 0 is a vote for the earlier one here, for the later one in `predict`.
    n_classes, n_threads : int

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        The votes of each class, plus the sum s of its values, scaled to s / (3 (|s| + 1)): less than a third of a vote. It is
        a third if s is infinite.

    Raises
    ------
    ValueError
        If a class has infinite values for it and against it, so that their sum is not known.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.estimators.layout import votes_and_confidence
    >>> votes_and_confidence(np.array([[-1.0, -1.0, 0.5]]), 3).round(3).tolist()
    [[2.222, -0.2, 0.889]]
    """
    votes, sums = _core.add_votes(np.ascontiguousarray(values, dtype=np.float64), n_classes, n_threads)
    with np.errstate(over="ignore", invalid="ignore"):
        size = np.abs(sums)
        share = sums / (3 * (size + 1))
    within = size <= LARGEST
    if not within.all():
        beyond = np.flatnonzero(~within.all(axis=1))
        share[beyond] = _shares_of_large_sums(values[beyond], n_classes)
    return np.asarray(votes + share)


def _shares_of_large_sums(values: Array, n_classes: int) -> Array:
    sums = _core.add_votes(values * SMALLER, n_classes, 1)[1]
    unknown = int(np.isnan(sums).any(axis=1).sum())
    if unknown:
        raise ValueError(
            f"{unknown} samples have infinite values both for a class and against it, so that its score is not known"
        )
    sums = np.clip(sums, -LARGEST, LARGEST)
    return np.asarray(sums / (3 * (np.abs(sums) + SMALLER)))
