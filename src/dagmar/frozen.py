"""Finished objects: dataclasses whose arrays cannot be written to."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np


class FrozenArrays:
    """A base for frozen dataclasses that makes their arrays read-only, as the fields are."""

    def __post_init__(self: Any) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
