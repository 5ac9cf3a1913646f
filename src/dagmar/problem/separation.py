"""How far apart classes are, in kernel space and in feature space.

The distance between two classes in kernel space (DBTC; Wu & Wang 2009, Yu et al. 2011) is the squared distance of their means,

    S_ab = mean of k(x, z) over x in a, z in b        DBTC_ab = S_aa + S_bb - 2 S_ab = |mean phi(a) - mean phi(b)|^2,

where all pairs of samples count. The Fisher ratio (Wang et al. 2011) is |mean_a - mean_b|^2 / (variance_a + variance_b), with
the trace of the covariance as the variance of a class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np
import scipy.sparse as sp

from .. import _core
from ..base.frozen import FrozenArrays
from ..base.instructions import simd_level
from ..base.typing import Array, Features, Index
from .kernels import Kernel
from .problem import Problem
from .samples import as_data, occurring_columns


def similarity(
    problem: Problem,
    max_samples: int | None = None,
    n_threads: int = 1,
    classes: Sequence[int] | None = None,
    kernel: Kernel | None = None,
) -> Array:
    """Return the mean kernel value between the samples of every two classes.

    The value is exact, or estimated from `max_samples` samples of each class. Kernel values are computed in blocks; the
    kernel matrix is never stored.

    Parameters
    ----------
    problem : Problem
    max_samples : int, optional
        Use at most this many samples of each class, spread evenly over it. By default all.
    n_threads : int
    classes : sequence of int, optional
        Use only these classes, in this order. By default all.
    kernel : Kernel, optional
        Use this kernel instead of that of the problem.

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
        x=as_data(problem.rows),
        order=np.ascontiguousarray(problem.order[places]),
        class_start=start,
        kernel=(problem.kernel if kernel is None else kernel).native(),
        centre=problem.centre if problem.kernel.sees_differences_only else None,
        precision=_core.Precision[problem.precision],
        common=problem.common,
    )
    sums = _core.class_similarity(part, weight, n_threads, simd_level())
    means: Array = sums / np.outer(totals, totals)
    return means


def dbtc(similarity: Array) -> Array:
    """Return the squared distance between every two classes in kernel space, from their mean kernel values.

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
    """Return the squared distance between every two classes, each pair in the kernel space of its own gamma.

    Parameters
    ----------
    problem : Problem
        It must have an rbf kernel.
    gamma : ndarray of shape (n_classes, n_classes)
        Gamma of every pair; symmetric.
    max_samples : int, optional
        Use at most this many samples of each class, spread evenly over it. By default all.
    n_threads : int

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
    """
    distance: Array = np.zeros_like(gamma)
    # Pair by pair. This takes twice the work of a single gamma, however many gammas there are.
    for i, j in combinations(range(len(gamma)), 2):
        kernel = replace(problem.kernel, gamma=float(gamma[i, j]))
        distance[i, j] = distance[j, i] = dbtc(similarity(problem, max_samples, n_threads, (i, j), kernel))[0, 1]
    return distance


def class_sums(X: Features, weight: Array, class_start: Index, centre: Array | None = None) -> tuple[Features, Array]:
    """Return the weighted sum of the samples of each class, and of their squared norms.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Samples sorted by class.
    weight : ndarray of shape (n_samples,)
    class_start : ndarray of shape (n_classes + 1,)
    centre : ndarray of shape (n_features,), optional
        Subtracted from dense samples; sparse ones are never centred.

    Returns
    -------
    sums : ndarray or CSR matrix of shape (n_classes, n_features)
    squares : ndarray of shape (n_classes,)
    """
    if sp.issparse(X):
        # Entry by entry, in the order of the samples: a class has the same sums wherever other classes are.
        member = sp.csr_matrix((weight, np.arange(X.shape[0]), class_start), shape=(len(class_start) - 1, X.shape[0]))
        rows, columns = occurring_columns(X) if X.shape[1] > X.nnz else (X, np.arange(X.shape[1]))
        some = (member @ rows).tocsr()
        some.sort_indices()
        sums = sp.csr_matrix((some.data, columns[some.indices], some.indptr), shape=(member.shape[0], X.shape[1]))
        of_row = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        return sums, np.add.reduceat(weight * of_row, class_start[:-1])
    sums, squares = np.zeros((len(class_start) - 1, X.shape[1])), np.zeros(len(class_start) - 1)
    for c, (first, last) in enumerate(pairwise(class_start.tolist())):
        rows = X[first:last].astype(np.float64)
        if centre is not None:
            rows -= centre
        squares[c] = weight[first:last] @ np.einsum("ij,ij->i", rows, rows)
        rows *= weight[first:last, None]
        sums[c] = rows.sum(axis=0)
    return sums, squares


@dataclass(frozen=True, eq=False)
class Moments(FrozenArrays):
    """Means and variances of the classes, in feature space or, for a precomputed kernel, in kernel space.

    Attributes
    ----------
    distance2 : ndarray of shape (n_classes, n_classes)
        Squared distances between the class means.
    variance : ndarray of shape (n_classes,)
        Mean squared distance of the samples of each class from their mean.
    products : ndarray of shape (n_classes, n_classes)
        Inner products of the class means.
    sizes : ndarray of shape (n_classes,)
        Total weight of the samples of each class.
    """

    distance2: Array
    variance: Array
    products: Array
    sizes: Array

    @classmethod
    def of(cls, problem: Problem, n_threads: int = 1) -> Moments:
        """Compute the moments of the classes of a problem."""
        weight, sizes = problem.weight, problem.class_totals
        if problem.kernel.name == "precomputed":
            products = similarity(problem, None, n_threads)
            square = np.diag(problem.X)[problem.order]
        else:
            X = problem.X[problem.order]
            sums, squares = class_sums(X, weight, problem.class_start)
            if sp.issparse(X):
                return cls.of_sums(sums, squares, sizes)
            # Centred: the variance of data far from the origin would be lost in rounding.
            average = sums.sum(axis=0) / weight.sum()
            return cls.of_sums(*class_sums(X, weight, problem.class_start, average), sizes)
        return cls._of(products, np.add.reduceat(weight * square, problem.class_start[:-1]), sizes)

    @classmethod
    def of_sums(cls, sums: Features, squares: Array, sizes: Array) -> Moments:
        """Compute the moments from what `class_sums` returns for all classes; dense sums must be centred on the average."""
        if sp.issparse(sums) and sums.shape[1] > sums.nnz:  # means of all columns would take more memory than the sums
            means = sp.diags(1.0 / sizes) @ occurring_columns(sums)[0]
            return cls._of((means @ means.T).toarray(), squares, sizes)
        means = (sums.toarray() if sp.issparse(sums) else sums) / sizes[:, None]
        return cls._of(means @ means.T, squares, sizes)

    @classmethod
    def _of(cls, products: Array, squares: Array, sizes: Array) -> Moments:
        variance = squares / sizes - np.diag(products)
        return cls(dbtc(products), np.maximum(variance, 0.0), products, sizes)

    @cached_property
    def fisher(self) -> Array:
        """Fisher ratio of every two classes, shape (n_classes, n_classes).

        If neither class has any variance, it is infinite for different means and 0 for equal ones.
        """
        spread = self.variance[:, None] + self.variance
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio: Array = np.where(spread > 0, self.distance2 / spread, np.where(self.distance2 > 0, np.inf, 0.0))
        return ratio

    def from_centre(self, classes: Index) -> Array:
        """Return the squared distances of the means of some classes from the mean of all their samples."""
        weight = self.sizes[classes] / self.sizes[classes].sum()
        products = self.products[np.ix_(classes, classes)]
        towards = products @ weight
        distance: Array = np.diag(products) - 2 * towards + weight @ towards
        return distance
