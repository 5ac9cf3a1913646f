"""Knockout bracket, ADAG (Kijsirikul & Ussivakul 2002).

A verdict is a function of two classes that returns the winner.
"""


def answer(n_classes, verdict):
    """The winner and the pairs met: first with last, second with second last; a middle one goes on, at the end."""
    left, met = list(range(n_classes)), []
    while len(left) > 1:
        winners = []
        for k in range(len(left) // 2):
            first, last = left[k], left[-1 - k]
            met.append((first, last))
            winners.append(verdict(first, last))
        if len(left) % 2:
            winners.append(left[len(left) // 2])
        left = winners
    return left[0], met
