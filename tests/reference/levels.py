"""Which features are multiples of one step, and whether products of such integers save time."""

import numpy as np

FEW_NONZEROS, NONZERO, SEPARATELY, WORTH = 0.35, 1.5, 4.0, 1.25


def survey_levels(X, origin, step):
    """Return of each feature the lowest and the highest value, and how far a value is from a whole number of steps."""
    X = np.asarray(X, dtype=np.float64)
    level = (X - origin) * (1.0 / step)
    return np.concatenate([X.min(axis=0), X.max(axis=0), np.abs(level - np.rint(level)).max(axis=0)])


def choose_levels(some, survey, step, gamma, centre):
    """Return the levels of a problem, or None where they are of no use; `some` are samples that stand for all."""
    some = np.asarray(some, dtype=np.float64)
    n, d = some.shape
    lowest, largest, off = survey.reshape(3, d)
    if not (largest - lowest).max() < 1e150:
        return None
    highest = np.rint((largest - lowest) / step)
    with np.errstate(divide="ignore"):
        has_levels = off <= min(0.01, 2.0**-21 / (step * np.sqrt(gamma * d)))
    with np.errstate(over="ignore", invalid="ignore"):
        if not (highest * (highest * has_levels)).sum() < 2.0**30:
            return None
    in_bytes = highest[has_levels].max(initial=0.0) <= 255
    per_word, faster = (4, 3.8) if in_bytes else (2, 1.9)
    nonzero = some != lowest
    words = [(nonzero & has_levels)[:, f : f + per_word].any(axis=1) for f in range(0, d, per_word)]
    cost = np.count_nonzero(has_levels) / faster * min(1.0, NONZERO * np.mean(words))
    if not has_levels.all():
        cost += NONZERO * np.count_nonzero(nonzero & ~has_levels) / n + SEPARATELY
    nonzeros = np.mean(some != (0.0 if centre is None else centre))
    in_float = d * (NONZERO * nonzeros if nonzeros <= FEW_NONZEROS else 1.0)
    if cost * WORTH > in_float:
        return None
    per_unit = np.where(has_levels & (highest > 0), 1.0 / step, 0.0)
    return np.concatenate([lowest, per_unit, np.where(has_levels, highest, -1.0)])
