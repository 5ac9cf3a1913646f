"""Questions of our own that the papers raise: a machine for all classes at once, and other classifiers in the structures."""

from __future__ import annotations

from .study import Direct

__all__ = ["STUDY"]

STUDY = Direct()
