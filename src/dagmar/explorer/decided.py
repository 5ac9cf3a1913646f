"""The decisions of all samples: answers, how clear they are, what they cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.frozen import FrozenArrays
from ..base.typing import Array, Index
from ..machines.bank import Bank
from ..machines.estimator_bank import select_rows
from ..structures.paths import DecisionCost
from .given import Given
from .traffic import closest_calls

# Samples whose paths are in memory at once.
ROWS_AT_ONCE = 20_000


@dataclass(frozen=True, eq=False)
class Decided(FrozenArrays):
    """The decisions of all samples.

    Attributes
    ----------
    answers : ndarray of shape (n_samples,), int64
        The class of each sample by `predict`.
    closest : ndarray of shape (n_samples,)
        How clear the decision is, as `closest_calls` says.
    machines : ndarray of shape (n_samples,), int64
        Number of machines consulted.
    kernel_evaluations : ndarray of shape (n_samples,), int64, or None
        Number of kernel evaluations, for kernel machines.
    """

    answers: Index
    closest: Array
    machines: Index
    kernel_evaluations: Index | None

    @classmethod
    def of(cls, given: Given) -> Decided:
        """Decide all samples, a block at a time."""
        svc, n = given.svc, given.samples.shape[0]
        place = {label: c for c, label in enumerate(svc.classes_.tolist())}
        blocks = []
        for first in range(0, max(n, 1), ROWS_AT_ONCE):  # no rows at all are refused by `decision_path`
            last = min(n, first + ROWS_AT_ONCE)
            X = given.samples if n <= ROWS_AT_ONCE else select_rows(given.samples, np.arange(first, last))
            path, bank = svc.decision_path(X), svc.bank_
            answers = np.array([place[label] for label in svc.predict(X).tolist()], dtype=np.int64)
            evaluations = DecisionCost.of(bank, path).kernel_evaluations if isinstance(bank, Bank) else None
            blocks.append(cls(answers, closest_calls(bank, svc.plan_, path), np.diff(path.begin), evaluations))
        return cls(
            answers=np.concatenate([b.answers for b in blocks]),
            closest=np.concatenate([b.closest for b in blocks]),
            machines=np.concatenate([b.machines for b in blocks]),
            kernel_evaluations=_joined([b.kernel_evaluations for b in blocks]),
        )


def _joined(parts: list[Index | None]) -> Index | None:
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if known else None
