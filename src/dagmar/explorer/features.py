"""The features that a page shows and moves: numbers of the user's samples, their names and ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.exceptions import InvalidParameterError
from ..base.fitted_steps import WeightedFeatures
from ..base.typing import Array, Features, Index
from .packing import packed

# float32 keeps about seven digits. If the values of a feature are further from 0 than this many times their range, the page
# stores their differences from the lowest.
FAR = 1024.0

# Feature weights that a page shows.
MOST_WEIGHTS = 20

# Numbers of features that are usually the pixels of a square grey image.
IMAGE_SIDES = {64: 8, 256: 16, 784: 28}


@dataclass(frozen=True, eq=False)
class Table:
    """Samples as numbers, with the names of their columns.

    Attributes
    ----------
    numbers : ndarray or CSR matrix of shape (n_samples, n_features)
    names : list of str or None
    """

    numbers: Features
    names: list[str] | None

    @classmethod
    def of(cls, X: Any) -> Table | None:
        """Read an array, sparse matrix or data frame; None if it is not a table of numbers."""
        if sp.issparse(X):
            return cls(X.tocsr(), None)
        columns = getattr(X, "column_names", getattr(X, "columns", None))  # a table of pyarrow, or a frame
        try:
            numbers = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError):
            return None
        if numbers.ndim != 2:
            return None
        names = [] if columns is None else list(columns)
        named = bool(names) and all(isinstance(name, str) for name in names)
        return cls(numbers, names if named else None)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.numbers.shape[1])

    def rows(self, chosen: Index) -> Array:
        """Return some samples as a dense array."""
        some = self.numbers[chosen]
        dense: Array = some.toarray() if sp.issparse(some) else some
        return dense

    def ranges(self) -> tuple[Array, Array]:
        """Return the lowest and the highest value of each feature; 0 and 0 if it has none."""
        if sp.issparse(self.numbers):
            ends = [getattr(self.numbers, end)(axis=0).toarray().ravel().astype(np.float64) for end in ("min", "max")]
        else:
            missing = np.isnan(self.numbers)
            ends = [
                np.where(missing, np.inf, self.numbers).min(axis=0),
                np.where(missing, -np.inf, self.numbers).max(axis=0),
            ]
        low, high = ends
        known = np.isfinite(low) & np.isfinite(high)
        return np.where(known, low, 0.0), np.where(known, high, 0.0)


def compact_features(table: Table, chosen: Index, names: list[str] | None, after: str | None) -> dict[str, Any]:
    """Return the features of the chosen samples for the page.

    Parameters
    ----------
    table : Table
        All samples, from which the ranges are taken.
    chosen : ndarray of int
        The samples that are shown.
    names : list of str or None
        Names of the features, if the table has none.
    after : str or None
        What the samples went through before, if these are not the user's own features.

    Returns
    -------
    dict
    """
    low, high = table.ranges()
    rows = table.rows(chosen)
    far = np.maximum(np.abs(low), np.abs(high)) > FAR * (high - low)
    offset = np.where(far, low, 0.0)
    with np.errstate(invalid="ignore"):
        whole = np.all((rows == np.trunc(rows)) | np.isnan(rows), axis=0)
    return {
        "names": table.names if table.names is not None else names,
        "after": after,
        "low": packed(low, "f8"),
        "high": packed(high, "f8"),
        "whole": packed(whole, "u1"),
        "offset": packed(offset, "f8"),
        "numbers": packed(rows - offset, "f4"),
    }


def compact_weights(found: WeightedFeatures | None) -> dict[str, Any] | None:
    """Return the largest feature weights for the page, the largest first; None if the model has none.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.base.fitted_steps import WeightedFeatures
    >>> from dagmar.explorer.features import compact_weights
    >>> compact_weights(WeightedFeatures(np.array([0.5, 1.5]), ["width", "height"]))
    {'total': 2, 'names': ['height', 'width'], 'numbers': [1.5, 0.5]}
    """
    if found is None:
        return None
    largest = found.largest(MOST_WEIGHTS).tolist()
    return {
        "total": len(found.names),
        "names": [found.names[k] for k in largest],
        "numbers": found.weights[largest].tolist(),
    }


def guess_image(n_features: int, names: list[str] | None) -> list[int] | None:
    """Return height and width if rows look like square grey images, else None.

    They have 64, 256 or 784 features, and names that are missing or end with a number, such as ``pixel_0_7``.

    Examples
    --------
    >>> from dagmar.explorer.features import guess_image
    >>> guess_image(784, None)
    [28, 28]
    >>> guess_image(60, None)
    """
    side = IMAGE_SIDES.get(n_features)
    if side is None or (names is not None and not all(name[-1:].isdigit() for name in names)):
        return None
    return [side, side]


def check_image(image: tuple[int, int] | None, n_features: int | None) -> list[int] | None:
    """Return height and width of the images that rows are; raise InvalidParameterError unless rows have as many numbers.

    Examples
    --------
    >>> from dagmar.explorer.features import check_image
    >>> check_image((8, 8), 64)
    [8, 8]
    """
    if image is None:
        return None
    try:
        height, width = (int(side) for side in image)
        whole = (height, width) == tuple(image) and min(height, width) > 0
    except (TypeError, ValueError):
        whole = False
    if not whole:
        raise InvalidParameterError(
            f"The 'image' parameter of explore must be 'auto', None or (height, width), two whole numbers. "
            f"Got {image!r} instead."
        )
    if height * width != n_features:
        found = "no features that can be shown" if n_features is None else f"{n_features} features"
        raise InvalidParameterError(
            f"The 'image' parameter of explore is {height} x {width}, {height * width} numbers, but rows have {found}."
        )
    return [height, width]
