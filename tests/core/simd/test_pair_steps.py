"""Steps of a pair problem: on scores in single and in double precision, for every number of registers."""

import numpy as np
import pytest
from helpers import LEVELS, problem_of, solve, train_bank
from reference.kernels import kernel_matrix, machine_values

from dagmar import _core
from dagmar.machines.training import TrainSettings
from dagmar.problem.tasks import all_pairs


def train(X, y, level, precision, C):
    """A bank of one machine, and its report."""
    problem = problem_of(X, y, C=C, gamma=0.5, precision=precision)
    return train_bank(problem, all_pairs(2), TrainSettings(memory=2.0**26, level=level))


@pytest.mark.parametrize("sizes", [(1, 1), (3, 13), (16, 16), (17, 20), (40, 90), (120, 130), (300, 420)])
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("level", LEVELS)
def test_steps_reach_the_optimum(level, precision, sizes, rng):
    """One register or many, all samples at once or a working set at a time: every multiplier fulfils its condition."""
    y = np.repeat([0, 1], sizes)
    X = rng.normal(size=(len(y), 4)) + 0.5 * y[:, None]
    C = 3.0
    bank, report = train(X, y, level, precision, C)
    assert report.converged.all()
    size = np.zeros(len(y))
    size[bank.support[bank.index]] = np.abs(bank.coef)
    margin = np.where(y == 1, 1.0, -1.0) * machine_values(bank, X)[:, 0]
    assert margin[size < C].min(initial=1.0) > 1.0 - 2e-3
    assert margin[size > 0.0].max(initial=1.0) < 1.0 + 2e-3
    signed = np.where(y == 1, size, -size)
    assert abs(signed.sum()) <= 1e-9 * size.sum()
    assert (size <= C).all()


@pytest.mark.parametrize("precision", ["single", "double"])
def test_multipliers_meet_their_bounds_exactly(precision, rng):
    """Overlapping classes with a small C: most multipliers are C to the bit, none is just below."""
    y = np.repeat([0, 1], 60)
    X = rng.normal(size=(120, 2)) + 0.3 * y[:, None]
    bank, _ = train(X, y, LEVELS[-1], precision, 0.1)
    size = np.abs(bank.coef)
    assert (size == 0.1).sum() > 60
    assert not ((size < 0.1) & (size > 0.1 * (1 - 1e-14))).any()


@pytest.mark.parametrize("n", [32, 100, 300])
@pytest.mark.parametrize("level", LEVELS)
def test_rounded_scores_need_about_as_many_steps(level, n):
    """A wrong step on scores in single precision is mended by those in double, so only the number of steps shows it."""
    rng = np.random.default_rng(n)
    s = np.where(np.arange(n) % 2, 1.0, -1.0)
    X = rng.normal(size=(n, 4)) + 0.5 * s[:, None] * np.eye(4)[0]
    K = kernel_matrix("rbf", X, X, 0.3).astype(np.float32).astype(float)
    single, double = (
        solve(K, s, np.ones(n), np.full(n, 3.0), tol=1e-2, level=level, precision=precision).iterations
        for precision in (_core.Precision.single, _core.Precision.double)
    )
    assert 0.8 * double < single < 1.25 * double
