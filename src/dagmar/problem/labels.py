"""The labels of y: their classes, numbered, and the name of y."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from sklearn.utils import column_or_1d

from .. import _core
from ..base.typing import Features, Index, Labels


def name_of(y: Any) -> str | None:
    """Return the name of y, if it is a Series of pandas or polars with a name that is a text.

    Examples
    --------
    >>> import pandas as pd
    >>> from dagmar.problem.labels import name_of
    >>> name_of(pd.Series([0, 1], name="species"))
    'species'
    """
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None


def number_classes(y: Labels, known: Labels | None = None) -> tuple[Labels, Index]:
    """Number the classes of y; return the labels and the class index of each sample.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
    known : ndarray of shape (n_classes,), optional
        Number the classes in this order, and raise ValueError unless y has exactly these labels. By default classes are
        numbered in the order of their sorted labels.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
    class_index : ndarray of shape (n_samples,), int64
    """
    found = sort_classes(y, known)
    return found.labels, found.samples.class_index


class SortedClasses(NamedTuple):
    """Samples sorted by class.

    Attributes
    ----------
    labels : ndarray of shape (n_classes,)
        The label of each class.
    samples : SortedLabels
        The `class_index` of each sample, the `order` of the samples by class, and the `class_start` of each class in it.
    """

    labels: Labels
    samples: _core.SortedLabels


def sort_classes(y: Labels, known: Labels | None = None) -> SortedClasses:
    """Number the classes of y as `number_classes` does, and sort the samples by class."""
    found = _core.sort_labels(np.ascontiguousarray(y, dtype=np.int64)) if y.dtype.kind == "i" else None
    if found is None:  # no integers, or a wide range of them
        labels, place = np.unique(y, return_inverse=True)
        found = _sort_index(place)
    else:
        labels = found.labels.astype(y.dtype)
    if known is not None:
        labels, found = known, _sort_index(_places(labels, known)[found.class_index])
    if len(labels) < 2:
        raise ValueError(f"The number of classes has to be greater than one; got {len(labels)} class")
    return SortedClasses(labels, found)


def _sort_index(class_index: Index) -> _core.SortedLabels:
    """Sort samples by class; every class occurs, so that the range is never too wide."""
    return cast(_core.SortedLabels, _core.sort_labels(class_index))


def check_class_index(classes: Labels, samples: Features, y: Any) -> Index:
    """Return the class index of each sample; raise ValueError unless y has exactly the labels `classes`, one per sample."""
    y = column_or_1d(y)
    if len(y) != samples.shape[0]:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[samples.shape[0], len(y)]}")
    return number_classes(y, classes)[1]


def _places(labels: Labels, classes: Labels) -> Index:
    """Return the place of each sorted label among the classes of a model; raise ValueError unless they are the same."""
    known = np.isin(labels, classes)
    if not known.all():
        raise ValueError(f"y has labels that this model does not know: {_first_few(labels[~known])}")
    present = np.isin(classes, labels)
    if not present.all():
        raise ValueError(f"y has no sample of these classes: {_first_few(classes[~present])}")
    return np.argsort(classes).astype(np.int64)


def _first_few(labels: Labels) -> str:
    return ", ".join(str(label) for label in labels[:10]) + (", ..." if len(labels) > 10 else "")
