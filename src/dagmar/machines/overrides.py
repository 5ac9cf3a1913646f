"""Choices of the core that a test or a fuzzer makes instead, so that a small problem takes a way of large ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from .. import _core


@dataclass(frozen=True)
class Overrides:
    """How tasks are trained, where it is not None; the core chooses the rest (`TrainChoices` in ``cpp/core/train``).

    Attributes
    ----------
    rows : {"small", "kept", "streamed"} or None
        All kernel rows at once, rows on demand, or rows that are added to the scores as they are computed. A task that cannot
        be trained so is trained as by default: "small" has at most 544 samples, and "streamed" needs dense samples.
    active_part : bool or None
        Whether the samples that are still undecided are now and then trained alone.
    duplicates : bool or None
        Whether equal samples of a class are merged.
    """

    rows: str | None = None
    active_part: bool | None = None
    duplicates: bool | None = None

    def native(self) -> dict[str, Any]:
        """Return them as arguments of the core's settings."""
        rows = None if self.rows is None else _core.RowsWay[self.rows]
        return {"rows": rows, "active_part": self.active_part, "duplicates": self.duplicates}


NONE = Overrides()
_current: ContextVar[Overrides] = ContextVar("dagmar_overrides", default=NONE)


def current_overrides() -> Overrides:
    """Return the overrides of the calling thread; by default the core chooses everything."""
    return _current.get()


@contextmanager
def overridden(
    *, rows: str | None = None, active_part: bool | None = None, duplicates: bool | None = None
) -> Iterator[None]:
    """Make choices of the core in the calling thread.

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar import SVC
    >>> from dagmar.machines.overrides import overridden
    >>> X, y = np.arange(20.0)[:, None], np.arange(20) // 10
    >>> with overridden(rows="streamed"):
    ...     SVC().fit(X, y).report_.choices["rows"]
    'streamed for 1 machine'
    """
    token = _current.set(Overrides(rows, active_part, duplicates))
    try:
        yield
    finally:
        _current.reset(token)
