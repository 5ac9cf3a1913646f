"""What fitting cost, machine by machine."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.frozen import FrozenArrays
from ..base.typing import Array, Index


@dataclass(frozen=True, eq=False)
class FitReport(FrozenArrays):
    """What the solver did for each machine; one entry per machine in every array.

    Attributes
    ----------
    iterations : ndarray of int64
        Steps of the solver.
    gap : ndarray of float
        How far from optimal, by the KKT gap that is compared with `tol`.
    objective : ndarray of float
        The dual objective, as LIBSVM prints it.
    norm2 : ndarray of float
        Squared norm of the weight vector in kernel space.
    rows_computed, rows_reused : ndarray of int64
        Kernel rows computed, and asked for again while still at hand.
    seconds : ndarray of float
    converged : ndarray of bool
    refined : ndarray of bool
        Solved again in double precision, as single was too coarse for its multipliers.
    """

    iterations: Index
    gap: Array
    objective: Array
    norm2: Array
    rows_computed: Index
    rows_reused: Index
    seconds: Array
    converged: NDArray[np.bool_]
    refined: NDArray[np.bool_]

    @classmethod
    def from_arrays(cls, out: _core.TrainedMachines) -> FitReport:
        """Take the core's arrays."""
        return cls(
            iterations=out.iterations,
            gap=out.gap,
            objective=out.objective,
            norm2=out.norm2,
            rows_computed=out.rows_computed,
            rows_reused=out.rows_reused,
            seconds=out.seconds,
            converged=out.status == int(_core.Status.converged),
            refined=out.refined.astype(bool),
        )

    @classmethod
    def join(cls, parts: list[FitReport]) -> FitReport:
        """The reports of several lots of machines, one lot after the other."""
        return cls(**{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(cls)})

    def select(self, machines: Index) -> FitReport:
        """The entries of some machines, in the order given."""
        return FitReport(**{f.name: getattr(self, f.name)[machines] for f in fields(self)})

    @property
    def totals(self) -> dict[str, float]:
        """All machines together: counts and seconds added up, the largest gap."""
        return {
            "machines": len(self.iterations),
            "iterations": int(self.iterations.sum()),
            "largest_gap": float(self.gap.max()),
            "rows_computed": int(self.rows_computed.sum()),
            "rows_reused": int(self.rows_reused.sum()),
            "solver_seconds": float(self.seconds.sum()),
            "refined": int(self.refined.sum()),
        }

    def __str__(self) -> str:
        t = self.totals
        return (
            f"{t['machines']} machines in {t['iterations']} steps, largest gap {t['largest_gap']:.2g}; "
            f"{t['rows_computed']} kernel rows computed, {t['rows_reused']} reused; "
            f"{t['refined']} solved again in double precision; {t['solver_seconds']:.3g} s of solving"
        )
