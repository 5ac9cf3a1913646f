"""Sets that do not count by themselves: generated data, and several sets that are one for statistics.

Ranks and tests over sets treat each set as a draw from the data that people have. Generated data is no such draw, and two
sets of one origin are not two draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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


GIVEN = "said so in the configuration"


@dataclass(frozen=True)
class Counting:
    """How sets count in ranks and tests over sets.

    Attributes
    ----------
    generated : mapping of str to str
        Sets that do not count, with the reason.
    related : mapping of str to (names, reason)
        Groups that count as one set.

    Examples
    --------
    >>> from experiments.compare.related import Counting
    >>> counting = Counting().with_more(generated=["simulated"], related=[["march", "april"]])
    >>> [counting.counts_as(name) for name in ("mnist7x7", "iris", "april", "simulated")]
    ['mnist', 'iris', 'march, april', None]
    """

    generated: Mapping[str, str] = field(default_factory=lambda: GENERATED)
    related: Mapping[str, tuple[tuple[str, ...], str]] = field(default_factory=lambda: RELATED)

    def counts_as(self, name: str) -> str | None:
        """Return the name under which a set counts: that of its group, or its own; None if it does not count."""
        if name in self.generated:
            return None
        return next((group for group, (names, _) in self.related.items() if name in names), name)

    def words(self, name: str) -> str:
        """Return how a set counts, and why."""
        group = self.counts_as(name)
        if group is None:
            return f"not: {self.generated[name]}"
        return f"as one of “{group}”: {self.related[group][1]}" if group in self.related else "by itself"

    def with_more(self, generated: Iterable[str] = (), related: Iterable[Sequence[str]] = ()) -> Counting:
        """Return the same with more generated sets, and more groups."""
        groups = {", ".join(names): (tuple(names), GIVEN) for names in related}
        return Counting({**self.generated, **dict.fromkeys(generated, GIVEN)}, {**self.related, **groups})
