"""AND gate (Knerr, Personnaz & Dreyfus 1990).

A verdict is a function of two classes that returns the winner.
"""

from itertools import combinations

from .max_wins import full_vote


def unanimous(n_classes, verdict):
    """The class that wins all its pairs, or None."""
    for c in range(n_classes):
        if all(verdict(c, other) == c for other in range(n_classes) if other != c):
            return c
    return None


def answer(n_classes, verdict):
    """That class, or the answer of Max Wins; and the pairs met, which are all."""
    gate = unanimous(n_classes, verdict)
    met = list(combinations(range(n_classes), 2))
    return (full_vote(n_classes, verdict) if gate is None else gate), met
