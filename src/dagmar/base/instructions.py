"""The instruction set that the core computes with."""

from __future__ import annotations

import os

from .. import _core

VARIABLE = "DAGMAR_SIMD"


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
