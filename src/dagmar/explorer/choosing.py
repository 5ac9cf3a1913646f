"""Which samples a page shows, if there are too many for all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..base.typing import Index


def choose_rows(classes: Index, wrong: NDArray[np.bool_], most: int, seed: int) -> Index:
    """Choose samples: all errors if they fill at most half of the places, and the same share of every class.

    Parameters
    ----------
    classes : ndarray of shape (n_samples,), int
        The true class of each sample, or the predicted one where no truth is known.
    wrong : ndarray of shape (n_samples,), bool
        Which samples are misclassified.
    most : int
        The largest number of samples to choose.
    seed : int

    Returns
    -------
    ndarray of int64
        Places of the chosen samples, ascending; all of them if there are at most `most`.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.explorer.choosing import choose_rows
    >>> choose_rows(np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.arange(8) == 2, 4, seed=0).tolist()
    [0, 2, 5, 7]
    """
    n = len(classes)
    if n <= most:
        return np.arange(n, dtype=np.int64)
    rng = np.random.default_rng(seed)
    errors, right = np.flatnonzero(wrong), np.flatnonzero(~wrong)
    places_for_errors = min(len(errors), max(most // 2, most - len(right)))
    some_errors = _same_share(errors, classes, places_for_errors, rng)
    some_right = _same_share(right, classes, most - len(some_errors), rng)
    return np.sort(np.concatenate([some_errors, some_right]))


def _same_share(rows: Index, classes: Index, most: int, rng: np.random.Generator) -> Index:
    """Choose `most` of the rows, from each class about the same share."""
    shuffled = rng.permutation(rows)
    if len(rows) <= most:
        return shuffled
    by_class = shuffled[np.argsort(classes[shuffled], kind="stable")]
    # Evenly spaced places in the list that is sorted by class.
    chosen: Index = by_class[((2 * np.arange(most) + 1) * len(rows)) // (2 * max(most, 1))]
    return chosen
