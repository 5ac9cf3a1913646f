"""Structures: how the verdicts of binary machines are combined into one of many classes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
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
    "stands_for",
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


def stands_for(structure: str | Structure | Any, made: Structure) -> bool:
    """Return whether a value of the parameter `structure` is still the one that a structure was made from.

    Parameters
    ----------
    structure : str or Structure
    made : Structure
        From `as_structure`.

    Returns
    -------
    bool
        False if `structure` is another structure, or if a parameter of it has been set to something else.

    Examples
    --------
    >>> from dagmar.structures import DDAG, as_structure, stands_for
    >>> made = as_structure(DDAG(order=[2, 0, 1]))
    >>> stands_for(DDAG(order=[2, 0, 1]), made), stands_for("ddag", made), stands_for("max_wins", made)
    (True, False, False)
    """
    named = isinstance(structure, str)
    if (STRUCTURES.get(structure) if named else type(structure)) is not type(made):
        return False
    # Every prediction asks this: parameters that are the same object, as most are, take no call.
    now = _defaults(type(made)) if named else vars(structure)  # type: ignore[arg-type]
    then = vars(made)
    for name, value in now.items():
        other = then.get(name, value)
        if value is not other and not _same(value, other):
            return False
    return True


@cache
def _defaults(kind: type[Structure]) -> dict[str, Any]:
    """Return the parameters of a structure that is given by its name."""
    return dict(vars(kind()))


def _same(a: Any, b: Any) -> bool:
    """Return whether a parameter and the copy that `clone` made of it are equal; what cannot be compared counts as equal."""
    no_rule: Any = object.__eq__
    if no_rule in (type(a).__eq__, type(b).__eq__):
        return type(a) is type(b)
    if isinstance(a, str | int | float):
        return bool(a == b)
    try:
        a, b = np.asarray(a), np.asarray(b)
    except ValueError:  # lists of different lengths
        return True
    # By bytes, because NaN is not equal to itself.
    return bool(a.shape == b.shape and (a.dtype.hasobject or (a.dtype == b.dtype and a.tobytes() == b.tobytes())))
