"""Centered tree: a cut through the middle of the classes (c-BTS)."""

from __future__ import annotations

import numpy as np

from ..base.typing import Index
from ..machines.workshop import AnyWorkshop
from .tree import PairTree


class CenteredTree(PairTree):
    """A tree that accepts the two classes whose means are nearest to the mean of all samples of the node.

    A cut through the middle divides the rest more evenly. Trains between N-1 and N(N-1)/2 machines, those that its nodes
    need; consults at most N-1.

    Parameters
    ----------
    threshold : float in [0, 0.5), default=0.0
        Share of a class that may fall on the other side of a machine for the class to go to one side only.
    machines : {"pairs", "groups"}, default="pairs"
        What a node asks: the machine of its accepted pair, or one trained on all samples of its two groups of classes.
    max_nodes : int, default=4096
        Beyond this many different sets of classes, the rest is decided as in a DDAG.

    References
    ----------
    Fei & Liu, Binary tree of SVM: a new fast multiclass training and classification algorithm, 2006.
    """

    def accept(self, classes: Index, workshop: AnyWorkshop) -> tuple[int, int]:
        """The two classes nearest to the middle; ties: the lower index."""
        nearest = np.argsort(workshop.moments.from_centre(classes), kind="stable")[:2]
        i, j = sorted(classes[nearest].tolist())
        return int(i), int(j)
