"""The published experiments, run again by ``python -m experiments reproduce``.

A *study* is one paper: its protocol as a list of *steps*, and a *report* that puts what the steps found beside what was
published. Steps are run in a *lab*, which has the data and the seed; what they find is kept in a *record*, a JSON file, step
by step, so that a run can be stopped and taken up again, and every printed number can be traced to it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .study import Study

NAMES = ("platt1999", "yu2011", "don2018", "wang2011", "direct")


def study_of(name: str) -> Study:
    """The study of a paper.

    Parameters
    ----------
    name : str
        One of `NAMES`.

    Returns
    -------
    Study

    Examples
    --------
    >>> from experiments.papers import study_of
    >>> study_of("platt1999").title
    'Large margin DAGs for multiclass classification'
    """
    found: Study = import_module(f".{name}", __name__).STUDY
    return found
