"""Fits that take the special ways of large problems: forced on small ones, and at natural size.

A case of this kind has "ways": choices of the core to override, and whether features may be integer codes however small the
problem is. What a fit took in the end is counted from the choices that it reports.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.random import Generator

WAYS = ("codes", "streamed", "active part", "duplicates", "free steps")

# Share of cases at natural size, and their numbers of samples.
NATURAL, NATURAL_SIZES = 0.03, (1500, 6000)
# Samples of the other cases: the fewest with an active part are 64.
SMALL_SIZES = (80, 600)
# Gammas are these shares of 1 / (features * variance); kernels that are nearly constant or nearly diagonal are easy.
GAMMAS = (-1.5, 0.7)


def make_case(rng: Generator) -> dict[str, Any]:
    """Return a random case."""
    if rng.random() < NATURAL:
        return _case(rng, NATURAL_SIZES, natural=True)
    return _case(rng, SMALL_SIZES, natural=False)


def _case(rng: Generator, sizes: tuple[int, int], natural: bool) -> dict[str, Any]:
    n = int(np.exp(rng.uniform(*np.log(sizes))))
    n_classes = 2 if rng.random() < 0.8 else 3
    d = int(rng.choice([8, 16, 20, 33, 64] if natural else [2, 3, 8, 9, 16, 20]))
    X, y = samples(rng, n, d, n_classes)
    kernel = str(rng.choice(["rbf", "laplacian", "linear"], p=[0.6, 0.3, 0.1]))
    spread = max(float(X.std() if kernel == "laplacian" else X.var()), 1e-12)
    gamma = "scale" if rng.random() < 0.3 else float(10 ** rng.uniform(*GAMMAS) / (d * spread))
    parameters: dict[str, Any] = {
        "kernel": kernel,
        "gamma": gamma,
        "C": float(rng.choice([1.0, 10.0, 30.0, 100.0] if natural else [1.0, 10.0, 100.0, 1e3, 1e4, 1e6])),
        "tol": float(rng.choice([1e-3, 1e-2, 1e-4], p=[0.8, 0.1, 0.1])),
        "precision": "auto" if natural else str(rng.choice(["auto", "single", "double"], p=[0.1, 0.7, 0.2])),
        "structure": str(rng.choice(["max_wins", "ddag", "one_vs_rest"])),
        "max_iter": 200_000,
        "n_jobs": int(rng.integers(1, 3)),
    }
    if parameters["kernel"] == "linear":
        parameters["C"] /= d * max(float(X.var()), 1e-12)
    ways: dict[str, Any] = {}
    if not natural:
        ways["codes"] = True
        if rng.random() < 0.7:
            ways["rows"] = str(rng.choice(["streamed", "kept", "small"], p=[0.5, 0.4, 0.1]))
        if rng.random() < 0.8:
            ways["active_part"] = True
        if rng.random() < 0.2:
            ways["duplicates"] = False
    layout = str(rng.choice(["C", "csr"], p=[0.85, 0.15]))
    T = X[rng.integers(n, size=8)] + rng.normal(size=(8, d)) * 0.1 * X.std()
    dtype = "f8" if rng.random() < 0.7 else "f4"
    return {"parameters": parameters, "X": X, "y": y, "T": T, "dtype": dtype, "layout": layout, "ways": ways}


def samples(rng: Generator, n: int, d: int, n_classes: int) -> tuple[Any, Any]:
    """Return samples whose kernel values round alike in many rows: whole numbers, decimals, offsets by class, large means."""
    y = rng.permutation(np.arange(n) % n_classes)
    how = rng.choice(["plain", "whole", "decimals", "few", "mean"], p=[0.1, 0.4, 0.15, 0.2, 0.15])
    shift = rng.choice([0.0, 0.1, 0.5]) * rng.normal(size=(n_classes, d))
    X = rng.normal(size=(n, d)) + shift[y]
    if how == "whole":
        X = np.round(X * rng.choice([1.0, 3.0, 40.0]))
    elif how == "decimals":
        X = np.round(X, 1)
    elif how == "few":
        X = np.array([0.0, 1 / 3, 0.7, 1.1])[np.digitize(X, [0.5, 0.9, 1.3])]
    elif how == "mean":
        X = X + 10.0 ** rng.integers(1, 5)
    if rng.random() < 0.5:  # offsets by class
        sign = np.where(np.arange(n_classes) % 2 == 0, 1.0, -1.0)
        X = X + (sign * 10.0 ** -rng.integers(4, 9))[y, None]
    if rng.random() < 0.3:
        first = rng.integers(max(1, n // 2), size=n)
        X, y = X[first], y[first]
        y[:n_classes] = np.arange(n_classes)
    return X, y


@contextmanager
def taken(ways: dict[str, Any]) -> Iterator[None]:
    """Take these ways in the calling thread."""
    from dagmar.machines.overrides import overridden
    from dagmar.problem import codes

    limits = codes.FEWEST_FEATURES, codes.FEWEST_PRODUCTS
    ways = dict(ways)
    if ways.pop("codes", False):
        codes.FEWEST_FEATURES, codes.FEWEST_PRODUCTS = 1, 0.0
    try:
        with overridden(**ways):
            yield
    finally:
        codes.FEWEST_FEATURES, codes.FEWEST_PRODUCTS = limits


def counts(case: dict[str, Any], report: Any) -> dict[str, int]:
    """Return which ways a fit took, by the choices that it reports, and whether all its machines converged."""
    choices = report.choices
    took = {
        "codes": choices.get("features", "floats") != "floats",
        "streamed": "streamed" in choices.get("rows", ""),
        "active part": not choices.get("active part", "visited 0 times").startswith("visited 0 "),
        "duplicates": not choices.get("duplicates", "0 samples").startswith("0 "),
        "free steps": not choices.get("free steps", "0 steps").startswith("0 "),
    }
    return {
        **{f"took {way}": int(took[way]) for way in WAYS},
        "special": 1,
        "special converged": int(report.converged.all()),
        "of natural size": int(not case["ways"]),
    }
