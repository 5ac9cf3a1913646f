"""Wang, Zheng and Zhou, 2011: a binary tree of posterior-probability SVMs (BTPPSVM)."""

from __future__ import annotations

from .study import Wang2011

STUDY = Wang2011()
