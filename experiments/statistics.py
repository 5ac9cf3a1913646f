"""Tests of differences between classifiers: over trials that share samples, on one test set, and over several data sets."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binomtest, friedmanchisquare, rankdata, t, wilcoxon

from dagmar import InvalidParameterError, McNemar, mcnemar
from dagmar.base.typing import Array

ALPHA = 0.05  # the level of every test
SAME = 1e-9  # differences that are equal but for rounding


@dataclass(frozen=True)
class PairedTest:
    """Result of the corrected t-test of paired trials.

    Attributes
    ----------
    n_trials : int
    mean : float
        Of the differences.
    low, high : float
        The corrected confidence interval of the mean; infinite if there is a single trial.
    statistic : float
        Student's t with ``n_trials - 1`` degrees of freedom, corrected.
    p : float
        Of the two-sided test whether the mean is 0.
    """

    n_trials: int
    mean: float
    low: float
    high: float
    statistic: float
    p: float


def corrected_t_test(differences: ArrayLike, n_train: float, n_test: float, level: float = ALPHA) -> PairedTest:
    """Test whether two classifiers differ over trials whose training sets overlap (Nadeau & Bengio's corrected t-test).

    The trials draw training and test rows from one data set again and again, so their differences are correlated and the
    ordinary t-test finds too much. The variance of the mean is taken as ``(1/n_trials + n_test/n_train)`` times the variance
    of the differences, in place of ``1/n_trials`` times it.

    Parameters
    ----------
    differences : array-like of shape (n_trials,)
        One number per trial, such as the accuracy of one classifier less that of the other on the same split.
    n_train, n_test : float
        The rows that each trial trains on and tests on.
    level : float, default=0.05
        The interval covers the mean with probability ``1 - level``.

    Returns
    -------
    PairedTest
        With one trial p is 1: nothing can be said. If all differences are equal, p is 1 where they are 0, and 0 elsewhere.

    Raises
    ------
    InvalidParameterError
        If there is no trial, or a size is not positive.

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52 (2003).

    Examples
    --------
    >>> from experiments.statistics import corrected_t_test
    >>> test = corrected_t_test([1.0, 2.0, 0.0, 3.0, 1.5], n_train=80, n_test=20)
    >>> f"{test.mean:.1f} in [{test.low:.2f}, {test.high:.2f}], p = {test.p:.3f}"
    '1.5 in [-0.58, 3.58], p = 0.116'
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise InvalidParameterError(f"differences must be a list of at least one number, got the shape {values.shape}")
    if not (n_train > 0 and n_test > 0):
        raise InvalidParameterError(f"n_train and n_test must be positive, got {n_train} and {n_test}")
    n, mean = len(values), float(values.mean())
    if n == 1:
        return PairedTest(n, mean, -inf, inf, 0.0, 1.0)
    if np.ptp(values) <= SAME:
        differs = abs(mean) > SAME
        return PairedTest(
            n, mean, mean, mean, float(np.copysign(inf, mean)) if differs else 0.0, 0.0 if differs else 1.0
        )
    deviation = sqrt((1 / n + n_test / n_train) * float(values.var(ddof=1)))
    half = float(t.isf(level / 2, n - 1)) * deviation
    statistic = mean / deviation
    return PairedTest(n, mean, mean - half, mean + half, statistic, float(2 * t.sf(abs(statistic), n - 1)))


def holm(p_values: ArrayLike) -> Array:
    """Adjust the p-values of several tests so that the chance of any false finding stays below the level (Holm 1979).

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)

    Returns
    -------
    ndarray of shape (n_tests,)
        In the order given. A test is significant if its adjusted value is below the level.

    References
    ----------
    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979).

    Examples
    --------
    >>> from experiments.statistics import holm
    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return adjusted


def exact_mcnemar(only_a: int, only_b: int) -> McNemar:
    """Return McNemar's exact test from the two counts, as records hold them.

    With labels at hand, use ``dagmar.mcnemar(y, a, b, method="exact")``. The sign test is the same test: then the counts are
    the trials in which a difference is above and below 0.

    Parameters
    ----------
    only_a, only_b : int
        Samples on which only the first classifier is right, and only the second.

    Returns
    -------
    McNemar

    Examples
    --------
    >>> from experiments.statistics import exact_mcnemar
    >>> round(exact_mcnemar(10, 0).p_value, 5)
    0.00195
    """
    if only_a < 0 or only_b < 0:
        raise InvalidParameterError(f"counts must be at least 0, got {only_a} and {only_b}")
    counts = [only_a, only_b]
    return mcnemar(np.zeros(only_a + only_b), np.repeat([0, 1], counts), np.repeat([1, 0], counts), method="exact")


def share_interval(count: int, n: int, level: float = ALPHA) -> tuple[float, float]:
    """Return Wilson's confidence interval of a share, such as an error rate on one test set.

    Parameters
    ----------
    count : int
        Samples that are wrong.
    n : int
        Samples in all.
    level : float, default=0.05
        The interval covers the share with probability ``1 - level``.

    Returns
    -------
    low, high : float
        Between 0 and 1.

    Examples
    --------
    >>> from experiments.statistics import share_interval
    >>> low, high = share_interval(90, 4000)
    >>> f"{100 * low:.2f} to {100 * high:.2f} %"
    '1.83 to 2.76 %'
    """
    interval = binomtest(count, n).proportion_ci(1 - level, method="wilson")
    return float(interval.low), float(interval.high)


def deviation_between_means(deviation: float, n_first: int, n_second: int) -> float:
    """Return the standard deviation of the difference of two means of trials that draw from the same rows.

    No correction for overlapping training sets is needed here. It concerns what all trials have in common, namely the data
    set; two means over trials of one data set have this in common too, and it cancels in their difference.

    Parameters
    ----------
    deviation : float
        The standard deviation of a trial.
    n_first, n_second : int
        The number of trials of each mean.

    Returns
    -------
    float

    Examples
    --------
    >>> from experiments.statistics import deviation_between_means
    >>> round(deviation_between_means(2.0, 10, 10), 3)
    0.894
    """
    return deviation * sqrt(1 / n_first + 1 / n_second)


def ranks(scores: ArrayLike) -> Array:
    """Rank the classifiers on each data set: 1 for the best, the mean of the ranks for equal scores.

    Parameters
    ----------
    scores : array-like of shape (n_sets, n_classifiers)
        Higher is better.

    Returns
    -------
    ndarray of shape (n_sets, n_classifiers)

    Examples
    --------
    >>> from experiments.statistics import ranks
    >>> ranks([[90.0, 95.0, 90.0]]).tolist()
    [[2.5, 1.0, 2.5]]
    """
    rounded = np.round(np.asarray(scores, dtype=np.float64) / SAME) * SAME
    ranked: Array = rankdata(-rounded, axis=1)
    return ranked


def friedman(scores: ArrayLike) -> float:
    """Test whether any of several classifiers differ over data sets (Friedman's test, by its chi-square distribution).

    Parameters
    ----------
    scores : array-like of shape (n_sets, n_classifiers)
        One mean score per set and classifier, of sets that do not depend on each other.

    Returns
    -------
    float
        The p-value; 1 for fewer than three classifiers or two sets, and where all scores of every set are equal.

    References
    ----------
    J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine Learning Research 7 (2006).

    Examples
    --------
    >>> from experiments.statistics import friedman
    >>> round(friedman([[1, 2, 3], [2, 3, 4], [1, 3, 4], [0, 1, 2]]), 4)
    0.0183
    """
    ranked = ranks(scores)
    if ranked.shape[0] < 2 or ranked.shape[1] < 3 or np.ptp(ranked) == 0:
        return 1.0
    return float(friedmanchisquare(*ranked.T).pvalue)


def signed_rank_test(differences: ArrayLike) -> float:
    """Test whether one classifier is better than another over data sets (Wilcoxon's signed-rank test).

    Parameters
    ----------
    differences : array-like of shape (n_sets,)
        The mean difference of each set. Sets without a difference count half for each side, as Demšar (2006) proposes.

    Returns
    -------
    float
        The two-sided p-value; 1 if there is no difference anywhere.

    Examples
    --------
    >>> from experiments.statistics import signed_rank_test
    >>> round(signed_rank_test([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 4)
    0.0312
    """
    values = np.round(np.asarray(differences, dtype=np.float64) / SAME) * SAME
    if not values.any():
        return 1.0
    return float(wilcoxon(values, zero_method="zsplit").pvalue)
