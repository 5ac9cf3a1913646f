"""Fisher tree: the most separable pair divides the rest (BTPPSVM, with soft labels)."""

from __future__ import annotations

import numpy as np

from ..base.pairs import pair_classes
from ..base.typing import Index
from ..machines.workshop import AnyWorkshop
from .tree import PairTree


class FisherTree(PairTree):
    """A tree that accepts the pair of classes with the largest Fisher ratio.

    Trains between N-1 and N(N-1)/2 machines, those that its nodes need; consults at most N-1. With ``soft_labels=11`` it is
    the binary tree of posterior-probability SVMs (BTPPSVM).

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
    Wang, Zheng & Zhou, A new multi-class classification using binary tree of posterior probability SVMs, 2011.
    """

    def accept(self, classes: Index, workshop: AnyWorkshop) -> tuple[int, int]:
        """The pair with the largest Fisher ratio; ties: the first."""
        ratio = workshop.moments.fisher
        i, j = pair_classes(len(classes))
        best = int(np.argmax(ratio[classes[i], classes[j]]))
        return int(classes[i[best]]), int(classes[j[best]])
