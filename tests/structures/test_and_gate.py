"""AND gate: all pairs are asked, and who wins all its own is the answer."""

import numpy as np
from helpers import (
    decide,
    dialled_pairs,
    random_patterns,
    transitive_patterns,
    verdict_of,
)
from hypothesis import given
from hypothesis import strategies as st
from reference import and_gate
from tournaments import champion_patterns

from dagmar.structures import AndGate, MaxWins

seeds = st.integers(0, 2**32 - 1)


@given(n_classes=st.integers(2, 12), seed=seeds)
def test_answers_are_those_of_max_wins(n_classes, seed):
    """A class that wins all its pairs has most votes; elsewhere the gate falls back on the vote."""
    bank = dialled_pairs(n_classes)
    patterns = random_patterns(seed, n_classes, 60)
    np.testing.assert_array_equal(
        decide(bank, AndGate().plan(bank), patterns), decide(bank, MaxWins().plan(bank), patterns)
    )


@given(n_classes=st.integers(2, 10), seed=seeds)
def test_unanimity_is_that_of_the_reference(n_classes, seed):
    """Outcomes are unanimous where one class wins all its pairs, and only there."""
    random, (champions, _) = random_patterns(seed, n_classes, 30), champion_patterns(seed, n_classes, 10)
    for values in (random, champions, transitive_patterns(seed, n_classes, 10)[0]):
        expected = [and_gate.unanimous(n_classes, verdict_of(row, n_classes)) is not None for row in values]
        np.testing.assert_array_equal(AndGate.unanimous(values, n_classes), expected)
    assert AndGate.unanimous(champions, n_classes).all()
