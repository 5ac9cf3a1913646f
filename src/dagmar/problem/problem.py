"""The training problem: samples in class order, with their caps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .. import _core
from ..base.typing import Array, Features, Index
from .kernels import Kernel, centre_of, squared_norms
from .per_pair import PerPair
from .precision import measured_error, single_serves
from .samples import ByClass, as_data

NOT_FINITE = (
    "The dual coefficients or intercepts are not finite. The input data may contain large values and need to be "
    "preprocessed."
)


@dataclass(frozen=True)
class Problem(ByClass):
    """What the core needs to know of X, y and the weights, beside the order of the samples.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features), or the kernel matrix (n_samples, n_samples)
    cap : ndarray of shape (n_samples,)
        The largest multiplier of each sample of `order`: C times its weights, or these alone if each pair has its own C.
    kernel : Kernel
    centre : ndarray of shape (n_features,) or None
        Taken from the samples before the kernel sees them.
    precision : {"single", "double"}
        What kernel rows are computed in.
    kernel_error : float
        Standard error of a kernel value in single precision.
    own : PerPair
        C and gamma of pairs that have their own.
    """

    X: Features
    cap: Array
    kernel: Kernel
    centre: Array | None
    precision: str
    kernel_error: float
    own: PerPair = field(default_factory=PerPair)

    @classmethod
    def pose(
        cls,
        X: Features,
        class_index: Index,
        n_classes: int,
        kernel: Kernel,
        cap: Array,
        weight: Array,
        precision: str,
        tol: float,
        own: PerPair | None = None,
    ) -> Problem:
        """Sort by class and choose the precision (`single_serves`).

        The solver watches its part of the error, which grows with the multipliers, and goes on in double precision where
        it must.
        """
        by_class = ByClass.sort(class_index, n_classes, weight)
        centre = centre_of(X, kernel)
        n, d = X.shape
        with np.errstate(over="ignore", invalid="ignore"):
            norms = np.abs(X).max(axis=1) if kernel.name == "precomputed" else squared_norms(X, centre)
            error = kernel.single_error(float(norms.max()), d)
        if not np.isfinite(error):
            raise ValueError(NOT_FINITE)
        if kernel.name != "precomputed" and single_serves(precision, kernel, 0.0, (n, d), tol):
            gammas = None if own is None else own.gamma
            measured = measured_error(X, kernel, centre, norms, None if gammas is None else gammas[np.isfinite(gammas)])
            error = min(error, max(2.0 * measured, 0.1 * error))  # close pairs are rare, and may be missed
        single = single_serves(precision, kernel, error, (n, d), tol)
        return cls(
            order=by_class.order,
            class_start=by_class.class_start,
            weight=by_class.weight,
            X=X,
            cap=np.ascontiguousarray(cap[by_class.order]),
            kernel=kernel,
            centre=centre,
            precision="single" if single else "double",
            kernel_error=error,
            own=PerPair() if own is None else own,
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
        )

    def part(self, inside: NDArray[np.bool_], weight: Array, cap: Array) -> Problem:
        """The problem of some of the samples, with weights and caps of their own; centre and precision stay.

        Parameters
        ----------
        inside : ndarray of shape (n_samples,), bool
            Which samples of `order`; some of every class.
        weight, cap : ndarray of shape (n_samples,)
            Of all samples of `order`.

        Returns
        -------
        Problem
            Over the same X, with a shorter `order`.
        """
        return replace(
            self,
            order=self.order[inside],
            class_start=np.concatenate([[0], np.cumsum(inside)])[self.class_start].astype(np.int64),
            weight=weight[inside],
            cap=cap[inside],
        )

    def check_pool(self, support: Index, vectors: Features, class_start: Index) -> Index:
        """The places in `order` of these samples; ValueError unless they are these vectors, of these classes."""
        same = support.max(initial=-1) < self.X.shape[0]
        if same and vectors is not None:
            difference = self.X[support] != vectors
            same = not (difference.nnz if sp.issparse(difference) else difference.any())
        if not same:
            raise ValueError("X is not the data this model was trained on: its support vectors are other rows")
        place = np.empty(len(self.order), dtype=np.int64)
        place[self.order] = np.arange(len(self.order))
        own = np.repeat(np.arange(len(class_start) - 1), np.diff(class_start))
        if not np.array_equal(np.searchsorted(self.class_start, place[support], side="right") - 1, own):
            raise ValueError("y is not the data this model was trained on: its support vectors have other labels")
        return place[support]


def caps(C: float, weight: Array) -> Array:
    """The largest multiplier of each sample: C times its weight, 0 where that is not positive (also for infinite C)."""
    counts = weight > 0
    largest: Array = np.where(counts, C * np.where(counts, weight, 1.0), 0.0)
    return largest
