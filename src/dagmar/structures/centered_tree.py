"""Centered tree: the two classes nearest the centre divide the other classes (a reconstruction of c-BTS)."""

from __future__ import annotations

import numpy as np

from ..base.typing import Index
from ..machines.workshop import AnyWorkshop
from .tree import PairTree


class CenteredTree(PairTree):
    """A tree whose nodes are divided by the two classes whose means are nearest to the mean of all samples of the node.

    A cut through the middle divides the other classes more evenly. Trains only the machines that its nodes need, between
    N-1 and N(N-1)/2, and consults at most N-1.

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
    FisherTree : Nodes divided by the most separable pair.
    DivideAndConquer : A graph over machines of all pairs.

    Notes
    -----
    This is a reconstruction of c-BTS: it follows descriptions of the method in later work, not the text of the reference, and
    may differ from it in details. Later work also mentions a threshold by which the method reassigns single samples near the
    boundary of a machine; here `threshold` decides about whole classes.

    References
    ----------
    Fei & Liu, Binary tree of SVM: a new fast multiclass training and classification algorithm, 2006.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = dagmar.SVC(structure="centered_tree").fit(X, y)
    >>> clf.bank_.n_machines <= 3
    True
    """

    def choose_pair(self, classes: Index, workshop: AnyWorkshop) -> tuple[int, int]:
        """Return the two classes nearest to the mean of all samples; ties go to the lower index."""
        distance = workshop.moments.from_centre(classes)
        # Classes as far from the centre as each other differ by rounding, which is not the same on every processor.
        nearest = np.argsort(np.round(distance / max(distance.max(), np.finfo(float).tiny), 10), kind="stable")[:2]
        i, j = sorted(classes[nearest].tolist())
        return int(i), int(j)
