"""The instruction set that the core computes with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .. import _core

VARIABLE = "DAGMAR_SIMD"

# The level that `at_level` sets for the calling thread; None for that of the environment.
_chosen: ContextVar[_core.Level | None] = ContextVar("dagmar_level", default=None)


def simd_level() -> _core.Level:
    """Return the instruction set named by the environment variable ``DAGMAR_SIMD``; by default the best of this processor.

    This is the only place that reads the variable; the core gets the level as an argument. The variable is for tests and for
    comparing processors: labels do not depend on it. It is read by each fit, and by a model when it first predicts.

    Returns
    -------
    Level

    Raises
    ------
    ValueError
        If there is no such instruction set, or this processor does not have it.

    Examples
    --------
    >>> from dagmar.base.instructions import simd_level
    >>> simd_level().name in ("plain", "avx2", "avx512")
    True
    """
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    best = _core.best_level()
    name = os.environ.get(VARIABLE)
    if not name:
        return best
    names = [level.name for level in _core.Level]
    if name not in names:
        raise ValueError(f"{VARIABLE} is {name!r}; it must be one of {', '.join(names)}")
    level: _core.Level = _core.Level[name]
    if level.value > best.value:
        here = [level.name for level in _core.Level if level.value <= best.value]
        raise ValueError(f"{VARIABLE} is {name!r}, but this processor has only {', '.join(here)}")
    return level


@contextmanager
def at_level(level: _core.Level) -> Iterator[None]:
    """Use an instruction set of one's choice in the calling thread; several machines must use one that all of them have.

    Parameters
    ----------
    level : Level
        This processor must have it.

    Examples
    --------
    >>> from dagmar import _core
    >>> from dagmar.base.instructions import at_level, simd_level
    >>> with at_level(_core.Level.plain):
    ...     simd_level().name
    'plain'
    """
    before = _chosen.set(level)
    try:
        yield
    finally:
        _chosen.reset(before)
