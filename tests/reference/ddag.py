"""DDAG (Platt, Cristianini & Shawe-Taylor 1999), once as a list and once as the triangle of the paper's figure.

A verdict is a function of two classes that returns the winner.
"""


def list_form(order, verdict):
    """The answer and the pairs met: the first and the last of the list meet, the loser leaves."""
    left, met = list(order), []
    while len(left) > 1:
        first, last = left[0], left[-1]
        met.append((first, last))
        if verdict(first, last) == first:
            left.pop()
        else:
            left.pop(0)
    return left[0], met


def triangle(n_classes):
    """Nodes by (layer, number), both from 1: the pair each separates, and its two successors.

    Node p of layer q stands for the list p ... p + N - q (classes from 1), and leads to nodes p and p + 1 of layer
    q + 1. In layer N stand the leaves.
    """
    nodes = {}
    for layer in range(1, n_classes):
        for number in range(1, layer + 1):
            i, j = number, number + n_classes - layer
            nodes[layer, number] = (i, j), (layer + 1, number), (layer + 1, number + 1)
    return nodes


def walk(n_classes, verdict):
    """The answer and the pairs met on the way from the root; classes from 0."""
    nodes, here, met = triangle(n_classes), (1, 1), []
    while here in nodes:
        (i, j), if_i, if_j = nodes[here]
        met.append((i - 1, j - 1))
        here = if_i if verdict(i - 1, j - 1) == i - 1 else if_j
    return here[1] - 1, met
