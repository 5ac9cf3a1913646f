"""Rathgamage Don & Iacob 2018: DCSVM."""

from .study import STUDY as STUDY
