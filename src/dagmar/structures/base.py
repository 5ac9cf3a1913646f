"""The base class of structures."""

from __future__ import annotations

from sklearn.base import BaseEstimator

from ..base.exceptions import MissingMachinesError
from ..machines.bank import AnyBank
from ..machines.workshop import AnyWorkshop
from ..problem.tasks import Tasks, all_pairs
from .plans import Plan


class Structure(BaseEstimator):  # type: ignore[misc]
    """Base class of structures: which machines are needed, and how they are consulted.

    A structure works with classes 0 ... n_classes - 1; the estimator keeps the labels and samples. Parameters follow
    scikit-learn's rules, so structures can be cloned and printed, and their parameters can be searched as
    ``structure__name``.

    To add a structure, write a subclass with one of two methods:

    - `plan` makes a plan from a bank of trained machines. Use it if the machines are known before training. They are those
      of `tasks`: all pairs by default.
    - `build` gets a `Workshop`. Use it if the machines are not known before training (trees), or if the plan depends on the
      training data. It may train machines in several lots and ask how they classify the training samples. At the end it
      must `keep` in the workshop the machines that its plan uses.

    To give it a name, add it to `dagmar.structures.STRUCTURES`.

    See Also
    --------
    MaxWins : The default.
    DDAG : A structure with a plan of a graph.

    Examples
    --------
    A DDAG over the classes in reverse order:

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
        """Return the machines that this structure needs; by default all pairs."""
        return all_pairs(n_classes)

    def plan(self, bank: AnyBank) -> Plan:
        """Return the plan that consults the machines of `bank`, which are those of `tasks` in that order."""
        raise NotImplementedError(f"{type(self).__name__} must define plan or build")

    def _require(self, bank: AnyBank, what: str) -> None:
        """Raise MissingMachinesError unless the machines of `bank` are those of `tasks`."""
        tasks = self.tasks(bank.n_classes)
        if not bank.tasks.same_as(tasks):
            raise MissingMachinesError(
                f"{type(self).__name__} needs a machine for each of the {len(tasks)} {what}; this bank has "
                f"{bank.n_machines} machines and lacks some of these. Pass X and y to train them."
            )

    def build(self, workshop: AnyWorkshop) -> Plan:
        """Train the machines in the workshop and return the plan."""
        workshop.train_only(self.tasks(workshop.n_classes))
        return self.plan(workshop.bank)
