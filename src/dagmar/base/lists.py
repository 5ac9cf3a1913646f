"""Lists of different lengths in one array: list m has the entries ``begin[m]:begin[m+1]``, like row m of a CSR matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .typing import Index


def begin_of(sizes: ArrayLike) -> Index:
    """Return where each list begins, from the lengths of the lists; the last entry is the total. Shape (n_lists + 1,).

    Examples
    --------
    >>> from dagmar.base.lists import begin_of
    >>> begin_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    begin: Index = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
    return begin


def select_lists(begin: Index, chosen: Index) -> tuple[Index, Index]:
    """Select some of the lists, in the given order.

    Parameters
    ----------
    begin : ndarray of shape (n_lists + 1,), int64
    chosen : ndarray of shape (n,), int

    Returns
    -------
    begin : ndarray of shape (n + 1,), int64
        Where the chosen lists begin.
    entries : ndarray of int64
        The indices of their entries in the array of all lists.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.base.lists import select_lists
    >>> [part.tolist() for part in select_lists(np.array([0, 2, 2, 5]), np.array([2, 0]))]
    [[0, 3, 5], [2, 3, 4, 0, 1]]
    """
    sizes = np.diff(begin)[chosen]
    begins = begin_of(sizes)
    entries: Index = np.arange(begins[-1]) + np.repeat(begin[chosen] - begins[:-1], sizes)
    return begins, entries


def join_begins(begins: Sequence[Index]) -> Index:
    """Return where each list begins after several arrays of lists have been concatenated."""
    return begin_of(np.concatenate([np.diff(begin) for begin in begins]))
