"""What the paper claims, in its order."""

from __future__ import annotations

from ..report import Claim
from .claims_of_table import OF_SEARCH, OF_TABLE
from .claims_of_theory import OF_THEORY
from .results import Results


def claims(results: Results) -> list[Claim]:
    """All claims; those on the choice of kernels only if it was made."""
    wanted = [*OF_THEORY, *(OF_SEARCH if results.searched else ()), *OF_TABLE]
    return [claim(results) for claim in wanted]
