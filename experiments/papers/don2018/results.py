"""What the record holds, by set, share and method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, inf

import numpy as np
from scipy.stats import ttest_1samp

from dagmar.base.typing import Array

from ...statistics import SAME, PairedTest, corrected_t_test, holm
from ...tables import NONE
from ..rule import Judgement
from ..study import Found
from .published import ACCURACY, THETAS

PREFER = "accuracy"  # the order of measures whose counts are nearest to the printed ones, as the appendix shows
PRINTED, OTHER = 80, 90  # percent to train on: as the paper says, which decides, and as most of its accuracies fit
DIVIDED = f"{PREFER} 0.01"  # DCSVM at the smallest theta


@dataclass(frozen=True)
class Ratio:
    """How many times faster, over rounds of timing: the geometric mean, its interval, and the p-value of "equally fast"."""

    times: float
    low: float
    high: float
    p: float


class Results:
    """The record of a run, made easy to ask.

    Parameters
    ----------
    found : mapping of str to dict
        Results of steps, by their keys.
    """

    def __init__(self, found: Mapping[str, Found]) -> None:
        self.found = found
        self._trials: dict[tuple[str, int], Found] = {}
        for key, result in found.items():
            if key.startswith("trials/"):
                _, share, name, _ = key.split("/")
                self._add(name, int(share), result)

    def _add(self, name: str, share: int, result: Found) -> None:
        before = self._trials.get((name, share))
        methods = result["methods"]
        if before is not None:  # another lot of trials of the same set
            methods = {
                method: {figure: before["methods"][method][figure] + of for figure, of in figures.items()}
                for method, figures in methods.items()
            }
        self._trials[name, share] = {**result, "methods": methods}

    @property
    def names(self) -> list[str]:
        """The sets, in the paper's order."""
        return list(ACCURACY)

    def shape(self, name: str, share: int = PRINTED) -> Found:
        """Rows, features, classes, trained and tested rows of a set."""
        return self._trials[name, share]

    def most(self, name: str) -> int:
        """Steps that a decision takes at most, k-1."""
        return int(self.shape(name)["classes"]) - 1

    def lists(self, name: str, share: int, method: str) -> dict[str, list[float]]:
        """Figures of a method, each a list over trials."""
        of: dict[str, list[float]] = self._trials[name, share]["methods"][method]
        return of

    def mean(self, name: str, share: int, method: str, figure: str = "accuracy") -> float:
        """Mean over trials."""
        return float(np.mean(self.lists(name, share, method)[figure]))

    def interval(self, name: str, share: int, method: str, figure: str = "accuracy") -> PairedTest:
        """Mean over trials with its interval, corrected for the overlap of their training sets."""
        return self.corrected(name, share, self.lists(name, share, method)[figure])

    def corrected(self, name: str, share: int, values: Sequence[float] | Array) -> PairedTest:
        """Any figure of trials, with its mean and corrected interval."""
        shape = self.shape(name, share)
        return corrected_t_test(values, shape["trained"], shape["tested"])

    def paired(self, name: str, share: int, method: str, other: str = "OvsO", figure: str = "accuracy") -> PairedTest:
        """The corrected test of a figure of a method less that of another, over trials."""
        this, that = (self.lists(name, share, m)[figure] for m in (method, other))
        return self.corrected(name, share, np.subtract(this, that))

    def by_holm(
        self, share: int, pairs: Sequence[tuple[str, str]]
    ) -> dict[tuple[str, str], dict[str, tuple[PairedTest, float]]]:
        """Tests of accuracy on all sets for pairs of methods, each with its p adjusted by Holm for the number of all."""
        keys = [(pair, name) for pair in pairs for name in self.names]
        tests = [self.paired(name, share, *pair) for pair, name in keys]
        found: dict[tuple[str, str], dict[str, tuple[PairedTest, float]]] = {pair: {} for pair in pairs}
        for (pair, name), test, p in zip(keys, tests, holm([test.p for test in tests]).tolist(), strict=True):
            found[pair][name] = (test, p)
        return found

    def fewer_vectors(self, share: int, pairs: Mapping[str, tuple[str, str]]) -> dict[str, tuple[float, float]]:
        """By set: how many vectors fewer a method needs than another, and p by Holm over the sets.

        Parameters
        ----------
        share : int
        pairs : mapping of str to (str, str)
            By set: the method, and the other.

        Returns
        -------
        dict of str to (float, float)
            p is 1 where the solver's tolerance may have made the difference.
        """
        tests = {name: self.paired(name, share, other, method, "vectors") for name, (method, other) in pairs.items()}
        adjusted = holm([test.p for test in tests.values()]).tolist()
        found = {}
        for (name, test), p in zip(tests.items(), adjusted, strict=True):
            method, other = pairs[name]
            unsure = self.ratio_spread(name, method, other) * self.mean(name, share, other, "vectors")
            found[name] = (test.mean, p if abs(test.mean) > unsure else 1.0)
        return found

    def curve(self, share: int, name: str, figure: str) -> Array:
        """A curve over theta, as means over trials."""
        over_trials: Array = np.mean(np.asarray(self.found[f"curve/{share}/{name}"][figure]), axis=0)
        return over_trials

    def faster(self, name: str, way: str, than: str = "all") -> Ratio:
        """How many times faster DCSVM answers than another way to ask the same machines, over rounds of timing."""
        times = self.found[f"times/{name}"][way]
        logs = np.log(times[than]) - np.log(times["divided"])
        if len(logs) < 2 or np.ptp(logs) <= SAME:
            return Ratio(exp(logs.mean()), 0.0, inf, 1.0)
        test = ttest_1samp(logs, 0.0)
        low, high = test.confidence_interval(0.95)
        return Ratio(exp(logs.mean()), exp(low), exp(high), float(test.pvalue))

    def spread(self, name: str, method: str) -> float:
        """How much the vectors of a decision change with the solver's tolerance: half the range as a part of the middle."""
        counts: list[float] = self.found[f"tolerance/{name}"][method]
        return (max(counts) - min(counts)) / (max(counts) + min(counts))

    def ratio_spread(self, name: str, method: str, other: str) -> float:
        """The same of the vectors of a method as a multiple of those of another: half the range."""
        counts = self.found[f"tolerance/{name}"]
        ratios: list[float] = [a / b for a, b in zip(counts[method], counts[other], strict=True)]
        return (max(ratios) - min(ratios)) / 2

    def readings(self, name: str, share: int = PRINTED) -> dict[str, Found]:
        """The readings of a set, by what they are called."""
        start = f"readings/{share}/{name}/"
        return {key.removeprefix(start): of for key, of in self.found.items() if key.startswith(start)}

    def unconverged(self, *starts: str) -> int:
        """Machines that did not converge in the steps that begin so."""
        return sum(_unconverged(of) for key, of in self.found.items() if key.startswith(starts))

    def qualified(self, judgement: Judgement, *starts: str) -> Judgement:
        """The judgement, with the machines that did not converge in the steps that begin so."""
        n = self.unconverged(*starts)
        return replace(judgement, qualified=f"{n} machines did not converge") if n else judgement


def _unconverged(result: Found) -> int:
    def of(value: object) -> Iterator[int]:
        if isinstance(value, Mapping):
            for key, inner in value.items():
                yield from [int(np.sum(inner))] if key == "unconverged" else of(inner)
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            for inner in value:
                yield from of(inner)

    return sum(of(result))


def brief(judgements: Mapping[str, Judgement]) -> dict[str, Judgement]:
    """Verdicts of other readings without their lists and reasons, which stand with the verdict that decides."""
    return {reading: replace(judgement, why="") for reading, judgement in judgements.items()}


def method_key(method: str, prefer: str = PREFER) -> str:
    """How a column of Table 4 is called in the record."""
    return f"{prefer} {method}" if method in THETAS else method


def method_name(method: str) -> str:
    """How a column of Table 4 is called in the report."""
    return f"DCSVM θ={method} %" if method in THETAS else method


def plus_minus(test: PairedTest, digits: int = 2) -> str:
    """A mean and the half width of its interval."""
    if not np.isfinite(test.high):
        return f"{test.mean:.{digits}f} ± {NONE}"
    return f"{test.mean:.{digits}f} ± {(test.high - test.low) / 2:.{digits}f}"
