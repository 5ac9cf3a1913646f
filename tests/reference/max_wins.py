"""Max Wins (Friedman 1996), by the full vote and by QWeighted (Park & Fürnkranz 2007)."""

from itertools import combinations


def full_vote(n_classes, verdict):
    """Every pair votes; most votes win, ties go to the lowest index."""
    votes = [0] * n_classes
    for i, j in combinations(range(n_classes), 2):
        votes[verdict(i, j)] += 1
    return votes.index(max(votes))


def qweighted(n_classes, verdict):
    """The same answer by fewest losses, and the pairs that were asked, in order."""
    loss, asked = [0] * n_classes, []
    while True:
        ranked = sorted(range(n_classes), key=lambda c: (loss[c], c))
        a = ranked[0]
        unmet = [c for c in ranked[1:] if (min(a, c), max(a, c)) not in asked]
        if not unmet:
            return a, asked
        i, j = min(a, unmet[0]), max(a, unmet[0])
        asked.append((i, j))
        loss[i if verdict(i, j) == j else j] += 1
