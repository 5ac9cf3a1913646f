"""Machines that another library trained: from the layout of LIBSVM and scikit-learn to a fitted `SVC`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base.pairs import n_pairs, pair_numbers
from ..base.parameters import SVC_CHECKS, check_parameters
from ..base.typing import Array, Features, Index
from ..estimators import layout
from ..estimators.holding import hold
from ..estimators.model import build_model
from ..estimators.svc import SVC, settings_of
from ..machines.bank import Bank
from ..machines.report import FitReport
from ..machines.workshop import Workshop
from ..probabilities.sigmoid import Sigmoids
from ..problem.choices import Facts, centre_of, scale_of, single_serves, typical_size
from ..problem.kernels import Kernel, squared_norms
from ..problem.making import Learned
from ..problem.samples import core_rows, most_terms
from ..problem.tasks import all_pairs
from ..structures import MaxWins, Structure


@dataclass(frozen=True, eq=False)
class ForeignPairs:
    """The machines of all pairs in LIBSVM's layout.

    The arrays may be those of the other model. They are not changed; a bank gets copies.

    Attributes
    ----------
    class_start : ndarray of shape (n_classes + 1,), int64
        Where each class begins among the vectors.
    dual_coef : ndarray of shape (n_classes - 1, n_vectors)
        Row r of a vector of class c is its coefficient against the r-th of the other classes.
    intercept : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        The constant of each pair. As in LIBSVM, positive values are for the earlier class, also with two classes.
    vectors : ndarray or CSR matrix of shape (n_vectors, n_features), or None
        None for a precomputed kernel.
    support : ndarray of shape (n_vectors,), int64
        Indices of the vectors in the training data; -1 if they are not known.
    kernel : Kernel
    probA, probB : ndarray of shape (n_classes * (n_classes - 1) / 2,) or None
        The sigmoid of each pair: 1 / (1 + exp(probA * value + probB)) is the probability of the earlier class. None if there
        are none.
    """

    class_start: Index
    dual_coef: Array
    intercept: Array
    vectors: Features
    support: Index
    kernel: Kernel
    probA: Array | None = None
    probB: Array | None = None

    @classmethod
    def of(cls, bank: Bank, sigmoids: Sigmoids | None = None) -> ForeignPairs:
        """Return the machines of a bank, which must be those of all pairs with one kernel."""
        # The layout is scikit-learn's, which turns the signs of LIBSVM with two classes.
        sign = -1.0 if bank.n_classes == 2 else 1.0
        dual_coef = layout.dual_coef(bank)
        probA, probB = (None, None) if sigmoids is None else layout.sigmoids(bank, sigmoids)
        return cls(
            class_start=bank.class_start,
            dual_coef=sign * (dual_coef.toarray() if sp.issparse(dual_coef) else dual_coef),
            intercept=sign * layout.intercept(bank),
            vectors=bank.vectors,
            support=bank.support,
            kernel=bank.kernel,
            probA=probA,
            probB=probB,
        )

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_start) - 1

    @property
    def sigmoids(self) -> Sigmoids | None:
        """The sigmoids of a bank, or None; there, values and probabilities are those of the later class."""
        if self.probA is None or self.probB is None:
            return None
        return Sigmoids(np.array(self.probA, dtype=np.float64), -np.asarray(self.probB, dtype=np.float64))

    def in_order(self) -> ForeignPairs:
        """Return the same machines with the vectors of each class in the order of the training data, as in a bank."""
        vector_class = np.repeat(np.arange(self.n_classes), np.diff(self.class_start))
        order = np.lexsort((self.support, vector_class))
        if np.array_equal(order, np.arange(len(order))):
            return self
        vectors = None if self.vectors is None else self.vectors[order]
        return replace(self, dual_coef=self.dual_coef[:, order], vectors=vectors, support=self.support[order])

    def lists(self) -> tuple[Index, NDArray[np.int32], Array]:
        """Return begin, index and coef of a `Bank`: the nonzero coefficients, machine by machine."""
        row, vector = np.nonzero(self.dual_coef)
        vector_class = np.searchsorted(self.class_start, vector, side="right") - 1
        machine = pair_numbers(self.n_classes)[vector_class, row + (row >= vector_class)]
        order = np.lexsort((vector, machine))
        begin = np.searchsorted(machine[order], np.arange(n_pairs(self.n_classes) + 1)).astype(np.int64)
        return begin, vector[order].astype(np.int32), -self.dual_coef[row, vector][order]

    def bank(self, precision: str, n_samples: int, tol: float) -> Bank:
        """Return a bank of these machines.

        Parameters
        ----------
        precision : {"auto", "single", "double"}
            Precision of kernel values; "auto" for what training would have chosen.
        n_samples : int
            Number of training samples.
        tol : float
            Tolerance of the training.

        Returns
        -------
        Bank
        """
        pairs = self.in_order()
        begin, index, coef = pairs.lists()
        vectors = None if pairs.vectors is None else _own_rows(pairs.vectors)
        centre, kernel = None, pairs.kernel
        if vectors is not None and vectors.shape[0]:
            with np.errstate(over="ignore", invalid="ignore"):
                centre = centre_of(vectors, kernel) if kernel.sees_differences_only else None
                kernel = replace(kernel, scale=scale_of(float(squared_norms(vectors, centre).max(initial=0.0))))
        bank = Bank(
            tasks=all_pairs(pairs.n_classes),
            vectors=vectors,
            support=pairs.support.astype(np.int64),
            class_start=pairs.class_start.astype(np.int64),
            begin=begin,
            index=index,
            coef=coef,
            bias=-pairs.intercept,
            kernel=kernel,
            centre=centre,
        )
        return replace(bank, precision="single") if _in_single(bank, precision, n_samples, tol) else bank


def _own_rows(vectors: Features) -> Features:
    """Return a copy in the form that the core reads. A bank makes its arrays read-only, so it cannot share them."""
    if not sp.issparse(vectors):
        return np.array(vectors, dtype=np.float64, order="C")
    return core_rows(sp.csr_matrix(vectors, dtype=np.float64, copy=True))


def _in_single(bank: Bank, precision: str, n_samples: int, tol: float) -> bool:
    """Return whether training would have chosen single precision."""
    if bank.vectors is None or not bank.n_vectors:
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        n_terms = most_terms(bank.vectors)
        facts = Facts(bank.n_vectors, n_terms, bank.centre, squared_norms(bank.vectors, bank.centre))
        error = bank.kernel.error(float(facts.norms.max()), n_terms) / typical_size(bank.kernel, bank.vectors, facts)
    serves = single_serves(precision, error, (n_samples, n_terms), tol)
    return bool(np.isfinite(error)) and serves


def adopt(
    parameters: dict[str, Any],
    pairs: ForeignPairs,
    learned: Learned,
    iterations: ArrayLike = 0,
    fit_status: int = 0,
    cannot_train: str | None = None,
) -> SVC:
    """Return a fitted `SVC` with machines that another library trained and structure "max_wins".

    Parameters
    ----------
    parameters : dict
        Parameters of the `SVC`.
    pairs : ForeignPairs
    learned : Learned
    iterations : int or array-like of shape (n_machines,), default=0
        Solver steps per machine.
    fit_status : int, default=0
        0 if the machines converged.
    cannot_train : str, optional
        The reason why no more machines can be trained like these; None if they can.

    Returns
    -------
    SVC
    """
    sigmoids = pairs.sigmoids
    svc = SVC(**{**parameters, "structure": "max_wins", "probability": sigmoids is not None})
    check_parameters("SVC", svc.get_params(deep=False), SVC_CHECKS)
    bank = pairs.bank(svc.precision, learned.shape_fit[0], svc.tol)
    steps = np.zeros(bank.n_machines, dtype=np.int64) + np.asarray(iterations, dtype=np.int64)
    report = FitReport.foreign(steps, status=_core.Status.max_iter if fit_status else _core.Status.converged)
    workshop = Workshop(learned.classes, None, settings_of(svc), bank=bank, report=report)
    model = build_model(MaxWins(), workshop, learned, cannot_train=cannot_train)
    return hold(svc, replace(model, sigmoids=sigmoids))


def in_form_of(vectors: Features, X: Any) -> Any:
    """Return X as a CSR matrix if the vectors are sparse, otherwise as an array."""
    if vectors is None or sp.issparse(X) == sp.issparse(vectors):
        return X
    return X.toarray() if sp.issparse(X) else sp.csr_matrix(np.asarray(X, dtype=np.float64))


def consult(model: SVC, structure: str | Structure, X: Any, y: Any) -> SVC:
    """Return the model with another structure, built with the training data if given."""
    return model.restructure(structure, None if X is None else in_form_of(model.bank_.vectors, X), y)
