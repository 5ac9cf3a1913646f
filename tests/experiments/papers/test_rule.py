"""The rule: how verdicts follow from parts, tests and thresholds, and that nothing else decides."""

import pytest

from experiments.papers import rule
from experiments.papers.rule import (
    Judgement,
    Verdict,
    decided,
    judge_better,
    judge_none,
    judge_parts,
    judge_seeds,
    judge_trend,
)
from experiments.statistics import exact_mcnemar


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"a": True, "b": True}, "held"),
        ({"a": False, "b": False}, "not held"),
        ({"a": True, "b": False, "c": True}, "held in part: holds for a, c; not for b"),
        ({}, "cannot be decided here: no set can show it"),
    ],
)
def test_claims_about_several_sets(parts, words):
    """All, none, or some of the sets; the list says which."""
    assert str(judge_parts(parts)) == words


def test_claims_of_no_difference():
    """One difference is enough to refute them; there is no part of them to hold."""
    assert judge_none([]).verdict is Verdict.HELD
    assert judge_none(["letter"]).verdict is Verdict.NOT_HELD


def test_claims_about_what_happens_in_general():
    """Held if the signs over sets are beyond chance; undecided where they may be chance; not held against the claim."""
    for for_it in range(9):
        for against in range(9):
            verdict = judge_trend(for_it, against).verdict
            if for_it <= against:
                assert verdict is Verdict.NOT_HELD
            elif exact_mcnemar(for_it, against).p_value < 0.05:
                assert verdict is Verdict.HELD
            else:
                assert verdict is Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("tests", "words"),
    [
        ({"a": (1.0, 0.01), "b": (2.0, 0.04)}, "held"),
        ({"a": (-1.0, 0.01), "b": (2.0, 0.06)}, "not held"),
        ({"a": (1.0, 0.01), "b": (-2.0, 0.06)}, "held in part: holds for a; may be chance for b"),
        ({"a": (1.0, 0.01), "b": (-2.0, 0.01)}, "held in part: holds for a; not for b"),
        ({"a": (9.0, 0.05)}, "cannot be decided here: the difference may be chance (a p = 0.05)"),
        ({}, "cannot be decided here: no set can show it"),
    ],
)
def test_claims_that_a_method_is_better(tests, words):
    """Better and worse are kept apart, and what may be chance decides nothing."""
    assert str(judge_better(tests)) == words


def test_words_of_a_judgement():
    """Reason and qualification stand with the verdict."""
    assert str(Judgement(Verdict.HELD, qualified="2 of 9 did not converge")) == "held (2 of 9 did not converge)"
    assert str(rule.undecided("too few rows")) == "cannot be decided here: too few rows"


def test_every_threshold_is_listed_once_with_a_reason():
    """What claims are judged by stands in the table of the page."""
    named = [value for value in vars(rule).values() if isinstance(value, rule.Threshold)]
    assert named == list(rule.THRESHOLDS)
    for threshold in named:
        assert threshold.used.endswith(".")
        assert threshold.reason.endswith(".")


def test_the_rule_says_what_the_code_does():
    """The level, the tests and the verdicts are named."""
    text = " ".join(rule.RULE)
    for words in ("0.05", "Nadeau and Bengio", "McNemar's exact test", "Holm", "sign test", "did not converge"):
        assert words in text
    assert all(verdict.value in text for verdict in Verdict)


def test_verdicts_over_seeds():
    """The same verdict stays; another one cannot be decided; sets that differ are named; what qualifies is kept once."""
    both = judge_parts({"a": True, "b": True, "c": False})
    one = judge_parts({"a": True, "b": False, "c": False})
    other = judge_parts({"a": False, "b": True, "c": False})
    assert judge_seeds({0: both, 1: both}) == both
    assert str(judge_seeds({0: both, 1: one})) == "held in part: holds for a; not for c; differs with the seed for b"
    assert judge_seeds({0: one, 1: other}).verdict is Verdict.UNDECIDED
    flipped = judge_seeds({0: decided(True), 1: Judgement(Verdict.IN_PART, "holds for a", "2 machines")})
    assert str(flipped) == (
        "cannot be decided here: the seed decides (held with seed 0, held in part with seed 1) (2 machines)"
    )
    qualified = Judgement(Verdict.HELD, qualified="2 machines")
    assert judge_seeds({0: qualified, 1: qualified}).qualified == "2 machines"
    assert judge_seeds({0: decided(False), 1: decided(False), 2: decided(True)}).verdict is Verdict.UNDECIDED


def test_digest_follows_rule_and_thresholds(monkeypatch):
    """Another word or another number is another rule."""
    before = rule.digest()
    monkeypatch.setattr(rule, "RULE", (*rule.RULE, "One more."))
    assert rule.digest() != before
    monkeypatch.undo()
    monkeypatch.setattr(rule, "THRESHOLDS", rule.THRESHOLDS[1:])
    assert rule.digest() != before
