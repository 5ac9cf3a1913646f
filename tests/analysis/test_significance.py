"""McNemar's test against scipy and known tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import dagmar


def answers(both, only_a, only_b, none):
    """Labels and the answers of two classifiers with these counts."""
    n = both + only_a + only_b + none
    y = np.zeros(n, dtype=int)
    a, b = np.ones(n, dtype=int), np.ones(n, dtype=int)
    a[: both + only_a] = 0
    b[:both] = 0
    b[both + only_a : both + only_a + only_b] = 0
    return y, a, b


def test_known_table():
    """121 against 59: chi-square 20.67, as textbooks print it."""
    found = dagmar.mcnemar(*answers(500, 121, 59, 20))
    assert (found.only_a, found.only_b, found.method) == (121, 59, "chi2")
    assert found.statistic == pytest.approx((121 - 59 - 1) ** 2 / 180)
    assert found.p_value == pytest.approx(5.45e-6, rel=1e-2)
    assert found.is_significant()


def test_critical_value():
    """At chi-square 3.841459 the p-value is 0.05."""
    found = dagmar.mcnemar(*answers(0, 60, 40, 0), method="chi2")
    assert found.statistic == pytest.approx(3.61)
    assert found.p_value > 0.05
    assert dagmar.mcnemar(*answers(0, 61, 39, 0), method="chi2").p_value < 0.05


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 10))
def test_exact_is_the_binomial_test(only_a, only_b, both):
    """The exact form is scipy's two-sided test of a fair coin."""
    found = dagmar.mcnemar(*answers(both, only_a, only_b, 3), method="exact")
    n = only_a + only_b
    expected = binomtest(only_a, n, 0.5).pvalue if n else 1.0
    assert found.p_value == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 60), st.integers(0, 60))
def test_swapping_changes_nothing_but_the_names(only_a, only_b):
    """The test does not care who comes first; with fewer than 25 samples that matter it is exact."""
    y, a, b = answers(5, only_a, only_b, 5)
    one, other = dagmar.mcnemar(y, a, b), dagmar.mcnemar(y, b, a)
    assert (one.only_a, one.only_b) == (other.only_b, other.only_a)
    assert one.p_value == other.p_value
    assert one.method == ("exact" if only_a + only_b < 25 else "chi2")


def test_equal_answers_are_no_evidence():
    """Nobody alone right, or both equally often: p is 1."""
    assert dagmar.mcnemar(*answers(10, 0, 0, 10)).p_value == 1.0
    assert dagmar.mcnemar(*answers(10, 0, 0, 10), method="chi2").p_value == 1.0
    assert dagmar.mcnemar(*answers(0, 50, 50, 0)).p_value == 1.0


def test_labels_may_be_strings():
    """Anything that can be compared is a label."""
    assert dagmar.mcnemar(["x", "y"], ["x", "x"], ["x", "y"]).only_b == 1


def test_wrong_input_is_told():
    """Other lengths and unknown methods are named."""
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        dagmar.mcnemar([0, 1], [0, 1], [0])
    with pytest.raises(ValueError, match="method must be one of auto, exact, chi2; got 'fisher'"):
        dagmar.mcnemar([0], [0], [0], method="fisher")


def test_result_shows_itself():
    """A frame of one row, and a small table with the sentence."""
    result = dagmar.mcnemar([0] * 30, [0] * 30, [0] * 20 + [1] * 10)
    assert result.to_frame().to_dict("records") == [vars(result)]
    assert str(result) in result._repr_html_()
    assert "exact" in result._repr_html_()
    assert repr(result) == "McNemar(only_a=10, only_b=0, statistic=0.0, p_value=0.001953125, method='exact')"
