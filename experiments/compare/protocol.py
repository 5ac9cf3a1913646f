"""The protocol of a step: one scheme on one split of one set."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier, OutputCodeClassifier
from sklearn.svm import SVC as ScikitLearnSVC
from threadpoolctl import threadpool_limits

from dagmar import SVCCV, PairwiseClassifier
from dagmar.base.typing import Array, Index

from ..crammer_singer import CrammerSinger
from ..data import Split
from .scheme import Scheme, Trial
from .sets import Prepared
from .timed import TimedSearch

TEST_SHARE = 0.3
PREDICTIONS = 3  # calls of predict, of which the fastest counts
Found = dict[str, Any]  # what a step finds: numbers, strings, lists and dicts, as they go into JSON


@dataclass(frozen=True)
class Settings:
    """What is chosen for a whole comparison, and must be the same in all its steps.

    Attributes
    ----------
    rows : int
        The most rows of a set.
    seed : int
        Of every random choice.
    threads : int
        Of one step.
    """

    rows: int = 2000
    seed: int = 0
    threads: int = 1


def seed_of(settings: Settings, name: str, number: int) -> int:
    """The seed of a split: it depends on nothing that ran before."""
    return crc32(repr((settings.seed, name, number)).encode()) % 2**31


def split_of(data: Prepared, settings: Settings, number: int) -> Split:
    """Return split `number` of a set: 70 % of each class to train on, the rest to test with.

    Parameters
    ----------
    data : Prepared
    settings : Settings
    number : int

    Returns
    -------
    Split
    """
    train, test = train_test_split(
        np.arange(len(data.y)),
        test_size=TEST_SHARE,
        stratify=data.y,
        random_state=seed_of(settings, data.name, number),
    )
    return Split(data.X[train], data.y[train], data.X[test], data.y[test])


def measure(scheme: Scheme, data: Prepared, settings: Settings, number: int, limit: float = 0.0) -> Found:
    """Tune and train a scheme on a split, and test it.

    Parameters
    ----------
    scheme : Scheme
    data : Prepared
    settings : Settings
    number : int
        Of the split.
    limit : float
        Seconds, for schemes that have a limit.

    Returns
    -------
    dict
        Accuracies in percent; ``seconds``, the processor time of tuning and training; ``predict_us``, that of a prediction in
        microseconds per sample; what a decision costs; the parameters found; and ``warnings``, how often each was given.
    """
    split = split_of(data, settings, number)
    trial = Trial(seed_of(settings, data.name, number), settings.threads, split.X.shape[1], limit)
    model = scheme.make(trial)
    with threadpool_limits(settings.threads), _counted_warnings() as given:
        wall, begun = time.perf_counter(), time.process_time()
        model.fit(split.X, split.y)
        seconds, wall = time.process_time() - begun, time.perf_counter() - wall
        labels, predict_us = _timed_labels(model, split.X_test)
        costs = decision_costs(model, split.X_test)
    return {
        "accuracy": round(100 * float(np.mean(labels == split.y_test)), 4),
        "balanced_accuracy": round(100 * float(balanced_accuracy_score(split.y_test, labels)), 4),
        "tuning_accuracy": None if np.isnan(model.best_score_) else round(100 * float(model.best_score_), 4),
        "seconds": round(seconds, 4),
        "wall_seconds": round(wall, 4),
        "predict_us": round(predict_us, 3),
        **costs,
        "parameters": {key.rpartition("__")[2]: value for key, value in model.best_params_.items()},
        "cells": len(model.cv_results_["params"]),
        "warnings": given,
    }


def decision_costs(search: Any, X: Array) -> dict[str, float]:
    """What a decision costs on average: machines consulted, and kernel values computed.

    Parameters
    ----------
    search : fitted search
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    dict
        Empty for schemes that have neither machines nor kernels.
    """
    if isinstance(search, SVCCV):
        cost = search.decision_cost(X)
        return _costs(cost.machines.mean(), cost.kernel_evaluations.mean())
    if isinstance(search, TimedSearch):
        return {}
    model = search.best_estimator_[-1]
    if isinstance(model, PairwiseClassifier):
        scaled = search.best_estimator_[:-1].transform(X)
        return _costs(model.decision_cost(scaled).machines.mean())
    if isinstance(model, OneVsRestClassifier | OutputCodeClassifier):
        # Codes may have the same bit for all classes: scikit-learn then has a constant for a machine.
        vectors = [machine.support_ for machine in model.estimators_ if hasattr(machine, "support_")]
        return _costs(len(vectors), len(np.unique(np.concatenate(vectors)))) if vectors else {}
    if isinstance(model, ScikitLearnSVC):  # all pairs, and every support vector once
        n_classes = len(model.classes_)
        return _costs(n_classes * (n_classes - 1) // 2, len(model.support_))
    if isinstance(model, CrammerSinger):
        return _costs(len(model.classes_), len(model.support_))
    return {}


def _costs(machines: float, kernel_evaluations: float | None = None) -> dict[str, float]:
    kernel = {} if kernel_evaluations is None else {"kernel_evaluations": round(float(kernel_evaluations), 2)}
    return {"machines": round(float(machines), 3), **kernel}


def _timed_labels(model: Any, X: Array) -> tuple[Index, float]:
    """The answers of a model, and the processor time per sample in microseconds."""
    laps = []
    for _ in range(PREDICTIONS):
        begun = time.process_time()
        labels = model.predict(X)
        laps.append(time.process_time() - begun)
    return labels, 1e6 * min(laps) / len(X)


@contextmanager
def _counted_warnings() -> Iterator[dict[str, int]]:
    """Catch warnings; at the end, the dict has the number of each category."""
    counts: dict[str, int] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield counts
    for warning in caught:
        name = warning.category.__name__
        counts[name] = counts.get(name, 0) + 1
