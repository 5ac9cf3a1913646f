"""From a LIBSVM model file to a fitted `dagmar.SVC`."""

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
from .libsvm_labels import read_labels

_NO_C = (
    "they cannot be trained: a LIBSVM model file does not say with which C or nu its machines were trained. "
    "Train a dagmar.SVC, or choose a structure that needs only pairs."
)
_EIGHT_DIGITS = 1e-7  # relative rounding of a feature, which LIBSVM writes with eight digits


def from_libsvm(
    path: str | os.PathLike[str],
    structure: str | Structure = "max_wins",
    n_features: int | None = None,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    n_jobs: int | None = None,
    precision: str = "auto",
) -> SVC:
    """Make a fitted `SVC` from a LIBSVM model file, without training.

    Parameters
    ----------
    path : str or path-like
        A file written by `svm-train`, `svm_save_model` or `to_libsvm`, of type c_svc or nu_svc, with any kernel of LIBSVM. If
        `to_libsvm` wrote a file of labels beside it, the classes have those labels.
    structure : str or Structure, default="max_wins"
        How the machines are consulted. "max_wins" gives the labels of LIBSVM; other structures differ on a few samples.
    n_features : int, optional
        Number of features; for a precomputed kernel, number of training samples. By default that of X; without X, the
        largest index in the file: after it, all support vectors are zero.
    X, y : array-like, optional
        The training data, for structures that use it ("divide_and_conquer", "fisher_tree", "centered_tree",
        "adaptive_ddag"). The support vectors are then replaced by the rows of X that they come from, in full precision.
    n_jobs : int or None, default=None
        Number of threads, -1 for all cores.
    precision : {"auto", "single", "double"}, default="auto"
        Precision of kernel values. "auto" uses single if an error estimate says that it is safe and the model is large enough
        to save time. Labels are always those of double precision.

    Returns
    -------
    SVC
        The fitted classifier. ``classes_`` has the labels in the order of the file, which may be unsorted; pairs and signs
        follow this order. The support vectors are a CSR matrix if less than a quarter of their features are set, otherwise
        an array; in that case samples must be arrays as well. It has `predict_proba` if the model was trained with probability
        estimates (``-b 1``). The file does not have everything: C and tol keep their
        defaults, ``report_`` has None and 0 as costs, and without X and y ``support_`` has -1 (except with a precomputed
        kernel).

    Raises
    ------
    ValueError
        If the file cannot be used; the message names the file, the line and what is wrong.
    MissingDataError, MissingMachinesError
        If the structure needs X and y, or machines other than pairs, which cannot be trained because C is not known.

    See Also
    --------
    to_libsvm : Writes such a file.
    from_sklearn : From a fitted model of scikit-learn.

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
    beside = read_labels(path, len(file.labels))
    labels: Labels = file.labels if beside is None else beside
    parameters: dict[str, Any] = {"kernel": file.kernel, **file.numbers, "n_jobs": n_jobs, "precision": precision}
    data: Features = None
    if X is not None:
        data, (known, samples), _ = check_training_data("SVC", file.kernel, X, y)
        y = known[samples.class_index]
    n_features = _n_features(file, n_features, data, path)
    pairs = _pairs(file, n_features)
    n_samples = n_features if pairs.vectors is None else len(pairs.support)
    if data is not None and pairs.vectors is not None:
        data = in_form_of(pairs.vectors, data)
        pairs, n_samples = _located(pairs, labels, data, np.asarray(y)), data.shape[0]
    learned = Learned(labels.copy(), np.ones(len(labels)), (n_samples, n_features), Columns("SVC", n_features))
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
        probA=file.probA,
        probB=file.probB,
    )


def _located(pairs: ForeignPairs, labels: Labels, X: Features, y: Labels) -> ForeignPairs:
    """Return the same machines with the rows of X that their vectors come from."""
    support = np.zeros(len(pairs.support), dtype=np.int64)
    for c, label in enumerate(labels):
        here = slice(pairs.class_start[c], pairs.class_start[c + 1])
        rows = np.flatnonzero(y == label)
        if here.stop > here.start:
            support[here] = rows[_places(pairs.vectors[here], X[rows], label)]
    return replace(pairs, vectors=X[support], support=support)


def _places(vectors: Features, rows: Features, label: Any) -> Index:
    """Return the row that equals each vector in the digits written. Equal rows are used once each, in their order."""
    from sklearn.metrics import pairwise_distances_argmin  # slow to import, and rarely needed

    nearest = pairwise_distances_argmin(vectors, rows) if rows.shape[0] else np.zeros(vectors.shape[0], dtype=np.int64)
    same = _same(vectors, rows[nearest]) if rows.shape[0] else np.zeros(vectors.shape[0], dtype=bool)
    if not same.all():
        raise ValueError(
            f"X is not the data of this model: support vector {same.argmin() + 1} of class {label} is not in it"
        )
    places = nearest.astype(np.int64)
    taken: set[int] = set()
    for v, place in enumerate(nearest.tolist()):
        if place in taken:
            equal = np.flatnonzero(_same(rows, vectors[[v] * rows.shape[0]])).tolist()
            left = [q for q in equal if q not in taken]
            if not left:
                raise ValueError(
                    f"X is not the data of this model: support vector {v + 1} of class {label} is not in it"
                )
            places[v] = place = left[0]
        taken.add(place)
    return places


def _same(a: Features, b: Features) -> NDArray[np.bool_]:
    """Return which rows of two matrices of equal shape agree in the digits that LIBSVM writes."""
    beyond = abs(a - b) - _EIGHT_DIGITS * abs(b)
    largest = beyond.max(axis=1)
    same: NDArray[np.bool_] = np.asarray(largest.toarray() if sp.issparse(largest) else largest).ravel() <= 0
    return same
