"""Which features are multiples of one step, and whether products of such integer codes save time."""

import numpy as np

FEW_NONZEROS, NONZERO, SEPARATELY, WORTH, ON_LATTICE = 0.35, 1.5, 4.0, 1.25, 2.0**-30


def anchors(some, step):
    """Return 0 or half a step for each feature whose values are whole numbers of steps from that, else the first value."""
    some = np.asarray(some, dtype=np.float64)
    found = some[0]
    for anchor in (0.5 * step, 0.0):
        place = (some - anchor) / step
        found = np.where((np.abs(place - np.rint(place)) <= 2.0**-10).all(axis=0), anchor, found)
    return found


def survey(X, anchor, step):
    """Return the lowest and the highest value of each feature, and how far a value is from a whole number of steps."""
    X = np.asarray(X, dtype=np.float64)
    place = (X - anchor) / step
    off = np.abs(place - np.rint(place))
    off[np.float32(anchor + np.rint(place) * step) == X] = 0
    return np.concatenate([X.min(axis=0), X.max(axis=0), off.max(axis=0)])


def choose_codes(some, survey, anchor, step, centre):
    """Return the codes of a problem, or None if they are not used; `some` are samples that stand for all."""
    some = np.asarray(some, dtype=np.float64)
    n, d = some.shape
    lowest, largest, off = survey.reshape(3, d)
    if not (largest - lowest).max() < 1e150:
        return None
    highest = np.rint((largest - lowest) / step)
    has_codes = off <= ON_LATTICE
    with np.errstate(over="ignore", invalid="ignore"):
        if not (highest * (highest * has_codes)).sum() < 2.0**30:
            return None
    in_bytes = highest[has_codes].max(initial=0.0) <= 255
    per_word, faster = (4, 3.8) if in_bytes else (2, 1.9)
    nonzero = some != lowest
    words = [(nonzero & has_codes)[:, f : f + per_word].any(axis=1) for f in range(0, d, per_word)]
    cost = np.count_nonzero(has_codes) / faster * min(1.0, NONZERO * np.mean(words))
    if not has_codes.all():
        cost += NONZERO * np.count_nonzero(nonzero & ~has_codes) / n + SEPARATELY
    nonzeros = np.mean(some != (0.0 if centre is None else centre))
    in_float = d * (NONZERO * nonzeros if nonzeros <= FEW_NONZEROS else 1.0)
    if cost * WORTH > in_float:
        return None
    origin = np.where(has_codes, anchor + np.rint((lowest - anchor) / step) * step, lowest)
    per_step = np.where(has_codes & (highest > 0), 1.0 / step, 0.0)
    return np.concatenate([origin, per_step, np.where(has_codes, highest, -1.0)])
