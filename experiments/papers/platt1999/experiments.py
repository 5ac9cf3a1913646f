"""Table 1 and its checks: the three rules on one data set, and DAGSVM in other orders of the classes."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from dagmar import DDAG, SVC, AndGate, mcnemar
from dagmar.base.typing import Array, Index

from ..measure import fitted, percent_wrong, sizes
from ..study import Found, Lab
from .published import DAGSVM, MAX_WINS, ONE_VS_REST
from .sets import prepared

TOL = 1e-3  # where the solver stops, unless a step says otherwise
STRUCTURE = {ONE_VS_REST: "one_vs_rest", MAX_WINS: "max_wins", DAGSVM: "ddag"}


def compare(
    lab: Lab, data: str, schemes: dict[str, list[float]], repeats: int = 1, tol: float = TOL, **reading: Any
) -> Found:
    """The rules on one data set: error, kernel evaluations, training time and size of each, and McNemar's tests.

    Parameters
    ----------
    lab : Lab
    data : str
    schemes : dict of str to [sigma, C]
        By rule. Rules with the same numbers consult the same machines.
    repeats : int
        Fits, of which the fastest counts.
    tol : float
        Where the solver stops.
    **reading : Any
        Of the data, see `sets.prepared`.
    """
    split = prepared(lab, data, **reading)
    banks: dict[tuple[Any, ...], tuple[SVC, Found]] = {}
    rules, labels = {}, {}
    for rule, (sigma, C) in schemes.items():
        key = (rule == ONE_VS_REST, sigma, C)
        if key not in banks:
            banks[key] = trained(STRUCTURE[rule], sigma, C, split.X, split.y, repeats, tol)
        clf, training = banks[key]
        clf = clf.restructure(STRUCTURE[rule]).set_params(n_jobs=lab.n_jobs)
        labels[rule] = clf.predict(split.X_test)
        rules[rule] = {
            "sigma": sigma,
            "C": C,
            "error": percent_wrong(labels[rule], split.y_test),
            "kernel_evaluations": kernel_evaluations(clf, split.X_test),
            **sizes(clf),
            "parameters": parameters(clf, split.sparse),
            **training,
        }
    tests = {f"{a}, {b}": tested(split.y_test, labels[a], labels[b]) for a, b in combinations(schemes, 2)}
    rows = {"train_rows": len(split.y), "test_rows": len(split.y_test)}
    return {"rules": rules, "mcnemar": tests, **rows}


def trained(
    structure: str, sigma: float, C: float, X: Array, y: Index, repeats: int = 1, tol: float = TOL
) -> tuple[SVC, Found]:
    """Machines for a structure, and what training them took; by one thread, as CPU seconds of several are blurred."""
    laps = []
    for _ in range(repeats):
        clf, times = fitted(SVC(C=C, gamma=1 / (2 * sigma**2), structure=structure, tol=tol), X, y)
        laps.append(times["cpu_seconds"])
    return clf, {"cpu_seconds": min(laps), "laps": laps, **counts(clf, y)}


def counts(clf: SVC, y: Index) -> Found:
    """What training cost, counted: solver steps and kernel rows, each also times the samples of its machine."""
    of_class = np.bincount(y)
    pairs = clf.bank_.all_pairs
    samples = of_class[clf.bank_.pairs].sum(axis=1) if pairs else np.full(clf.bank_.n_machines, len(y))
    report = clf.report_
    return {
        "machines": int(clf.bank_.n_machines),
        "unconverged": int(np.sum(~report.converged)),
        "steps": int(report.iterations.sum()),
        "kernel_rows": int(report.rows_computed.sum()),
        "gradient_updates": int(report.iterations @ samples),
        "kernel_values": int(report.rows_computed @ samples),
    }


def kernel_evaluations(clf: SVC, X: Array) -> float:
    """As the paper counts: distinct vectors on the way of a sample through a DDAG, on average; else of all machines."""
    if not isinstance(clf.structure_, DDAG):
        return float(len(clf.support_))
    return float(clf.decision_cost(X).kernel_evaluations.mean())


def parameters(clf: SVC, sparse: bool) -> int:
    """The size of a classifier; of vectors that would be stored sparse, nonzero values count."""
    size = int(clf.bank_.size_in_parameters)
    zeros = int(np.sum(clf.support_vectors_ == 0)) if sparse else 0
    return size - zeros


def tested(y: Index, a: Index, b: Index) -> Found:
    """McNemar's test, as it goes into the record."""
    test = mcnemar(y, a, b, method="exact")
    return {"only_first": test.only_a, "only_second": test.only_b, "p": test.p_value, "method": test.method}


def orders(lab: Lab, data: str, sigma: float, C: float, n_orders: int) -> Found:
    """DAGSVM with the list of classes in random orders, against the natural one.

    A sample whose class wins all its pairs has the same answer in every order, so only the others are asked again.
    """
    split = prepared(lab, data)
    clf, _ = trained("ddag", sigma, C, split.X, split.y)
    clf.set_params(n_jobs=lab.n_jobs)
    natural = clf.predict(split.X_test)
    rest = np.flatnonzero(~AndGate.unanimous(clf.pair_decisions(split.X_test), len(clf.classes_)))
    n_classes, others = len(clf.classes_), []
    for trial in range(n_orders):
        order = lab.rng("platt1999", "order", data, trial).permutation(n_classes).tolist()
        labels = natural.copy()
        if len(rest):
            labels[rest] = clf.restructure(DDAG(order=order)).predict(split.X_test[rest])
        error = percent_wrong(labels, split.y_test)
        others.append({"order": order, "error": error, **tested(split.y_test, natural, labels)})
    return {
        "natural_error": percent_wrong(natural, split.y_test),
        "unanimous_percent": 100 * (1 - len(rest) / len(natural)),
        "test_rows": len(natural),
        "orders": others,
    }
