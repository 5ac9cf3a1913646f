"""Structures: how the verdicts of binary machines are combined into one of many classes."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from ..base.exceptions import InvalidParameterError
from .adaptive_ddag import AdaptiveDDAG
from .and_gate import AndGate
from .base import Structure
from .bracket import Bracket
from .centered_tree import CenteredTree
from .ddag import DDAG
from .divide_and_conquer import DivideAndConquer
from .fisher_tree import FisherTree
from .max_wins import MaxWins
from .one_vs_rest import OneVsRest

__all__ = [
    "DDAG",
    "STRUCTURES",
    "AdaptiveDDAG",
    "AndGate",
    "Bracket",
    "CenteredTree",
    "DivideAndConquer",
    "FisherTree",
    "MaxWins",
    "OneVsRest",
    "Structure",
    "as_structure",
]

STRUCTURES: dict[str, type[Structure]] = {
    "max_wins": MaxWins,
    "and_gate": AndGate,
    "one_vs_rest": OneVsRest,
    "ddag": DDAG,
    "adaptive_ddag": AdaptiveDDAG,
    "bracket": Bracket,
    "divide_and_conquer": DivideAndConquer,
    "fisher_tree": FisherTree,
    "centered_tree": CenteredTree,
}


def as_structure(structure: str | Structure | Any, owner: str = "SVC") -> Structure:
    """Return a structure object, from a name or from an object, which is cloned.

    Parameters
    ----------
    structure : str or Structure
    owner : str
        The name of the estimator, for error messages.

    Returns
    -------
    Structure
    """
    if isinstance(structure, str) and structure in STRUCTURES:
        return STRUCTURES[structure]()
    if isinstance(structure, Structure):
        copy: Structure = clone(structure)
        return copy
    names = ", ".join(map(repr, sorted(STRUCTURES)))
    raise InvalidParameterError(
        f"The 'structure' parameter of {owner} must be a str among {{{names}}} or a Structure. Got {structure!r} instead."
    )
