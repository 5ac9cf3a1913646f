"""The data of the paper, cut and scaled."""

from __future__ import annotations

import numpy as np

from dagmar.base.typing import Array, Index

from ...data import Split
from ..study import Lab

LETTER_CUT = 15000
# The largest value a feature may have in each set; 0 is the smallest. How the paper scales is not said.
LARGEST = {"letter": 15.0, "optdigits": 16.0, "pendigits": 100.0, "mnist7x7": 1.0}
QUICK_TRAIN, QUICK_TEST = 1000, 500


def some(lab: Lab, n: int, size: int, *words: object) -> Index:
    """So many of n rows, in their order, drawn for a purpose; all if there are no more."""
    if n <= size:
        return np.arange(n)
    return np.sort(lab.rng("wang2011", *words).choice(n, size, replace=False))


def samples(lab: Lab, data: str) -> Split:
    """A data set as the paper divides it; in a quick run, a part of it.

    The range a feature may have goes to [-1, 1], the same for all features of a set: they are pixels, coordinates, or marks
    of one scale, and so distances stay in proportion.

    Parameters
    ----------
    lab : Lab
    data : str

    Returns
    -------
    Split
        Features from -1 to 1.
    """
    loaded = lab.data.load(data)
    if data == "letter":
        X, y = loaded.rows
        parts = [(X[:LETTER_CUT], y[:LETTER_CUT]), (X[LETTER_CUT:], y[LETTER_CUT:])]
    else:
        parts = [loaded["train"], loaded["test"]]
    if lab.quick:
        rows = [some(lab, len(y), n, data, n) for (_, y), n in zip(parts, (QUICK_TRAIN, QUICK_TEST), strict=True)]
        parts = [(X[r], y[r]) for (X, y), r in zip(parts, rows, strict=True)]
    (X, y), (X_test, y_test) = parts
    return Split(scaled(X, data), y, scaled(X_test, data), y_test)


def scaled(X: Array, data: str) -> Array:
    """Features from -1 to 1."""
    out: Array = 2.0 * X / LARGEST[data] - 1.0
    return out
