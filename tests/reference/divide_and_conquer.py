"""Divide and conquer, DCSVM (Don & Iacob 2018), by its formulas.

`for_later[i, j][c]` is how many of the `sizes[c]` samples of class c the machine (i, j) calls j.
"""

import math


def over(count, size, theta):
    """chi: 1 if the share is above theta, in counts."""
    return int(count > math.floor(theta * size + 1e-9))


def purity(for_later, sizes, pair, theta, classes):
    """P = sum over classes of (chi(share for i) + chi(share for j)) - k."""
    total = 0
    for c in classes:
        for_j = for_later[pair][c]
        total += over(sizes[c] - for_j, sizes[c], theta) + over(for_j, sizes[c], theta)
    return total - len(classes)


def balance(for_later, sizes, pair, theta, classes):
    """B = min(k - sum chi(share for j), k - sum chi(share for i))."""
    above_j = sum(over(for_later[pair][c], sizes[c], theta) for c in classes)
    above_i = sum(over(sizes[c] - for_later[pair][c], sizes[c], theta) for c in classes)
    return min(len(classes) - above_j, len(classes) - above_i)


def score(for_later, sizes, pair):
    """S = (share of i called i + share of j called j) / 2."""
    i, j = pair
    return ((sizes[i] - for_later[pair][i]) / sizes[i] + for_later[pair][j] / sizes[j]) / 2


def best(for_later, sizes, theta, prefer, classes):
    """The best machine inside a set of classes, measured over that set only; the first row wins ties."""
    rows = [pair for pair in sorted(for_later) if set(pair) <= classes]
    chosen, chosen_key = None, None
    for pair in rows:
        p = purity(for_later, sizes, pair, theta, classes)
        b = balance(for_later, sizes, pair, theta, classes)
        s = score(for_later, sizes, pair)
        key = (p, -b, -s) if prefer == "speed" else (-s, p, -b)
        if chosen is None or key < chosen_key:
            chosen, chosen_key = pair, key
    return chosen


def splitter(for_later, sizes, theta, prefer="speed"):
    """How a set of classes divides, as `reference.tree` takes it."""

    def split(classes):
        i, j = best(for_later, sizes, theta, prefer, classes)
        left, right = set(), set()
        for c in classes:
            definitely_i = not over(for_later[i, j][c], sizes[c], theta)
            definitely_j = not over(sizes[c] - for_later[i, j][c], sizes[c], theta)
            if not definitely_j:
                left.add(c)
            if not definitely_i:
                right.add(c)
        left, right = (left | {i}) - {j}, (right | {j}) - {i}
        return ((i,), (j,)), frozenset(left), frozenset(right)

    return split
