"""Failures that are known today, each with its reason. An entry is removed when its cause is mended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

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


def underflows(case: dict[str, Any]) -> bool:
    """Return whether kernel values of a linear kernel are below the range of the single precision that was asked for."""
    parameters = case["parameters"]
    largest = float(np.abs(case["X"]).max(initial=0.0))
    return parameters["kernel"] in ("linear", "poly") and parameters["precision"] == "single" and largest < 1e-15


def huge_kernel(case: dict[str, Any]) -> bool:
    """Return whether kernel values or multipliers are so large that the solver needs very many steps."""
    parameters, largest = case["parameters"], float(np.abs(case["X"]).max(initial=0.0))
    if parameters["kernel"] == "precomputed":
        return largest > 1e9
    if parameters["kernel"] == "linear":
        return largest > 1e4 or float(np.max(parameters["C"])) > 1e6
    return parameters["kernel"] == "poly" and (largest > 1e3 or abs(parameters.get("coef0", 0.0)) > 1e3)


KNOWN: list[Known] = [
    Known(
        "single precision is kept where the user asks for it, also where kernel values underflow",
        "fits",
        lambda case, outcome: outcome.kind in ("wrong label", "gap") and underflows(case),
    ),
    Known(
        "a solver that progresses slowly goes on to its step limit",
        "fits",
        lambda case, outcome: outcome.kind == "hang" and huge_kernel(case),
        huge_kernel,
    ),
]


def known_as(kind: str, case: dict[str, Any], outcome: Outcome) -> Known | None:
    """Return the first known door that a failure matches, or None."""
    return next((door for door in KNOWN if door.kind == kind and door.matches(case, outcome)), None)


def may_hang(kind: str, case: dict[str, Any]) -> bool:
    """Return whether a case may hang for a known reason."""
    return any(door.slow(case) for door in KNOWN if door.kind == kind and door.slow is not None)
