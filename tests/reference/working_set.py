"""The solver of working sets: pair steps inside a small set of samples, of which half is new in every round.
A problem of few samples is one set.

The problem, the scores and a step of a pair are those of `reference.smo`. Scores are computed from lambda in every round, so
that there is nothing to refresh.
"""

import numpy as np

from . import smo

WORKING = 32
SMALL = 256  # up to here the working set is all samples
LANES = 16
CHUNKS = 128
SHARE = 0.2
NEAR = 0.8  # steps among all samples go on to this share of tol


def rooms(s, U, lam):
    """Which samples may go up, and which may go low."""
    return np.where(s > 0, lam < U, lam > 0), np.where(s > 0, lam > 0, lam < U)


def chunks_of(class_sizes):
    """The chunk of each sample: samples stand class after class, each class padded to whole panels."""
    padded = [-(-size // LANES) * LANES for size in class_sizes]
    begin = np.cumsum([0, *padded])
    place = np.concatenate([b + np.arange(size) for b, size in zip(begin, class_sizes, strict=False)])
    per_chunk = -(-begin[-1] // CHUNKS)
    return place // max(LANES, -(-per_chunk // LANES) * LANES)


def gains(K, a, top, score, low):
    """What a step of a with every other sample is worth."""
    drop = np.where(low, top - score, 0.0).clip(min=0.0)
    return drop**2 / np.maximum(K[a, a] + np.diag(K) - 2 * K[a], 1e-12)


def five_digits(share):
    """A number that is as large as the first 17 bits of a share."""
    return np.asarray(share, np.float32).view(np.int32) // CHUNKS


def offers(value, chunk, base, least):
    """The best sample of each of the best chunks, the best one first, as far as it is above `base` by more than `least`."""
    best = [members[np.argmax(value[members])] for c in np.unique(chunk) for members in [np.flatnonzero(chunk == c)]]
    best = [k for k in best if value[k] > base]
    most = max((value[k] - base for k in best), default=1.0)
    digits = {k: five_digits((value[k] - base) / most) for k in best}
    best = [k for k in best if digits[k] > five_digits(least / most)]
    return sorted(best, key=lambda k: -digits[k])[: WORKING // 4]


def choose(K, s, U, lam, score, chunk, before, tol):
    """Those that should go up, those that pay best with the first of them, and what is left of the set before."""
    up, low = rooms(s, U, lam)
    new = offers(np.where(up, score, -np.inf), chunk, score[low].min(), tol / 2)
    new += offers(gains(K, new[0], score[up].max(), score, low), chunk, 0.0, 0.0)
    return list(dict.fromkeys(new + before))[:WORKING]


def steps_inside(K, s, U, lam, score, enough):
    """Moves lam, by steps of a pair, until the gap is below `enough`; at least one step. Returns how many."""
    score = score.copy()
    for step in range(10 * -(-len(s) // LANES) * LANES):
        up, low = rooms(s, U, lam)
        top = np.max(score, where=up, initial=-np.inf)
        if step > 0 and top - np.min(score, where=low, initial=np.inf) < enough:
            return step
        a = np.argmax(np.where(up, score, -np.inf))
        gain = gains(K, a, top, score, low)
        b = np.argmax(gain)
        if gain[b] == 0:
            return step
        room_a = U[a] - lam[a] if s[a] > 0 else lam[a]
        room_b = lam[b] if s[b] > 0 else U[b] - lam[b]
        delta = min((score[a] - score[b]) / max(K[a, a] + K[b, b] - 2 * K[a, b], 1e-12), room_a, room_b)
        lam[a] += s[a] * delta
        lam[b] -= s[b] * delta
        if delta == room_a:  # a bound is hit exactly
            lam[a] = U[a] if s[a] > 0 else 0.0
        if delta == room_b:
            lam[b] = 0.0 if s[b] > 0 else U[b]
        score -= delta * (K[a] - K[b])
    return step + 1


def solve(K, s, t, U, class_sizes, tol=1e-3):
    """Round by round, as the algorithm is written; samples stand class after class."""
    K, s, t, U = (np.asarray(a, dtype=float) for a in (K, s, t, U))
    lam = np.zeros(len(s))
    chunk = chunks_of(class_sizes)
    members, iterations = [], 0
    while True:
        score = -s * smo.gradient(K, s, t, lam)
        top, bottom = smo.extremes(s, U, lam, -s * score)
        if top - bottom < tol:
            break
        small = len(s) <= SMALL
        members = list(range(len(s))) if small else choose(K, s, U, lam, score, chunk, members, tol)
        own = lam[members]
        iterations += steps_inside(
            K[np.ix_(members, members)],
            s[members],
            U[members],
            own,
            score[members],
            NEAR * tol if small else max(SHARE * (top - bottom), tol / 2),
        )
        lam[members] = own
    return smo.solution(s, t, U, lam, -s * score, iterations)
