"""The training problem: samples sorted by class, with their caps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .. import _core
from ..base.typing import Array, Features, Index
from .choices import Choices, choose, in_other_form, training_rows
from .kernels import Kernel
from .per_pair import PerPair
from .samples import ByClass, as_data, in_order


@dataclass(frozen=True, kw_only=True)
class Problem(Choices, ByClass):
    """The training data in the form that the core needs: samples sorted by class, caps, and the choices of how to train.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features), or the kernel matrix (n_samples, n_samples)
    cap : ndarray of shape (n_samples,)
        The largest multiplier of each sample of `order`: C times its weights; only its weights if each pair has its own C.
    per_pair : PerPair
        C and gamma of every pair, where they are given per pair.
    norms : ndarray of shape (n_samples,) or None
        Squared norms of the samples of X after centring. By them, training finds equal samples quickly; no result depends on
        them.
    """

    X: Features
    cap: Array
    per_pair: PerPair = field(default_factory=PerPair)
    norms: Array | None = None

    @classmethod
    def make(
        cls,
        X: Features,
        by_class: ByClass,
        kernel: Kernel,
        cap: Array | float,
        precision: str,
        tol: float,
        *,
        rows: Features | None = None,
        per_pair: PerPair | None = None,
        n_threads: int = 1,
        sums: Array | None = None,
    ) -> Problem:
        """Choose how to train, and make the problem.

        Parameters
        ----------
        X : ndarray, CSR matrix or DistantRows of shape (n_samples, n_features)
        by_class : ByClass
        kernel : Kernel
        cap : ndarray of shape (n_samples,) or float
            A number for each sample of X, or one for all.
        precision : {"auto", "single", "double"}
        tol : float
        rows : ndarray, CSR matrix or DistantRows, optional
            The `training_rows` of X, if they are known.
        per_pair : PerPair, optional
        n_threads : int
        sums : ndarray of shape (n_features,), optional
            The `column_sums` of X, if they are known.

        Returns
        -------
        Problem
        """
        per_pair = PerPair() if per_pair is None else per_pair
        rows = training_rows(X, kernel.name, n_threads) if rows is None else rows
        gammas = None if per_pair.gamma is None else per_pair.gamma[np.isfinite(per_pair.gamma)]
        choices, facts = choose(
            X, rows, by_class.class_start, kernel, cap, precision, tol, gammas, n_threads, sums
        )  # fmt: skip
        problem = cls(
            **vars(by_class),
            **vars(choices),
            X=X,
            cap=in_order(cap, by_class.order),
            per_pair=per_pair,
            norms=None if kernel.name == "precomputed" else facts.norms,
        )
        problem.__dict__["rows"] = rows
        return problem

    @cached_property
    def rows(self) -> Features:
        """The samples that training reads: X, or X in the other form."""
        return in_other_form(self.X) if self.converted else self.X

    def native(self) -> _core.Problem:
        """The core's form of the problem; caps and weights are passed separately."""
        return _core.Problem(
            x=as_data(self.rows),
            order=self.order,
            class_start=self.class_start,
            kernel=self.kernel.native(),
            centre=self.centre,
            precision=_core.Precision[self.precision],
            kernel_error=self.kernel_error,
            double_error=self.double_error,
            common=self.common,
            codes=self.codes,
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
        part = replace(
            self,
            order=self.order[inside],
            class_start=np.concatenate([[0], np.cumsum(inside)])[self.class_start].astype(np.int64),
            weight=weight[inside],
            cap=cap[inside],
        )
        part.__dict__["rows"] = self.rows
        return part

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
