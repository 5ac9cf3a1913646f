"""The parts of the solver over a kernel matrix."""

import numpy as np
import pytest
from helpers import LEVELS
from reference.kernels import kernel_matrix

from dagmar import _core


class Problem:
    """A problem of the solver in NumPy, and the core's parts over it."""

    def __init__(self, seed, n, working=32, level=None, start=0.0):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 3))
        self.n = n
        self.K = kernel_matrix("rbf", X, X, gamma=0.5)
        self.s = np.where(np.arange(n) % 2, 1.0, -1.0)
        self.t = rng.uniform(0.2, 1.0, n)
        self.U = rng.uniform(0.5, 2.0, n)
        self.lam = start * self.U
        level = LEVELS[-1] if level is None else level
        self.parts = _core.SolverParts(self.K, self.s, self.t, self.U, self.lam, working, level)

    def scores(self, lam):
        """-s G, from scratch."""
        return self.s * self.t - self.K @ (self.s * lam)

    def rooms(self, lam):
        """Which samples may go up, and which may go low."""
        grows, shrinks = lam < self.U, lam > 0
        return np.where(self.s > 0, grows, shrinks), np.where(self.s > 0, shrinks, grows)


@pytest.fixture
def make():
    return Problem
