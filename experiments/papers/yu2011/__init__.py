"""Yu, Rhuma, Naqvi & Chambers 2011: a DDAG whose order follows the sample."""

from __future__ import annotations

from .study import Yu2011

__all__ = ["STUDY"]

STUDY = Yu2011()
