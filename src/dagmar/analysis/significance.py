"""McNemar's test: whether two classifiers differ by more than chance."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom, chi2
from sklearn.utils import check_consistent_length, column_or_1d

from ..base.exceptions import InvalidParameterError
from ..base.showing import frame, html_table

FEW = 25  # with fewer samples on which exactly one classifier is right, chi-square is too coarse
METHODS = ("auto", "exact", "chi2")


@dataclass(frozen=True)
class McNemar:
    """Result of McNemar's test of two classifiers on the same samples.

    Attributes
    ----------
    only_a, only_b : int
        Number of samples on which only the first classifier is right, and only the second.
    statistic : float
        For "chi2", chi-square with one degree of freedom and continuity correction. For "exact", the smaller of the two
        counts.
    p_value : float
        Probability of counts at least as uneven as these if both classifiers err equally often.
    method : {"exact", "chi2"}
        The form of the test that was used.

    See Also
    --------
    mcnemar : Makes one.

    Examples
    --------
    >>> import dagmar
    >>> test = dagmar.mcnemar([0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 1, 0])
    >>> round(test.p_value, 2)
    0.5
    """

    only_a: int
    only_b: int
    statistic: float
    p_value: float
    method: str

    def is_significant(self, level: float = 0.05) -> bool:
        """Return whether the two classifiers differ at this significance level."""
        return self.p_value < level

    def __str__(self) -> str:
        return f"{self.only_a} right by the first alone, {self.only_b} by the second alone: p = {self.p_value:.3g}"

    def to_frame(self) -> Any:
        """Return the result as a pandas DataFrame of one row."""
        return frame(self._columns())

    def _columns(self) -> dict[str, list[Any]]:
        return {f.name: [getattr(self, f.name)] for f in fields(self)}

    def _repr_html_(self) -> str:
        return html_table("McNemar's test", self._columns(), notes=[str(self)])


def mcnemar(y: ArrayLike, a: ArrayLike, b: ArrayLike, method: str = "auto") -> McNemar:
    """Test whether two classifiers differ by more than chance on the same samples (McNemar's test).

    Only samples on which exactly one classifier is right count. If both err equally often, each such sample favours either
    with probability 1/2.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The true labels.
    a, b : array-like of shape (n_samples,)
        The predictions of the two classifiers.
    method : {"auto", "exact", "chi2"}, default="auto"
        "exact" is the two-sided binomial test, "chi2" the chi-square test with continuity correction. "auto" is exact if
        fewer than 25 samples count.

    Returns
    -------
    McNemar
        The p-value is 1 if no sample counts.

    See Also
    --------
    SVC.score : The accuracy of one classifier.

    References
    ----------
    T. G. Dietterich, "Approximate statistical tests for comparing supervised classification learning algorithms", Neural
    Computation 10 (1998).

    Examples
    --------
    >>> import dagmar
    >>> y = [0] * 30
    >>> a = [0] * 30
    >>> b = [0] * 20 + [1] * 10
    >>> print(dagmar.mcnemar(y, a, b))
    10 right by the first alone, 0 by the second alone: p = 0.00195
    """
    if method not in METHODS:
        raise InvalidParameterError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    y, a, b = (column_or_1d(labels) for labels in (y, a, b))
    check_consistent_length(y, a, b)
    right_a, right_b = a == y, b == y
    only_a, only_b = int(np.sum(right_a & ~right_b)), int(np.sum(right_b & ~right_a))
    n, fewer = only_a + only_b, min(only_a, only_b)
    if method == "exact" or (method == "auto" and n < FEW):
        return McNemar(only_a, only_b, float(fewer), min(1.0, 2 * float(binom.cdf(fewer, n, 0.5))), "exact")
    # Without max, the correction would give equal counts a statistic above 0.
    statistic = max(abs(only_a - only_b) - 1, 0) ** 2 / n if n else 0.0
    return McNemar(only_a, only_b, statistic, float(chi2.sf(statistic, 1)), "chi2")
