"""What the record holds, by set, share and method."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...statistics import PairedTest, corrected_t_test, holm
from ..study import Found
from .published import ACCURACY, METHODS, THETAS

PREFER = "accuracy"  # the preference whose counts are nearest to the printed ones, as the report shows


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

    def shape(self, name: str, share: int) -> Found:
        """Rows, features, classes, trained and tested rows of a set."""
        return self._trials[name, share]

    def lists(self, name: str, share: int, method: str) -> dict[str, list[float]]:
        """Figures of a method, each a list over trials."""
        of: dict[str, list[float]] = self._trials[name, share]["methods"][method]
        return of

    def mean(self, name: str, share: int, method: str, figure: str = "accuracy") -> float:
        """Mean over trials."""
        return float(np.mean(self.lists(name, share, method)[figure]))

    def error(self, name: str, share: int, method: str) -> float:
        """Error rate in percent."""
        return 100 - self.mean(name, share, method)

    def paired(self, name: str, share: int, method: str, other: str = "OvsO") -> PairedTest:
        """The corrected test of the accuracy of a method less that of another, in points, over trials."""
        this, that = (self.lists(name, share, m)["accuracy"] for m in (method, other))
        shape = self.shape(name, share)
        return corrected_t_test(np.subtract(this, that), shape["trained"], shape["tested"])

    def by_holm(self, share: int, method: str, other: str = "OvsO") -> dict[str, tuple[PairedTest, float]]:
        """The same on all sets, each with its p adjusted by Holm for their number."""
        tests = {name: self.paired(name, share, method, other) for name in self.names}
        adjusted = holm([test.p for test in tests.values()]).tolist()
        return {name: (test, p) for (name, test), p in zip(tests.items(), adjusted, strict=True)}

    def chance(self, name: str, share: int) -> Found | None:
        """Means and deviations of many trials, where they were run."""
        return self.found.get(f"chance/{share}/{name}")

    def readings(self, name: str) -> dict[str, Found]:
        """The readings of a set, by what they are called."""
        start = f"readings/{name}/"
        return {key.removeprefix(start): of for key, of in self.found.items() if key.startswith(start)}


def method_key(method: str, prefer: str = PREFER) -> str:
    """How a column of Table 4 is called in the record."""
    return f"{prefer} {method}" if method in THETAS else method


def method_name(method: str) -> str:
    """How a column of Table 4 is called in the report."""
    return f"DCSVM θ={method} %" if method in THETAS else method


def published_accuracy(name: str, method: str) -> float:
    """A cell of Table 4."""
    return ACCURACY[name][METHODS.index(method)]
