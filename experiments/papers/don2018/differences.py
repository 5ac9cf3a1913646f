"""Why a measured error is not the published one."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...statistics import deviation_between_means
from ..report import CLOSE, ErrorRate
from .published import ALL_SENSORLESS, METHODS, THETAS
from .results import Results, method_key, method_name, published_accuracy
from .sources import SOURCES

TRIALS_PUBLISHED = 10
SAMPLES = {
    "artificial": "a set of our own, as theirs is not given",
    "sensorless": f"a small part of their {ALL_SENSORLESS} rows",
}


def errors(results: Results) -> list[ErrorRate]:
    """Every error of Table 4 beside the one measured on 80 % trained, 20 % tested."""
    return [
        ErrorRate(
            name,
            method_name(method),
            round(100 - published_accuracy(name, method), 2),
            results.error(name, 80, method_key(method)),
            reason(results, name, method),
        )
        for name in results.names
        for method in METHODS
    ]


def reason(results: Results, name: str, method: str) -> str:
    """What an experiment showed about the difference; empty if there is none to explain.

    Parameters
    ----------
    results : Results
    name : str
        Of the set.
    method : str
        A column of Table 4.
    """
    published, key = 100 - published_accuracy(name, method), method_key(method)
    if abs(results.error(name, 80, key) - published) <= CLOSE:
        return ""
    if name in SAMPLES:
        return SAMPLES[name]
    at_89 = results.error(name, 89, key)
    if abs(at_89 - published) <= CLOSE:
        return f"with 89 % trained: {at_89:.2f}"
    constant = _always_the_largest(results, name, key, published)
    if constant:
        return constant
    for share in (89, 80):
        mean, scatter = expected(results, name, method, share)
        if abs(mean - published) <= 2 * scatter:
            return f"chance: with {share} % trained, means of ten trials are {mean:.2f} ± {2 * scatter:.2f}"
    beside = results.error(name, 89, "OvsO") - (100 - published_accuracy(name, "OvsO"))
    if method in THETAS and abs(at_89 - published - beside) <= CLOSE:
        return f"with 89 % trained: {at_89:.2f}, and OvsO too is {beside:+.2f} apart there"
    return next(_between(results, name, method, published), f"open; with 89 % trained: {at_89:.2f}")


def _always_the_largest(results: Results, name: str, key: str, published: float) -> str:
    """Whether all answers are the largest class, and the difference is its share in a sample of rows."""
    shape = results.shape(name, 80)
    wrong = 1 - shape["largest_class"] / shape["rows"]
    twice = 200 * math.sqrt(wrong * (1 - wrong) / shape["rows"])
    if SOURCES[name].sample is None or abs(results.error(name, 80, key) - 100 * wrong) > CLOSE:
        return ""
    if abs(published - 100 * wrong) > twice:
        return ""
    return (
        f"chance: all answers are the largest class, whose share in a sample of {shape['rows']} rows is ± {twice:.2f}"
    )


def _between(results: Results, name: str, method: str, published: float) -> Iterator[str]:
    """Readings of the set between whose errors the published one lies."""
    column = method if method in ("BI", "OvsO") else "wide accuracy" if method == "2" else "accuracy"
    of = {label: 100 - reading["mean"][column] for label, reading in results.readings(name).items()}
    below = {label: error for label, error in of.items() if error < published}
    above = {label: error for label, error in of.items() if error >= published}
    if below and above:
        low, high = max(below, key=lambda label: below[label]), min(above, key=lambda label: above[label])
        yield f"between {low} ({below[low]:.2f}) and {high} ({above[high]:.2f})"


def expected(results: Results, name: str, method: str, share: int) -> tuple[float, float]:
    """The error to expect, and how far a mean of ten trials scatters about it (one standard deviation)."""
    many = results.chance(name, share)
    key = method_key(method)
    own = results.lists(name, share, key)["accuracy"]
    if many is None:
        deviation = float(np.std(own, ddof=1)) if len(own) > 1 else 0.0
        return 100 - sum(own) / len(own), deviation_between_means(deviation, TRIALS_PUBLISHED, len(own))
    column = method if method in ("BI", "OvsO") else "wide accuracy" if method == "2" else "accuracy"
    if method in THETAS and method not in ("2", "0.01"):  # not run so often: the mean of the trials, and their scatter
        mean, n_trials = sum(own) / len(own), len(own)
    else:
        mean, n_trials = many["mean"][column], many["trials"]
    return 100 - mean, deviation_between_means(many["deviation"][column], TRIALS_PUBLISHED, n_trials)
