"""Features that are multiples of one step, such as pixels, counts and indicators: the core multiplies them as integer codes."""

from __future__ import annotations

from functools import partial

import numpy as np

from .. import _core
from ..base.instructions import simd_level
from ..base.typing import Array, Features
from .kernels import Kernel
from .reductions import by_blocks, core_array, is_sparse, some_rows
from .samples import as_data

# Samples that the search for a step reads. With fewer features, or fewer products between all samples, the search takes longer
# than codes save.
SOME_ROWS, FEWEST_FEATURES, FEWEST_PRODUCTS = 64, 8, 2.0**26


def codes_of(X: Features, kernel: Kernel, centre: Array | None, n_threads: int = 1) -> Array | None:
    """Return which features of dense samples are multiples of one step, as the core takes it.

    Values in single precision depend on it in their last bits. It is found once for all samples, so that machines trained on a
    part of them, elsewhere, have the same bits.

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
        For each feature, where its code is 0 (its lowest value); steps per unit, 0 if it has no codes; its highest code, -1 if
        it has none. None if codes are not used.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.problem.kernels import Kernel
    >>> from dagmar.problem.codes import codes_of
    >>> X = np.random.default_rng(0).integers(0, 17, (3000, 64)) / 4.0
    >>> codes = codes_of(X, Kernel("rbf", 0.1), None)
    >>> codes is None or codes.reshape(3, -1)[:, 0].tolist()
    [0.0, 4.0, 16.0]
    """
    n, d = X.shape
    if (
        kernel.name not in ("rbf", "laplacian")
        or kernel.by_differences
        or is_sparse(X)
        or simd_level() is _core.Level.plain
    ):
        return None
    if d < FEWEST_FEATURES or n * n * d < FEWEST_PRODUCTS:
        return None
    some, every = some_rows(X, SOME_ROWS)
    data = as_data(some)
    step, anchor = _core.common_step(data, every)
    if not step > 0:
        return None
    survey = partial(_survey, anchor, step, n_threads)
    surveyed = survey(X) if isinstance(X, np.ndarray) else _joined(list(by_blocks(X, survey)))
    codes: Array | None = _core.choose_codes(data, every, surveyed, anchor, step, centre, kernel.name == "laplacian")
    return codes


def _survey(anchor: Array, step: float, n_threads: int, block: Array) -> Array:
    survey: Array = _core.survey(as_data(core_array(block)), anchor, step, n_threads, simd_level())
    return survey


def _joined(surveys: list[Array]) -> Array:
    lowest, largest, off = np.stack([survey.reshape(3, -1) for survey in surveys], axis=1)
    return np.concatenate([lowest.min(axis=0), largest.max(axis=0), off.max(axis=0)])
