"""The results as arrays: what was measured, by set, scheme and split, and which sets count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from dagmar.base.typing import Array

from .protocol import TEST_SHARE, Found
from .related import Counting
from .scheme import Kind

REFERENCE = "max_wins"  # what the others are compared with, if it is there


@dataclass(frozen=True, eq=False)
class Matrix:
    """A number for each set (or group of related sets) and scheme.

    Attributes
    ----------
    sets, schemes : tuple of str
    values : ndarray of shape (n_sets, n_schemes)
    counting : Counting
        How the sets count.
    """

    sets: tuple[str, ...]
    schemes: tuple[str, ...]
    values: Array
    counting: Counting

    def column(self, scheme: str) -> Array:
        """The numbers of a scheme, shape (n_sets,)."""
        column: Array = self.values[:, self.schemes.index(scheme)]
        return column

    def counted(self) -> Matrix:
        """The sets that count in ranks and tests: not generated, and related ones as one, with the mean of their numbers."""
        groups: dict[str, list[int]] = {}
        for row, name in enumerate(self.sets):
            group = self.counting.counts_as(name)
            if group is not None:
                groups.setdefault(group, []).append(row)
        values = [self.values[rows].mean(axis=0) for rows in groups.values()]
        made = np.array(values).reshape(len(groups), len(self.schemes))
        return Matrix(tuple(groups), self.schemes, made, self.counting)


@dataclass(frozen=True, eq=False)
class Cube:
    """What was measured, by set, scheme and split.

    Attributes
    ----------
    steps : mapping of (set, split, scheme) to dict
        Steps that did not fail.
    sets : mapping of str to dict
        The shape of each set.
    kinds : mapping of str to str
        The kind of each scheme.
    counting : Counting
        How the sets count in ranks and tests over sets.
    """

    steps: Mapping[tuple[str, int, str], Found]
    sets: Mapping[str, Mapping[str, Any]]
    kinds: Mapping[str, str]
    counting: Counting = field(default_factory=Counting)

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Cube:
        """The cube of the content of a file of results."""
        steps = {}
        for key, found in content["steps"].items():
            name, number, scheme = key.rsplit("/", 2)
            if "accuracy" in found:
                steps[name, int(number), scheme] = found
        there = {scheme for _, _, scheme in steps}
        kinds = {scheme: told["kind"] for scheme, told in content["schemes"].items() if scheme in there}
        counting = Counting().with_more(content.get("generated", ()), content.get("related", ()))
        return cls(steps, content["sets"], kinds, counting)

    @cached_property
    def schemes(self) -> tuple[str, ...]:
        """The schemes that have a result, in their order, without probes."""
        return tuple(scheme for scheme, kind in self.kinds.items() if kind != Kind.PROBE.name)

    @cached_property
    def splits(self) -> tuple[int, ...]:
        """The splits of any step."""
        return tuple(sorted({number for _, number, _ in self.steps}))

    @property
    def reference(self) -> str:
        """The scheme that the others are compared with."""
        return REFERENCE if REFERENCE in self.kinds else self.schemes[0]

    def of_kind(self, *kinds: str) -> tuple[str, ...]:
        """The schemes of some kinds."""
        return tuple(scheme for scheme, kind in self.kinds.items() if kind in kinds)

    @cached_property
    def halves(self) -> tuple[Cube, Cube] | None:
        """The results of every second split, and those of the others; None if there is only one split."""
        if len(self.splits) < 2:
            return None
        first, second = set(self.splits[::2]), set(self.splits[1::2])
        return self.where(lambda _, number: number in first), self.where(lambda _, number: number in second)

    def where(self, keep: Callable[[str, int], bool]) -> Cube:
        """The results of some sets and splits."""
        return replace(self, steps={at: found for at, found in self.steps.items() if keep(at[0], at[1])})

    def common(self, schemes: Sequence[str], field: str = "accuracy") -> dict[str, list[int]]:
        """For each set, the splits that every one of some schemes has a number of; sets without such a split are left out."""
        found = {
            name: [
                number
                for number in self.splits
                if all(field in self.steps.get((name, number, scheme), ()) for scheme in schemes)
            ]
            for name in self.sets
        }
        return {name: numbers for name, numbers in found.items() if numbers}

    def means(self, schemes: Sequence[str], field: str = "accuracy", logarithm: bool = False) -> Matrix:
        """The mean over the splits that all the schemes have.

        Parameters
        ----------
        schemes : sequence of str
        field : str
            What is averaged.
        logarithm : bool
            Average logarithms, for times and counts.

        Returns
        -------
        Matrix
        """
        common = self.common(schemes, field)
        take = np.log if logarithm else np.asarray
        rows = [
            [float(np.mean(take(self._numbers(name, numbers, scheme, field)))) for scheme in schemes]
            for name, numbers in common.items()
        ]
        values = np.array(rows).reshape(len(rows), len(schemes))
        return Matrix(tuple(common), tuple(schemes), values, self.counting)

    def differences(self, scheme: str, other: str) -> dict[str, Array]:
        """For each set, the accuracy of a scheme less that of another, split by split, in points."""
        return {
            name: self._numbers(name, numbers, scheme, "accuracy") - self._numbers(name, numbers, other, "accuracy")
            for name, numbers in self.common([scheme, other]).items()
        }

    def sizes(self, name: str) -> tuple[float, float]:
        """The rows to train on and to test with."""
        rows = float(self.sets[name]["rows"])
        return (1 - TEST_SHARE) * rows, TEST_SHARE * rows

    def _numbers(self, name: str, numbers: Iterable[int], scheme: str, field: str) -> Array:
        return np.array([self.steps[name, number, scheme][field] for number in numbers], dtype=np.float64)
