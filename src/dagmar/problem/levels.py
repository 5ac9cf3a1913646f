"""Features that are multiples of one step, such as pixels, counts and indicators: the core multiplies them as integers."""

from __future__ import annotations

from functools import partial

import numpy as np

from .. import _core
from ..base.typing import Array, Features
from .kernels import Kernel
from .reductions import by_blocks, is_sparse, product_sum
from .samples import as_data

# Samples that tell of the others; how many features there must be, and products between all samples, for this to save more time
# than it takes.
SOME_ROWS, FEWEST_FEATURES, FEWEST_PRODUCTS = 64, 8, 2.0**27

# How far values may be from their levels: kernel values stay as precise as those of single precision.
PRECISE = 2.0**-21

# Numbers beyond this would leave the range of the arithmetic.
WIDEST = 1e150

# The squares of all levels of a sample must add up to less than this, so that distances are integers of 31 bits.
LARGEST_SQUARES = 2.0**30

# Features multiplied in the time of one in single precision: levels of one byte, and longer ones.
BYTES_FASTER, WORDS_FASTER = 3.8, 1.9

# What a nonzero costs, of a product, where zeros are skipped; what it costs to go through features without levels at all; and
# by which factor levels must be faster to be used.
NONZERO, SEPARATELY, WORTH = 1.5, 4.0, 1.25


def levels_of(X: Features, kernel: Kernel, centre: Array | None, n_threads: int = 1) -> Array | None:
    """Return which features of dense samples are multiples of one step, as the core takes it.

    Values in single precision depend on it in their last bits. So it is found once for all samples, and machines that are
    trained on some of them, elsewhere, have the same bits.

    Parameters
    ----------
    X : ndarray, CSR matrix or DistantRows of shape (n_samples, n_features)
    kernel : Kernel
    centre : ndarray of shape (n_features,) or None
        See `centre_of`.
    n_threads : int

    Returns
    -------
    ndarray of shape (3 * n_features,) or None
        Of each feature, where its level is 0 (its lowest value); levels per unit, 0 if it has none; its highest level, -1
        if it has none. None where this is of no use.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.kernels import Kernel
    >>> from dagmar.problem.levels import levels_of
    >>> X = np.random.default_rng(0).integers(0, 17, (3000, 64)) / 4.0
    >>> origin, per_unit, highest = levels_of(X, Kernel("rbf", 0.1), None).reshape(3, -1)
    >>> float(origin[0]), float(per_unit[0]), float(highest[0])
    (0.0, 4.0, 16.0)
    """
    n, d = X.shape
    if kernel.name != "rbf" or kernel.by_differences or is_sparse(X):
        return None
    if d < FEWEST_FEATURES or n * n * d < FEWEST_PRODUCTS:
        return None
    some = np.ascontiguousarray(X[:: n // SOME_ROWS + 1], dtype=np.float64)
    step = _core.common_step(some)
    if not step > 0:
        return None
    origin = some[0].copy()
    surveys = [survey.reshape(3, d) for survey in by_blocks(X, partial(_survey, origin, step, n_threads))]
    lowest, largest, off = surveys[0]
    for other in surveys[1:]:
        lowest, largest, off = np.minimum(lowest, other[0]), np.maximum(largest, other[1]), np.maximum(off, other[2])
    if not (largest - lowest).max() < WIDEST:
        return None
    highest = np.rint((largest - lowest) / step)
    # A value is at most so many steps from its level, and all features of a sample together are as precise as they must be.
    has_levels = off <= min(0.01, PRECISE / (step * np.sqrt(kernel.gamma * d)))
    if not product_sum(highest, highest * has_levels) < LARGEST_SQUARES:
        return None
    rest = ~has_levels
    faster = BYTES_FASTER if highest[has_levels].max(initial=0.0) <= 255 else WORDS_FASTER
    nonzero = some != lowest
    # Words of levels that are all 0 are skipped, too.
    words = np.add.reduceat(nonzero & has_levels, np.arange(0, d, 4 if faster == BYTES_FASTER else 2), axis=1)
    cost = np.count_nonzero(has_levels) / faster * min(1.0, NONZERO * np.count_nonzero(words) / words.size)
    cost += NONZERO * np.count_nonzero(nonzero & rest) / len(some) + (SEPARATELY if rest.any() else 0.0)
    nonzeros = np.count_nonzero(some if centre is None else some != centre) / some.size
    in_float = d * (NONZERO * nonzeros if nonzeros <= _core.FEW_NONZEROS else 1.0)
    if cost * WORTH > in_float:
        return None
    per_unit = np.where(has_levels & (highest > 0), 1.0 / step, 0.0)
    return np.concatenate([lowest, per_unit, np.where(has_levels, highest, -1.0)])


def _survey(origin: Array, step: float, n_threads: int, block: Array) -> Array:
    if block.dtype.char not in "df" or not block.flags.c_contiguous:  # the core reads nothing else
        block = np.ascontiguousarray(block, dtype=np.float64)
    survey: Array = _core.survey_levels(as_data(block), origin, step, n_threads)
    return survey
