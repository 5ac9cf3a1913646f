"""Features that are multiples of one step, such as pixels, counts and indicators: the core multiplies them as integers."""

from __future__ import annotations

from functools import partial

import numpy as np

from .. import _core
from ..base.typing import Array, Features
from .kernels import Kernel
from .reductions import by_blocks, core_array, is_sparse, some_rows
from .samples import as_data

# Samples that tell of the others; how many features there must be, and products between all samples, for this to save more time
# than it takes.
SOME_ROWS, FEWEST_FEATURES, FEWEST_PRODUCTS = 64, 8, 2.0**26


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
    some, every = some_rows(X, SOME_ROWS)
    data = as_data(some)
    step = _core.common_step(data, every)
    if not step > 0:
        return None
    survey = partial(_survey, some[0].astype(np.float64), step, n_threads)
    surveyed = survey(X) if isinstance(X, np.ndarray) else _joined(list(by_blocks(X, survey)))
    levels: Array | None = _core.choose_levels(data, every, surveyed, step, kernel.gamma, centre)
    return levels


def _survey(origin: Array, step: float, n_threads: int, block: Array) -> Array:
    survey: Array = _core.survey_levels(as_data(core_array(block)), origin, step, n_threads)
    return survey


def _joined(surveys: list[Array]) -> Array:
    lowest, largest, off = np.stack([survey.reshape(3, -1) for survey in surveys], axis=1)
    return np.concatenate([lowest.min(axis=0), largest.max(axis=0), off.max(axis=0)])
