"""Walks: following a plan over the machines of a bank, to the class of each sample.

For kernel machines the core follows the plan. For machines of any other kind the core only names the machine that each sample
needs next (`_core.Walks`); all samples of a block take a step together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel

from .. import _core
from ..base.lists import begin_of
from ..base.typing import Array, Index
from ..machines.bank import AnyBank, Bank
from ..machines.estimator_bank import EstimatorBank, select_rows, shared_threads
from ..problem.samples import as_data
from .paths import DecisionPath
from .plans import Plan, PollPlan

# Bytes for the walks of a block: a knockout by fewest losses stores n_classes^2 results for each sample.
WALKS_AT_ONCE = 2**27


def decide(bank: AnyBank, plan: Plan, X: Any, n_jobs: int | None = None) -> NDArray[np.integer[Any]]:
    """Find the class of each sample.

    Parameters
    ----------
    bank : Bank or EstimatorBank
    plan : Plan
        Over the machines of the bank.
    X : array, sparse matrix or data frame of shape (n_samples, n_features)
        Checked samples.
    n_jobs : int or None

    Returns
    -------
    ndarray of shape (n_samples,), int
    """
    if isinstance(bank, Bank):
        answers = np.empty(X.shape[0], np.int64)
        bank.native.decide(as_data(X), plan.native, answers, bank.threads(X, n_jobs))
        return answers
    return np.concatenate([path.answers for path in _in_step(_estimators(bank), plan, X, n_jobs)])


def trace(bank: AnyBank, plan: Plan, X: Any, n_jobs: int | None = None) -> DecisionPath:
    """Find the machines that each sample consults, with their values. Parameters are those of `decide`."""
    if isinstance(bank, Bank):
        path = bank.native.trace(as_data(X), plan.native, bank.threads(X, n_jobs))
        return DecisionPath(path.begin, path.machines, path.values, path.answers)
    return DecisionPath.join(list(_in_step(_estimators(bank), plan, X, n_jobs)))


def _estimators(bank: AnyBank) -> EstimatorBank:
    if not isinstance(bank, EstimatorBank):
        raise TypeError(f"a plan is followed over a Bank or an EstimatorBank, not {type(bank).__name__}")
    return bank


def _in_step(bank: EstimatorBank, plan: Plan, X: Any, n_jobs: int | None) -> Iterator[DecisionPath]:
    """Yield the paths of all samples, one block of samples at a time."""
    plan.native.check(bank.n_classes, bank.n_machines)
    if isinstance(plan, PollPlan):
        yield _poll(bank, X, n_jobs)
        return
    n = X.shape[0]
    at_once = max(256, WALKS_AT_ONCE // bank.n_classes**2)
    with shared_threads(n_jobs, X) as threads:
        for first in range(0, n, at_once):
            block = X if n <= at_once else select_rows(X, np.arange(first, min(n, first + at_once)))
            yield _walk(bank, _core.Walks(plan.native, block.shape[0]), block, threads)


def _walk(bank: EstimatorBank, walks: _core.Walks, X: Any, threads: Parallel) -> DecisionPath:
    asked_so_far: list[Index] = []  # stays empty if the root is a leaf
    values_so_far: list[Array] = []
    while (asked := walks.next()).max() >= 0:
        values = bank.values_asked(X, asked, threads)
        walks.tell(values >= 0)
        asked_so_far.append(asked)
        values_so_far.append(values)
    shape = (len(asked_so_far), X.shape[0])
    machines = np.array(asked_so_far, dtype=np.int64).reshape(shape).T
    told = np.array(values_so_far, dtype=np.float64).reshape(shape).T
    on_path = machines >= 0
    return DecisionPath(
        begin_of(on_path.sum(axis=1)), machines[on_path], told[on_path], walks.answers().astype(np.int64)
    )


def _poll(bank: EstimatorBank, X: Any, n_jobs: int | None) -> DecisionPath:
    values = bank.values(X, n_jobs)
    n, m = values.shape
    machines = np.tile(np.arange(m, dtype=np.int64), n)
    return DecisionPath(m * np.arange(n + 1, dtype=np.int64), machines, values.ravel(), np.argmax(values, axis=1))
