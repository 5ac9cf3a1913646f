"""Trees of class sets: how a set divides is a function, nodes are found by recursion, answers by walking.

A split is a function of a set of classes that returns a question and the sets left on its negative and positive side. A
question is its negative and its positive classes, as two tuples. `ask` takes a question and says whether the sample is
positive.
"""

import math

from . import ddag


def pair_split(choose_pair, for_later, sizes, threshold):
    """The tree of Wang et al. 2011 and Fei & Liu 2006: a chosen pair, classes on both sides copied.

    `choose_pair` takes a sorted list of classes and returns a pair i < j; `for_later[i, j][c]` is how many of the `sizes[c]`
    samples of class c the machine (i, j) calls j.
    """

    def split(classes):
        i, j = choose_pair(sorted(classes))
        left, right = {i}, {j}
        for c in classes - {i, j}:
            allowed = math.floor(threshold * sizes[c] + 1e-9)
            for_i = sizes[c] - for_later[i, j][c]
            if for_later[i, j][c] <= allowed:  # the share of i is at least 1 - threshold
                left.add(c)
            elif for_i <= allowed:
                right.add(c)
            else:
                left.add(c)
                right.add(c)
        return ((i,), (j,)), frozenset(left), frozenset(right)

    return split


def group_split(choose_pair, for_later, sizes):
    """The reading with N - 1 machines: classes go where most of their samples go, and the groups are the question."""

    def split(classes):
        i, j = choose_pair(sorted(classes))
        right = {j}
        for c in classes - {i, j}:
            if for_later[i, j][c] > sizes[c] - for_later[i, j][c]:
                right.add(c)
        left = classes - right
        return (tuple(sorted(left)), tuple(sorted(right))), frozenset(left), frozenset(right)

    return split


def centered(classes, means, sizes):
    """The two of `classes` whose means are nearest to the mean of all their samples; ties: the lower index."""
    total = sum(sizes[c] for c in classes)
    centre = sum(sizes[c] * means[c] for c in classes) / total
    ranked = sorted(classes, key=lambda c: (float(((means[c] - centre) ** 2).sum()), c))
    return tuple(sorted(ranked[:2]))


def nodes(n_classes, split):
    """Every node as its class set: question, left, right; by recursion, each set once."""
    memo = {}

    def node(classes):
        if len(classes) > 1 and classes not in memo:
            memo[classes] = split(classes)
            node(memo[classes][1])
            node(memo[classes][2])

    node(frozenset(range(n_classes)))
    return memo


def capped_nodes(n_classes, split, max_nodes):
    """The same level by level: a level that would go beyond `max_nodes` is not divided, nor anything below it."""
    memo, level = {}, {frozenset(range(n_classes))}
    while level and len(memo) + len(level) <= max_nodes:
        for classes in level:
            memo[classes] = split(classes)
        children = {child for classes in level for child in memo[classes][1:]}
        level = {child for child in children if len(child) > 1 and child not in memo}
    return memo


def walk(n_classes, memo, ask):
    """The answer and the questions met; a set without a node is decided as the list of a DDAG."""
    classes, met = frozenset(range(n_classes)), []
    while classes in memo:
        question, left, right = memo[classes]
        met.append(question)
        classes = right if ask(question) else left

    def verdict(a, b):
        i, j = min(a, b), max(a, b)
        return j if ask(((i,), (j,))) else i

    answer, pairs = ddag.list_form(sorted(classes), verdict)
    return answer, met + [((min(pair),), (max(pair),)) for pair in pairs]
