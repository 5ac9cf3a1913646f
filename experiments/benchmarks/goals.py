"""The goals for speed, as ratios within one run."""

from __future__ import annotations

from statistics import median

from .competitors import is_ours

# Times the best peer; for one row at a time, times scikit-learn.
GOALS = {
    "letter": {"fit": 15, "ddag": 30, "max_wins": 20, "one row": 10},
    "pendigits": {"fit": 12, "ddag": 20, "max_wins": 15, "one row": 10},
    "usps": {"fit": 6, "ddag": 15, "max_wins": 10, "one row": 10},
    "mnist": {"fit": 5, "ddag": 12, "max_wins": 8, "one row": 10},
}


def times_best_peer(seconds: dict[str, list[float]], ours: str) -> tuple[float, str]:
    """How many times faster than the best peer, by medians, and who that is.

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
    best = min((name for name in medians if not is_ours(name)), key=medians.__getitem__)
    return medians[best] / medians[ours], best
