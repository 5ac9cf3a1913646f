"""The claim of the worked example: Section 3.2, Tables 1 and 2."""

from __future__ import annotations

from collections.abc import Iterator

from ..report import Claim
from ..rule import Judgement, judge_parts
from ..study import Found
from .published import DECIDED, ROOT, SECOND
from .results import Results, brief

FULL = 100 - 1e-9  # percent
DECIDES = "1"  # C of the defaults of e1071


def example_costs(results: Results) -> list[str]:
    """The values of C with which the example was run."""
    return [key.removeprefix("example/") for key in results.found if key.startswith("example/")]


def splits_of(results: Results, C: str) -> list[Found]:
    """What was found on each split."""
    of: list[Found] = results.found[f"example/{C}"]["splits"]
    return of


def statements(results: Results, C: str) -> dict[str, int]:
    """On how many splits each statement of the example is so."""
    splits = splits_of(results, C)
    return {
        "scores of 100 %": sum(min(of["score"]) >= FULL for of in splits),
        "the root (5, 6)": sum(tuple(of["roots"]["speed"]) == ROOT for of in splits),
        "(1, 2) for classes 1, 2, 3 and 5": sum(tuple(of["second"]["chosen"]) == SECOND for of in splits),
    }


def decided_range(results: Results, C: str, percent: str = "2") -> tuple[int, int]:
    """The least and the most decided cells of a split."""
    counts = [of["decided"][percent] for of in splits_of(results, C)]
    return min(counts), max(counts)


def _judged(results: Results, C: str) -> Judgement:
    low, high = decided_range(results, C)
    parts = {name: n > 0 for name, n in statements(results, C).items()}
    return judge_parts(parts | {f"{DECIDED} decided cells": low <= DECIDED <= high})


def example_claims(results: Results) -> Iterator[Claim]:
    """Section 3.2."""
    n, (low, high) = len(splits_of(results, DECIDES)), decided_range(results, DECIDES)
    told = "; ".join(f"{name} on {count}" for name, count in statements(results, DECIDES).items())
    yield Claim(
        "On glass at θ=0 every score is 100 %, (5, 6) becomes the root, then (1, 2) is chosen; 58 cells are decided at θ=2 %.",
        results.qualified(_judged(results, DECIDES), f"example/{DECIDES}"),
        f"C = {DECIDES}, {n} splits; a statement counts if it is so on one of them: {told}; {low} to {high} cells are decided",
        "The worked example on glass",
        "Section 3.2, Tables 1 and 2",
        brief({f"C = {C}": _judged(results, C) for C in example_costs(results) if C != DECIDES}),
    )
