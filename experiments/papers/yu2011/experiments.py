"""The steps: what is done with the data."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from dagmar import SVCCV, tuning

from ...data import Split
from ..measure import costs, timed_labels
from ..study import Found, Lab
from .machines import WAYS, Tuner
from .orders import consult, consult_otherwise
from .splits import draw

NOISY = ("glass", "vowel", "vehicle", "segment")  # sets on which orders differ
NOISE = (0.1, 0.2)  # shares of wrong labels
CURVE = tuple(2.0**power for power in range(-9, 8))


def compare(lab: Lab, data: str, n_splits: int, how: str = "published", others: bool = False) -> Found:
    """The paper's protocol on several splits: the adaptive order against random ones.

    Parameters
    ----------
    lab : Lab
    data : str
    n_splits : int
    how : str
        How they are drawn, see `draw`.
    others : bool
        Whether to ask in other adaptive orders, too.

    Returns
    -------
    dict
    """
    found = []
    for trial in range(n_splits):
        split = draw(lab, data, trial, how)
        tuned = Tuner(lab, split, data, trial).protocol()
        one = consult(tuned.clf, split, lab.rng("orders", data, how, trial))
        if others:
            one["others"] = consult_otherwise(tuned, split, lab, lab.rng("chance", data, trial))
        found.append(one)
    return {"n_test": len(split.y_test), "n_classes": len(tuned.clf.classes_), "splits": found}


def tune(lab: Lab, data: str, n_splits: int, ways: list[str]) -> Found:
    """Other ways to find C and gamma, on the same splits and folds.

    Parameters
    ----------
    lab : Lab
    data : str
    n_splits : int
    ways : list of str
        Keys of `WAYS`.

    Returns
    -------
    dict
    """
    found: dict[str, list[Found]] = {way: [] for way in ways}
    for trial in range(n_splits):
        split = draw(lab, data, trial)
        for way in ways:
            begun = time.perf_counter()
            tuned = WAYS[way](Tuner(lab, split, data, trial))
            seconds = time.perf_counter() - begun
            one = consult(tuned.clf, split, lab.rng("orders", data, "published", trial), control=False)
            gamma, C = np.log2(tuned.clf.gamma), np.log2(tuned.clf.C)
            numbers = {"log2_gamma": float(np.mean(gamma)), "log2_C": float(np.mean(C))}
            found[way].append({**one, **numbers, "trainings": tuned.trainings, "wall_seconds": seconds})
    return {"n_test": len(split.y_test), "ways": found}


def noisy(lab: Lab, data: str, n_splits: int, share: float) -> Found:
    """The paper's protocol with a share of the training labels drawn anew among the other classes."""
    found = []
    for trial in range(n_splits):
        split = draw(lab, data, trial)
        split = with_noise(split, share, lab.rng("noise", data, trial))
        tuned = Tuner(lab, split, data, trial).protocol()
        found.append(consult(tuned.clf, split, lab.rng("orders", data, "noise", trial)))
    return {"n_test": len(split.y_test), "splits": found}


def with_noise(split: Split, share: float, rng: np.random.Generator) -> Split:
    """Give a share of the training samples another class, each of the others being as likely."""
    y, n = split.y.copy(), int(split.y.max()) + 1
    wrong = rng.choice(len(y), round(share * len(y)), replace=False)
    y[wrong] = (y[wrong] + rng.integers(1, n, len(wrong))) % n
    return replace(split, y=y)


def cost(lab: Lab, data: str, n_rows: int) -> Found:
    """What deciding costs: the adaptive order, asking all pairs, and one against the rest.

    Parameters
    ----------
    lab : Lab
    data : str
    n_rows : int
        The number of decisions to time: the test samples are repeated. A few dozen are decided too fast to be timed.

    Returns
    -------
    dict
    """
    split = draw(lab, data, 0)
    tuner = Tuner(lab, split, data, 0)
    pairs = tuner.protocol().clf
    rest = SVCCV(tuner.search.Cs, "dbtc", tuner.folds, structure="one_vs_rest", n_jobs=lab.n_jobs)
    models = {
        "adaptive": pairs.restructure("adaptive_ddag", split.X, split.y),
        "all_pairs": pairs.restructure("and_gate"),
        "rest": tuner.fit(rest).best_estimator_,
    }
    many = split.X_test[np.arange(n_rows) % len(split.X_test)]
    found: Found = {"n_classes": len(pairs.classes_), "n_rows": n_rows}
    for name, model in models.items():
        _, seconds = timed_labels(model, many, repeats=20)
        found[name] = {**costs(model, split.X_test), "wall_seconds": seconds}
    return found


def curve(lab: Lab, data: str) -> Found:
    """For one gamma after the other: the distance between classes, and what cross-validation and the test part say."""
    split = draw(lab, data, 0)
    tuner = Tuner(lab, split, data, 0)
    gammas = CURVE[::4] if lab.quick else CURVE
    distances = tuning.dbtc(split.X, split.y, gammas, n_jobs=lab.n_jobs)
    validated, right = [], []
    for gamma in gammas:
        tuned = tuner.at_gamma(gamma)
        validated.append(tuned.validated)
        right.append(int(np.sum(tuned.clf.predict(split.X_test) == split.y_test)))
    each = np.asarray(tuning.dbtc(split.X, split.y, per_pair=True, n_jobs=lab.n_jobs).gamma)
    return {
        "gammas": list(gammas),
        "dbtc": distances.curve.tolist(),
        "validated": validated,
        "right": right,
        "n_test": len(split.y_test),
        "chosen": sorted(each.tolist()),
    }
