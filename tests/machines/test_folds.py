"""Folds: who trains and who is held out, and the problems that follow."""

import numpy as np
import pytest
from helpers import pose
from reference import smo
from reference.kernels import kernel_matrix

from dagmar.machines.folds import Fold, split, variants
from dagmar.machines.training import TrainSettings, train_variants
from dagmar.problem.tasks import all_pairs, each_against_rest


@pytest.mark.parametrize("machines_of", [all_pairs, each_against_rest])
def test_every_machine_is_optimal_whatever_it_started_from(machines_of, seven_blobs):
    """KKT within tol, recomputed for every fold and C; no sample held out has a multiplier."""
    X, y = seven_blobs
    Cs, tol, gamma = np.array([0.1, 1.0, 3.0, 50.0, 1000.0]), 1e-4, 0.3
    problem = pose(X, y, gamma=gamma)
    parts = split(3, y, None, None)
    folds = [Fold.of(train, test, y, np.arange(7), "balanced", np.ones(len(y))) for train, test in parts]
    tasks = machines_of(7)
    trained, _ = train_variants(problem, tasks, TrainSettings(tol=tol), variants(folds, Cs, problem))
    assert len(trained) == len(folds) * len(Cs)
    X, y = X[problem.order], y[problem.order]
    K = kernel_matrix("rbf", X, X, gamma)
    for v, machines in enumerate(trained):
        cap = Cs[v % len(Cs)] * folds[v // len(Cs)].cap[problem.order]
        for t in range(len(tasks)):
            here = slice(tasks.begin[t], tasks.begin[t + 1])
            side = np.zeros(7)
            side[tasks.classes[here]] = tasks.sides[here]
            s = side[y]
            lam = np.zeros(len(y))
            own = slice(machines.begin[t], machines.begin[t + 1])
            lam[machines.sample[own]] = s[machines.sample[own]] * machines.coef[own]
            assert (lam >= 0).all()
            assert (lam <= cap * (1 + 1e-12)).all()
            assert abs(s @ lam) <= 1e-9 * (1 + lam.sum())
            inside = (s != 0) & (cap > 0)
            score = smo.gradient(K[np.ix_(inside, inside)], s[inside], np.ones(inside.sum()), lam[inside])
            top, bottom = smo.extremes(s[inside], cap[inside], lam[inside], score)
            assert top - bottom <= 1.01 * tol
