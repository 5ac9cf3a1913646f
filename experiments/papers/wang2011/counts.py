"""How many vectors are stored, counted at several tolerances of the solver and with the rows in another order."""

from __future__ import annotations

import numpy as np

from dagmar import SVC
from dagmar.base.typing import Array, Index
from dagmar.problem.making import ProblemParameters, make_problem
from dagmar.problem.soft_labels import soft_labels
from dagmar.problem.tasks import all_pairs, each_against_rest

from ..study import Found, Lab
from .published import K
from .samples import samples

TOLERANCES = (1e-2, 1e-4, 1e-5)  # beside the usual one, with which `tables/...` counts
USUAL = 1e-3
SHUFFLED = "shuffled"  # the usual tolerance, rows in another order

# Methods by the machines that they consist of: the structure that trains these, and the structures over them.
PAIRS, REST = "max_wins", "one_vs_rest"
OVER = {
    (PAIRS, False): {"OAO": PAIRS, "c-BTS": "centered_tree", "Fisher tree, plain": "fisher_tree"},
    (PAIRS, True): {"PPSVM OAO": PAIRS, "BTPPSVM": "fisher_tree"},
    (REST, False): {"OAA": REST},
    (REST, True): {"PPSVM OAA": REST},
}


class Remembered:
    """The soft labels that ``soft_labels=k`` gives, searched once for many fits of the same samples.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    structure : {"max_wins", "one_vs_rest"}
        Whose machines ask for labels.
    k : int
    n_jobs : int

    Attributes
    ----------
    order : ndarray of shape (n_samples,), int
        Set it to a permutation before a fit of ``X[order], y[order]``.
    """

    def __init__(self, X: Array, y: Index, structure: str, k: int, n_jobs: int) -> None:
        self.y, self.order = y, np.arange(len(y))
        problem, _ = make_problem(ProblemParameters(gamma=1.0), X, y)
        tasks = (all_pairs if structure == PAIRS else each_against_rest)(len(np.unique(y)))
        asked: list[tuple[Index, Array]] = []

        def note(_: Array, rows: Index, sign: Array) -> Array:
            asked.append((rows, sign))
            return sign

        soft_labels(problem, tasks, note)
        found = soft_labels(problem, tasks, k, n_jobs)
        self._known: dict[tuple[bytes, bytes], Array] = {}
        for rows, sign in asked:
            of_rows, found = np.split(found, [len(rows)])
            label = np.zeros(len(y))
            label[rows] = of_rows
            self._known[self._task(rows, sign)] = label

    def _task(self, rows: Index, sign: Array) -> tuple[bytes, bytes]:
        """The classes on both sides of a machine."""
        return np.unique(self.y[rows[sign < 0]]).tobytes(), np.unique(self.y[rows[sign > 0]]).tobytes()

    def __call__(self, X: Array, rows: Index, sign: Array) -> Array:
        """Soft labels of some rows of X with these signs."""
        rows = self.order[rows]
        of_rows: Array = self._known[self._task(rows, sign)][rows]
        return of_rows


def counted(
    lab: Lab, data: str, structure: str, soft: bool, choice: str, tolerances: list[float], trees: bool
) -> Found:
    """Vectors in percent of the training set, by method and by tolerance.

    Parameters
    ----------
    lab : Lab
    data : str
    structure : {"max_wins", "one_vs_rest"}
    soft : bool
        Whether the labels are soft.
    choice : str
        Whose C and gamma.
    tolerances : list of float
    trees : bool
        Count the trees over these machines, too.

    Returns
    -------
    dict
        By method: the shares by tolerance, and with shuffled rows; and how many machines did not converge.
    """
    split = samples(lab, data)
    found = lab.found[f"choice/{data}/{choice}"]
    labels = Remembered(split.X, split.y, structure, K, lab.n_jobs) if soft else None
    clf = SVC(C=found["C"], gamma=found["gamma"], structure=structure, soft_labels=labels, n_jobs=lab.n_jobs)
    fits: list[tuple[str, float, Index]] = [(f"{tol:g}", tol, np.arange(len(split.y))) for tol in tolerances]
    fits.append((SHUFFLED, USUAL, lab.rng("wang2011", data, "order").permutation(len(split.y))))
    methods = {method: over for method, over in OVER[structure, soft].items() if trees or over == structure}
    out: Found = {method: {} for method in methods}
    unconverged = {}
    for name, tol, order in fits:
        if labels is not None:
            labels.order = order
        X, y = split.X[order], split.y[order]
        clf.set_params(tol=tol).fit(X, y)
        unconverged[name] = int((~clf.report_.converged).sum())
        for method, over in methods.items():
            model = clf if over == structure else clf.restructure(over, X, y)
            out[method][name] = 100.0 * len(model.support_) / len(y)
    return {"vectors_percent": out, "unconverged": unconverged}
