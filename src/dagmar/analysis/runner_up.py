"""The runner-up: the class that would have been the answer if the closest verdicts had been different."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.typing import Array, Index
from ..machines.bank import AnyBank
from ..machines.estimator_bank import EstimatorBank
from ..structures.paths import DecisionPath
from ..structures.plans import KnockoutPlan, Plan, PollPlan

# Walks with another verdict that are followed at the same time. The closest verdicts come first, so few are needed.
WALKS_AT_ONCE = 64
# Larger values of pairs count as this one where they are summed.
LARGEST = 1e280
# Knockouts in which the votes of all pairs decide.
BY_VOTES = ("fewest_losses", "everyone")

# A class, the machines whose verdicts have to change, and their values.
Found = tuple[int, tuple[int, ...], tuple[float, ...]]


@dataclass(frozen=True)
class RunnerUp:
    """The class that came second, and how close it was.

    Graphs, brackets and adaptive DDAGs: of all verdicts on the path that would change the answer if this verdict alone were
    different, the closest one (the smallest absolute value) is changed; the runner-up is the class at the end of the path that
    follows from there. Votes (Max Wins, AND gate): the class with the second most votes among all pairs; of equal votes, the
    larger sum of values. The verdicts that have to change are its closest lost pairs, as many as it needs to be the answer.
    One-vs-rest: the class with the second largest value.

    Attributes
    ----------
    class_index : int
        The class, an index into ``classes_``.
    label : label
        Its label.
    machines : tuple of int
        The machines whose verdicts would have to change; for one-vs-rest, those of the answer and of the runner-up.
    values : tuple of float
        Their values.
    gap : float
        How close it was: the largest absolute value among the verdicts that would have to change; for one-vs-rest, the
        difference of the two values.
    """

    class_index: int
    label: Any
    machines: tuple[int, ...]
    values: tuple[float, ...]
    gap: float

    def __str__(self) -> str:
        return f"{self.label} ({self.gap:.3g} away)"


def find_runner_up(
    bank: AnyBank, plan: Plan, x: Any, path: DecisionPath, labels: list[Any], n_jobs: int | None = None
) -> RunnerUp | None:
    """Find the runner-up of one sample.

    Parameters
    ----------
    bank : Bank or EstimatorBank
    plan : Plan
    x : array, sparse matrix or data frame of shape (1, n_features)
        A checked sample.
    path : DecisionPath
        Of this sample.
    labels : list of n_classes labels
    n_jobs : int or None

    Returns
    -------
    RunnerUp or None
        None if no single verdict on the path changes the answer.
    """
    machines, values = path[0]
    answer = int(path.answers[0])
    found: Found | None
    if isinstance(plan, PollPlan):
        found = _by_value(values, answer)
    elif isinstance(plan, KnockoutPlan) and plan.rule in BY_VOTES:
        everyone = np.array(bank.values(x, n_jobs)[0])
        everyone[machines] = values
        found = _by_votes(plan.n_classes, plan.machine_of, everyone, answer)
    else:
        found = _by_walking(plan, path, _verdicts(bank, x, machines, values, n_jobs))
    if found is None:
        return None
    second, which, told = found
    gap = abs(told[0] - told[1]) if isinstance(plan, PollPlan) else max(map(abs, told))
    return RunnerUp(second, labels[second], which, told, gap)


def _by_value(values: Array, answer: int) -> Found:
    others = np.where(np.arange(len(values)) == answer, -np.inf, values)
    second = int(np.argmax(others))
    return second, (answer, second), (float(values[answer]), float(values[second]))


def _by_votes(n_classes: int, machine_of: Index, values: Array, answer: int) -> Found:
    """Rank the classes by votes and sums of values; change the closest lost pairs of the second until it is the answer."""
    i, j = np.triu_indices(n_classes, k=1)
    of_pair = values[machine_of[i, j]]
    later = of_pair >= 0
    votes = np.bincount(np.where(later, j, i), minlength=n_classes)
    smaller = np.clip(of_pair, -LARGEST, LARGEST)  # so that no sum overflows
    sums = np.bincount(j, smaller, n_classes) - np.bincount(i, smaller, n_classes)
    ranked = np.lexsort((-sums, -votes))
    second = int(ranked[ranked != answer][0])
    others = np.delete(np.arange(n_classes), second)
    of_second = values[machine_of[second, others]]
    lost = np.where(others < second, of_second < 0, of_second >= 0)
    closest = others[lost][np.argsort(np.abs(of_second[lost]), kind="stable")].tolist()

    def wins(beaten: list[int]) -> bool:
        changed = votes.copy()
        changed[second] += len(beaten)
        changed[beaten] -= 1
        return int(np.argmax(changed)) == second  # ties go to the lower index

    needed = next((n for n in range(1, len(closest) + 1) if wins(closest[:n])), len(closest))
    beaten = closest[:needed]
    if wins(beaten[-1:]):  # the pair against the answer counts twice, so the closer ones may not be needed
        beaten = beaten[-1:]
    which = tuple(int(machine_of[second, other]) for other in beaten)
    return second, which, tuple(float(values[m]) for m in which)


def _verdicts(
    bank: AnyBank, x: Any, machines: Index, values: Array, n_jobs: int | None
) -> Callable[[Index], NDArray[np.bool_]]:
    """Return a function from machines to their verdicts on the sample; those on the path are known."""
    told = np.full(bank.n_machines, np.nan)
    told[machines] = values

    def verdicts(asked: Index) -> NDArray[np.bool_]:
        new = np.unique(asked[np.isnan(told[asked])])
        if len(new):
            if isinstance(bank, EstimatorBank):
                told[new] = [bank.value(machine, x)[0] for machine in new.tolist()]
            else:  # the core computes all of them at once
                told[:] = np.where(np.isnan(told), bank.values(x, n_jobs)[0], told)
        return told[asked] >= 0

    return verdicts


def _by_walking(plan: Plan, path: DecisionPath, verdicts: Callable[[Index], NDArray[np.bool_]]) -> Found | None:
    """Change the verdicts on the path one at a time, the closest first, until the answer changes."""
    machines, values = path[0]
    order = np.argsort(np.abs(values), kind="stable")
    for first in range(0, len(order), WALKS_AT_ONCE):
        changed = order[first : first + WALKS_AT_ONCE]
        walks, step = _core.Walks(plan.native, len(changed)), 0
        while (asked := walks.next()).max() >= 0:
            positive = np.zeros(len(asked), dtype=bool)
            going = asked >= 0
            positive[going] = verdicts(asked[going])
            walks.tell(positive ^ (changed == step))
            step += 1
        answers = walks.answers()
        other = np.flatnonzero(answers != path.answers[0])
        if len(other):
            here = int(changed[other[0]])
            return int(answers[other[0]]), (int(machines[here]),), (float(values[here]),)
    return None
