from __future__ import annotations
from collections.abc import Mapping
from ..report import Report
from ..study import Found, Study


def report(study: Study, found: Mapping[str, Found]) -> Report:
    return Report(study.name, study.title, study.reference, [], [], [])
