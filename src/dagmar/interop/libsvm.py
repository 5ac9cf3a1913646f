"""From LIBSVM: a model file becomes a fitted `dagmar.SVC`."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from ..base.typing import Features, Index, Labels
from ..estimators.svc import SVC
from ..problem.kernels import Kernel
from ..problem.making import Learned
from ..problem.validation import Columns, check_training_data
from ..structures import Structure
from .foreign_pairs import ForeignPairs, adopt, consult, in_form_of
from .libsvm_format import ModelFile, read_model_file

_NO_C = (
    "they cannot be trained like those it has: a LIBSVM model file does not say with which C or nu that was. "
    "Train a dagmar.SVC, or choose a structure over pairs."
)
_EIGHT_DIGITS = 1e-7  # LIBSVM writes so many of a feature


def from_libsvm(
    path: str | os.PathLike[str],
    structure: str | Structure = "ddag",
    n_features: int | None = None,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    n_jobs: int | None = None,
    precision: str = "auto",
) -> SVC:
    """A fitted `SVC` with the machines of a LIBSVM model file.

    Parameters
    ----------
    path : str or path-like
        A file as `svm-train` and `svm_save_model` write it, of type c_svc or nu_svc, with any of LIBSVM's kernels.
    structure : str or Structure, default="ddag"
        How the machines are consulted; "max_wins" gives the very labels of LIBSVM, others nearly always.
    n_features : int, optional
        Number of features; for a precomputed kernel, of training samples. By default those of X, else the largest index
        in the file, beyond which all support vectors are zero.
    X, y : array-like, optional
        The training data, for structures that look at it ("divide_and_conquer", "fisher_tree", "centered_tree",
        "adaptive_ddag"). The support vectors are then found in it, and taken from it with all their digits.
    n_jobs : int or None, default=None
        Threads, -1 for all.
    precision : {"auto", "single", "double"}, default="auto"
        Of kernel values; "auto" is single where an error estimate says it is safe, and the model is large enough to gain by
        it. Labels are those of double precision in any case.

    Returns
    -------
    SVC
        With ``classes_`` in the order of the file, which need not be sorted: pairs and signs go by that order. Support
        vectors are a CSR matrix if less than a quarter of their features are set, else an array; then samples are to be
        given as an array too. The file tells neither C nor tol, which are left at their defaults, nor what fitting cost
        (``report_`` holds NaN and 0), nor, without X and y, the places of the support vectors (``support_`` holds -1).

    Raises
    ------
    ValueError
        If the file cannot be used; the message names the file, the line and what is wrong.
    MissingDataError, MissingMachinesError
        If the structure needs X and y, or machines other than pairs, which cannot be trained for want of C.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import dagmar
    >>> text = '''svm_type c_svc
    ... kernel_type linear
    ... nr_class 2
    ... total_sv 2
    ... rho 0
    ... label 7 3
    ... nr_sv 1 1
    ... SV
    ... 0.5 1:1
    ... -0.5 1:-1
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "two.model"
    ...     _ = path.write_text(text)
    ...     clf = dagmar.from_libsvm(path)
    >>> clf.predict([[2.0], [-0.1]])
    array([7, 3])
    """
    if (X is None) != (y is None):
        raise ValueError("X and y go together: give both or neither")
    file = read_model_file(path)
    parameters: dict[str, Any] = {"kernel": file.kernel, **file.numbers, "n_jobs": n_jobs, "precision": precision}
    data: Features = None
    if X is not None:
        data, y, _ = check_training_data("SVC", file.kernel, X, y)
    n_features = _n_features(file, n_features, data, path)
    pairs = _pairs(file, n_features)
    n_samples = n_features if pairs.vectors is None else len(pairs.support)
    if data is not None and pairs.vectors is not None:
        data = in_form_of(pairs.vectors, data)
        pairs, n_samples = _located(pairs, file.labels, data, np.asarray(y)), data.shape[0]
    learned = Learned(
        file.labels.copy(), np.ones(len(file.labels)), (n_samples, n_features), Columns("SVC", n_features)
    )
    model = adopt(parameters, pairs, learned, cannot_train=_NO_C)
    return consult(model, structure, data, y)


def _n_features(file: ModelFile, n_features: int | None, X: Features, path: str | os.PathLike[str]) -> int:
    least = file.least_features
    if X is not None:
        if n_features not in (None, X.shape[1]):
            raise ValueError(f"n_features is {n_features}, but X has {X.shape[1]} features")
        n_features = int(X.shape[1])
    if n_features is None:
        return least
    if n_features < least:
        what = "training samples" if file.kernel == "precomputed" else "features"
        raise ValueError(f"{os.fspath(path)} needs {least} {what} or more, not {n_features}")
    return int(n_features)


def _pairs(file: ModelFile, n_features: int) -> ForeignPairs:
    precomputed = file.kernel == "precomputed"
    n_vectors = len(file.begin) - 1
    return ForeignPairs(
        class_start=np.concatenate([[0], np.cumsum(file.n_support)]).astype(np.int64),
        dual_coef=file.dual_coef,
        intercept=-file.rho,
        vectors=None if precomputed else file.vectors(n_features),
        support=file.value.astype(np.int64) - 1 if precomputed else np.full(n_vectors, -1, dtype=np.int64),
        kernel=Kernel(file.kernel, **file.numbers),
    )


def _located(pairs: ForeignPairs, labels: Labels, X: Features, y: Labels) -> ForeignPairs:
    """The same machines over the rows of X that their vectors were written from."""
    support = np.zeros(len(pairs.support), dtype=np.int64)
    for c, label in enumerate(labels):
        here = slice(pairs.class_start[c], pairs.class_start[c + 1])
        rows = np.flatnonzero(y == label)
        if here.stop > here.start:
            support[here] = rows[_places(pairs.vectors[here], X[rows], label)]
    return replace(pairs, vectors=X[support], support=support)


def _places(vectors: Features, rows: Features, label: Any) -> Index:
    """The row that each vector is, up to the digits written; of equal rows, each is taken once, first come first."""
    from sklearn.metrics import pairwise_distances_argmin  # slow to load, and seldom needed

    nearest = pairwise_distances_argmin(vectors, rows) if rows.shape[0] else np.zeros(vectors.shape[0], dtype=np.int64)
    same = _same(vectors, rows[nearest]) if rows.shape[0] else np.zeros(vectors.shape[0], dtype=bool)
    if not same.all():
        raise ValueError(
            f"X is not the data of this model: of class {label} it lacks support vector {same.argmin() + 1}"
        )
    places = nearest.astype(np.int64)
    taken: set[int] = set()
    for v, place in enumerate(nearest.tolist()):
        if place in taken:
            equal = np.flatnonzero(_same(rows, vectors[[v] * rows.shape[0]])).tolist()
            left = [q for q in equal if q not in taken]
            if not left:
                raise ValueError(f"X is not the data of this model: of class {label} it lacks support vector {v + 1}")
            places[v] = place = left[0]
        taken.add(place)
    return places


def _same(a: Features, b: Features) -> NDArray[np.bool_]:
    """Which rows of two matrices of equal shape agree in all the digits that LIBSVM writes."""
    beyond = abs(a - b) - _EIGHT_DIGITS * abs(b)
    largest = beyond.max(axis=1)
    same: NDArray[np.bool_] = np.asarray(largest.toarray() if sp.issparse(largest) else largest).ravel() <= 0
    return same
