"""The file of labels beside a LIBSVM model file, for labels that LIBSVM cannot write.

LIBSVM's labels are whole numbers. For other labels the model file has their numbers 0, 1, ..., and a JSON file beside it has
the labels in the order of the numbers. It also has a digest of the model file, because labels of another model would be wrong.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ..base.typing import Index, Labels
from ..base.writing import write_whole

KINDS = {str: np.str_, bool: np.bool_, int: np.int64, float: np.float64}
LARGEST_INT = 2**31 - 1


def labels_path(path: str | os.PathLike[str]) -> Path:
    """Return the name of the file of labels.

    Examples
    --------
    >>> from dagmar.interop.libsvm_labels import labels_path
    >>> labels_path("iris.model").name
    'iris.model.labels.json'
    """
    model = Path(path)
    return model.with_name(f"{model.name}.labels.json")


def libsvm_labels(labels: Labels) -> Index | None:
    """Return the labels as LIBSVM can write them; None if they are not whole numbers of 32 bits.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.interop.libsvm_labels import libsvm_labels
    >>> libsvm_labels(np.array([-1.0, 1.0])), libsvm_labels(np.array(["a", "b"]))
    (array([-1,  1]), None)
    """
    if labels.dtype.kind not in "iuf":
        return None
    if not all(abs(label) <= LARGEST_INT and label == int(label) for label in labels.tolist()):
        return None
    return labels.astype(np.int64)


def write_labels(path: str | os.PathLike[str], labels: Labels, model: bytes) -> None:
    """Write the labels of a model beside it.

    Parameters
    ----------
    path : str or path
        The model file.
    labels : ndarray of shape (n_classes,)
    model : bytes
        The content of the model file.

    Raises
    ------
    ValueError
        If labels are not str, int, float or bool.
    """
    plain = labels.tolist()
    if type(plain[0]) not in KINDS or any(type(label) is not type(plain[0]) for label in plain):
        names = ", ".join(sorted({type(label).__name__ for label in plain}))
        raise ValueError(f"labels of type {names} cannot be written beside a LIBSVM model; use str, int, float or bool")
    said = {"labels": plain, "model_sha256": hashlib.sha256(model).hexdigest()}
    write_whole(labels_path(path), (json.dumps(said, indent=1) + "\n").encode())


def read_labels(path: str | os.PathLike[str], n_classes: int) -> Labels | None:
    """Read the labels beside a model file.

    Parameters
    ----------
    path : str or path
        The model file.
    n_classes : int

    Returns
    -------
    ndarray of shape (n_classes,) or None
        None if there is no file of labels, or if it belongs to another model; then a warning says so.

    Raises
    ------
    ValueError
        If the file is damaged.
    """
    beside = labels_path(path)
    try:
        said = json.loads(beside.read_bytes())
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{beside}: it is not a file of labels: {error}") from error
    labels: Any = said.get("labels") if isinstance(said, dict) else None
    if not isinstance(labels, list):
        raise ValueError(f"{beside}: it must have a list 'labels'")
    if said.get("model_sha256") != hashlib.sha256(Path(path).read_bytes()).hexdigest():
        warnings.warn(
            f"{beside} belongs to another model file and is not used; labels are the numbers in {os.fspath(path)}",
            UserWarning,
            stacklevel=3,
        )
        return None
    kind = type(labels[0]) if labels else None
    if len(labels) != n_classes or kind not in KINDS or any(type(label) is not kind for label in labels):
        raise ValueError(f"{beside}: 'labels' must be {n_classes} of one type: str, int, float or bool")
    if len(set(labels)) < n_classes:
        raise ValueError(f"{beside}: a label is given twice")
    try:
        return np.array(labels, dtype=KINDS[kind])
    except OverflowError as error:
        raise ValueError(f"{beside}: {error}") from error
