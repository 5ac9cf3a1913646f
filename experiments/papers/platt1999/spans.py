"""A measured number with its spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """A measured number, and the lowest and highest that it may be.

    Attributes
    ----------
    value, low, high : float
    """

    value: float
    low: float
    high: float

    @classmethod
    def ratio(cls, above: Sequence[float], below: Sequence[float]) -> Span:
        """Of two numbers of which each was measured several times; the least of each counts."""
        return cls(min(above) / min(below), min(above) / max(below), max(above) / min(below))

    @classmethod
    def mean(cls, values: Sequence[float]) -> Span:
        """Of a number that was measured several times."""
        return cls(sum(values) / len(values), min(values), max(values))

    def words(self, digits: int = 2) -> str:
        """The number, and its spread where there is one."""
        told = f"{self.value:.{digits}f}"
        ends = f"{self.low:.{digits}f}", f"{self.high:.{digits}f}"
        return told if set(ends) == {told} else f"{told} ({ends[0]} to {ends[1]})"
