"""The compact copy of a model that a page computes with: plan, tasks, kernel machines."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.typing import Array, Features, Index
from ..machines.bank import AnyBank, Bank
from ..structures.plans import GraphPlan, KnockoutPlan, Plan
from .packing import packed

# The largest model that a page computes with, in stored numbers (16 MB before compression). Above it, values are computed
# beforehand for some samples.
MOST_NUMBERS = 4_000_000


def stored_numbers(bank: Bank, plan: Plan) -> int:
    """Return how many numbers a page needs to compute with a model: dense vectors, machines and plan."""
    n_vectors = 0 if bank.vectors is None else bank.vectors.shape[0] * bank.vectors.shape[1]
    of_plan = 3 * len(plan.machine) if isinstance(plan, GraphPlan) else 0
    return int(n_vectors) + 2 * len(bank.coef) + 3 * bank.n_machines + of_plan


def fits_a_page(bank: AnyBank, plan: Plan) -> bool:
    """Return whether a page can compute with these machines: their kernel is one of ours, and they are small enough."""
    if not isinstance(bank, Bank) or bank.vectors is None or stored_numbers(bank, plan) > MOST_NUMBERS:
        return False
    with np.errstate(over="ignore"):
        largest = np.abs(_centred(bank, bank.vectors).astype(np.float32)).max(initial=0.0)
        coefs = np.abs(bank.coef.astype(np.float32)).max(initial=0.0)
    return bool(np.isfinite(largest) and np.isfinite(coefs))


def compact_tasks(bank: AnyBank) -> dict[str, Any]:
    """Return the classes on both sides of each machine."""
    tasks = bank.tasks
    return {
        "begin": packed(tasks.begin, "i4"),
        "classes": packed(tasks.classes, "i4"),
        "sides": packed(tasks.sides > 0, "u1"),
    }


def compact_machines(bank: Bank) -> dict[str, Any]:
    """Return the machines of a bank: support vectors, coefficients, kernel.

    Vectors are centred and scaled as the core does it before it computes the kernel, so that float32 keeps their differences.
    """
    kernel = bank.kernel
    gamma = 1.0 if kernel.name == "linear" else kernel.gamma
    return {
        "kernel": {
            "name": kernel.name,
            "gamma": kernel.for_scaled(gamma),
            "coef0": kernel.coef0,
            "degree": kernel.degree,
        },
        "gammas": None if bank.gammas is None else packed(kernel.for_scaled(bank.gammas), "f8"),
        "begin": packed(bank.begin, "i4"),
        "index": packed(bank.index, "i4"),
        "coef": packed(bank.coef, "f4"),
        "bias": packed(bank.bias, "f8"),
    }


def compact_vectors(bank: Bank, chosen: Index | None = None) -> dict[str, Any]:
    """Return support vectors with their classes and their places in the training data.

    Parameters
    ----------
    bank : Bank
    chosen : ndarray of int, optional
        The numbers of the vectors; by default all.

    Returns
    -------
    dict
        ``places`` are -1 if they are not known, as in a model of LIBSVM. ``vectors`` is None for a precomputed kernel.
    """
    rows = np.arange(bank.n_vectors) if chosen is None else chosen
    class_of = np.searchsorted(bank.class_start, rows, side="right") - 1
    vectors = None if bank.vectors is None else _centred(bank, bank.vectors[rows])
    d = 0 if bank.vectors is None else bank.vectors.shape[1]
    return {
        "vectors": None if vectors is None else packed(vectors, "f4"),
        "centre": packed(np.zeros(d) if bank.centre is None else bank.centre, "f8"),
        "scale": bank.kernel.scale,
        "places": packed(bank.support[rows], "i4"),
        "classes": packed(class_of, "i4"),
    }


def _centred(bank: Bank, vectors: Features) -> Array:
    dense = vectors.toarray() if sp.issparse(vectors) else np.asarray(vectors, dtype=np.float64)
    centred: Array = (dense if bank.centre is None else dense - bank.centre) * bank.kernel.scale
    return centred


def compact_plan(plan: Plan, break_ties: bool = False) -> dict[str, Any]:
    """Return a plan as the page follows it.

    Parameters
    ----------
    plan : Plan
    break_ties : bool
        Whether all machines vote, and equal votes are decided by the sums of values.

    Returns
    -------
    dict
        ``kind`` is "graph", "knockout" or "poll".
    """
    if isinstance(plan, GraphPlan):
        n_lists = len(plan.list_begin) - 1
        return {
            "kind": "graph",
            "triangle": bool(plan.unanimous and len(plan.machine) == plan.n_classes * (plan.n_classes - 1) // 2),
            "root": int(plan.root),
            "machine": packed(plan.machine, "i4"),
            "onNegative": packed(plan.on_negative, "i4"),
            "onPositive": packed(plan.on_positive, "i4"),
            "listBegin": packed(plan.list_begin, "i4"),
            "listClasses": packed(plan.list_classes, "i4"),
            "machineOf": packed(plan.machine_of, "i4") if n_lists else None,
        }
    if isinstance(plan, KnockoutPlan):
        return {
            "kind": "knockout",
            "rule": "everyone" if break_ties else plan.rule,
            "breakTies": break_ties,
            "machineOf": packed(plan.machine_of, "i4"),
            "order": packed(plan.order, "i4"),
            "rivals": packed(plan.rivals, "i4"),
        }
    return {"kind": "poll"}
