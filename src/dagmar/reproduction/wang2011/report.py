"""x"""

from __future__ import annotations
from ..report import Report


def report(study, found):
    return Report(study.name, study.title, study.reference, [], [], [])
