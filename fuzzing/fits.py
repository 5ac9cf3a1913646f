"""Random fits: kernels, parameters, scales, shapes, layouts, structures, precisions and threads."""

from __future__ import annotations

import math
import os
import signal
import time
import warnings
from typing import Any

import numpy as np
from numpy.random import Generator

from . import truth, ways
from .cases import DENSE_LAYOUTS, FIT_ERRORS, SPARSE_LAYOUTS, Outcome, lay_out, refusal

# Columns of half of the sparse samples. With few, samples this small are trained as dense ones.
WIDE = 2**20

# Share of cases that take special ways.
SPECIAL = 0.6

KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed", "laplacian", "chi2")
STRUCTURES = (
    "max_wins",
    "and_gate",
    "one_vs_rest",
    "ddag",
    "adaptive_ddag",
    "bracket",
    "divide_and_conquer",
    "fisher_tree",
    "centered_tree",
)


def _pick(rng: Generator, options: Any, weights: Any = None) -> Any:
    p = None if weights is None else np.array(weights) / np.sum(weights)
    return options[int(rng.choice(len(options), p=p))]


def _log(rng: Generator, low: float, high: float) -> float:
    return float(10.0 ** rng.uniform(low, high))


# --------------------------------------------------------------------------- cases


def make_case(rng: Generator) -> dict[str, Any]:
    """Return a random case."""
    if rng.random() < SPECIAL:
        return ways.make_case(rng)
    n_classes = int(_pick(rng, range(2, 9), [6, 6, 4, 2, 1, 1, 1]))
    n = int(rng.integers(1, 61)) if rng.random() < 0.3 else int(rng.integers(n_classes, 8 * n_classes + 1))
    n = min(n, 60)
    d = int(_pick(rng, [1, 2, 3, 5, 8, 16, 17, 20]))
    y = rng.permutation(np.arange(n) % n_classes)
    kernel = _pick(rng, KERNELS, [3, 2, 5, 2, 1, 3, 2])
    scale = (
        float(np.exp2(rng.integers(-8, 9))) if rng.random() < 0.6 else _log(rng, *_pick(rng, [(-30, 30), (-300, 300)]))
    )
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        X = _samples(rng, n, d, y, n_classes) * scale
        T = _asked(rng, X, y)
        if kernel == "precomputed":
            X, T = _matrices(rng, X, T, scale)
        if kernel == "chi2" and rng.random() < 0.95:  # or it must be refused
            X, T = np.abs(X), np.abs(T)
    case: dict[str, Any] = {"parameters": _parameters(rng, kernel, n_classes, scale), "X": X, "y": y, "T": T}
    case["dtype"] = _pick(rng, ["f8", "f4"], [4, 1])
    sparse = kernel != "precomputed" and rng.random() < 0.3
    case["layout"] = _pick(rng, SPARSE_LAYOUTS if sparse else DENSE_LAYOUTS)
    if sparse and case["layout"] != "csc" and rng.random() < 0.5:
        case["columns"] = WIDE
    if rng.random() < 0.15:
        case["sample_weight"] = rng.choice([0.0, 0.5, 1.0, 2.0, 1e-10, 1e10], size=n)
    return case


def _samples(rng: Generator, n: int, d: int, y: Any, n_classes: int) -> Any:
    means = rng.normal(size=(n_classes, d)) * _pick(rng, [0.0, 1.0, 3.0])
    X = means[y] + rng.normal(size=(n, d))
    how = _pick(
        rng, ["", "whole", "offset", "outlier", "constant", "duplicates", "zeros", "all"], [5, 2, 2, 2, 1, 2, 2, 1]
    )
    if how == "whole":
        X = np.round(2 * X)
    if how in ("offset", "all"):
        X = X + _log(rng, 0, 8) * rng.choice([-1, 1], size=d)
    if how in ("outlier", "all"):
        X[rng.integers(n), rng.integers(d)] = _log(rng, 3, 20)
    if how in ("constant", "all"):
        X[:, rng.integers(d)] = rng.normal()
    if how in ("duplicates", "all"):
        X = X[rng.integers(max(1, n // 2), size=n)]
    if how == "zeros":
        X[rng.random(X.shape) < 0.7] = 0.0
    return X


def _asked(rng: Generator, X: Any, y: Any) -> Any:
    """Return samples to predict: training samples, points between them, far ones, zeros."""
    n = len(X)
    a, b = rng.integers(n, size=(2, 6))
    step = rng.choice([0.5, 0.25, 1 / 3, 1 - 2.0**-40, 2.0**-30], size=(6, 1))
    T = [X[rng.permutation(n)[: rng.integers(1, 20)]], X[a] + step * (X[b] - X[a]), np.zeros((1, X.shape[1]))]
    if rng.random() < 0.3:
        T.append(X[a] * _log(rng, -20, 20))
    if rng.random() < 0.15:  # enough for whole tiles of samples
        T.append(np.concatenate([X[a] * (1 + k / 64) for k in range(8)]))
    return np.concatenate(T)


def _matrices(rng: Generator, X: Any, T: Any, scale: float) -> tuple[Any, Any]:
    """Return kernel matrices: mostly linear ones, some of no kernel at all."""
    if rng.random() < 0.7:
        return X @ X.T, T @ X.T
    K = rng.normal(size=(len(X), len(X))) * scale
    return K + K.T, rng.normal(size=(len(T), len(X))) * scale


def _parameters(rng: Generator, kernel: str, n_classes: int, scale: float) -> dict[str, Any]:
    n_pairs = n_classes * (n_classes - 1) // 2
    out: dict[str, Any] = {"kernel": kernel, "structure": _pick(rng, STRUCTURES)}
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        unit = np.float64(scale) ** (-1 if kernel in ("laplacian", "chi2") else -2)
    out["C"] = _pick(rng, [1.0, _log(rng, -3, 3), _log(rng, -20, 20), math.inf], [4, 4, 1, 0.5])
    if kernel == "linear" and rng.random() < 0.5 and 0 < unit < math.inf:
        out["C"] *= float(unit)  # C that suits the scale
        out["C"] = out["C"] if out["C"] > 0 else 1.0
    if rng.random() < 0.05:
        out["C"] = [_log(rng, -2, 3) for _ in range(n_pairs)]
    if rng.random() < 0.5:
        factor = float(unit) if 0 < unit < math.inf else 1.0
        out["gamma"] = _pick(rng, ["auto", _log(rng, -2, 1) * factor, _log(rng, -20, 20), 0.0], [1, 6, 1, 0.3])
    if kernel in ("rbf", "laplacian", "chi2") and rng.random() < 0.1:
        out["gamma"] = [_log(rng, -2, 1) for _ in range(n_pairs)]
    if kernel == "poly":
        out["degree"] = _pick(rng, [0, 1, 2, 3, 4, 9, 50, 10**6, 2**31], [1, 2, 4, 4, 2, 2, 1, 0.05, 0.1])
    if kernel in ("poly", "sigmoid"):
        out["coef0"] = _pick(rng, [0.0, 1.0, -1.0, _log(rng, -8, 8)])
    out["tol"] = _pick(rng, [1e-3, _log(rng, -6, 0), _log(rng, -16, 2)], [6, 3, 0.3])
    out["class_weight"] = _pick(rng, [None, "balanced", "table"], [8, 1, 0.5])
    if out["class_weight"] == "table":
        out["class_weight"] = [[c, float(rng.choice([0.5, 3.0, 1e-8, 1e8]))] for c in range(n_classes)]
    if rng.random() < 0.1:
        out["soft_labels"] = int(rng.integers(1, 8))
    out["precision"] = _pick(rng, ["auto", "single", "double"], [3, 4, 3])
    out["n_jobs"] = _pick(rng, [None, 1, 2, 3], [6, 1, 2, 1])
    out["max_iter"] = _pick(rng, [-1, 0, 1, 50], [30, 1, 1, 1])
    out["cache_size"] = _pick(rng, [200, 0.001], [9, 1])
    out["shrinking"] = bool(rng.random() < 0.5)
    return out


# ----------------------------------------------------------------------------- run


def run_case(case: dict[str, Any]) -> Outcome:
    """Fit, predict and compare with the truth."""
    import dagmar
    from dagmar.base import threads

    threads.WORTH_A_THREAD = 1  # data this small would be left to one thread

    if "test" in case:
        _misbehave(case["test"])
    parameters = dict(case["parameters"])
    if isinstance(parameters.get("class_weight"), list):
        parameters["class_weight"] = dict(map(tuple, parameters["class_weight"]))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        X, T = (lay_out(case[name].astype(case["dtype"]), case["layout"]) for name in ("X", "T"))
        if "columns" in case:
            X.resize(X.shape[0], case["columns"])
            T.resize(T.shape[0], case["columns"])
        try:
            with ways.taken(case.get("ways", {})):
                clf = dagmar.SVC(**parameters).fit(X, case["y"], case.get("sample_weight"))
            labels, values, path = clf.predict(T), clf.pair_decisions(T), clf.decision_path(T)
        except Exception as error:
            if "incompatible function arguments" in str(error):  # of the binding: it does not name the parameter
                return Outcome("exception", "TypeError of the binding")
            return refusal(error, FIT_ERRORS)
        outcome = check_fit(clf, case, X) or check_answers(clf, T, labels, values, path)
        if "ways" in case:
            outcome.counts |= ways.counts(case, clf.report_)
        return outcome


def _misbehave(how: str) -> None:
    """Do what a case must not do, to test that it is seen."""
    if how == "signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    while True:
        time.sleep(1)


def check_answers(clf: Any, T: Any, labels: Any, values: Any, path: Any) -> Outcome:
    """Compare labels, values and paths with the arrays of the model."""
    model = clf._model
    samples = clf._check(model, T)
    true = truth.values_of(model.bank, samples)
    tally = truth.check_labels(model.bank, model.plan, model.classes, samples, labels, true)
    counts = tally.counts()
    if not np.isin(labels, model.classes).all():
        return Outcome("unknown label", f"{labels[~np.isin(labels, model.classes)][:3]}", counts)
    if tally.wrong:
        sample, label, possible = tally.wrong[0]
        size = np.abs(true.value[sample]).min()
        detail = (
            f"{len(tally.wrong)} of {len(labels)} labels; sample {sample}: {label}, not {possible}; value {size:.3g}"
        )
        return Outcome("wrong label", detail, counts)
    known = ~true.beyond
    if np.isnan(values[known]).any():
        return Outcome("NaN", "pair_decisions", counts)
    sure = known & (np.abs(true.value) > true.double_error)
    differ = ((values >= 0) != (true.value >= 0))[sure].any()
    if differ and hasattr(model.plan, "machine_of"):  # a poll promises the order of values, not their signs
        return Outcome("wrong label", "a sign of pair_decisions", counts)
    if (model.labels(path.answers) != labels).any():
        return Outcome("wrong label", "decision_path and predict differ", counts)
    return Outcome("answered", "", counts)


# ------------------------------------------------------------------------- the gap


# Numbers of differences from which on gaps are computed in double: in long double they would take seconds.
MUCH_WORK = 2**20


def check_fit(clf: Any, case: dict[str, Any], X: Any) -> Outcome | None:
    """Return a failure if a machine is called converged but its KKT gap, computed again, is above `tol`."""
    model = clf._model
    bank, report = model.bank, model.report
    weight = np.ones(len(case["y"])) if case.get("sample_weight") is None else np.maximum(case["sample_weight"], 0)
    class_index = np.searchsorted(model.classes, case["y"])
    samples = model.learned.check(X, bank.vectors, bank.kernel.name)
    work = samples.shape[0] * len(bank.support) * samples.shape[1]
    rows = (
        truth.double_values_of(bank, samples) if "ways" in case and work > MUCH_WORK else truth.values_of(bank, samples)
    )
    soft = _soft_labels(clf, case, X) if clf.soft_labels is not None else None
    for m in range(bank.n_machines):
        negative, positive = bank.tasks.sides_of(m)
        if not report.converged[m] or rows.beyond[:, m].any():
            continue
        sign = np.isin(class_index, positive).astype(float) - np.isin(class_index, negative)
        inside = (sign != 0) & (weight * model.learned.class_weight[class_index] > 0)
        target = np.abs(sign)
        if soft is not None:
            sign, target = np.where(soft[m] >= 0, 1.0, -1.0) * np.abs(sign), np.abs(soft[m])
            inside &= target > 0
        C = clf.C if np.ndim(clf.C) == 0 else clf.C[m]
        if np.ndim(clf.C) and not bank.all_pairs:
            continue
        cap = C * weight * model.learned.class_weight[class_index] / np.where(target > 0, target, 1)
        coef = np.zeros(len(sign))
        here = slice(bank.begin[m], bank.begin[m + 1])
        coef[bank.support[bank.index[here]]] = bank.coef[here]
        lam = sign * coef
        # A multiplier that was large for a while leaves its rounding behind in the sum.
        unbalanced = abs(coef.sum()) > 1e-8 * np.abs(coef).sum() + 1e-12 * cap.max()
        if (lam < 0).any() or (lam > cap * (1 + 1e-9)).any() or unbalanced:
            return Outcome("infeasible", f"machine {m}: sum {coef.sum():.3g} of {np.abs(coef).sum():.3g}")
        score = sign * target - (rows.value[:, m] - np.longdouble(bank.bias[m]))
        grows, shrinks = inside & (lam < cap * (1 - 1e-12)), inside & (lam > 0)
        up, low = np.where(sign > 0, grows, shrinks), np.where(sign > 0, shrinks, grows)
        if not up.any() or not low.any():
            continue
        gap = score[up].max() - score[low].min()
        allowed = 1.01 * clf.tol + 2 * rows.double_error[inside, m].max()
        if not gap <= allowed:
            return Outcome("gap", f"machine {m}: gap {gap:.3g}, reported {report.gap[m]:.3g}, tol {clf.tol:.3g}")
    return None


def _soft_labels(clf: Any, case: dict[str, Any], X: Any) -> list[Any]:
    """Return the soft label of every sample for each machine; 0 outside its task."""
    from dagmar.problem.making import ProblemParameters, make_problem
    from dagmar.problem.soft_labels import soft_labels

    problem, _ = make_problem(ProblemParameters.of(clf), X, case["y"], case.get("sample_weight"))
    tasks = clf.bank_.tasks
    flat, out, at = soft_labels(problem, tasks, clf.soft_labels), [], 0
    for m in range(len(tasks)):
        classes = tasks.classes[tasks.begin[m] : tasks.begin[m + 1]]
        places = np.concatenate([np.arange(*problem.class_start[c : c + 2]) for c in classes])
        label = np.zeros(len(case["y"]))
        label[problem.order[places]] = flat[at : at + len(places)]
        at += len(places)
        out.append(label)
    return out
