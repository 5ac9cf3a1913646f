"""One against the rest (Vapnik 1998)."""


def answer(values):
    """The class with the largest value, ties to the lowest index."""
    best = 0
    for c, value in enumerate(values):
        if value > values[best]:
            best = c
    return best
