"""Trees over the machines of all pairs, with any order of the pairs, and with reassignment."""

from __future__ import annotations

import numpy as np

from dagmar import SVC
from dagmar.base.pairs import pair_classes
from dagmar.base.typing import Array, Index
from dagmar.structures.grow import MAX_NODES, ClassSet, Split, grow
from dagmar.structures.plans import GraphPlan
from dagmar.structures.walks import trace

from ...data import Split as TrainTest
from ..study import Found, Lab
from .fisher import IN_KERNEL_SPACE, RATIOS, Moments, by_kernel
from .published import K
from .samples import samples

SLACK = 1e-9  # shares are sums that are rounded


class Pairs:
    """The machines of all pairs, and what is known of the training samples.

    Parameters
    ----------
    clf : SVC
        Over all pairs.
    X, y : ndarray
        The training data; classes 0, 1, ...
    """

    def __init__(self, clf: SVC, X: Array, y: Index) -> None:
        self.clf, self.y, self.moments = clf, y, Moments.of(X, y)
        self.values = clf.pair_decisions(X)
        self.n_classes = len(clf.classes_)

    def grow(self, ratio: Array | None, threshold: float = 0.0, band: float = 0.0) -> GraphPlan:
        """Grow a tree.

        Parameters
        ----------
        ratio : ndarray of shape (n_classes, n_classes) or None
            The pair of a node with the largest ratio divides it; None for the two classes nearest to the node's mean.
        threshold : float
            The share of a class that may be on a side without the class going there.
        band : float
            Reassignment: samples whose value is within this distance of 0 count for both sides.
        """
        of_class = np.eye(self.n_classes)[self.y]
        size = of_class.sum(axis=0)
        allowed = (threshold + SLACK) * size
        to_positive = ((self.values >= -band).T.astype(np.float64)) @ of_class > allowed
        to_negative = ((self.values < band).T.astype(np.float64)) @ of_class > allowed
        number = np.zeros((self.n_classes, self.n_classes), dtype=np.int64)
        number[pair_classes(self.n_classes)] = np.arange(self.values.shape[1])

        def split(classes: ClassSet) -> Split:
            i, j = self._pair(np.flatnonzero(classes), ratio)
            machine = int(number[i, j])
            negative, positive = classes & to_negative[machine], classes & to_positive[machine]
            negative[i], negative[j], positive[i], positive[j] = True, False, False, True
            return Split(machine, negative, positive)

        return grow(self.n_classes, lambda level: [split(classes) for classes in level], MAX_NODES)

    def _pair(self, classes: Index, ratio: Array | None) -> tuple[int, int]:
        if ratio is None:
            mean, size = self.moments.mean[classes], self.moments.size[classes]
            distance = np.linalg.norm(mean - size @ mean / size.sum(), axis=1)
            # Rounded as in the library, so that equal distances are equal.
            i, j = np.sort(np.argsort(np.round(distance / distance.max(), 10), kind="stable")[:2])
            return int(classes[i]), int(classes[j])
        i, j = pair_classes(len(classes))
        best = int(np.argmax(ratio[classes[i], classes[j]]))
        return int(classes[i[best]]), int(classes[j[best]])

    def measure(self, plan: GraphPlan, X: Array, y: Index) -> Found:
        """Error, machines and vectors of a tree, and the rows that its machines are trained on."""
        bank = self.clf.bank_
        path = trace(bank, plan, X, self.clf.n_jobs)
        used = np.unique(plan.machine)
        stored = np.unique(np.concatenate([bank.index[slice(*bank.begin[m : m + 2])] for m in used]))
        wrong = np.flatnonzero(path.answers != y)
        return {
            "error": 100.0 * len(wrong) / len(y),
            "wrong": wrong.tolist(),
            "machines": len(used),
            "machines_consulted": len(path.machines) / len(y),
            "vectors_percent": 100.0 * len(stored) / len(self.y),
            "trained_rows": int(self.moments.size[bank.pairs[used]].sum()),
        }


def _pairs(lab: Lab, data: str, method: str) -> tuple[Pairs, TrainTest]:
    """The machines of one-against-one, canonical or with soft labels, trained as for Table 2."""
    split = samples(lab, data)
    choice = lab.found[f"choice/{data}/{method}"]
    soft = K if method == "PPSVM OAO" else None
    clf = SVC(C=choice["C"], gamma=choice["gamma"], soft_labels=soft, n_jobs=lab.n_jobs).fit(split.X, split.y)
    return Pairs(clf, split.X, split.y), split


def ratios(lab: Lab, data: str, method: str) -> Found:
    """Trees by all readings of the Fisher ratio."""
    pairs, split = _pairs(lab, data, method)
    by_name = {name: ratio(pairs.moments) for name, ratio in RATIOS.items()}
    by_name[IN_KERNEL_SPACE] = by_kernel(split.X, split.y, pairs.clf.bank_.kernel.gamma)
    return {name: pairs.measure(pairs.grow(ratio), split.X_test, split.y_test) for name, ratio in by_name.items()}


def reassigned(lab: Lab, data: str, threshold: float, deltas: list[float]) -> Found:
    """c-BTS where samples whose probability is within delta of 1/2 count for both sides, by delta.

    The probability of a value v is 1 / (1 + exp(-v)), as no sigmoid is printed.
    """
    pairs, split = _pairs(lab, data, "OAO")
    found = {}
    for delta in deltas:
        plan = pairs.grow(None, threshold, band=float(np.log((0.5 + delta) / (0.5 - delta))))
        found[f"{delta:g}"] = pairs.measure(plan, split.X_test, split.y_test)
    return found
