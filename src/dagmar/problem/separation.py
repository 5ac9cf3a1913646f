"""How far apart classes are: in kernel space, in feature space, and by their machines.

The distance between two classes in kernel space (DBTC; Wu & Wang 2009, Yu et al. 2011) is that of their means,

    S_ab = mean of k(x, z) over x in a, z in b        DBTC_ab = S_aa + S_bb - 2 S_ab = |mean phi(a) - mean phi(b)|^2,

all pairs of samples counted. The Fisher ratio (Wang et al. 2011) is |mean_a - mean_b|^2 / (variance_a + variance_b), with
the trace of the covariance as the variance of a class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
import scipy.sparse as sp

from .. import _core
from ..base.frozen import FrozenArrays
from ..base.typing import Array, Index
from .kernels import Kernel
from .problem import Problem
from .samples import as_data


def similarity(
    problem: Problem,
    max_samples: int | None = None,
    n_threads: int = 1,
    classes: Sequence[int] | None = None,
    kernel: Kernel | None = None,
) -> Array:
    """Mean kernel value between the samples of every two classes.

    Exact, in blocks that never hold the kernel matrix, or estimated from a part of each class.

    Parameters
    ----------
    problem : Problem
    max_samples : int, optional
        Use no more than this many samples of a class, spread evenly over it.
    n_threads : int
    classes : sequence of int, optional
        Look at these only.
    kernel : Kernel, optional
        In place of the problem's.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
    """
    classes = range(problem.n_classes) if classes is None else classes
    chosen = [problem.sample_of_class(c, max_samples) for c in classes]
    places = np.concatenate(chosen)
    start = np.cumsum([0, *(len(c) for c in chosen)]).astype(np.int64)
    weight = np.ascontiguousarray(problem.weight[places])
    totals = np.add.reduceat(weight, start[:-1])
    totals = np.where(totals > 0, totals, 1.0)
    part = _core.Problem(
        x=as_data(problem.X),
        order=np.ascontiguousarray(problem.order[places]),
        class_start=start,
        kernel=(problem.kernel if kernel is None else kernel).native(),
        centre=problem.centre,
        precision=_core.Precision[problem.precision],
    )
    sums = _core.class_similarity(part, weight, n_threads, _core.best_level())
    means: Array = sums / np.outer(totals, totals)
    return means


def dbtc(similarity: Array) -> Array:
    """Distance between every two classes in kernel space, squared, from their mean kernel values.

    Parameters
    ----------
    similarity : ndarray of shape (n_classes, n_classes)

    Returns
    -------
    ndarray of shape (n_classes, n_classes)

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.separation import dbtc
    >>> dbtc(np.array([[1.0, 0.25], [0.25, 0.5]]))
    array([[0., 1.],
           [1., 0.]])
    """
    own = np.diag(similarity)
    distance: Array = np.maximum(own[:, None] + own - 2 * similarity, 0.0)
    return distance


def dbtc_of_pairs(problem: Problem, gamma: Array, max_samples: int | None = None, n_threads: int = 1) -> Array:
    """Distance between every two classes, squared, each in the kernel space of a gamma of its own.

    Parameters
    ----------
    problem : Problem
        With an rbf kernel.
    gamma : ndarray of shape (n_classes, n_classes)
        Symmetric.
    max_samples : int, optional
        Use no more than this many samples of a class, spread evenly over it.
    n_threads : int

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
    """
    distance: Array = np.zeros_like(gamma)
    # Pair by pair: twice the work of one gamma for all, however many gammas there are.
    for i, j in combinations(range(len(gamma)), 2):
        kernel = replace(problem.kernel, gamma=float(gamma[i, j]))
        distance[i, j] = distance[j, i] = dbtc(similarity(problem, max_samples, n_threads, (i, j), kernel))[0, 1]
    return distance


@dataclass(frozen=True, eq=False)
class Moments(FrozenArrays):
    """Means and variances of the classes, in feature space or, for a precomputed kernel, in kernel space.

    Attributes
    ----------
    distance2 : ndarray of shape (n_classes, n_classes)
        Squared distance of the class means.
    variance : ndarray of shape (n_classes,)
        Mean squared distance of a class's samples from their mean.
    products : ndarray of shape (n_classes, n_classes)
        Inner products of the class means.
    sizes : ndarray of shape (n_classes,)
        Weights of a class's samples, added up.
    """

    distance2: Array
    variance: Array
    products: Array
    sizes: Array

    @classmethod
    def of(cls, problem: Problem, n_threads: int = 1) -> Moments:
        """Measure the classes of a problem."""
        weight, sizes = problem.weight, problem.class_weights
        if problem.kernel.name == "precomputed":
            products = similarity(problem, None, n_threads)
            square = np.diag(problem.X)[problem.order]
        else:
            X = problem.X[problem.order]
            if sp.issparse(X):
                member = sp.csr_matrix(
                    (weight, np.arange(len(problem.order)), problem.class_start),
                    shape=(problem.n_classes, len(problem.order)),
                )
                means = (member @ X).toarray() / sizes[:, None]
                square = np.asarray(X.multiply(X).sum(axis=1)).ravel()
            else:
                X = X.astype(np.float64) - np.average(
                    X, axis=0, weights=weight
                )  # or far-off data would drown its variance
                means = np.add.reduceat(weight[:, None] * X, problem.class_start[:-1], axis=0) / sizes[:, None]
                square = np.einsum("ij,ij->i", X, X)
            products = means @ means.T
        own = np.diag(products)
        variance = np.add.reduceat(weight * square, problem.class_start[:-1]) / sizes - own
        return cls(dbtc(products), np.maximum(variance, 0.0), products, sizes)

    @cached_property
    def fisher(self) -> Array:
        """Fisher ratio of every two classes, shape (n_classes, n_classes); infinite where neither has any variance."""
        spread = self.variance[:, None] + self.variance
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio: Array = np.where(spread > 0, self.distance2 / spread, np.where(self.distance2 > 0, np.inf, 0.0))
        return ratio

    def from_centre(self, classes: Index) -> Array:
        """Squared distance of the means of some classes from the mean of all their samples."""
        weight = self.sizes[classes] / self.sizes[classes].sum()
        products = self.products[np.ix_(classes, classes)]
        towards = products @ weight
        distance: Array = np.diag(products) - 2 * towards + weight @ towards
        return distance
