"""The matches of a bracket: which of them meet, round by round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.frozen import FrozenArrays
from ..base.typing import Array, Index


@dataclass(frozen=True, eq=False)
class Tournament(FrozenArrays):
    """A knockout tournament as a tree: entrants 0 ... n-1 are the classes, the others are the winners of matches.

    Attributes
    ----------
    n_classes : int
    matches : ndarray of shape (n_classes - 1, 2), int64
        The two entrants of each match, in the order in which they are played; the winner of match m is entrant
        ``n_classes + m``.
    rounds : ndarray of shape (n_classes - 1,), int64
        The round of each match, from 1.

    Examples
    --------
    >>> from dagmar.pictures.tournament import Tournament
    >>> cup = Tournament.of([0, 1, 2, 3, 4])
    >>> cup.matches.tolist(), cup.rounds.tolist()
    ([[0, 4], [1, 3], [5, 2], [7, 6]], [1, 1, 2, 3])
    """

    n_classes: int
    matches: Index
    rounds: Index

    @classmethod
    def of(cls, order: Any) -> Tournament:
        """Return the matches for a list of classes: the first meets the last, the second the second last, and so on."""
        entrants = [int(c) for c in order]
        n = len(entrants)
        matches: list[tuple[int, int]] = []
        rounds: list[int] = []
        this_round = 1
        while len(entrants) > 1:
            half = len(entrants) // 2
            winners = []
            for k in range(half):
                winners.append(n + len(matches))
                matches.append((entrants[k], entrants[-1 - k]))
                rounds.append(this_round)
            entrants = [*winners, *entrants[half : len(entrants) - half]]
            this_round += 1
        return cls(n, np.array(matches, dtype=np.int64).reshape(-1, 2), np.array(rounds, dtype=np.int64))

    def play(self, values: Array) -> Index:
        """Return the class of every entrant, from the values of the matches in their order; shape (2 n_classes - 1,)."""
        who = np.concatenate([np.arange(self.n_classes), np.full(len(self.matches), -1)])
        for m, ((a, b), value) in enumerate(zip(self.matches, values, strict=True)):
            # A positive value is for the later class.
            who[self.n_classes + m] = max(who[a], who[b]) if value >= 0 else min(who[a], who[b])
        return who
