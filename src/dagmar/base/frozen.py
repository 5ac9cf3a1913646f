"""Finished objects: frozen dataclasses with read-only arrays, whose pickles carry the version of dagmar."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from .versions import check_version, with_version


class FrozenArrays:
    """Base class for frozen dataclasses that makes their arrays read-only.

    Values cached by `functools.cached_property` (facts derived from the fields, and objects of the C++ core) are left out of
    pickles and copies, and computed again on demand.
    """

    def __post_init__(self: Any) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __getstate__(self: Any) -> dict[str, Any]:
        return with_version({f.name: getattr(self, f.name) for f in fields(self)})

    def __setstate__(self: Any, state: dict[str, Any]) -> None:
        for name, value in check_version(type(self).__name__, state).items():
            object.__setattr__(self, name, value)
        self.__post_init__()
