"""Coupling: from the probabilities of all pairs of classes to the probabilities of the classes.

The core does it (`probabilities/coupling.hpp`), by the second method of Wu, Lin & Weng (2004).
"""

from __future__ import annotations

import numpy as np

from .. import _core
from ..base.instructions import simd_level
from ..base.typing import Array


def couple(later: Array, n_classes: int, n_threads: int = 1) -> Array:
    """Return the probabilities of the classes from those of all pairs.

    Parameters
    ----------
    later : ndarray of shape (n_samples, n_classes * (n_classes - 1) / 2)
        The probability of the later class of each pair, in the order (0, 1), (0, 2), ...; greater than 0 and less than 1.
    n_classes : int
    n_threads : int
        The result does not depend on it.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Each row has the sum 1.

    References
    ----------
    Wu, Lin & Weng, Probability estimates for multi-class classification by pairwise coupling, 2004.

    Examples
    --------
    Probabilities that agree with each other are found again:

    >>> import numpy as np
    >>> from dagmar.probabilities.coupling import couple
    >>> p = np.array([0.5, 0.3, 0.2])
    >>> later = np.array([[p[j] / (p[i] + p[j]) for i, j in [(0, 1), (0, 2), (1, 2)]]])
    >>> couple(later, 3).round(6).tolist()
    [[0.5, 0.3, 0.2]]
    """
    p: Array = _core.couple(np.ascontiguousarray(later), n_classes, simd_level(), n_threads)
    return p


def work_of_coupling(n_classes: int) -> float:
    """Estimate the work of coupling the pairs of one sample, as `work_per_value` counts it: sigmoids, and a linear system."""
    return 16.0 * n_classes**2 + n_classes**3 / 3
