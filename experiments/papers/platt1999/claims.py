"""What the paper claims, in its order."""

from __future__ import annotations

from ..report import Claim
from .claims_of_accuracy import OF_ACCURACY, OF_SEARCH
from .claims_of_costs import OF_COSTS, faster_than_max_wins, pairs_train_faster
from .claims_of_theory import OF_THEORY
from .results import Results


def claims(results: Results) -> list[Claim]:
    """All claims; those on the choice of kernels only if it was made."""
    of_search = OF_SEARCH if results.searched else ()
    wanted = [faster_than_max_wins, *OF_THEORY, pairs_train_faster, *of_search, *OF_ACCURACY, *OF_COSTS]
    return [claim(results) for claim in wanted]
