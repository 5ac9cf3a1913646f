"""The bank: all machines of a fit over one pool of support vectors, each stored once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .. import _core
from ..base.frozen import freeze
from ..base.instructions import simd_level
from ..base.lists import select_lists
from ..base.pairs import pair_classes, pair_numbers
from ..base.showing import MOST_LINES, frame, html_table
from ..base.threads import n_threads_to_decide
from ..base.typing import Array, Features, Index
from ..problem.kernels import Kernel
from ..problem.naming import Named
from ..problem.samples import as_data, occurring_columns, work_per_value
from ..problem.tasks import Tasks, all_pairs


class AnyBank(Named):
    """What a structure knows of machines of any kind: the questions that they answer.

    Attributes
    ----------
    tasks : Tasks
        The question of each machine.
    """

    tasks: Tasks

    # Whether `decision_function` counts a value of exactly 0 as a vote for the later class, as decisions do. Scikit-learn's SVC
    # counts it for the earlier class, and so does a bank of kernel machines.
    zero_votes_for_later: ClassVar[bool] = False

    @property
    def n_machines(self) -> int:
        """Number of machines."""
        return len(self.tasks)

    def values(self, X: Any, n_jobs: int | None = None, ranked: bool = False) -> Array:
        """Compute the value of every machine on every sample.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Checked samples.
        n_jobs : int or None
        ranked : bool
            Whether the order of a sample's values must be that of double precision, and not only their signs.

        Returns
        -------
        ndarray of shape (n_samples, n_machines)
        """
        raise NotImplementedError

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        raise NotImplementedError

    @cached_property
    def all_pairs(self) -> bool:
        """Whether the machines are those of all pairs, in the order (0, 1), (0, 2), ..."""
        return self.tasks.same_as(all_pairs(self.n_classes))

    @property
    def pairs(self) -> Index:
        """The pair (i, j) of each machine, shape (n_machines, 2), for a bank of pairs."""
        if not self.tasks.pairwise:
            raise AttributeError("this bank holds machines that are not pairs of classes")
        return self.tasks.pairs

    def to_frame(self) -> Any:
        """Return the machines as a pandas DataFrame, one row per machine.

        Returns
        -------
        pandas.DataFrame
            If the labels are known, as for ``bank_`` of an estimator, "negative" and "positive" are the sides of each
            machine; then follows what is known of machines of this kind.
        """
        return frame(self._columns(self.n_machines), index="machine")

    def _columns(self, n_machines: int) -> dict[str, Any]:
        """Return the first machines as columns of a table."""
        return self.machine_columns(n_machines)

    def _repr_html_(self) -> str:
        return html_table(repr(self), self._columns(min(self.n_machines, MOST_LINES)), self.n_machines)

    @cached_property
    def machine_of(self) -> Index:
        """The machine of each pair in either order, -1 where there is none; shape (n_classes, n_classes), read-only."""
        if self.all_pairs:
            return pair_numbers(self.n_classes)
        table = np.full((self.n_classes, self.n_classes), -1, dtype=np.int64)
        i, j = self.pairs.T
        table[i, j] = table[j, i] = np.arange(self.n_machines)
        return freeze(table)

    @cached_property
    def machine_of_pairs(self) -> Index | None:
        """The machine of each pair, in the order (0, 1), (0, 2), ...; None unless the machines are those of all pairs.

        They may be in any order: a tree of few classes may have trained them all.
        """
        if not self.tasks.pairwise:
            return None
        machines: Index = self.machine_of[pair_classes(self.n_classes)]
        return freeze(machines) if (machines >= 0).all() else None


@dataclass(frozen=True, eq=False)
class Bank(AnyBank):
    """The trained machines of a classifier, as frozen arrays; ``clf.bank_`` is one.

    Each support vector is stored once, and each machine names those that it uses. Machine m has value
    ``sum(coef[t] * K(vectors[index[t]], x)) + bias[m]`` over t in ``begin[m]:begin[m+1]``; a positive value speaks for the
    classes on the positive side of its task (for a pair (i, j), for j).

    Attributes
    ----------
    tasks : Tasks
        The question of each machine.
    vectors : ndarray or CSR matrix of shape (n_vectors, n_features), or None
        The distinct support vectors, grouped by class; None for precomputed kernels.
    support : ndarray of shape (n_vectors,), int64
        Their places in the training data.
    class_start : ndarray of shape (n_classes + 1,), int64
        Where each class begins among them.
    begin, index, coef, bias : ndarray
        The machines.
    kernel : Kernel
    centre : ndarray of shape (n_features,) or None
        Subtracted from samples and vectors before the kernel is computed.
    precision : {"single", "double"}
        Precision of decisions. Signs are always those of double precision.
    gammas : ndarray of shape (n_machines,) or None
        The gamma of each machine, instead of the gamma of the (rbf) kernel; None if all use that one.

    See Also
    --------
    SVC.restructure : Consults the same machines by another structure.
    FitReport : What training the machines cost.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bank = dagmar.SVC(kernel="linear").fit(X, y).bank_
    >>> bank.pairs.tolist()
    [[0, 1], [0, 2], [1, 2]]
    """

    tasks: Tasks
    vectors: Features
    support: Index
    class_start: Index
    begin: Index
    index: NDArray[np.int32]
    coef: Array
    bias: Array
    kernel: Kernel
    centre: Array | None = None
    precision: str = "double"
    gammas: Array | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_start) - 1

    @property
    def columns(self) -> Index:
        """For a precomputed kernel, the column of each vector in a row of kernel values, shape (n_vectors,)."""
        return np.arange(self.n_vectors, dtype=np.int64) if self.kernel.by_function else self.support

    @property
    def asked_of_function(self) -> Index | None:
        """For a callable kernel, the training samples with which it compares new ones; otherwise None."""
        return self.support if self.kernel.by_function else None

    @property
    def n_vectors(self) -> int:
        """Number of distinct support vectors."""
        return len(self.support)

    def __repr__(self) -> str:
        kernel = self.kernel.name if self.vectors is not None else "precomputed"
        return (
            f"Bank({self.n_machines} machines, {self.n_classes} classes, {self.n_vectors} support vectors, "
            f"{kernel} kernel, {self.precision} precision)"
        )

    def _columns(self, n_machines: int) -> dict[str, Any]:
        columns = super()._columns(n_machines)
        columns |= {"support_vectors": np.diff(self.begin[: n_machines + 1]), "bias": self.bias[:n_machines]}
        return columns if self.gammas is None else columns | {"gamma": self.gammas[:n_machines]}

    def values(self, X: Features, n_jobs: int | None = None, ranked: bool = False) -> Array:
        """Compute the value of every machine on every sample, shape (n_samples, n_machines)."""
        values: Array = self.native.values(as_data(X), ranked, self.threads(X, n_jobs))
        return values

    def threads(self, X: Features, n_jobs: int | None) -> int:
        """Return the number of threads for deciding samples, by the work if every vector is asked."""
        return n_threads_to_decide(n_jobs, X.shape[0] * self.work_per_sample)

    @cached_property
    def work_per_sample(self) -> float:
        """The work of a decision if every vector is asked, as `work_per_value` counts it."""
        return self.n_vectors * work_per_value(self.vectors)

    @property
    def finite(self) -> bool:
        """Whether all coefficients and biases are finite."""
        return _finite(self.coef) and _finite(self.bias)

    @cached_property
    def norm2(self) -> Array:
        """Squared norm of each machine's weight vector in kernel space: the sum of coef times (value - bias)."""
        if self.vectors is None:
            raise ValueError("the norm of a machine over a precomputed kernel is not known from the bank alone")
        norm2: Array = np.zeros(self.n_machines)
        for first in range(0, self.n_vectors, 1024):
            last = min(first + 1024, self.n_vectors)
            norm2 += self.norm2_terms(first, last, self.vectors[first:last])[0]
        return norm2

    def norm2_terms(self, first: int, last: int, vectors: Features, n_threads: int = 1) -> tuple[Array, Array]:
        """Compute what some of the vectors add to `norm2`.

        Parameters
        ----------
        first, last : int
            The first vector, and the one after the last.
        vectors : ndarray or CSR matrix of shape (last - first, n_features)
            These vectors; for a precomputed kernel, their rows of the kernel matrix.
        n_threads : int

        Returns
        -------
        terms, sizes : ndarrays of shape (n_machines,)
            The part of each machine's norm, and the sum of the absolute values of its terms, from which rounding is estimated.
        """
        here = np.flatnonzero((self.index >= first) & (self.index < last))
        machine = np.searchsorted(self.begin, here, side="right") - 1
        values = self.native.values(as_data(vectors), False, n_threads)
        terms = self.coef[here] * (values[self.index[here] - first, machine] - self.bias[machine])
        added, sizes = np.zeros((2, self.n_machines))
        np.add.at(added, machine, terms)
        np.add.at(sizes, machine, np.abs(terms))
        return added, sizes

    def weights(self) -> Any:
        """Return the weights of the features for a linear kernel, shape (n_machines, n_features); sparse if the vectors are."""
        machines = sp.csr_matrix((self.coef, self.index, self.begin), shape=(self.n_machines, self.n_vectors))
        if not sp.issparse(self.vectors):
            return machines @ (self.vectors if self.centre is None else self.vectors - self.centre)
        vectors, columns = occurring_columns(self.vectors)
        weights = machines @ vectors
        indices = columns[weights.indices].astype(np.int32)
        return sp.csr_matrix((weights.data, indices, weights.indptr), shape=(self.n_machines, self.vectors.shape[1]))

    def bias_from(self, centre: Array | None) -> Array:
        """Return the biases that machines of a linear kernel have with another centre; those of other kernels do not change.

        Parameters
        ----------
        centre : ndarray of shape (n_features,) or None
            None is the origin.

        Returns
        -------
        ndarray of shape (n_machines,)
        """
        if self.kernel.name != "linear" or (self.centre is None and centre is None):
            return self.bias
        here, there = (0.0 if c is None else c for c in (self.centre, centre))
        moved: Array = self.bias + self.weights() @ (there - here)
        return moved

    def select(self, machines: Index, precision: str | None = None) -> Bank:
        """Select machines, in the given order, with the vectors that they use; optionally in another precision."""
        begin, entries = select_lists(self.begin, machines)
        used = np.zeros(self.n_vectors, dtype=bool)
        used[self.index[entries]] = True
        counted = np.concatenate([[0], np.cumsum(used)])
        return Bank(
            tasks=self.tasks.select(machines),
            vectors=None if self.vectors is None else select_vectors(self.vectors, np.flatnonzero(used)),
            support=self.support[used],
            class_start=counted[self.class_start].astype(np.int64),
            begin=begin,
            index=counted[self.index[entries]].astype(np.int32),
            coef=self.coef[entries],
            bias=self.bias[machines],
            kernel=self.kernel,
            centre=self.centre,
            precision=self.precision if precision is None else precision,
            gammas=None if self.gammas is None else self.gammas[machines],
        )

    @property
    def size_in_parameters(self) -> int:
        """Number of stored feature values, coefficients and thresholds: Platt's measure of the size of a classifier.

        If each machine has its own gamma, the gammas count as well.
        """
        stored = 0 if self.vectors is None else self.vectors.size  # of a sparse matrix: its nonzeros
        return int(stored) + len(self.coef) + self.n_machines * (1 if self.gammas is None else 2)

    @cached_property
    def native(self) -> _core.Decider:
        """The core's form of the bank, ready to decide."""
        return self.decider(simd_level())

    def decider(self, level: _core.Level) -> _core.Decider:
        """The same with an instruction set of one's choice."""
        bank = self._native_bank(self.vectors, self.class_start, self.index, None)
        if self.gammas is not None:
            # The vectors once for each gamma; the bank above has checked the lists that `pool` reads.
            bank = self._native_bank(*self.pool())
        return _core.Decider(bank, level)

    def check(self) -> None:
        """Raise an error unless the arrays of the bank fit together. Code that reads them in Python calls this first.

        The core checks them when it makes its form of the bank, which is made once.
        """
        self.native  # noqa: B018
        if self.n_machines != len(self.bias):
            raise ValueError(f"the bank has {self.n_machines} tasks, but {len(self.bias)} machines")

    def _native_bank(
        self, vectors: Features, class_start: Index, index: NDArray[np.int32], gammas: Array | None
    ) -> _core.Bank:
        if self.vectors is not None and len(self.support) != self.vectors.shape[0]:
            raise ValueError(f"the bank has {self.vectors.shape[0]} vectors, but {len(self.support)} places in support")
        return _core.Bank(
            vectors=None if vectors is None else as_data(vectors),
            support=self.columns,
            class_start=class_start,
            begin=self.begin,
            index=index,
            coef=self.coef,
            bias=self.bias,
            kernel=self.kernel.native(),
            centre=self.centre,
            precision=_core.Precision[self.precision],
            gammas=gammas,
        )

    def pool(self) -> tuple[Features, Index, NDArray[np.int32], Array]:
        """Return vectors, class_start, index and gammas with each vector repeated for every gamma that it is used with.

        If all machines use one gamma, the vectors are those of the bank, and gammas is a single number.
        """
        gammas = self.gammas
        if gammas is None:
            return self.vectors, self.class_start, self.index, np.array(self.kernel.gamma)
        if gammas.shape != (self.n_machines,) or self.vectors is None:
            raise ValueError("gammas of a bank must be one number per machine of an rbf kernel")
        distinct, rank = np.unique(gammas, return_inverse=True)
        used = self.index.astype(np.int64) * len(distinct) + np.repeat(rank, np.diff(self.begin))
        entry, index = np.unique(used, return_inverse=True)  # by vector, then by gamma: lists stay ascending
        vector, rank = np.divmod(entry, len(distinct))
        class_start = np.searchsorted(vector, self.class_start).astype(np.int64)
        return select_vectors(self.vectors, vector), class_start, index.astype(np.int32), distinct[rank]


def _finite(values: Array) -> bool:
    # The core reads nothing but float64 here; NumPy's way takes longer.
    return _core.finite_samples(values[None], 1) or bool(np.isfinite(values).all())


def select_vectors(X: Features, index: Index) -> Features:
    """Select rows of the training data, in the layout that the core reads."""
    if not isinstance(X, np.ndarray):  # sparse, or rows on other machines, which may be sparse, too
        rows = X[index]
        if not sp.issparse(rows):
            return np.ascontiguousarray(rows)
        rows.sort_indices()
        return rows
    return X.take(index, axis=0)
