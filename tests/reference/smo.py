"""Sequential minimal optimisation with second-order working pairs, dense and in double precision.

Fan, Chen & Lin, Working set selection using second order information, JMLR 2005.

The problem, for signs s, targets t and caps U:

    minimise   1/2 sum_kl s_k s_l lambda_k lambda_l K_kl - sum_k t_k lambda_k
    subject to 0 <= lambda_k <= U_k,   sum_k s_k lambda_k = 0
"""

from dataclasses import dataclass

import numpy as np


@dataclass
class Solution:
    """What the solver found."""

    lam: np.ndarray
    bias: float
    gap: float
    objective: float
    norm2: float
    iterations: int


def gradient(K, s, t, lam):
    """G_k = s_k sum_l s_l lambda_l K_kl - t_k, from scratch."""
    return s * (K @ (s * lam)) - t


def extremes(s, U, lam, G):
    """The largest score among samples that may grow, and the smallest among those that may shrink."""
    score = -s * G
    up = np.where(s > 0, lam < U, lam > 0)
    low = np.where(s > 0, lam > 0, lam < U)
    top = score[up].max() if up.any() else -np.inf
    bottom = score[low].min() if low.any() else np.inf
    return top, bottom


def bias_of(s, U, lam, G):
    """Mean score of the free samples; the middle of what is allowed if there are none."""
    free = (lam > 0) & (lam < U)
    if free.any():
        return (-s * G)[free].mean()
    return sum(extremes(s, U, lam, G)) / 2


def dual_value(t, lam, G):
    """1/2 sum lambda (G - t): what LIBSVM prints as obj."""
    return 0.5 * (lam * (G - t)).sum()


def primal_value(s, t, U, lam, G, bias):
    """1/2 |w|^2 + sum U max(0, t - s v(x)), where s v(x) = G + t + s bias; a sample with U = 0 costs nothing."""
    slack = np.maximum(0.0, -(G + s * bias))
    return 0.5 * (lam * (G + t)).sum() + np.where(U > 0, U, 0.0) @ slack


def solve(K, s, t, U, tol=1e-3, max_iter=100_000):
    """Step by step, as the algorithm is written."""
    K, s, t, U = (np.asarray(a, dtype=float) for a in (K, s, t, U))
    lam = np.zeros(len(s))
    G = -t.copy()
    iteration = 0
    while iteration < max_iter:
        top, bottom = extremes(s, U, lam, G)
        if top - bottom < tol:
            break
        up = np.where(s > 0, lam < U, lam > 0)
        low = np.where(s > 0, lam > 0, lam < U)
        a = int(np.argmax(np.where(up, -s * G, -np.inf)))
        drop = np.where(low, top + s * G, 0.0).clip(min=0.0)
        curvature = np.maximum(K[a, a] + np.diag(K) - 2 * K[a], 1e-12)
        b = int(np.argmax(drop**2 / curvature))
        room_a = U[a] - lam[a] if s[a] > 0 else lam[a]
        room_b = lam[b] if s[b] > 0 else U[b] - lam[b]
        delta = min(drop[b] / curvature[b], room_a, room_b)
        lam[a] += s[a] * delta
        lam[b] -= s[b] * delta
        lam[[a, b]] = lam[[a, b]].clip(0.0, U[[a, b]])
        G += s * delta * (K[a] - K[b])
        iteration += 1
    return solution(s, t, U, lam, G, iteration)


def solution(s, t, U, lam, G, iterations):
    """All that is reported of lam, of gradient G."""
    top, bottom = extremes(s, U, lam, G)
    return Solution(
        lam=lam,
        bias=bias_of(s, U, lam, G),
        gap=max(0.0, top - bottom),
        objective=dual_value(t, lam, G),
        norm2=float((lam * (G + t)).sum()),
        iterations=iterations,
    )
