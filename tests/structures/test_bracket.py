"""Knockout bracket: first against last, round by round."""

import math
from collections import Counter

from helpers import (
    dialled_pairs,
    random_patterns,
    trace,
)
from hypothesis import given
from hypothesis import strategies as st

from dagmar.structures import Bracket

seeds = st.integers(0, 2**32 - 1)


@given(n_classes=st.integers(2, 20), seed=seeds)
def test_class_meets_few_others(n_classes, seed):
    """N - 1 games, none twice, and no class plays more than log2 N of them, rounded up."""
    bank = dialled_pairs(n_classes)
    _, paths = trace(bank, Bracket().plan(bank), random_patterns(seed, n_classes, 30))
    for path in paths:
        assert len(path) == len(set(path)) == n_classes - 1
        games = Counter(bank.pairs[path].ravel().tolist())
        assert max(games.values()) <= math.ceil(math.log2(n_classes))
