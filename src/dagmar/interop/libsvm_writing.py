"""From a fitted `dagmar.SVC` to a LIBSVM model file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator

import numpy as np
import scipy.sparse as sp

from ..base.typing import Index
from ..base.writing import write_whole
from ..estimators.svc import SVC
from ..tuning.svccv import SVCCV
from .foreign_pairs import ForeignPairs
from .libsvm_format import KERNELS
from .libsvm_labels import labels_path, libsvm_labels, write_labels
from .outgoing import pairs_of, steps_of


def to_libsvm(model: SVC | SVCCV, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a LIBSVM model file, which `svm-predict` and `from_libsvm` read.

    All numbers have 17 digits, so none is changed. The file is written aside and renamed: an older one is replaced as a whole.

    Parameters
    ----------
    model : SVC or SVCCV
        A fitted model with structure "max_wins" or "and_gate" (with two classes, any structure over pairs), and any kernel but
        a callable. Of an `SVCCV`, the best estimator is used.
    path : str or path
        The file. LIBSVM's labels are whole numbers of 32 bits; if the labels of the model are not, they are numbered 0, 1, ...
        in the order of ``classes_``, a warning says so, and the labels go to ``<path>.labels.json``, where `from_libsvm` finds
        them.

    Raises
    ------
    TypeError
        If the model is not one of those above.
    ValueError
        If LIBSVM cannot give its labels: with other structures, a gamma for each pair, ``break_ties``, a callable kernel, or
        the transformers of a pipeline.
    OSError
        If the file cannot be written. An older file of that name is then unchanged.

    See Also
    --------
    from_libsvm : Read the file.

    Examples
    --------
    >>> import dagmar, pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.model"
    >>> dagmar.to_libsvm(dagmar.SVC(C=10, structure="max_wins").fit(X, y), path)
    >>> path.read_text().splitlines()[:2]
    ['svm_type c_svc', 'kernel_type rbf']
    >>> dagmar.from_libsvm(path).predict(X[:1])
    array([0])
    """
    *transformers, (_, svc) = steps_of(model)
    if transformers:
        raise ValueError(
            "a LIBSVM model file has no transformers, so a Pipeline cannot be written: export its last step, and transform the "
            "samples before they are passed to LIBSVM"
        )
    fitted = svc._asked()
    if fitted.learned.function is not None:
        raise ValueError("a function cannot be written to a LIBSVM model file; use kernel='precomputed'")
    if svc._breaks_ties(fitted):
        raise ValueError("LIBSVM gives ties to the earlier class: export a model with break_ties=False")
    pairs = pairs_of(svc, "a LIBSVM model file")
    labels = libsvm_labels(fitted.classes)
    numbers = np.arange(fitted.n_classes) if labels is None else labels
    content = "".join(_lines(pairs, numbers)).encode("ascii")
    beside = labels_path(path)
    if labels is None:
        write_labels(path, fitted.classes, content)  # first, so that no model is without its labels
    write_whole(path, content)
    if labels is not None:
        beside.unlink(missing_ok=True)  # of an older model
        return
    warnings.warn(
        f"LIBSVM's labels are whole numbers, so labels were numbered from 0 in the order of classes_; {beside} has the labels",
        UserWarning,
        stacklevel=2,
    )


def _lines(pairs: ForeignPairs, labels: Index) -> Iterator[str]:
    """Yield the lines of the file."""
    kernel = pairs.kernel
    name, parameters = next((theirs, needed) for theirs, (ours, needed) in KERNELS.items() if ours == kernel.name)
    sizes = np.diff(pairs.class_start)
    yield f"svm_type c_svc\nkernel_type {name}\n"
    for parameter in parameters:
        yield f"{parameter} {_number(getattr(kernel, parameter))}\n"
    yield f"nr_class {pairs.n_classes}\ntotal_sv {len(pairs.support)}\n"
    yield f"rho {_numbers(-pairs.intercept)}\n"
    yield f"label {_numbers(labels)}\n"
    if pairs.probA is not None and pairs.probB is not None:
        yield f"probA {_numbers(pairs.probA)}\nprobB {_numbers(pairs.probB)}\n"
    yield f"nr_sv {_numbers(sizes)}\nSV\n"
    for coef, features in zip(pairs.dual_coef.T, _features(pairs), strict=True):
        yield f"{_numbers(coef)} {features}\n"


def _features(pairs: ForeignPairs) -> Iterator[str]:
    """Yield the features of each vector that are not zero; with a precomputed kernel, its number in the training data."""
    if pairs.vectors is None:
        yield from (f"0:{place + 1} " for place in pairs.support.tolist())
        return
    rows = sp.csr_matrix(pairs.vectors)
    for v in range(rows.shape[0]):
        here = slice(rows.indptr[v], rows.indptr[v + 1])
        there = zip(rows.indices[here].tolist(), rows.data[here].tolist(), strict=True)
        yield "".join(f"{i + 1}:{_number(x)} " for i, x in there)


def _numbers(values: Iterable[float]) -> str:
    return " ".join(_number(value) for value in np.asarray(values).tolist())


def _number(value: float) -> str:
    """Return a number with as many digits as it needs to be read back unchanged, at most 17."""
    return f"{value:.17g}"
