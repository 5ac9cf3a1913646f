"""What the steps found, as numbers over splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dagmar.base.typing import Array

from ...statistics import ALPHA, SAME, PairedTest, corrected_t_test, exact_mcnemar, share_interval
from ..study import Found
from .published import TABLE, Row

SPEAKERS = "Vowel with drawn speakers"  # a reading of Vowel, not the official split


def signed(points: float) -> str:
    """A difference in points; nothing has no sign of its own."""
    return f"{round(points, 2) + 0.0:+.2f}"


@dataclass(frozen=True, eq=False)
class Runs:
    """Several splits of one data set with one way of tuning: accuracies in percent, one per split.

    Attributes
    ----------
    n_test : int
    splits : sequence of dict
        As `consult` returns them.
    row : Row
        What was published.
    drawn : bool
        Whether the splits were drawn; else all are the official one, with other folds and orders.
    """

    n_test: int
    splits: Sequence[Found]
    row: Row
    drawn: bool = True

    def of(self, name: str) -> Array:
        """A count as percentages of the test samples, shape (n_splits,) or (n_splits, n_orders)."""
        return 100.0 * np.array([split[name] for split in self.splits], dtype=np.float64) / self.n_test

    def other(self, name: str) -> Array:
        """The same of an order that is adaptive in another sense."""
        return 100.0 * np.array([split["others"][name] for split in self.splits], dtype=np.float64) / self.n_test

    def __len__(self) -> int:
        return len(self.splits)

    @cached_property
    def orders(self) -> Array:
        """Accuracy in every random order, shape (n_splits, n_orders)."""
        return self.of("orders")

    @property
    def best(self) -> Array:
        """Of the random orders."""
        best: Array = self.orders.max(axis=1)
        return best

    @property
    def worst(self) -> Array:
        """Of the random orders."""
        worst: Array = self.orders.min(axis=1)
        return worst

    @property
    def mean(self) -> Array:
        """Of the random orders."""
        mean: Array = self.orders.mean(axis=1)
        return mean

    @property
    def adaptive(self) -> Array:
        """Of the adaptive order."""
        return self.of("adaptive")

    @property
    def spread(self) -> Array:
        """Test samples between the best and the worst random order."""
        counts = np.array([split["orders"] for split in self.splits])
        spread: Array = np.ptp(counts, axis=1)
        return spread

    @property
    def lead(self) -> Array:
        """Test samples by which the adaptive order is ahead of the best random one."""
        return np.array([split["adaptive"] - max(split["orders"]) for split in self.splits])

    @property
    def gain(self) -> Array:
        """Adaptive order less the mean of the random ones, in points."""
        # From the counts: where all orders agree it is 0, and no rounding.
        gain: Array = np.array([split["adaptive"] - np.mean(split["orders"]) for split in self.splits])
        return 100.0 * gain / self.n_test

    @property
    def lead_in_points(self) -> Array:
        """The same in points."""
        return 100.0 * self.lead / self.n_test

    @property
    def at_least_best(self) -> int:
        """Splits in which the adaptive order is at least as good as the best random one."""
        return int((self.lead >= 0).sum())

    @property
    def control(self) -> float:
        """Share of further random orders that are at least as good as the best of the first ones."""
        return float((self.of("controls") >= self.best[:, None] - SAME).mean())

    @property
    def orders_matter(self) -> bool:
        """Whether two orders differ in any split."""
        return bool(self.spread.any())

    @property
    def reach(self) -> Array:
        """By split: 1 if the adaptive order is at least as good as the best random one, less the share of controls that are."""
        controls = self.of("controls") >= self.best[:, None] - SAME
        reach: Array = (self.lead >= 0) - controls.mean(axis=1)
        return reach

    @property
    def pairs_differ(self) -> float:
        """Share of all pairs of random orders that differ in accuracy, mean over splits."""
        i, j = np.triu_indices(self.orders.shape[1], k=1)
        return float((np.abs(self.orders[:, i] - self.orders[:, j]) > SAME).mean())

    @property
    def extremes_differ(self) -> float:
        """Share of splits in which the best and the worst order differ beyond chance, allowing for all pairs of orders."""
        n_pairs = self.orders.shape[1] * (self.orders.shape[1] - 1) // 2
        tests = [exact_mcnemar(*split["best_against_worst"]).p_value for split in self.splits]
        return float(np.mean(np.array(tests) * n_pairs < ALPHA))

    @property
    def commonest(self) -> Array:
        """By split: how many of the random orders have the number of samples right that most have."""
        return np.array([max(Counter(split["orders"]).values()) for split in self.splits])

    @property
    def unconverged(self) -> tuple[int, int]:
        """Machines, and cells of the search for C, that did not converge."""
        return sum(split["unconverged"] for split in self.splits), sum(
            split["unconverged_cells"] for split in self.splits
        )

    def test(self, differences: Array) -> PairedTest:
        """The corrected test of differences over the splits."""
        return corrected_t_test(differences, self.row.n_train, self.row.n_test)

    def on_one_set(self, other: str) -> tuple[float, float]:
        """The adaptive order against one random order on the test part of the first split: points, and p of McNemar's test.

        Parameters
        ----------
        other : {"best", "median"}
        """
        a, b = self.splits[0][f"against_{other}"]
        return 100.0 * (a - b) / self.n_test, float(exact_mcnemar(a, b).p_value)

    def interval(self, name: str) -> tuple[float, float]:
        """The confidence interval of an accuracy: over drawn splits corrected; on an official test part that of a share."""
        values: Array = getattr(self, name)
        if self.row is TABLE["vowel"] and not self.drawn:
            low, high = share_interval(round(float(values.mean()) / 100 * self.n_test), self.n_test)
            return 100 * low, 100 * high
        test = self.test(values)
        return max(test.low, 0.0), min(test.high, 100.0)


@dataclass(frozen=True, eq=False)
class Results:
    """All that the steps of the study found."""

    found: Mapping[str, Found]

    @cached_property
    def table2(self) -> dict[str, Runs]:
        """The protocol, by data set."""
        return {data: self._runs(f"table2/{data}", data, drawn=data != "vowel") for data in TABLE}

    @cached_property
    def speakers(self) -> Runs:
        """Vowel with other speakers for training."""
        return self._runs("checks/speakers", "vowel")

    @cached_property
    def drawn(self) -> dict[str, Runs]:
        """By name: every data set over splits that were drawn; Vowel by speakers."""
        names = {data: row.label for data, row in TABLE.items()}
        runs = {names[data]: runs for data, runs in self.table2.items() if data != "vowel"}
        return {**runs, SPEAKERS: self.speakers}

    @cached_property
    def random(self) -> dict[str, Runs]:
        """The protocol over splits that do not keep the classes in proportion."""
        return {data: self._runs(f"checks/random/{data}", data) for data in TABLE if data != "vowel"}

    @cached_property
    def tuning(self) -> dict[str, dict[str, Runs]]:
        """By data set, then by way of tuning."""
        return {data: self._ways(f"tuning/{data}", data, drawn=data != "vowel") for data in TABLE}

    @cached_property
    def tuning_drawn(self) -> dict[str, dict[str, Runs]]:
        """The same by name, over splits that were drawn; Vowel by speakers."""
        named = {TABLE[data].label: ways for data, ways in self.tuning.items() if data != "vowel"}
        return {**named, SPEAKERS: self._ways("checks/tuning/speakers", "vowel", drawn=True)}

    def noise(self, data: str, share: float) -> Runs:
        """The protocol with a share of wrong labels."""
        return self._runs(f"noise/{data}/{share:g}", data, drawn=data != "vowel")

    def _ways(self, key: str, data: str, drawn: bool) -> dict[str, Runs]:
        step = self.found[key]
        return {way: Runs(int(step["n_test"]), splits, TABLE[data], drawn) for way, splits in step["ways"].items()}

    def _runs(self, key: str, data: str, drawn: bool = True) -> Runs:
        step = self.found[key]
        return Runs(int(step["n_test"]), step["splits"], TABLE[data], drawn)
