"""Failures that are known today, each with its reason. An entry is removed when its cause is mended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import models
from .cases import SPARSE_LAYOUTS, Outcome


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


# ----------------------------------------------------------------- facts about a fit


def kernel_size(case: dict[str, Any]) -> tuple[float, float]:
    """Return rough sizes of the largest kernel value and of the largest argument of the kernel."""
    parameters, X = case["parameters"], np.abs(case["X"])
    with np.errstate(all="ignore"):
        norm2 = float((X**2).sum(axis=1).max(initial=0.0))
        gamma = parameters.get("gamma", "scale")
        if gamma == "scale":
            variance = case["X"].var()
            gamma = 1 / (X.shape[1] * variance) if variance else 1.0
        elif gamma == "auto":
            gamma = 1 / X.shape[1]
        argument = float(np.max(gamma)) * norm2 + abs(parameters.get("coef0", 0.0))
        kernel = parameters["kernel"]
        if kernel == "precomputed":
            return float(X.max(initial=0.0)), 0.0
        if kernel == "linear":
            return norm2, norm2
        if kernel == "poly":
            return float(np.power(argument, min(parameters.get("degree", 3), 2**30))), argument
        return 1.0, argument


def largest_C(case: dict[str, Any]) -> float:
    """Return the largest cap of a multiplier."""
    weights = case["parameters"].get("class_weight")
    factor = max(w for _, w in weights) if isinstance(weights, list) else 1.0
    own = np.max(case.get("sample_weight", 1.0), initial=0.0)
    return float(np.max(case["parameters"]["C"])) * factor * float(own)


def no_progress(case: dict[str, Any]) -> bool:
    """Return whether the rounding of scores, or the floor of curvature, may keep the solver from its tolerance."""
    size, _ = kernel_size(case)
    return bool(not largest_C(case) * size < 1e5 or size < 1e-9 or case["parameters"]["tol"] < 1e-8)


def high_degree(case: dict[str, Any]) -> bool:
    """Return whether the power is computed by very many multiplications."""
    return bool(case["parameters"]["kernel"] == "poly" and case["parameters"].get("degree", 3) >= 10**5)


def beyond_single(case: dict[str, Any]) -> bool:
    """Return whether numbers of a fit in single precision come near the ends of float32's range."""
    size, argument = kernel_size(case)
    largest = np.abs(case["X"]).max(initial=0.0)
    outside = not 1e-12 < largest < 1e12 or not 1e-20 < size < 1e20 or not argument < 1e20
    tiny = bool(np.any(np.asarray(case["parameters"].get("gamma", 1.0), dtype=object) == 0.0))
    return case["parameters"]["precision"] != "double" and (outside or tiny)


def expanded(case: dict[str, Any]) -> bool:
    """Return whether the expansion of distances, or of products far from the origin, loses most digits."""
    _, argument = kernel_size(case)
    spread = np.abs(case["X"] - case["X"].mean(axis=0)).max(initial=0.0)
    with np.errstate(all="ignore"):
        return not argument < 1e6 or bool(np.abs(case["X"]).max(initial=0.0) > 1e3 * spread)


def large_samples(case: dict[str, Any]) -> bool:
    """Return whether the samples to predict are much larger than those of a fit in single precision."""
    largest, trained = (np.abs(case[name]).max(initial=0.0) for name in ("T", "X"))
    return case["parameters"]["precision"] != "double" and bool(largest > 1e3 * trained)


def sparse(case: dict[str, Any]) -> bool:
    """Return whether the samples are sparse."""
    return case["layout"] in SPARSE_LAYOUTS


WRONG = ("gap", "wrong label", "NaN", "infeasible")


def damaged(*prefixes: str) -> Callable[[dict[str, Any], Outcome], bool]:
    """Return a match for models whose damaged fields begin with one of the prefixes."""

    def matches(case: dict[str, Any], outcome: Outcome) -> bool:
        return any(path.startswith(prefixes) for path in models.damaged_fields(case))

    return matches


def read(*prefixes: str) -> Callable[[dict[str, Any], Outcome], bool]:
    """Return a match for files by the beginning of what was done to them."""
    return lambda case, outcome: outcome.detail.startswith(prefixes)


KNOWN: list[Known] = [
    Known(
        "door 7: a solver that makes no progress runs to its step limit",
        "fits",
        lambda case, outcome: outcome.kind == "hang" and no_progress(case),
        no_progress,
    ),
    Known(
        "door 7: powers of a high degree are multiplied in a loop",
        "fits",
        lambda case, outcome: outcome.kind == "hang" and high_degree(case),
        high_degree,
    ),
    Known(
        "door 1: scores that are not finite leave the solver without a working set",
        "fits",
        lambda case, outcome: outcome.kind in ("signal", "hang") and (beyond_single(case) or no_progress(case)),
    ),
    Known(
        "door 2: single precision outside the range of float32",
        "fits",
        lambda case, outcome: outcome.kind in WRONG and beyond_single(case),
    ),
    Known(
        "door 5: large samples give NaN in single precision, which beats the rounding check",
        "fits",
        lambda case, outcome: outcome.kind in ("wrong label", "NaN") and large_samples(case),
    ),
    Known(
        "door 6: distances and products by expansion lose digits",
        "fits",
        lambda case, outcome: outcome.kind in WRONG and expanded(case),
    ),
    Known(
        "door 6: decisions on sparse samples are not checked for rounding",
        "fits",
        lambda case, outcome: outcome.kind == "wrong label" and sparse(case),
    ),
    Known(
        "door 9: numbers beyond the native types",
        "fits",
        lambda case, outcome: outcome.kind == "exception" and "of the binding" in outcome.detail,
    ),
    *(
        Known(
            "door 4: a damaged model has written outside its memory, and a later case died of it",
            kind,
            lambda case, outcome: "not alone" in outcome.detail,
            in_corpus=False,
        )
        for kind in ("fits", "models", "files")
    ),
    Known("door 4: plans are trusted", "models", damaged("plan")),
    Known("door 4: banks and sparse rows are trusted", "models", damaged("bank")),
    Known("door 4: what was learned is trusted", "models", damaged("learned")),
    Known("door 9: damaged lots with a good checksum", "files", read("checkpoint, lot arrays")),
    Known("door 9: deep nesting in manifests", "files", read("checkpoint, manifest: RecursionError")),
    Known(
        "door 4: plans and banks of pickles are trusted",
        "files",
        lambda case, outcome: case["what"] == "pickle" and outcome.kind != "answered",
    ),
]


def known_as(kind: str, case: dict[str, Any], outcome: Outcome) -> Known | None:
    """Return the first known door that a failure matches, or None."""
    return next((door for door in KNOWN if door.kind == kind and door.matches(case, outcome)), None)


def may_hang(kind: str, case: dict[str, Any]) -> bool:
    """Return whether a case may hang for a known reason."""
    return any(door.slow(case) for door in KNOWN if door.kind == kind and door.slow is not None)
