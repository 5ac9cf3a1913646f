"""Sets that do not count by themselves: generated data, and several sets that are one for statistics.

Ranks and tests over sets treat each set as a draw from the data that people have. Generated data is no such draw, and two
sets of one origin are not two draws.
"""

from __future__ import annotations

from collections.abc import Mapping

GENERATED: Mapping[str, str] = {
    "artificial-characters": "a program drew the characters",
    "autoUniv-au7-700": "the generator AutoUniv",
    "balance-scale": "all weights and distances of a scale; the class is a formula",
    "banana": "drawn from two distributions in the plane",
    "car-evaluation": "all combinations of six attributes; the class is a decision model",
    "magic": "particle showers of a Monte Carlo simulation",
    "nursery": "all combinations of eight attributes; the class is a decision model",
    "poker": "hands of cards; the class is the rule of the game",
    "synthetic-control": "control charts drawn from six formulas",
    "waveform-v1": "drawn from three formulas with noise",
}

# Each group counts as one set, with the mean of its accuracies.
RELATED: Mapping[str, tuple[tuple[str, ...], str]] = {
    "wine quality": (("winequality-red", "winequality-white"), "the same tests, scores and wine-growing region"),
    "mnist": (("mnist", "mnist7x7"), "the second is the first with fewer pixels"),
    "leaves": (("leaf", "leaves-shape"), "shapes of plant leaves, to be named by species"),
}


def group_of(name: str) -> str:
    """Return the name under which a set counts: that of its group, or its own.

    Examples
    --------
    >>> from experiments.compare.related import group_of
    >>> group_of("mnist7x7"), group_of("iris")
    ('mnist', 'iris')
    """
    return next((group for group, (names, _) in RELATED.items() if name in names), name)
