"""What a structure is."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from ..base.exceptions import MissingMachinesError
from ..machines.bank import AnyBank
from ..machines.workshop import AnyWorkshop
from ..problem.tasks import Tasks, all_pairs
from .plans import Plan


class Structure(BaseEstimator):  # type: ignore[misc]
    """How verdicts on two sides become an answer among many classes.

    A structure says which machines it needs and how they are consulted, over classes 0 ... n_classes - 1; labels and
    samples stay with the estimator. Parameters follow scikit-learn's rules, so structures clone, print and appear in grids
    as ``structure__name``.

    To add one, subclass and write one of two methods:

    - `plan`, from a bank of trained machines to a plan, if the machines needed are known beforehand (`tasks`: all pairs,
      unless said otherwise);
    - `build`, with a `Workshop` at hand, if they are not (trees), or if the plan hangs on the training data. It may train
      machines lot by lot, ask how they see the classes, and must leave in the workshop the machines that its plan names.

    A line in `dagmar.structures.STRUCTURES` gives it a name.

    Examples
    --------
    The classes in reverse, as a structure of one's own:

    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> class Reversed(dagmar.Structure):
    ...     def plan(self, bank):
    ...         return dagmar.DDAG(order=range(bank.n_classes)[::-1]).plan(bank)
    >>> X, y = load_iris(return_X_y=True)
    >>> dagmar.SVC(structure=Reversed()).fit(X, y).decision_path(X[:1])[0][0].tolist()
    [1, 0]
    """

    def tasks(self, n_classes: int) -> Tasks:
        """The machines this structure needs: all pairs, unless said otherwise."""
        return all_pairs(n_classes)

    def plan(self, bank: AnyBank) -> Plan:
        """How the machines of `bank`, which are those of `tasks` in that order, are consulted."""
        raise NotImplementedError(f"{type(self).__name__} must define plan or build")

    def _require(self, bank: AnyBank, what: str) -> None:
        """Raise MissingMachinesError unless the machines of `bank` are those of `tasks`."""
        tasks = self.tasks(bank.n_classes)
        if not (np.array_equal(bank.tasks.classes, tasks.classes) and np.array_equal(bank.tasks.sides, tasks.sides)):
            raise MissingMachinesError(
                f"{type(self).__name__} needs a machine for each of the {len(tasks)} {what}; this bank holds "
                f"{bank.n_machines} machines that are not those. Pass X and y to train them."
            )

    def build(self, workshop: AnyWorkshop) -> Plan:
        """Have the machines trained and lay out the plan."""
        workshop.keep(workshop.train(self.tasks(workshop.n_classes)))
        return self.plan(workshop.bank)
