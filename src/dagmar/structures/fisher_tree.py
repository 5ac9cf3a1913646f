"""Fisher tree: the most separable pair divides the other classes (with soft labels: BTPPSVM)."""

from __future__ import annotations

import numpy as np

from ..base.pairs import pair_classes
from ..base.typing import Index
from ..machines.workshop import AnyWorkshop
from .tree import PairTree


class FisherTree(PairTree):
    """A tree whose nodes are divided by the pair of classes with the largest Fisher ratio.

    Trains only the machines that its nodes need, between N-1 and N(N-1)/2, and consults at most N-1. With
    ``soft_labels=11`` it is the binary tree of posterior-probability SVMs (BTPPSVM).

    Parameters
    ----------
    threshold : float in [0, 0.5), default=0.0
        With ``machines="pairs"``: a class is kept on one side only if at most this share of its training samples falls on
        the other side; otherwise it is kept on both. A larger threshold gives shorter paths and more errors.
    machines : {"pairs", "groups"}, default="pairs"
        The machine of a node. "pairs": the machine of the pair that divides it. "groups": a machine trained on all samples
        of its two groups of classes; then every class is on one side only, and the model has N-1 machines.
    max_nodes : int, default=1_000_000
        The largest number of nodes, each of some hundred bytes. A graph that needs more is cut with a warning: the sets of
        classes beyond are decided as in a DDAG.

    See Also
    --------
    CenteredTree : Nodes divided by the pair nearest to the centre.
    DivideAndConquer : A graph over machines of all pairs.

    References
    ----------
    D. Wang, J. Zheng & Y. Zhou, "Binary tree of posterior probability support vector machines", Journal of Zhejiang
    University SCIENCE C 12 (2011), doi:10.1631/jzus.C1000022.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = dagmar.SVC(structure=dagmar.FisherTree(machines="groups")).fit(X, y)
    >>> clf.bank_.n_machines
    2
    """

    def choose_pair(self, classes: Index, workshop: AnyWorkshop) -> tuple[int, int]:
        """Return the pair with the largest Fisher ratio; ties go to the first pair."""
        ratio = workshop.moments.fisher
        i, j = pair_classes(len(classes))
        best = int(np.argmax(ratio[classes[i], classes[j]]))
        return int(classes[i[best]]), int(classes[j[best]])
