"""Fitted models with damaged fields: bank, plan, what was learned, and the report, also through pickles."""

from __future__ import annotations

import copy
import pickle
import warnings
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.random import Generator

from . import truth
from .cases import DAMAGE_ERRORS, Outcome, refusal
from .fits import STRUCTURES

# The models that are damaged: structure, kernel, and what else is special.
BASES: list[dict[str, Any]] = [
    *({"structure": structure, "kernel": "rbf"} for structure in STRUCTURES),
    {"structure": "ddag", "kernel": "linear", "sparse": True},
    {"structure": "max_wins", "kernel": "rbf", "sparse": True},
    {"structure": "max_wins", "kernel": "poly", "precision": "single"},
    {"structure": "adaptive_ddag", "kernel": "rbf", "precision": "single"},
    {"structure": "divide_and_conquer", "kernel": "sigmoid"},
    {"structure": "max_wins", "kernel": "laplacian", "precision": "single"},
    {"structure": "ddag", "kernel": "laplacian", "sparse": True},
    {"structure": "ddag", "kernel": "precomputed"},
    {"structure": "bracket", "kernel": "precomputed"},
    {"structure": "and_gate", "kernel": "rbf", "per_pair": True},
    {"structure": "one_vs_rest", "kernel": "rbf", "sparse": True},
    {"structure": "ddag", "kernel": "rbf", "n_classes": 2},
]
ASKED = (
    "predict",
    "pair_decisions",
    "decision_path",
    "decision_function",
    "decision_cost",
    "restructure",
    "attributes",
)
# Numbers that are out of range somewhere.
WHOLE = (-1, 0, 1, 2, 3, 7, 10**4, 2**31 - 1, -(2**31), 2**31, 2**40, 2**63 - 1, -(2**63), -4, -5, -6, -100)
REAL = (0.0, -1.0, np.nan, np.inf, -np.inf, 1e308, 1e-320, 1e30, -1e5, 0.5)
NAMES = (
    "rbf",
    "linear",
    "poly",
    "sigmoid",
    "laplacian",
    "chi2",
    "precomputed",
    "single",
    "double",
    "fewest_losses",
    "ranked",
    "bracket",
)
ARRAY_DAMAGE = (
    "cell",
    "cells",
    "cut",
    "longer",
    "empty",
    "dtype",
    "reversed",
    "shuffled",
    "strided",
    "shape",
    "constant",
)


@cache
def base(number: int) -> tuple[bytes, Any]:
    """Return a fitted model as a pickle, and samples to ask it about."""
    import dagmar

    spec = dict(BASES[number])
    rng = np.random.default_rng(number)
    n_classes, sparse, per_pair = spec.pop("n_classes", 4), spec.pop("sparse", False), spec.pop("per_pair", False)
    y = np.arange(40) % n_classes
    X = 2 * rng.normal(size=(n_classes, 5))[y] + rng.normal(size=(40, 5))
    T = np.concatenate([X[:12], rng.normal(size=(12, 5)), 30 * rng.normal(size=(4, 5))])
    if sparse:
        X[rng.random(X.shape) < 0.6] = 0.0
        X, T = sp.csr_matrix(X), sp.csr_matrix(T)
    if spec["kernel"] == "precomputed":
        X, T = X @ X.T, T @ X.T
    elif per_pair:
        spec["gamma"] = [0.1 * (k + 1) for k in range(6)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pickle.dumps(dagmar.SVC(coef0=0.5, **spec).fit(X, y)), T


# --------------------------------------------------------------------------- cases


def make_case(rng: Generator) -> dict[str, Any]:
    """Return a random case: a model, one or two damages, and what is asked."""
    n = 1 if rng.random() < 0.8 else 2
    return {
        "base": int(rng.integers(len(BASES))),
        "damages": [int(rng.integers(2**31)) for _ in range(n)],
        "via": ["object", "pickle", "copy", "used"][int(rng.choice(4, p=[0.5, 0.2, 0.1, 0.2]))],
        "ask": str(rng.choice(ASKED, p=[0.4, 0.15, 0.2, 0.1, 0.05, 0.05, 0.05])),
    }


def places(thing: Any, path: str = "") -> list[tuple[Any, str, str]]:
    """Return every field below a model: the object that holds it, its name, and its path."""
    out = []
    for f in fields(thing):
        value = getattr(thing, f.name)
        out.append((thing, f.name, path + f.name))
        if is_dataclass(value) and not isinstance(value, type):
            out += places(value, f"{path}{f.name}.")
        elif sp.issparse(value):
            out += [(value, name, f"{path}{f.name}.{name}") for name in ("data", "indices", "indptr", "_shape")]
    return out


def damage(model: Any, seed: int) -> str:
    """Change one field of a model in place; return which and how."""
    rng = np.random.default_rng(seed)
    there = places(model)
    weights = np.array([0.1 if "report" in path or "." not in path else 1.0 for _, _, path in there])
    holder, name, path = there[int(rng.choice(len(there), p=weights / weights.sum()))]
    how, value = _damaged(rng, getattr(holder, name))
    object.__setattr__(holder, name, value)
    return f"{path} {how}"


def _damaged(rng: Generator, value: Any) -> tuple[str, Any]:
    chance = rng.random()
    if chance < 0.04:
        return "None", None
    if chance < 0.06:
        return "a string", "nonsense"
    if isinstance(value, np.ndarray) and value.dtype != object:
        return _damaged_array(rng, value)
    if isinstance(value, bool):
        return "inverted", not value
    if isinstance(value, int):
        new = int(rng.choice(WHOLE)) if rng.random() < 0.7 else value + int(rng.choice([-1, 1]))
        return str(new), new
    if isinstance(value, float):
        number = float(rng.choice(REAL))
        return str(number), number
    if isinstance(value, str):
        text = str(rng.choice(NAMES))
        return text, text
    if isinstance(value, tuple) and value:
        return "shape", tuple(int(rng.choice(WHOLE[:8])) for _ in value)
    if is_dataclass(value) and not isinstance(value, type):  # that of another model
        other = pickle.loads(base(int(rng.integers(len(BASES))))[0])._model
        same = [v for h, n, _ in places(other) if isinstance(v := getattr(h, n), type(value))]
        return "of another model", same[0] if same else None
    return "None", None


def _damaged_array(rng: Generator, array: Any) -> tuple[str, Any]:
    how = str(rng.choice(ARRAY_DAMAGE, p=[0.35, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05]))
    out = array.copy()
    if how in ("cell", "cells") and out.size:
        for _ in range(1 if how == "cell" else 3):
            new = rng.choice(WHOLE if out.dtype.kind in "iu" else REAL)
            if out.dtype.kind == "i" and rng.random() < 0.4:
                new = np.int64(out.flat[int(rng.integers(out.size))]) ^ rng.choice([0, 1, 2])  # a neighbour
            with np.errstate(all="ignore"):
                out.flat[int(rng.integers(out.size))] = np.array([new]).astype(out.dtype)[0]
    elif how == "cut":
        out = out[: int(rng.integers(len(out) + 1))] if out.ndim else out
    elif how == "longer":
        out = np.concatenate([out, out[: int(rng.integers(1, 4))]])
    elif how == "empty":
        out = out[:0]
    elif how == "dtype":
        out = out.astype(str(rng.choice(["float32", "int32", "int64", "float64", "complex128", "object", "bool"])))
    elif how == "reversed":
        out = out[::-1].copy()
    elif how == "shuffled":
        out = rng.permutation(out)
    elif how == "strided":
        out = np.repeat(out, 2, axis=0)[::2]
    elif how == "shape":
        out = out[None] if rng.random() < 0.5 else out.ravel()
    elif how == "constant" and out.size:
        out[...] = out.flat[0]
    return how, out


# ----------------------------------------------------------------------------- run


def damaged_model(case: dict[str, Any]) -> tuple[Any, Any, str]:
    """Return the estimator of a case, samples, and what was done to it. An exception of `pickle` passes through."""
    pickled, T = base(case["base"])
    clf = pickle.loads(pickled)
    if case["via"] == "used":  # the core already holds the arrays; a copy must not share what it made of them
        clf.predict(T)
        clf = copy.copy(clf)
        clf._model = copy.copy(clf._model)
    done = "; ".join(damage(clf._model, seed) for seed in case["damages"])
    if case["via"] == "pickle":
        clf = pickle.loads(pickle.dumps(clf))
    elif case["via"] in ("copy", "used"):
        clf = copy.deepcopy(clf)
    return clf, T, done


def damaged_fields(case: dict[str, Any]) -> list[str]:
    """Return the paths of the fields that a case damages, without asking the model anything."""
    model = pickle.loads(base(case["base"])[0])._model
    return [damage(model, seed).split(" ")[0] for seed in case["damages"]]


def run_case(case: dict[str, Any]) -> Outcome:
    """Damage a model and ask it; an answer must be that of its arrays."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        done = "?"
        try:
            clf, T, done = damaged_model(case)
            answer = _ask(clf, T, case["ask"])
        except Exception as error:
            outcome = refusal(error, DAMAGE_ERRORS)
            outcome.detail = f"{done}: {case['ask']}: {outcome.detail}"
            return outcome
        outcome = _judge(clf, T, case["ask"], answer)
        outcome.detail = f"{done}: {case['ask']}: {outcome.detail}"
        return outcome


def _ask(clf: Any, T: Any, what: str) -> Any:
    if what == "restructure":
        return clf.restructure("ddag").predict(T)
    if what == "attributes":
        return [clf.support_, clf.n_support_, clf.intercept_, clf.dual_coef_, clf.classes_, clf.support_vectors_]
    return getattr(clf, what)(T)


def _judge(clf: Any, T: Any, what: str, answer: Any) -> Outcome:
    if what not in ("predict", "decision_path"):
        return Outcome("answered")
    model = clf._model
    try:
        labels, classes = answer, model.classes
        if what == "decision_path":
            labels, classes = answer.answers, np.arange(model.plan.n_classes)
        tally = truth.check_labels(model.bank, model.plan, classes, clf._check(model, T), labels)
    except truth.NoMeaning as error:
        return Outcome("no meaning", str(error))
    except (IndexError, ValueError, TypeError, OverflowError) as error:
        return Outcome("no meaning", f"{type(error).__name__}: {error}"[:200])
    if tally.wrong:
        sample, label, possible = tally.wrong[0]
        return Outcome(
            "wrong label", f"{len(tally.wrong)} labels; sample {sample}: {label}, not {possible}", tally.counts()
        )
    return Outcome("answered", "", tally.counts())
