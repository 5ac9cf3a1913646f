"""The cost of fitting, per machine."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.frozen import FrozenArrays
from ..base.typing import Array, Index


@dataclass(frozen=True, eq=False)
class FitReport(FrozenArrays):
    """What the solver did for each machine; every array has one entry per machine.

    Attributes
    ----------
    iterations : ndarray of int64
        Number of solver steps.
    gap : ndarray of float
        The KKT gap at the end, which is compared with `tol`: how far the machine is from optimal.
    objective : ndarray of float
        The dual objective, as LIBSVM prints it.
    norm2 : ndarray of float
        Squared norm of the weight vector in kernel space.
    rows_computed, rows_reused : ndarray of int64
        Number of kernel rows computed, and number of requests answered from the cache.
    seconds : ndarray of float
        Time of solving.
    converged : ndarray of bool
        Whether the gap is below `tol`.
    refined : ndarray of bool
        Whether the machine was solved again in double precision, because single precision was not accurate enough.
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
        """Make a report from the arrays that the core returns."""
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
        """Return the reports of several lots of machines as one, in the order of the lots."""
        return cls(**{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(cls)})

    def select(self, machines: Index) -> FitReport:
        """Return the report of some machines, in the given order."""
        return FitReport(**{f.name: getattr(self, f.name)[machines] for f in fields(self)})

    @property
    def totals(self) -> dict[str, float]:
        """Sums of counts and seconds over all machines, and the largest gap."""
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
