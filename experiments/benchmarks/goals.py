"""The goals for speed, as ratios within one run."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from .competitors import is_peer

# Times the best peer; for one row at a time, times scikit-learn.
GOALS = {
    "letter": {"fit": 25, "ddag": 45, "max_wins": 45, "one row": 20},
    "pendigits": {"fit": 20, "ddag": 30, "max_wins": 30, "one row": 20},
    "usps": {"fit": 15, "ddag": 15, "max_wins": 15, "one row": 20},
    "mnist": {"fit": 8, "ddag": 12, "max_wins": 12, "one row": 20},
}


@dataclass(frozen=True)
class GroupGoal:
    """What fit and predict are to reach on the sets of a group: in the geometric mean, and on every one."""

    mean: float
    least: float


# Goals of the census, by group.
LARGE, SMALL, TEXT = "dense, 1000 rows and more", "dense, fewer than 1000 rows", "text"
CENSUS_GOALS = {LARGE: GroupGoal(12, 4), SMALL: GroupGoal(2, 1), TEXT: GroupGoal(5, 4)}

# The Laplacian kernel on every set: times scikit-learn.
LAPLACIAN_GOAL = 10.0

# Goals for Covertype: times scikit-learn-intelex, with equal caches and with default ones.
EQUAL_CACHE, DEFAULTS = "equal cache", "defaults"
COVERTYPE_GOALS = {EQUAL_CACHE: 5.0, DEFAULTS: 3.0}


def times_best_peer(seconds: dict[str, list[float]], ours: str) -> tuple[float, str]:
    """How many times faster than the best peer, by medians, and which peer that is.

    Parameters
    ----------
    seconds : dict of str to list of float
        By name.
    ours : str
        The name to judge.

    Returns
    -------
    ratio : float
    best : str
    """
    medians = {name: median(laps) for name, laps in seconds.items()}
    best = min(filter(is_peer, medians), key=medians.__getitem__)
    return medians[best] / medians[ours], best
