"""Failures that are known today, each with its reason. An entry is removed when its cause is mended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .cases import Outcome


@dataclass(frozen=True)
class Known:
    """A known door.

    Attributes
    ----------
    name : str
        What goes wrong and why, in a line.
    kind : str
        The kind of case.
    matches : callable
        Takes a case and its outcome; returns whether the failure is this one.
    slow : callable or None
        Takes a case; returns whether it may hang for this reason. Short runs leave such cases out.
    in_corpus : bool
        Whether the corpus must have a case of it.
    """

    name: str
    kind: str
    matches: Callable[[dict[str, Any], Outcome], bool]
    slow: Callable[[dict[str, Any]], bool] | None = None
    in_corpus: bool = True


KNOWN: list[Known] = []


def known_as(kind: str, case: dict[str, Any], outcome: Outcome) -> Known | None:
    """Return the first known door that a failure matches, or None."""
    return next((door for door in KNOWN if door.kind == kind and door.matches(case, outcome)), None)


def may_hang(kind: str, case: dict[str, Any]) -> bool:
    """Return whether a case may hang for a known reason."""
    return any(door.slow(case) for door in KNOWN if door.kind == kind and door.slow is not None)
