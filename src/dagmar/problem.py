"""The training problem: samples in class order, with their caps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from . import _core
from .kernels import Kernel, centre_of, squared_norms
from .per_pair import PerPair
from .typing import Array, Features, Index

NOT_FINITE = (
    "The dual coefficients or intercepts are not finite. The input data may contain large values and need to be "
    "preprocessed."
)
# Below this many multiplications (samples squared times features) single precision saves nothing worth having.
SINGLE_PAYS = 2**25


@dataclass(frozen=True)
class ByClass:
    """Samples in class order.

    Attributes
    ----------
    order : ndarray of shape (n_samples,), int64
        Samples sorted by class, in their own order within a class.
    class_start : ndarray of shape (n_classes + 1,), int64
        Where each class begins in `order`.
    weight : ndarray of shape (n_samples,)
        How many samples each sample of `order` stands for.
    """

    order: Index
    class_start: Index
    weight: Array

    @classmethod
    def sort(cls, class_index: Index, n_classes: int, weight: Array) -> ByClass:
        """Sort samples of these classes and weights."""
        narrow = np.int16 if n_classes < 2**15 else np.int64  # of which NumPy sorts the first by counting
        order = np.argsort(class_index.astype(narrow), kind="stable").astype(np.int64)
        class_start = np.searchsorted(class_index[order], np.arange(n_classes + 1)).astype(np.int64)
        return ByClass(order, class_start, np.ascontiguousarray(weight[order]))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_start) - 1

    def sample_of_class(self, c: int, max_samples: int | None = None) -> Index:
        """Places in `order` of samples of a class: all, or at most so many, spread evenly (the same ones every time)."""
        begin, end = self.class_start[c : c + 2]
        if max_samples is None or end - begin <= max_samples:
            return np.arange(begin, end)
        places: Index = begin + np.arange(max_samples) * (end - begin) // max_samples
        return places

    @property
    def class_weights(self) -> Array:
        """How many samples each class stands for: their weights added up."""
        totals: Array = np.add.reduceat(self.weight, self.class_start[:-1])
        return np.where(totals > 0, totals, 1.0)  # a class without weight has no mean, but is no error


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
    single : bool
        Whether kernel rows are computed in single precision.
    kernel_error : float
        Standard error of a kernel value in single precision.
    own : PerPair
        C and gamma of pairs that have their own.
    """

    X: Features
    cap: Array
    kernel: Kernel
    centre: Array | None
    single: bool
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
            single=single,
            kernel_error=error,
            own=PerPair() if own is None else own,
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


# Rows and columns of the kernel in which single precision is compared with double.
MEASURED_ROWS, MEASURED_COLUMNS = 32, 256


def measured_error(
    X: Features, kernel: Kernel, centre: Array | None, norms: Array, gammas: Array | None = None
) -> float:
    """Standard error of a kernel value in single precision, found by computing some in both.

    Where a kernel falls off quickly, values are small and their errors too, far below what `Kernel.single_error` allows
    for. The samples are spread evenly over the data, and those with the largest norms, whose errors are the largest, are
    always among them. What counts is the worst row, as errors of a row add up in one score.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    kernel : Kernel
        Not a precomputed one.
    centre : ndarray of shape (n_features,) or None
    norms : ndarray of shape (n_samples,)
        Squared norms after centring.
    gammas : ndarray, optional
        Take the worst over the range of these, in place of the kernel's gamma.

    Returns
    -------
    float
    """
    n = len(norms)
    n_far = min(n, MEASURED_ROWS // 2)
    far = np.argpartition(norms, n - n_far)[n - n_far :]
    spread = np.arange(MEASURED_COLUMNS) * n // MEASURED_COLUMNS if n > MEASURED_COLUMNS else np.arange(n)
    spread = np.setdiff1d(spread, far)
    chosen = np.concatenate([far, spread]).astype(np.int64)
    rows = np.concatenate(
        [np.arange(len(far)), len(far) + np.arange(0, len(spread), max(1, 2 * len(spread) // MEASURED_ROWS))]
    )
    tried = [kernel.gamma] if gammas is None else np.geomspace(gammas.min(), gammas.max(), 5).tolist()
    data = as_data(X)
    return max(
        _core.single_error(
            data, chosen, rows.astype(np.int32), replace(kernel, gamma=gamma).native(), centre, _core.best_level()
        )
        for gamma in tried
    )


def single_serves(precision: str, kernel: Kernel, error: float, shape: tuple[int, int], tol: float) -> bool:
    """Whether kernel values are to be computed in single precision.

    "auto" chooses it where the error of a kernel value is far below `tol` and the samples are enough to gain by it.

    Parameters
    ----------
    precision : {"auto", "single", "double"}
    kernel : Kernel
    error : float
        Standard error of a kernel value in single precision.
    shape : tuple
        Samples and features.
    tol : float

    Returns
    -------
    bool
    """
    n, d = shape
    safe = kernel.name != "precomputed" and n * n * d >= SINGLE_PAYS and error <= 0.01 * tol
    return precision == "single" or (precision == "auto" and safe)


def caps(C: float, weight: Array) -> Array:
    """The largest multiplier of each sample: C times its weight, 0 where that is not positive (also for infinite C)."""
    counts = weight > 0
    largest: Array = np.where(counts, C * np.where(counts, weight, 1.0), 0.0)
    return largest


def as_data(X: Features) -> _core.Data:
    """Validated samples as the core reads them, in place."""
    if sp.issparse(X):
        return _core.Data(X.data, X.indices, X.indptr, X.shape[1])
    return _core.Data(X)
