"""Parameter checks: a value that is not allowed raises an error that names the parameter and what it may be."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from .exceptions import InvalidParameterError

# Integers up to this size are floats, too.
_EXACT = 2**53

# Values of these types are the same as long as they are the same object.
_UNCHANGING = frozenset({str, int, float, bool, type(None)})


class Check:
    """A condition on a parameter, with its description for error messages.

    Parameters
    ----------
    accepts : callable
        Takes the value, returns whether it is allowed.
    words : str
        Completes the sentence "must be ...".
    """

    def __init__(self, accepts: Callable[[Any], bool], words: str) -> None:
        self.accepts = accepts
        self.words = words
        # The last value that it accepted. Nearly always the next one is the same object, most often a default.
        self.accepted: Any = accepts

    def __or__(self, other: Check) -> Check:
        return Check(lambda v: self.accepts(v) or other.accepts(v), f"{self.words} or {other.words}")


def one_of(options: Iterable[str]) -> Check:
    """Return a check for one of several strings."""
    names = sorted(options)
    return Check(lambda v: isinstance(v, str) and v in names, "a str among {" + ", ".join(map(repr, names)) + "}")


def number(low: float, high: float, closed: str, kind: Any = Real) -> Check:
    """Return a check for a number in an interval; `closed` is "left", "right", "both" or "neither"."""
    left, right = closed in ("left", "both"), closed in ("right", "both")

    def accepts(v: Any) -> bool:
        # What nearly all numbers are needs no questions; NaN is in no interval.
        ordinary = (type(v) is float and kind is Real) or (type(v) is int and -_EXACT <= v <= _EXACT)
        if not ordinary:
            if not isinstance(v, kind) or isinstance(v, bool | np.bool_):
                return False
            if kind is not Integral and not _is_float(v):
                return False
        return bool((v >= low if left else v > low) and (v <= high if right else v < high))

    name = "an int" if kind is Integral else "a float"
    return Check(accepts, f"{name} in the range {'[' if left else '('}{low}, {high}{']' if right else ')'}")


def _is_float(v: Any) -> bool:
    """Return whether a float can hold a number. NaN is none, and an int like 10**400 is beyond its range."""
    try:
        as_float = float(v)
    except OverflowError:
        return False
    return not math.isnan(as_float) and (math.isfinite(as_float) or v == as_float)


def numbers(low: float, high: float, closed: str) -> Check:
    """Return a check for a list of numbers in an interval, one per pair of classes.

    The length is checked later, when y is known.
    """
    one = number(low, high, closed)

    def accepts(v: Any) -> bool:
        return isinstance(v, list | tuple | np.ndarray) and np.ndim(v) == 1 and all(one.accepts(x) for x in v)

    return Check(accepts, f"an array of floats {one.words.removeprefix('a float ')}, one for each pair")


boolean = Check(lambda v: isinstance(v, bool | np.bool_), "a bool")
none = Check(lambda v: v is None, "None")
a_dict = Check(lambda v: isinstance(v, dict), "a dict")
a_path = Check(lambda v: isinstance(v, str | os.PathLike) and v != "", "a str or os.PathLike")
a_callable = Check(callable, "a callable")
a_random_state = Check(
    lambda v: v is None or isinstance(v, Integral | np.random.RandomState), "an int, a RandomState instance or None"
)

# Every kernel by its name, with the parameters that it has.
KERNELS: dict[str, tuple[str, ...]] = {
    "linear": (),
    "poly": ("gamma", "coef0", "degree"),
    "rbf": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
    "laplacian": ("gamma",),
    "chi2": ("gamma",),
    "precomputed": (),
}

# Kernels exp(-gamma * distance), where the distance is a sum over features: of squared differences, of their sizes, or of
# (x - z)² / (x + z). Only for these may each pair of classes have its own gamma.
OF_DIFFERENCES = ("laplacian", "chi2")  # distances in units of the features, not of their squares
OF_DISTANCE = ("rbf", *OF_DIFFERENCES)

SVC_CHECKS: dict[str, Check] = {
    "C": number(0.0, math.inf, "right") | numbers(0.0, math.inf, "right"),
    "kernel": one_of(list(KERNELS)) | a_callable,
    "degree": number(0, 2**31 - 1, "both", Integral),
    "gamma": one_of(["scale", "auto"]) | number(0.0, math.inf, "left") | numbers(0.0, math.inf, "neither"),
    "coef0": number(-math.inf, math.inf, "neither"),
    "shrinking": boolean,
    "probability": boolean,
    "tol": number(0.0, math.inf, "neither"),
    "cache_size": number(0, math.inf, "neither"),
    "class_weight": one_of(["balanced"]) | a_dict | none,
    "verbose": boolean | number(0, math.inf, "left", Integral),
    "max_iter": number(-1, math.inf, "left", Integral),
    "decision_function_shape": one_of(["ovr", "ovo"]),
    "break_ties": boolean,
    "random_state": a_random_state,
    "soft_labels": none | number(1, math.inf, "left", Integral) | a_callable,
    "n_jobs": none | number(-math.inf, math.inf, "neither", Integral),
    "precision": one_of(["auto", "single", "double"]),
    "checkpoint": none | a_path,
}


def check_parameters(owner: str, values: Mapping[str, Any], checks: dict[str, Check]) -> None:
    """Raise InvalidParameterError for the first value that fails its check."""
    for name, check in checks.items():
        value = values[name]
        if value is check.accepted:
            continue
        if not check.accepts(value):
            raise InvalidParameterError(
                f"The {name!r} parameter of {owner} must be {check.words}. Got {_shown(value)} instead."
            )
        if type(value) in _UNCHANGING:
            check.accepted = value


def _shown(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:  # Python does not print integers of more than 4300 digits
        return "a number that is too long to print"
