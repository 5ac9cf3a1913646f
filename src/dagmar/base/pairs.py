"""The order of pairs of classes, used everywhere: (0, 1), (0, 2), ..., (1, 2), ..."""

from __future__ import annotations

import numpy as np

from .frozen import freeze
from .kept import kept_for_few_classes
from .typing import Index


def n_pairs(n_classes: int) -> int:
    """Return the number of pairs of `n_classes` classes.

    Examples
    --------
    >>> from dagmar.base.pairs import n_pairs
    >>> n_pairs(26)
    325
    """
    return n_classes * (n_classes - 1) // 2


@kept_for_few_classes
def pair_classes(n_classes: int) -> tuple[Index, Index]:
    """Return the earlier and the later class of every pair, in the order of the pairs; shape (n_pairs,) each, read-only.

    Examples
    --------
    >>> from dagmar.base.pairs import pair_classes
    >>> [c.tolist() for c in pair_classes(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    earlier, later = np.triu_indices(n_classes, k=1)
    return freeze(earlier), freeze(later)


@kept_for_few_classes
def pair_numbers(n_classes: int) -> Index:
    """Return a symmetric matrix with the number of every pair, and -1 on the diagonal.

    Its shape is (n_classes, n_classes); it is read-only.

    Examples
    --------
    >>> from dagmar.base.pairs import pair_numbers
    >>> pair_numbers(3).tolist()
    [[-1, 0, 1], [0, -1, 2], [1, 2, -1]]
    """
    i, j = pair_classes(n_classes)
    numbers = np.full((n_classes, n_classes), -1, dtype=np.int64)
    numbers[i, j] = numbers[j, i] = np.arange(len(i))
    return freeze(numbers)
