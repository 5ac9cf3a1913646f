"""The three data sets, prepared as the paper says, and in the other ways that the checks try."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagmar.base.typing import Array, Index

from ...data import EDGE, DataSet, Split, blurred
from ..study import Lab

CONTINUOUS = 10  # of Covertype's features; then come 4 indicators of the wilderness and 40 of the soil
WILDERNESS = slice(CONTINUOUS, CONTINUOUS + 4)
QUICK_ROWS = {"usps": (1500, 1000), "letter": (4000, 1000), "covertype": (2800, 8000)}


@dataclass(frozen=True, eq=False)
class Prepared(Split):
    """A split, ready to train on.

    Attributes
    ----------
    sparse : bool
        Whether the paper stores its vectors sparse, so that only nonzero values count.
    """

    sparse: bool = False

    def some(self, lab: Lab, name: str, n_train: int | None, n_test: int | None) -> Prepared:
        """At most `n_train` and `n_test` rows of the parts, drawn at random; rows keep their order."""
        train, test = _draw(lab, name, "train", self.y, n_train), _draw(lab, name, "test", self.y_test, n_test)
        return Prepared(self.X[train], self.y[train], self.X_test[test], self.y_test[test], self.sparse)

    def mapped(self, prepare: Callable[[Array], Array]) -> Prepared:
        """The same rows with other features."""
        return replace(self, X=prepare(self.X), X_test=prepare(self.X_test))


def _draw(lab: Lab, name: str, part: str, y: Index, n: int | None) -> Index | slice:
    if n is None or n >= len(y):
        return slice(None)
    return np.sort(lab.rng("platt1999", name, part).permutation(len(y))[:n])


def prepared(
    lab: Lab, data: str, test_rows: int | None = None, redrawn: int = 0, part: str = "test", **reading: Any
) -> Prepared:
    """A data set, ready to train on.

    Parameters
    ----------
    lab : Lab
    data : {"usps", "letter", "covertype"}
    test_rows : int, optional
        Test on this many rows drawn at random, for checks that need no more; all by default.
    redrawn : int
        If not 0, the number of a draw of as many training rows of every class from all rows; the others are for the test.
    part : {"test", "val"}
        What to test with.
    **reading : Any
        Another reading of the paper: see `usps` and `covertype`.

    Returns
    -------
    Prepared
        In a quick run, a part of the rows.
    """
    stored = lab.data.load(data)
    whole = Prepared(*stored["train"], *stored[part])
    if redrawn:
        X, y = stored.rows
        mine = _balanced(lab.rng("platt1999", "redrawn", redrawn), y, np.bincount(whole.y))
        whole = Prepared(X[mine], y[mine], X[~mine], y[~mine])
    quick_train, quick_test = QUICK_ROWS[data] if lab.quick else (None, None)
    n_test = min([n for n in (test_rows, quick_test) if n is not None], default=None)
    rows = whole.some(lab, data, quick_train, n_test)
    if data == "covertype":
        return covertype(rows, stored, **reading)
    return {"usps": usps, "letter": letter}[data](rows, **reading)


def usps(rows: Prepared, smoothing: float = 0.0, edge: str = EDGE) -> Prepared:
    """Images with values in [-1, 1], blurred by a Gaussian of `smoothing` pixels, see `data.blurred`."""
    return rows.mapped(lambda X: blurred(X, smoothing, edge)) if smoothing else rows


def letter(rows: Prepared) -> Prepared:
    """Whole numbers from 0 to 15, brought to [-1, 1]."""
    return rows.mapped(lambda X: X / 7.5 - 1)


def covertype(
    rows: Prepared, stored: DataSet, all_rows: bool = False, indicators: float = 1.0, wilderness: bool = True
) -> Prepared:
    """Continuous features at mean 0 and variance 1, indicators as they are.

    Parameters
    ----------
    rows : Prepared
    stored : DataSet
        Of all rows.
    all_rows : bool
        Mean and variance over training, validation and test rows, instead of the training rows.
    indicators : float
        The value of an indicator that is set.
    wilderness : bool
        Whether its four indicators are there.
    """
    base = stored.rows[0] if all_rows else rows.X
    mean, deviation = base[:, :CONTINUOUS].mean(axis=0), base[:, :CONTINUOUS].std(axis=0)

    def prepare(X: Array) -> Array:
        X = X.copy()
        X[:, :CONTINUOUS] = (X[:, :CONTINUOUS] - mean) / deviation
        X[:, CONTINUOUS:] *= indicators
        return X if wilderness else np.delete(X, WILDERNESS, axis=1)

    return replace(rows.mapped(prepare), sparse=True)


def _balanced(rng: np.random.Generator, y: Index, counts: Index) -> NDArray[np.bool_]:
    """A mask with `counts[c]` samples of each class c, drawn at random."""
    mine = np.zeros(len(y), dtype=bool)
    for c, n in enumerate(counts):
        mine[rng.choice(np.flatnonzero(y == c), n, replace=False)] = True
    return mine
