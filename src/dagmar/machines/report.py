"""The cost of fitting, per machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.frozen import field_names
from ..base.showing import MOST_LINES, counted, frame, html_table
from ..base.typing import Array, Index
from ..problem.naming import Named


@dataclass(frozen=True, eq=False)
class FitReport(Named):
    """What the solver did for each machine; every array has one entry per machine.

    If another library trained some of the machines, what it does not tell is None (`gap`, `objective`, `norm2`, `seconds`) or
    0, and the machines count as converged unless it says otherwise.

    Attributes
    ----------
    iterations : ndarray of int64
        Number of solver steps.
    gap : ndarray of float or None
        The KKT gap at the end, which is compared with `tol`: how far the machine is from optimal.
    objective : ndarray of float or None
        The dual objective, as LIBSVM prints it.
    norm2 : ndarray of float or None
        Squared norm of the weight vector in kernel space.
    rows_computed, rows_reused : ndarray of int64
        Number of kernel rows computed, and number of requests answered from the cache.
    seconds : ndarray of float or None
        Time of solving.
    status : ndarray of int32
        How the solver ended: 0 converged; 1 at the limit of steps; 4 without further progress, because rounding hides the
        rest of the gap or the kernel matrix is not positive semi-definite; 6 because multipliers overflowed.
    refined : ndarray of bool
        Whether kernel values in double precision were needed, because single precision was not accurate enough.
    in_double : ndarray of bool
        Whether the machine was solved again in double precision. The other refined ones needed it for their scores only.
    indefinite : ndarray of bool
        Whether the solver met a negative curvature, so that the kernel matrix is not positive semi-definite.
    choices : dict of str to str
        How the machines were trained, in words: whether the "samples" were dense or sparse, the "centre" that was subtracted
        from them, the "precision" of kernel values and why, whether "distances" were computed from products or differences,
        and whether "features" were multiplied as integers; where the kernel "rows" of machines came from, how often the solver
        went on with the "active part" of a problem alone, how often it made "free steps" of all free samples at once, and how
        many "duplicates" were merged, added up over the machines. Empty if it is not known, as for a model from a file.

    See Also
    --------
    DecisionCost : What predictions cost.
    Bank : The machines.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> report = dagmar.SVC().fit(X, y).report_
    >>> bool(report.converged.all()), report.iterations.shape
    (True, (3,))
    """

    iterations: Index
    gap: Array | None
    objective: Array | None
    norm2: Array | None
    rows_computed: Index
    rows_reused: Index
    seconds: Array | None
    status: NDArray[np.int32]
    refined: NDArray[np.bool_]
    in_double: NDArray[np.bool_]
    indefinite: NDArray[np.bool_]
    words: ClassVar[Mapping[str, str]] = {}  # the choices of the problem: see `with_choices`
    records: ClassVar[tuple[NDArray[Any], ...]] = ()  # what the core returned, from which `ways` are counted

    @classmethod
    def from_arrays(cls, out: _core.TrainedMachines) -> FitReport:
        """Make a report from the records that the core returns."""
        machines = out.machines
        machines.setflags(write=False)  # and with them the views of their fields
        return _made({name: machines[name] for name in field_names(cls)} | {"records": (machines,)})

    @classmethod
    def foreign(
        cls, iterations: Index, seconds: Array | None = None, status: _core.Status = _core.Status.converged
    ) -> FitReport:
        """Make a report of machines that another library trained, from what is known about them.

        Parameters
        ----------
        iterations : ndarray of shape (n_machines,), int64
            Number of solver steps; 0 if it is not known.
        seconds : ndarray of shape (n_machines,), optional
        status : _core.Status

        Returns
        -------
        FitReport
        """
        n = len(iterations)
        return cls(
            iterations=iterations,
            gap=None,
            objective=None,
            norm2=None,
            rows_computed=np.zeros(n, dtype=np.int64),
            rows_reused=np.zeros(n, dtype=np.int64),
            seconds=seconds,
            status=np.full(n, int(status), dtype=np.int32),
            refined=np.zeros(n, dtype=bool),
            in_double=np.zeros(n, dtype=bool),
            indefinite=np.zeros(n, dtype=bool),
        )

    @classmethod
    def join(cls, parts: list[FitReport]) -> FitReport:
        """Return the reports of several lots of machines as one, in the order of the lots."""
        if len(parts) == 1:
            return parts[0]

        def joined(name: str) -> Any:
            arrays = [getattr(p, name) for p in parts]
            return None if any(a is None for a in arrays) else np.concatenate(arrays)

        return cls(**{name: joined(name) for name in field_names(cls)})._with(
            records=tuple(record for p in parts for record in p.records)
        )

    def select(self, machines: Index) -> FitReport:
        """Return the report of some machines, in the given order."""

        def chosen(array: Any) -> Any:
            return None if array is None else array[machines]

        chosen_arrays = {name: chosen(getattr(self, name)) for name in field_names(FitReport)}
        return FitReport(**chosen_arrays)._with(records=self.records)

    def with_choices(self, choices: Mapping[str, str]) -> FitReport:
        """Return the same report with these `choices`, and those that the core made."""
        return self._with(words=choices)

    @property
    def choices(self) -> dict[str, str]:
        """How the machines were trained, in words."""
        return {**self.words, **_in_words(self.ways)} if self.words else {}

    @property
    def ways(self) -> Counter[str]:
        """How often the core took each way, as far as it is known."""
        return sum((_ways(machines) for machines in self.records), Counter())

    def _with(self, **attributes: Any) -> FitReport:
        return _made(self.__dict__ | attributes)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("records", None)
        return {**state, **({"words": self.choices} if self.words else {})}

    @cached_property
    def all_converged(self) -> bool:
        """Whether every machine converged."""
        return bool(np.count_nonzero(self.status) == 0)  # converged is 0

    @property
    def converged(self) -> NDArray[np.bool_]:
        """Whether the gap of each machine is below `tol`."""
        return self.ended(_core.Status.converged)

    def ended(self, status: _core.Status) -> NDArray[np.bool_]:
        """Return which machines ended in this way."""
        here: NDArray[np.bool_] = self.status == int(status)
        return here

    @property
    def totals(self) -> dict[str, Any]:
        """Sums of counts and seconds over all machines, and the largest gap; None for what is not known."""
        return {
            "machines": len(self.iterations),
            "iterations": int(self.iterations.sum()),
            "largest_gap": None if self.gap is None else float(self.gap.max()),
            "rows_computed": int(self.rows_computed.sum()),
            "rows_reused": int(self.rows_reused.sum()),
            "solver_seconds": None if self.seconds is None else float(self.seconds.sum()),
            "refined": int(self.refined.sum()),
        }

    def __str__(self) -> str:
        t = self.totals
        if self.gap is None or self.seconds is None:
            rest = "gap and time of solving not known"
            if self.seconds is not None:
                rest = f"{t['solver_seconds']:.3g} s of fitting; gap not known"
            machines = f"{t['machines']} machines, some of them trained by another library"
            return f"{machines}; {t['iterations']} known steps; {rest}"
        return (
            f"{t['machines']} machines in {t['iterations']} steps, largest gap {t['largest_gap']:.2g}; "
            f"{t['rows_computed']} kernel rows computed, {t['rows_reused']} reused; "
            f"{t['refined']} refined in double precision; {t['solver_seconds']:.3g} s of solving"
        )

    def __repr__(self) -> str:
        return f"FitReport({self})"

    def to_frame(self) -> Any:
        """Return the report as a pandas DataFrame, one row per machine.

        Returns
        -------
        pandas.DataFrame
            If the labels are known, as for ``report_`` of an estimator, "negative" and "positive" are the sides of each
            machine. Columns of what is not known are missing.
        """
        return frame(self._columns(np.arange(len(self.iterations))), index="machine")

    def _columns(self, machines: Index) -> dict[str, Any]:
        sides = {} if self.names is None else self.names.columns(machines)
        arrays = {name: getattr(self, name) for name in field_names(FitReport)} | {"converged": self.converged}
        return {"machine": machines, **sides} | {n: a[machines] for n, a in arrays.items() if a is not None}

    def _repr_html_(self) -> str:
        # The machines that took most work first.
        most = np.argsort(-self.iterations, kind="stable")[:MOST_LINES]
        shown = ("machine", "negative", "positive", "iterations", "gap", "rows_computed", "seconds", "converged")
        columns = {name: values for name, values in self._columns(most).items() if name in shown}
        return html_table("FitReport, most steps first", columns, len(self.iterations), [str(self)])


def _made(attributes: dict[str, Any]) -> FitReport:
    """Return a report with these attributes, whose arrays are read-only already."""
    report: FitReport = object.__new__(FitReport)
    report.__dict__.update(attributes)
    return report


# What the ways of the core are called, as `_core.RowsWay` numbers them.
_ROWS = {"small": "all at once", "kept": "kept", "streamed": "streamed"}


def _ways(machines: NDArray[Any]) -> Counter[str]:
    """Count the ways in records of the core."""
    rows = np.bincount(machines["rows"], minlength=len(_ROWS))
    ways = Counter({name: int(rows[int(_core.RowsWay[name])]) for name in _ROWS})
    ways.update({name: int(machines[name].sum()) for name in ("visits", "free_steps", "merged")})
    return ways


def _in_words(ways: Counter[str]) -> dict[str, str]:
    """Say how often each way was taken."""
    if not ways:
        return {}
    rows = [f"{said} for {counted(ways[name], 'machine')}" for name, said in _ROWS.items() if ways[name]]
    return {
        "rows": ", ".join(rows),
        "active part": f"visited {counted(ways['visits'], 'time')}",
        "free steps": counted(ways["free_steps"], "step"),
        "duplicates": f"{counted(ways['merged'], 'sample')} merged with equal ones",
    }
