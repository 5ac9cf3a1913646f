"""Tests of differences, against slow versions, SciPy and numbers worked out by hand."""

from math import comb, inf, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gamma
from scipy.stats import binomtest, chi2, norm, ttest_1samp

from dagmar import InvalidParameterError, mcnemar
from experiments.statistics import (
    corrected_t_test,
    deviation_between_means,
    exact_mcnemar,
    friedman,
    holm,
    ranks,
    share_interval,
    signed_rank_test,
)


def slow_p(differences, n_train, n_test):
    """The corrected test written out, with Student's density integrated numerically."""
    n = len(differences)
    mean = sum(differences) / n
    variance = sum((d - mean) ** 2 for d in differences) / (n - 1)
    statistic = abs(mean) / sqrt((1 / n + n_test / n_train) * variance)
    free = n - 1
    scale = gamma((free + 1) / 2) / (sqrt(free * np.pi) * gamma(free / 2))
    tail, _ = quad(lambda x: scale * (1 + x * x / free) ** (-(free + 1) / 2), statistic, inf)
    return 2 * tail


def slow_holm(p_values):
    """Holm's procedure by its definition: the smallest level at which each test is rejected, step by step."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    needed = [0.0] * len(p_values)
    for place, i in enumerate(order):
        before = [(len(order) - k) * p_values[j] for k, j in enumerate(order[: place + 1])]
        needed[i] = min(1.0, max(before))
    return needed


def test_corrected_test_by_hand():
    """Five differences: mean 1.5, variance 1.25; (1/5 + 20/80) · 1.25 = 0.5625, so t = 1.5 / 0.75 = 2."""
    test = corrected_t_test([1.0, 2.0, 0.0, 3.0, 1.5], 80, 20)
    assert test.n_trials == 5
    assert test.mean == pytest.approx(1.5)
    assert test.statistic == pytest.approx(2.0)
    assert (test.low, test.high) == pytest.approx((1.5 - 2.7764451 * 0.75, 1.5 + 2.7764451 * 0.75))
    assert test.p == pytest.approx(0.1161165, abs=1e-6)


@pytest.mark.parametrize(("n", "n_train", "n_test"), [(2, 1, 1), (10, 80, 20), (10, 89, 11), (50, 128, 86)])
def test_corrected_test_agrees_with_the_slow_one(rng, n, n_train, n_test):
    """The same p as by the formulas written out."""
    differences = rng.normal(0.4, 1.0, n)
    assert corrected_t_test(differences, n_train, n_test).p == pytest.approx(slow_p(differences, n_train, n_test))


def test_without_overlap_it_is_the_ordinary_test(rng):
    """With test sets of almost no size p and interval are those of Student's test; else p is larger."""
    differences = rng.normal(0.5, 1.0, 30)
    ordinary = ttest_1samp(differences, 0)
    test = corrected_t_test(differences, 1.0, 1e-14)
    assert test.p == pytest.approx(ordinary.pvalue)
    assert (test.low, test.high) == pytest.approx(tuple(ordinary.confidence_interval(0.95)))
    assert corrected_t_test(differences, 1.0, 0.8).p > corrected_t_test(differences, 1.0, 0.1).p > ordinary.pvalue


@pytest.mark.parametrize("level", [0.05, 0.2])
def test_interval_and_test_agree(rng, level):
    """The interval at a level excludes 0 exactly if p is below the level; the sign of the differences does not matter."""
    for shift in np.linspace(-2, 2, 21):
        differences = rng.normal(shift, 1.0, 10)
        test, mirrored = corrected_t_test(differences, 80, 20, level), corrected_t_test(-differences, 80, 20, level)
        assert (test.low > 0 or test.high < 0) == (test.p < level)
        assert mirrored.p == pytest.approx(test.p)
        assert (mirrored.low, mirrored.high) == pytest.approx((-test.high, -test.low))


def test_differences_that_do_not_vary():
    """One trial says nothing; equal differences say everything, unless they are 0 but for rounding."""
    assert corrected_t_test([3.0], 80, 20).p == 1.0
    assert corrected_t_test([3.0], 80, 20).high == inf
    assert corrected_t_test([0.0] * 5, 80, 20).p == 1.0
    assert corrected_t_test([0.0, 1e-15, -1e-15], 80, 20).p == 1.0
    certain = corrected_t_test([-0.1] * 5, 80, 20)
    assert (certain.p, certain.statistic) == (0.0, -inf)
    assert certain.low == certain.high == pytest.approx(-0.1)


@pytest.mark.parametrize(
    ("differences", "n_train", "n_test"), [([], 8, 2), ([[1.0]], 8, 2), ([1.0], 0, 2), ([1.0], 8, -1)]
)
def test_what_cannot_be_tested_is_refused(differences, n_train, n_test):
    """No trial, a table in place of a list, or sizes that are not positive."""
    with pytest.raises(InvalidParameterError):
        corrected_t_test(differences, n_train, n_test)


def test_corrected_test_seldom_errs_where_trials_share_rows(rng):
    """Two coins as classifiers, tested on overlapping draws: the ordinary test errs often, the corrected one seldom."""
    false = {"ordinary": 0, "corrected": 0}
    repeats = 300
    for _ in range(repeats):
        difference = rng.integers(0, 2, 100) - rng.integers(0, 2, 100)
        trials = [difference[rng.permutation(100)[:20]].mean() for _ in range(15)]
        false["ordinary"] += ttest_1samp(trials, 0).pvalue < 0.05
        false["corrected"] += corrected_t_test(trials, 80, 20).p < 0.05
    assert false["ordinary"] > 0.15 * repeats
    assert false["corrected"] < 0.09 * repeats


def test_holm_by_hand():
    """The example of many textbooks: 0.01, 0.04, 0.03, 0.005."""
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]).tolist() == [1.0, 1.0]
    assert holm([0.03]).tolist() == [0.03]
    assert holm([]).tolist() == []


def test_holm_agrees_with_its_definition(rng):
    """As the slow version, ties included; never below p, never above Bonferroni, and in the order of p."""
    for n in range(1, 12):
        p = np.round(rng.random(n) ** 3, 2)
        adjusted = holm(p)
        np.testing.assert_allclose(adjusted, slow_holm(p.tolist()))
        assert np.all(adjusted >= p)
        assert np.all(adjusted <= np.minimum(1.0, n * p) + 1e-12)
        assert np.all(np.diff(adjusted[np.argsort(p)]) >= 0)


@pytest.mark.parametrize(("a", "b"), [(0, 0), (1, 0), (5, 5), (3, 9), (40, 20), (300, 250)])
def test_exact_mcnemar_is_the_binomial_test(a, b):
    """As SciPy's two-sided binomial test and the sum of the tail, however many samples count."""
    test = exact_mcnemar(a, b)
    assert (test.only_a, test.only_b, test.method) == (a, b, "exact")
    tail = sum(comb(a + b, k) for k in range(min(a, b) + 1)) / 2 ** (a + b)
    assert test.p_value == pytest.approx(min(1.0, 2 * tail))
    if a + b:
        assert test.p_value == pytest.approx(binomtest(a, a + b).pvalue)


def test_counts_and_labels_give_the_same_mcnemar(rng):
    """From counts as from the labels they were counted on."""
    y, a, b = rng.integers(0, 3, (3, 80))
    whole = mcnemar(y, a, b, method="exact")
    assert exact_mcnemar(whole.only_a, whole.only_b) == whole
    with pytest.raises(InvalidParameterError):
        exact_mcnemar(-1, 2)


def test_deviation_between_means_of_trials_on_the_same_rows(rng):
    """Means over draws from one data set differ as the formula says, though the draws overlap."""
    rows = rng.normal(size=100)
    trials = np.array([rows[rng.permutation(100)[:20]].mean() for _ in range(20_000)])
    groups = trials.reshape(-1, 20)
    apart = groups[:, :12].mean(axis=1) - groups[:, 12:].mean(axis=1)
    assert apart.std() == pytest.approx(deviation_between_means(trials.std(), 12, 8), rel=0.07)


def test_friedman_is_its_formula():
    """With different ranks in every set, as Demšar (2006) writes it."""
    scores = np.random.default_rng(0).normal(size=(9, 4)) + np.array([0.0, 0.3, 0.6, 1.0])
    n, k = scores.shape
    mean = ranks(scores).mean(axis=0)
    statistic = 12 * n / (k * (k + 1)) * (np.sum(mean**2) - k * (k + 1) ** 2 / 4)
    assert friedman(scores) == pytest.approx(chi2.sf(statistic, k - 1))


def test_friedman_of_too_little_is_one():
    """Two classifiers, one set, or no difference at all."""
    assert friedman([[1.0, 2.0], [1.0, 2.0]]) == 1.0
    assert friedman([[1.0, 2.0, 3.0]]) == 1.0
    assert friedman(np.ones((5, 3))) == 1.0


def test_ranks_ignore_rounding():
    """Accuracies that are equal but for rounding share their ranks."""
    assert ranks([[0.1 + 0.2, 0.3, 0.0]]).tolist() == [[1.5, 1.5, 3.0]]


def test_signed_ranks_by_all_signs():
    """Without ties, the exact test: the share of all signs with a sum of ranks at least as far from its mean."""
    values = np.array([1.5, -0.5, 2.5, 3.5, 0.7, 1.1, -0.2])
    rank = np.argsort(np.argsort(np.abs(values))) + 1
    signs = (np.arange(2**7)[:, None] >> np.arange(7)) & 1
    middle = rank.sum() / 2
    extreme = np.abs(signs @ rank - middle) >= abs(rank[values > 0].sum() - middle)
    assert signed_rank_test(values) == pytest.approx(extreme.mean())
    assert signed_rank_test(-values) == pytest.approx(extreme.mean())


def test_no_difference_anywhere_is_no_finding():
    """Also if there is only rounding."""
    assert signed_rank_test([0.0, 1e-12]) == 1.0
    assert signed_rank_test([0.0]) == 1.0


@pytest.mark.parametrize(("count", "n"), [(0, 10), (3, 10), (90, 4000), (10, 10)])
def test_interval_of_a_share(count, n):
    """Wilson's interval, by its formula; it stays between 0 and 1."""
    z = norm.isf(0.025)
    share = count / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    low, high = share_interval(count, n)
    assert low == pytest.approx(max(0, middle - half), abs=1e-12)
    assert high == pytest.approx(min(1, middle + half), abs=1e-12)
