"""The same problem solved exactly, by trying every set of samples at zero, at the cap and free. For n <= 7."""

from itertools import product

import numpy as np


def solve(K, s, t, U):
    """The smallest objective over all active sets, and a lambda that has it.

    Every candidate is feasible, and the optimum is among the candidates: no KKT condition needs to be checked.
    """
    K, s, t, U = (np.asarray(a, dtype=float) for a in (K, s, t, U))
    Q = K * np.outer(s, s)
    best, best_lam = np.inf, None
    states = [(0, 1, 2) if np.isfinite(u) else (0, 2) for u in U]
    for state in product(*states):
        state = np.array(state)
        lam = np.where(state == 1, U, 0.0)
        free = state == 2
        if free.any():
            lam[free] = _stationary(Q, s, t, lam, free)
        slack = 1e-9 * (1 + np.abs(lam).max(initial=0.0))
        if abs(s @ lam) > slack or (lam < -slack).any() or (lam > U + slack).any():
            continue
        objective = 0.5 * lam @ Q @ lam - t @ lam
        if objective < best:
            best, best_lam = objective, lam.clip(0.0, U)
    return best, best_lam


def _stationary(Q, s, t, fixed, free):
    """The free part of lambda where the Lagrangian is flat: Q_ff x + s_f b = t_f - Q_fx fixed, s_f x = -s fixed."""
    n = int(free.sum())
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = Q[np.ix_(free, free)]
    system[:n, n] = system[n, :n] = s[free]
    right = np.append(t[free] - Q[free] @ fixed, -s @ fixed)
    return np.linalg.lstsq(system, right, rcond=None)[0][:n]
