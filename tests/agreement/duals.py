"""What two solvers of the same pairs can be compared by, recomputed in double precision from their public attributes.

`dagmar.SVC`, `sklearn.svm.SVC` and our wrapper of LIBSVM share the layout of `support_`, `n_support_` and `dual_coef_`.
For more than two classes a coefficient of pair (i, j), i < j, is positive on samples of class i.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import pairwise_kernels


@dataclass(frozen=True)
class Task:
    """Training data, classes 0 ... N-1, test samples, and how the machines are to be trained."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    C: float = 1.0
    kernel: str = "rbf"
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3
    tol: float = 1e-3

    @property
    def parameters(self):
        """The parameters of an SVC."""
        return {name: getattr(self, name) for name in ("C", "kernel", "gamma", "coef0", "degree", "tol")}

    def kernel_matrix(self, rows, columns):
        """Kernel values among training samples."""
        parameters = {"gamma": self.gamma, "coef0": self.coef0, "degree": self.degree}
        return pairwise_kernels(self.X[rows], self.X[columns], metric=self.kernel, filter_params=True, **parameters)


def pairs(model):
    """For each pair: its classes, the training samples with a coefficient, and their coefficients."""
    dual_coef = model.dual_coef_.toarray() if sp.issparse(model.dual_coef_) else np.asarray(model.dual_coef_)
    begin = np.concatenate([[0], np.cumsum(model.n_support_)])
    for i, j in combinations(range(len(model.n_support_)), 2):
        of_i, of_j = slice(begin[i], begin[i + 1]), slice(begin[j], begin[j + 1])
        samples = np.concatenate([model.support_[of_i], model.support_[of_j]])
        coef = np.concatenate([dual_coef[j - 1, of_i], dual_coef[i, of_j]])
        yield (i, j), samples[coef != 0], coef[coef != 0]


def objectives(task, model):
    """The dual objective of each pair, 1/2 c'Kc - sum |c|."""
    return np.array(
        [0.5 * c @ task.kernel_matrix(samples, samples) @ c - np.abs(c).sum() for _, samples, c in pairs(model)]
    )


def gaps(task, model, caps=None):
    """How far each pair is from its optimum, by the largest violation of the KKT conditions.

    caps : array of shape (n_samples,), optional
        The largest coefficient of each sample, C by default.
    """
    caps = np.full(len(task.y), task.C) if caps is None else caps
    return np.array([_gap(task, pair, samples, c, caps) for pair, samples, c in pairs(model)])


def _gap(task, pair, samples, coef, caps):
    rows = np.flatnonzero(np.isin(task.y, pair))
    sign = np.where(task.y[rows] == pair[0], 1.0, -1.0)
    alpha = np.zeros(len(rows))
    alpha[np.searchsorted(rows, samples)] = coef
    alpha *= sign
    assert alpha.min() >= 0
    assert (alpha <= caps[rows]).all()
    assert abs(coef.sum()) <= 1e-9 * np.abs(coef).sum()
    score = sign - task.kernel_matrix(rows, samples) @ coef
    may_grow, may_shrink = alpha < caps[rows], alpha > 0
    up, low = np.where(sign > 0, (may_grow, may_shrink), (may_shrink, may_grow))
    return score[up].max(initial=-np.inf) - score[low].min(initial=np.inf)
