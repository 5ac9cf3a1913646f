"""The curves of `scaling`: which there are, and how they are read from its record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from ..growth import PowerLaw, fit_power_law
from .points import ONE_VS_ONE, ONE_VS_REST, SCIKIT_LEARN

SIZES = {
    ("rows", "letter"): (2000, 4000, 8000, 16000),
    ("rows", "mnist"): (10_000, 20_000, 40_000, 60_000),
    ("rows", "covertype"): (12_500, 25_000, 50_000, 100_000, 200_000),
    ("classes", "letter"): (5, 10, 20, 26),
    ("classes", "clouds"): (10, 30, 100, 300, 1000),
}

Entry = dict[str, Any]
Record = dict[str, Any]

# What can be read from the entry of a point that is done.
MEASURES: dict[str, Callable[[Entry], float]] = {
    "fit": lambda entry: median(entry["fit"]),
    "first predict": lambda entry: _of_thousand_rows(entry, "first_predict"),
    "predict": lambda entry: _of_thousand_rows(entry, "next_predict"),
    "memory": lambda entry: entry["grew_mib"],
}


def _of_thousand_rows(entry: Entry, what: str) -> float:
    return float(median(entry[what]) * 1000 / entry["case"]["test_rows"])


@dataclass(frozen=True)
class Series:
    """One curve: a set of data and the library that fits it, over rows or classes."""

    axis: str
    set: str
    who: str

    @property
    def sizes(self) -> tuple[int, ...]:
        """From small to large."""
        return SIZES[self.axis, self.set]

    def key(self, size: int) -> str:
        """The name of a point in the record."""
        return f"{self.axis}/{self.set}/{self.who}/{size}"

    def entries(self, record: Record) -> dict[int, Entry]:
        """What the record has of this series, by size, from small to large."""
        return {size: record["points"][self.key(size)] for size in self.sizes if self.key(size) in record["points"]}

    def done(self, record: Record) -> dict[int, Entry]:
        """The entries that have numbers."""
        return {size: entry for size, entry in self.entries(record).items() if entry["status"] == "done"}

    def curve(self, record: Record, measure: str) -> dict[int, float]:
        """A measure by size."""
        return {size: MEASURES[measure](entry) for size, entry in self.done(record).items()}

    def law(self, record: Record, measure: str) -> PowerLaw | None:
        """The power law of a measure."""
        curve = self.curve(record, measure)
        return fit_power_law(list(curve), list(curve.values()))


def all_series(*, peers: bool = True) -> Iterator[Series]:
    """Every curve, in the order in which it is run and shown.

    Parameters
    ----------
    peers : bool
        With scikit-learn on everything, not on Letter alone.
    """
    for axis, name in SIZES:
        for who in (ONE_VS_ONE, ONE_VS_REST, SCIKIT_LEARN):
            if who != SCIKIT_LEARN or name == "letter" or peers:
                yield Series(axis, name, who)


def family(record: Record, axis: str, name: str) -> list[Series]:
    """The series of one data set that the record has anything of."""
    return [s for s in all_series() if (s.axis, s.set) == (axis, name) and s.entries(record)]


def laws(record: Record) -> dict[str, dict[str, dict[str, float]]]:
    """The power law of every series in every measure, as plain data."""
    return {
        f"{series.axis}/{series.set}/{series.who}": {
            measure: asdict(law) for measure in MEASURES if (law := series.law(record, measure)) is not None
        }
        for series in all_series()
        if series.done(record)
    }
