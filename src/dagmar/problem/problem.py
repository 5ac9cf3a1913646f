"""The training problem: samples sorted by class, with their caps."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .. import _core
from ..base.typing import Array, Features, Index
from .kernels import DOUBLE_ROUNDOFF, Kernel, centre_of, squared_norms
from .levels import levels_of
from .per_pair import PerPair
from .precision import DOUBLE_SAFE, SAFE, harmless_error, measured_error, scale_of, single_serves
from .samples import ByClass, as_data, common_features, in_order, most_terms

NOT_FINITE = (
    "The dual coefficients or intercepts are not finite. The input data may contain large values and need to be "
    "preprocessed."
)


@dataclass(frozen=True)
class Problem(ByClass):
    """The training data in the form that the core needs: samples sorted by class, caps, kernel and precision.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features), or the kernel matrix (n_samples, n_samples)
    cap : ndarray of shape (n_samples,)
        The largest multiplier of each sample of `order`: C times its weights; only its weights if each pair has its own C.
    kernel : Kernel
    centre : ndarray of shape (n_features,) or None
        Subtracted from the samples before the kernel is computed.
    precision : {"single", "double"}
        Precision of the kernel rows.
    kernel_error, double_error : float
        Standard errors of a kernel value in single and in double precision.
    per_pair : PerPair
        C and gamma of every pair, where they are given per pair.
    common : ndarray of shape (n_common,), int32, or None
        The common features of sparse samples: see `common_features`.
    levels : ndarray of shape (3 * n_features,) or None
        Which features of dense samples are multiples of one step: see `levels_of`.
    norms : ndarray of shape (n_samples,) or None
        Squared norms of the samples of X after centring. By them, training finds equal samples quickly; no result depends on
        them.
    """

    X: Features
    cap: Array
    kernel: Kernel
    centre: Array | None
    precision: str
    kernel_error: float
    double_error: float = 0.0
    per_pair: PerPair = field(default_factory=PerPair)
    common: NDArray[np.int32] | None = None
    levels: Array | None = None
    norms: Array | None = None

    @classmethod
    def make(
        cls,
        X: Features,
        class_index: Index,
        n_classes: int,
        kernel: Kernel,
        cap: Array | float,
        weight: Array | float,
        precision: str,
        tol: float,
        per_pair: PerPair | None = None,
        n_threads: int = 1,
        sums: Array | None = None,
    ) -> Problem:
        """Sort the samples by class and choose the precision (`single_serves`). `sums` are the `column_sums`, if known.

        `cap` and `weight` have a number for each sample, or are one number for all.

        The error of a machine also grows with its multipliers. The solver watches it and continues in double precision where
        necessary.
        """
        by_class = ByClass.sort(class_index, n_classes, weight)
        centre = centre_of(X, kernel, n_threads, sums)
        n, d = X.shape[0], most_terms(X)
        if kernel.name == "precomputed":
            with np.errstate(over="ignore", invalid="ignore"):
                norms = np.abs(X).max(axis=1)
        else:
            norms = squared_norms(X, centre, n_threads)
        largest = float(norms.max())
        error, double_error = kernel.errors(largest, d)
        if not math.isfinite(error):
            raise ValueError(NOT_FINITE)
        by_differences = kernel.name == "rbf" and double_error > DOUBLE_SAFE * tol
        scale = 1.0 if kernel.name == "precomputed" else scale_of(largest)
        if scale != 1.0 or by_differences:
            kernel = replace(kernel, scale=scale, by_differences=by_differences)
        if by_differences:
            # Centring rounds, too: samples whose differences matter are left where they are.
            centre = None
            double_error = DOUBLE_ROUNDOFF * np.sqrt(d)
        if kernel.name != "precomputed" and single_serves(precision, kernel, 0.0, (n, d), tol):
            gammas = None if per_pair is None else per_pair.gamma
            gammas = None if gammas is None else gammas[np.isfinite(gammas)]
            harmless = harmless_error(kernel, error, cap, n, tol) if gammas is None else None
            if harmless is None:
                measured = measured_error(X, kernel, centre, norms, gammas, n_threads)
                # Close pairs of samples are rare, so the measurement may miss them. It shows what the estimate cannot know:
                # values beyond the range of single precision.
                error = max(measured, 0.1 * error)
            else:
                error = harmless
            if error > SAFE * kernel.largest(largest):  # below the range of single precision
                precision = "double"
        single = single_serves(precision, kernel, error, (n, d), tol)
        return cls(
            order=by_class.order,
            class_start=by_class.class_start,
            weight=by_class.weight,
            X=X,
            cap=in_order(cap, by_class.order),
            kernel=kernel,
            centre=centre,
            precision="single" if single else "double",
            kernel_error=error,
            double_error=float(double_error),
            per_pair=PerPair() if per_pair is None else per_pair,
            common=common_features(X, by_class.class_start),
            levels=levels_of(X, kernel, centre, n_threads) if single else None,
            norms=None if kernel.name == "precomputed" else norms,
        )

    def native(self) -> _core.Problem:
        """The core's form of the problem; caps and weights are told apart from it."""
        return _core.Problem(
            x=as_data(self.X),
            order=self.order,
            class_start=self.class_start,
            kernel=self.kernel.native(),
            centre=self.centre,
            precision=_core.Precision[self.precision],
            kernel_error=self.kernel_error,
            double_error=self.double_error,
            common=self.common,
            levels=self.levels,
            norms=self.norms,
        )

    def part(self, inside: NDArray[np.bool_], weight: Array, cap: Array) -> Problem:
        """Return the problem of some of the samples, with other weights and caps; centre and precision stay the same.

        Parameters
        ----------
        inside : ndarray of shape (n_samples,), bool
            Which samples of `order` to use; every class must have some.
        weight, cap : ndarray of shape (n_samples,)
            New weights and caps of all samples of `order`.

        Returns
        -------
        Problem
            It has the same X and a shorter `order`.
        """
        return replace(
            self,
            order=self.order[inside],
            class_start=np.concatenate([[0], np.cumsum(inside)])[self.class_start].astype(np.int64),
            weight=weight[inside],
            cap=cap[inside],
        )

    def check_pool(self, support: Index, vectors: Features, class_start: Index) -> Index:
        """Return the positions of the support vectors in `order`; raise ValueError if X or y differs from the model there."""
        same = support.max(initial=-1) < self.X.shape[0]
        if same and vectors is not None:
            difference = self.X[support] != vectors
            same = not (difference.nnz if sp.issparse(difference) else difference.any())
        if not same:
            raise ValueError("X is not the data this model was trained on: its support vectors differ")
        place = np.empty(len(self.order), dtype=np.int64)
        place[self.order] = np.arange(len(self.order))
        vector_class = np.repeat(np.arange(len(class_start) - 1), np.diff(class_start))
        if not np.array_equal(np.searchsorted(self.class_start, place[support], side="right") - 1, vector_class):
            raise ValueError("y is not the data this model was trained on: the labels of its support vectors differ")
        return place[support]


def caps(C: float, weight: Array) -> Array:
    """Return the largest multiplier of each sample: C times its weight; 0 if the weight is not positive, also for C = inf."""
    counts = weight > 0
    if counts.all():
        return C * weight
    largest: Array = np.where(counts, C * np.where(counts, weight, 1.0), 0.0)
    return largest
