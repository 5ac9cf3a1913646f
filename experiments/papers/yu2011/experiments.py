"""The steps: what is done with the data."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

from dagmar import SVCCV, AndGate, tuning
from dagmar.base.typing import Array

from ...data import Split
from ..measure import costs, timed_labels
from ..study import Found, Lab
from .equations import FORMULAS, distance_of_means, means_of_pairs
from .loops import Pairs, gamma_by_distance, largest, machines_of, search, seconds_of, training_seconds
from .machines import FINE, WAYS, Search, Tuner
from .orders import consult, consult_otherwise, table_of
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
        one["unconverged_cells"] = tuned.unconverged
        if others:
            one["others"] = consult_otherwise(tuned, split, lab, lab.rng("chance", data, trial))
        found.append(one)
    sizes = {"n_train": len(split.y), "n_test": len(split.y_test), "n_features": split.X.shape[1]}
    counts = np.bincount(np.concatenate([split.y, split.y_test])).tolist()
    return {**sizes, "n_classes": len(tuned.clf.classes_), "counts": counts, "splits": found}


def tune(lab: Lab, data: str, n_splits: int, ways: list[str], how: str = "published") -> Found:
    """Other ways to find C and gamma, on the same splits and folds.

    Parameters
    ----------
    lab : Lab
    data : str
    n_splits : int
    ways : list of str
        Keys of `WAYS`.
    how : str
        How splits are drawn, see `draw`.

    Returns
    -------
    dict
    """
    found: dict[str, list[Found]] = {way: [] for way in ways}
    for trial in range(n_splits):
        split = draw(lab, data, trial, how)
        for way in ways:
            begun = time.perf_counter()
            tuned = WAYS[way](Tuner(lab, split, data, trial))
            seconds = time.perf_counter() - begun
            one = consult(tuned.clf, split, lab.rng("orders", data, how, trial), control=False)
            gamma, C = np.log2(tuned.clf.gamma), np.log2(tuned.clf.C)
            numbers = {"log2_gamma": float(np.mean(gamma)), "log2_C": float(np.mean(C))}
            spent = {"trainings": tuned.trainings, "unconverged_cells": tuned.unconverged, "wall_seconds": seconds}
            found[way].append({**one, **numbers, **spent})
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


def cost(lab: Lab, data: str, n_rows: int, n_looped: int) -> Found:
    """What deciding costs: the adaptive order, asking all pairs, and one against the rest.

    Parameters
    ----------
    lab : Lab
    data : str
    n_rows : int
        The number of decisions of a bank to time: the test samples are repeated. A few dozen are decided too fast to be timed.
    n_looped : int
        The number of decisions to time in a loop over samples and machines.

    Returns
    -------
    dict
        By structure: costs, ``wall_seconds`` of one bank, ``loop_seconds`` of the loop. ``training_seconds``: of the machines
        of all pairs and of those against the rest, each trained by itself. ``undivided``: test samples for which several
        classes have the most votes of all pairs, and for which not exactly one machine against the rest is positive.
        ``asked``: of the pairs that the adaptive order asks for the test samples, those that are the most separable of all
        pairs of the classes left, and all.
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
    n = len(pairs.classes_)
    own = np.asarray(tuning.dbtc(split.X, split.y, per_pair=True, n_jobs=lab.n_jobs).dbtc)
    alone, against = Pairs(machines_of(pairs), table_of(own, n)), machines_of(models["rest"])
    loops: dict[str, Callable[[Array], object]] = {
        "adaptive": alone.adaptive,
        "all_pairs": alone.vote,
        "rest": partial(largest, against),
    }
    many, few = (split.X_test[np.arange(rows) % len(split.X_test)] for rows in (n_rows, n_looped))
    found: Found = {"n_classes": n, "n_rows": n_rows, "n_looped": n_looped, "n_test": len(split.y_test)}
    looped = seconds_of(loops, few, repeats=7)
    for name, model in models.items():
        _, seconds = timed_labels(model, many, repeats=20)
        found[name] = {**costs(model, split.X_test), "wall_seconds": seconds, "loop_seconds": looped[name]}
    wins = AndGate.wins(pairs.pair_decisions(split.X_test), n)
    positive = models["rest"].bank_.values(split.X_test) > 0
    found["undivided"] = {
        "all_pairs": int(np.sum(np.sum(wins == wins.max(axis=1, keepdims=True), axis=1) > 1)),
        "rest": int(np.sum(positive.sum(axis=1) != 1)),
    }
    found["training_seconds"] = {
        "all_pairs": training_seconds(split.X, split.y, pairs),
        "rest": training_seconds(split.X, split.y, models["rest"]),
    }
    asked = [alone.adaptive(x)[1] for x in split.X_test]
    found["asked"] = [sum(map(alone.most_separable, asked)), sum(map(len, asked))]
    return found


def tuning_loop(lab: Lab, data: str, n_pairs: int) -> Found:
    """What finding C and gamma of single pairs costs, one training after the other: gamma by distance, or cross-validated.

    Parameters
    ----------
    lab : Lab
    data : str
    n_pairs : int
        Pairs of classes, drawn at random.

    Returns
    -------
    dict
        The pairs; trainings and seconds of both ways, by pair.
    """
    split, grid = draw(lab, data, 0), Search.of(lab.quick)
    rng = lab.rng("loop", data)
    every = list(combinations(range(int(split.y.max()) + 1), 2))
    drawn = [every[k] for k in rng.permutation(len(every))[:n_pairs]]
    found: Found = {"pairs": drawn, "distance": [], "validated": []}
    for pair in drawn:
        rows = np.isin(split.y, pair)
        X, y, seed = split.X[rows], split.y[rows], int(rng.integers(2**31))
        begun = time.perf_counter()
        trainings = search(X, y, grid, [gamma_by_distance(X, y, grid.gammas)], seed)
        found["distance"].append({"trainings": trainings, "seconds": time.perf_counter() - begun})
        begun = time.perf_counter()
        trainings = search(X, y, grid, grid.gammas, seed)
        found["validated"].append({"trainings": trainings, "seconds": time.perf_counter() - begun})
    return found


def equations(lab: Lab, data: str) -> Found:
    """Equations 6 and 9 and Fisher's criterion on the first split, for every pair of classes.

    Returns
    -------
    dict
        ``distance``: the squared distance of the means at the gamma of the pair, by none of the equations. ``own`` and
        ``shared``: every formula at the gamma of the pair, and at one gamma for all. ``chosen``: the gamma of a grid at which
        a formula is largest, as its power of 2.
    """
    split = draw(lab, data, 0)
    choice = tuning.dbtc(split.X, split.y, per_pair=True, n_jobs=lab.n_jobs)
    gamma, one = np.asarray(choice.gamma), float(tuning.dbtc(split.X, split.y, n_jobs=lab.n_jobs).gamma)
    own, shared, along = (
        means_of_pairs(split.X, split.y, gammas)
        for gammas in (gamma, np.full_like(gamma, one), np.tile(FINE, (len(gamma), 1)))
    )
    powers = np.log2(FINE)
    return {
        "gamma": gamma.tolist(),
        "distance": distance_of_means(split.X, split.y, gamma).tolist(),
        "own": {name: formula(own).tolist() for name, formula in FORMULAS.items()},
        "shared": {name: formula(shared).tolist() for name, formula in FORMULAS.items()},
        "chosen": {name: powers[np.argmax(formula(along), axis=1)].tolist() for name, formula in FORMULAS.items()},
        "powers": [float(powers[0]), float(powers[-1])],
    }


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
