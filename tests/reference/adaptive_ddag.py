"""Adaptive DDAG (Yu, Rhuma, Naqvi & Chambers 2011): the two most separable classes first, then the winner's farthest.

A verdict is a function of two classes that returns the winner.
"""

from itertools import combinations


def answer(separation, verdict):
    """The class left over and the pairs met; the next opponent is sought among all classes alive."""
    n_classes = len(separation)
    a, b = 0, 1
    for i, j in combinations(range(n_classes), 2):
        if separation[i][j] > separation[a][b]:
            a, b = i, j
    alive, met = set(range(n_classes)), []
    while True:
        met.append((a, b))
        winner = verdict(a, b)
        alive.remove(b if winner == a else a)
        if len(alive) == 1:
            return winner, met
        a, b = winner, None
        for c in sorted(alive - {winner}):
            if b is None or separation[winner][c] > separation[winner][b]:
                b = c
