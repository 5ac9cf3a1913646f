"""What a structure is."""

from __future__ import annotations

from sklearn.base import BaseEstimator

from ..bank import Bank
from ..exceptions import MissingMachinesError
from ..plans import Plan
from ..tasks import Tasks, all_pairs


class Structure(BaseEstimator):  # type: ignore[misc]
    """How pairs of classes become an answer among many.

    A structure says which machines it needs (`tasks`) and, once they are trained, how they are consulted (`plan`). Both
    are arithmetic over classes 0 ... n_classes - 1; labels and samples stay with the estimator. Parameters follow
    scikit-learn's rules, so structures clone, print and appear in grids as ``structure__name``.

    To add one: subclass, write `plan` (and `tasks`, unless it is all pairs), and add a line to
    `dagmar.structures.STRUCTURES` if it should have a name.
    """

    def tasks(self, n_classes: int) -> Tasks:
        """The machines this structure needs: all pairs, unless said otherwise."""
        return all_pairs(n_classes)

    def plan(self, bank: Bank) -> Plan:
        """How the machines of `bank` are consulted."""
        raise NotImplementedError

    def _require_all_pairs(self, bank: Bank) -> None:
        if not bank.all_pairs:
            raise MissingMachinesError(
                f"{type(self).__name__} needs a machine for each of the "
                f"{bank.n_classes * (bank.n_classes - 1) // 2} pairs of classes; this bank holds {bank.n_machines} "
                "machines that are not those. Pass X and y to train them."
            )
