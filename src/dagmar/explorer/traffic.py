"""Traffic: how many samples pass each part of a structure, and how clearly they are decided there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..base.frozen import FrozenArrays
from ..base.typing import Array, Index
from ..machines.bank import AnyBank
from ..structures.paths import DecisionPath
from ..structures.plans import GraphPlan, KnockoutPlan, Plan, is_node


@dataclass(frozen=True, eq=False)
class Traffic(FrozenArrays):
    """Counts and margins of the parts of a structure, two per part.

    A part is a node of a graph, a machine of a vote, a game of a bracket, or the machine of a class in a poll. The two ways
    to leave it are a negative and a positive value; in a bracket, that the first and that the second of the two classes wins.
    In a poll only wins are counted, as positive.

    Attributes
    ----------
    counts : ndarray of shape (n_parts, 2), int64
        Number of samples that leave the part each way.
    margins : ndarray of shape (n_parts, 2)
        The median of their absolute values; in a poll, of the lead of the largest value. 0 where there are none.
    """

    counts: Index
    margins: Array


def traffic(bank: AnyBank, plan: Plan, path: DecisionPath) -> Traffic:
    """Count the traffic of some samples.

    Parameters
    ----------
    bank : Bank or EstimatorBank
    plan : Plan
    path : DecisionPath
        The machines that the samples consulted by this plan.

    Returns
    -------
    Traffic
    """
    values = path.values
    if isinstance(plan, GraphPlan):
        node = _nodes(plan, path)
        on = node >= 0
        return _counted(len(plan.machine), node[on], values[on] >= 0, np.abs(values[on]))
    if not isinstance(plan, KnockoutPlan):
        return _counted(bank.n_machines, path.answers, np.ones(len(path), dtype=bool), _leads(path))
    if plan.rule == "bracket":
        game = _steps(path)
        return _counted(bank.n_classes - 1, game, _second_won(plan, path), np.abs(values))
    return _counted(bank.n_machines, path.machines, values >= 0, np.abs(values))


def closest_calls(bank: AnyBank, plan: Plan, path: DecisionPath) -> Array:
    """Return how clear each decision is: the smallest absolute value among the verdicts that led to the answer.

    These are all verdicts on the path of a graph or an adaptive DDAG. In a vote or a bracket they are the meetings of the
    answer; other meetings may be close without any effect. In a poll it is the lead of the largest value.

    Parameters
    ----------
    bank : Bank or EstimatorBank
    plan : Plan
    path : DecisionPath

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    if not len(path):
        return np.zeros(0)
    if not isinstance(plan, GraphPlan | KnockoutPlan):
        return _leads(path)
    sizes = np.abs(path.values)
    if isinstance(plan, KnockoutPlan) and plan.rule != "ranked":
        answers = np.repeat(path.answers, np.diff(path.begin))
        met = (bank.pairs[path.machines] == answers[:, None]).any(axis=1)
        sizes = np.where(met, sizes, np.inf)
    closest: Array = np.minimum.reduceat(sizes, path.begin[:-1])
    return closest


def _steps(path: DecisionPath) -> Index:
    """Return the step of each entry of a path, counted from 0 for each sample."""
    steps: Index = np.arange(len(path.machines)) - np.repeat(path.begin[:-1], np.diff(path.begin))
    return steps


def _leads(path: DecisionPath) -> Array:
    """Return by how much the largest value of a poll exceeds the next."""
    ordered = np.sort(path.values.reshape(len(path), -1), axis=1)
    leads: Array = ordered[:, -1] - ordered[:, -2]
    return leads


def _nodes(plan: GraphPlan, path: DecisionPath) -> Index:
    """Return the node of each entry of a path; -1 inside of a list."""
    node = np.full(len(path.machines), -1, dtype=np.int64)
    at = np.full(len(path), plan.root, dtype=np.int64)
    walking, step = np.flatnonzero(is_node(at)), 0
    while len(walking):
        entry = path.begin[walking] + step
        here = node[entry] = at[walking]
        at[walking] = np.where(path.values[entry] >= 0, plan.on_positive[here], plan.on_negative[here])
        walking, step = walking[is_node(at[walking])], step + 1
    return node


def _second_won(plan: KnockoutPlan, path: DecisionPath) -> NDArray[np.bool_]:
    """Return, for each game of each sample, whether the second of the two classes in the list won."""
    positive = path.values.reshape(len(path), -1) >= 0
    left = np.tile(plan.order.astype(np.int64), (len(path), 1))
    won = []
    at = 0
    while (size := left.shape[1]) > 1:
        games = size // 2
        first, second = left[:, :games], left[:, size - games :][:, ::-1]
        second_wins = positive[:, at : at + games] == (first < second)
        won.append(second_wins)
        left = np.concatenate([np.where(second_wins, second, first), left[:, games : size - games]], axis=1)
        at += games
    return np.concatenate(won, axis=1).ravel()


def _counted(n_parts: int, part: Index, positive: NDArray[np.bool_], sizes: Array) -> Traffic:
    key = 2 * part + positive
    counts = np.bincount(key, minlength=2 * n_parts)
    order = np.lexsort((sizes, key))
    begin = np.cumsum(counts) - counts
    margins = np.zeros(2 * n_parts)
    used = counts > 0
    margins[used] = sizes[order][(begin + (counts - 1) // 2)[used]]  # the lower of two in the middle
    return Traffic(counts.reshape(-1, 2), margins.reshape(-1, 2))
