"""What the steps found, as numbers over splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dagmar.base.typing import Array

from ...statistics import SAME, corrected_t_test, exact_mcnemar
from ..study import Found
from .published import TABLE, Row


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
    """

    n_test: int
    splits: Sequence[Found]
    row: Row

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

    def test(self, gain: Array | None = None) -> SplitTest:
        """Whether a gain is more than chance; by default the adaptive order's."""
        return SplitTest.of(self.gain if gain is None else gain, self.row)


@dataclass(frozen=True)
class SplitTest:
    """Whether a difference over random splits is more than chance.

    Attributes
    ----------
    up, down : int
        Splits in which it is above and below 0.
    sign_p : float
        Of the sign test. Splits share samples, so it is too small.
    p : float
        Of the t-test that is corrected for splits that share samples, see `experiments.statistics.corrected_t_test`.
    """

    up: int
    down: int
    sign_p: float
    p: float

    @classmethod
    def of(cls, gain: Array, row: Row) -> SplitTest:
        """Test the gains of splits that have the sizes of a row of the paper's table."""
        up, down = int((gain > SAME).sum()), int((gain < -SAME).sum())
        return cls(up, down, exact_mcnemar(up, down).p_value, corrected_t_test(gain, row.n_train, row.n_test).p)


@dataclass(frozen=True, eq=False)
class Results:
    """All that the steps of the study found."""

    found: Mapping[str, Found]

    @cached_property
    def table2(self) -> dict[str, Runs]:
        """The protocol, by data set."""
        return {data: self._runs(f"table2/{data}", data) for data in TABLE}

    @cached_property
    def speakers(self) -> Runs:
        """Vowel with other speakers for training."""
        return self._runs("checks/speakers", "vowel")

    @cached_property
    def drawn(self) -> dict[str, Runs]:
        """By name: every data set over splits that were drawn; Vowel by speakers."""
        names = {data: row.label for data, row in TABLE.items()}
        runs = {names[data]: runs for data, runs in self.table2.items() if data != "vowel"}
        return {**runs, f"{names['vowel']}, speakers drawn": self.speakers}

    @cached_property
    def random(self) -> dict[str, Runs]:
        """The protocol over splits that do not keep the classes in proportion."""
        return {data: self._runs(f"checks/random/{data}", data) for data in TABLE if data != "vowel"}

    @cached_property
    def tuning(self) -> dict[str, dict[str, Runs]]:
        """By data set, then by way of tuning."""
        return {
            data: {way: self._made(data, self.found[f"tuning/{data}"], splits) for way, splits in self._ways(data)}
            for data in TABLE
        }

    def noise(self, data: str, share: float) -> Runs:
        """The protocol with a share of wrong labels."""
        return self._runs(f"noise/{data}/{share:g}", data)

    def _ways(self, data: str) -> Any:
        return self.found[f"tuning/{data}"]["ways"].items()

    def _runs(self, key: str, data: str) -> Runs:
        return self._made(data, self.found[key], self.found[key]["splits"])

    def _made(self, data: str, step: Found, splits: Sequence[Found]) -> Runs:
        return Runs(int(step["n_test"]), splits, TABLE[data])
