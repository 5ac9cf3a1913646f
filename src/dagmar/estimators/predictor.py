"""Predictions for serving: from NumPy rows to labels, with nothing between the caller and the core."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.typing import Labels
from ..machines.bank import Bank
from ..problem.kernels import refuse_negative
from ..problem.samples import as_data
from .model import Model


class Predictor:
    """A function from samples to labels, without checks and copies. `SVC.predictor` makes one.

    Its labels are those of `predict`. It never changes, so many threads can call it at the same time; the interpreter lock is
    released while the core works. It can be pickled and copied.

    Parameters
    ----------
    model : Model
        Kernel machines.
    n_jobs : int or None, default=None
        Number of threads for many samples, as for `SVC`. A single sample is decided by the calling thread.
    break_ties : bool, default=False
        Whether the answer is the class with the highest decision value, as for `SVC`.

    Notes
    -----
    Wrong input is refused by the core, which knows only arrays:

    - TypeError for what is not a C-contiguous NumPy array of float64 or float32 in native byte order (lists, data frames,
      integers, transposed or strided arrays, other numbers of dimensions). Nothing is converted.
    - ValueError for another number of features, and for values from which no decision can be computed: NaN, or numbers so
      large that kernel values overflow. Also for negative values, if the kernel is not defined for them.

    Column names are not looked at, and neither an infinite value, if all decisions can be computed from it, nor a negative
    value with kernel="tanimoto" is refused. For a model that was trained on sparse rows, samples are CSR matrices of float64
    with sorted int32 indices. A callable kernel gets its samples as they are, and its values are checked.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> predict = dagmar.SVC().fit(X, y).predictor()
    >>> int(predict(X[0])), predict(X[:2])
    (0, array([0, 0]))
    """

    __slots__ = ("_bank", "_break_ties", "_classes", "_decide", "_function", "_kernel", "_model", "_n_jobs", "_plan")

    def __init__(self, model: Model, n_jobs: int | None = None, break_ties: bool = False) -> None:
        self._model = model
        self._n_jobs = n_jobs
        self._break_ties = break_ties
        # What a call needs is looked up once, and what the first prediction would make is made now.
        self._bank = bank = model.bank_as(Bank)
        bank.native.prepare(1)
        self._decide = bank.native.decide
        self._kernel = bank.kernel.name
        self._function = model.learned.function
        self._plan = model.plan.native
        self._classes = model.labels(np.arange(model.n_classes))

    def __reduce__(self) -> tuple[type[Predictor], tuple[Model, int | None, bool]]:
        return Predictor, (self._model, self._n_jobs, self._break_ties)

    def __repr__(self) -> str:
        return f"Predictor({len(self._classes)} classes, {self._model.structure!r})"

    def __call__(self, X: Any) -> Labels:
        """Return the label of one sample, or an array of the labels of many.

        Parameters
        ----------
        X : ndarray of shape (n_features,) or (n_samples, n_features)
            Samples, C-contiguous, float64 or float32. For a precomputed kernel, kernel values against the training samples.
            For a callable kernel, samples of any kind that it takes.

        Returns
        -------
        label, or ndarray of shape (n_samples,)
        """
        if self._function is not None:
            samples = self._function.one(X)
            alone, X = samples is not X, self._function.rows(samples, self._bank.asked_of_function)
            rows = X
        elif type(X) is not np.ndarray and not sp.issparse(X):
            raise _wrong(X)
        else:
            alone = X.ndim == 1
            rows = X[np.newaxis] if alone else X
        try:
            data = as_data(rows)
        except TypeError:
            raise _wrong(X) from None
        refuse_negative(self._kernel, rows)
        if self._break_ties:
            index = self._model.decide(rows, self._n_jobs, True)
        else:
            index = answers = np.empty(rows.shape[0], np.int64)
            self._decide(data, self._plan, answers, 1 if alone else self._bank.threads(rows, self._n_jobs))
        labels: Labels = self._classes[index[0] if alone else index]
        return labels


def _wrong(X: Any) -> TypeError:
    """Return the error for samples that the core cannot read as they are."""
    got = type(X).__name__
    if isinstance(X, np.ndarray):
        order = "" if X.flags.c_contiguous else ", not C-contiguous"
        got = f"{got} of {X.dtype} of shape {X.shape}{order}"
    return TypeError(
        "a predictor takes a C-contiguous NumPy array of float64 or float32, of shape (n_features,) or "
        f"(n_samples, n_features), and does not convert; got {got}"
    )
