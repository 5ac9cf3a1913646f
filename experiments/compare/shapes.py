"""Kinds of data, and what is best for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..statistics import ranks
from ..tables import Table
from .answers import ask, best_ranked, seconds
from .cube import Cube
from .scheme import Kind

# Kinds of data, by what is known of a set before anything is trained.
SHAPES: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "fewer than 500 rows": lambda told: told["rows"] < 500,
    "1000 rows or more": lambda told: told["rows"] >= 1000,
    "at most 16 features": lambda told: told["features"] <= 16,
    "more than 40 features": lambda told: told["features"] > 40,
    "two classes": lambda told: told["classes"] == 2,
    "ten classes or more": lambda told: told["classes"] >= 10,
    "a majority of 0/1 features": lambda told: told["two_valued"] > 0.5,
    "a class with more than half of the rows": lambda told: told["largest_class"] > 0.5,
}


def having(cube: Cube, holds: Callable[[Mapping[str, Any]], bool]) -> Cube:
    """The results of the sets of which something holds.

    Parameters
    ----------
    cube : Cube
    holds : callable
        Takes the description of a set.

    Returns
    -------
    Cube
    """
    return cube.where(lambda name, _: holds(cube.sets[name]))


def rivals_of(cube: Cube) -> tuple[str, ...]:
    """The reference, and what people would use instead of it."""
    return tuple(dict.fromkeys((cube.reference, *cube.of_kind(Kind.INSTEAD.name))))


def shape_table(cube: Cube) -> Table:
    """The best of the rivals for each kind of data, and rank, accuracy and time of all of them.

    Parameters
    ----------
    cube : Cube

    Returns
    -------
    Table
        Without kinds of which fewer than two sets count.
    """
    rivals, rows = rivals_of(cube), []
    for shape, holds in {"all sets that count": lambda told: True, **SHAPES}.items():
        some = having(cube, holds)
        sentence = ask(shape, lambda c: best_ranked(c, rivals), some)
        if sentence is None:
            continue
        accuracy, times = some.means(rivals).counted(), some.means(rivals, "seconds", logarithm=True).counted()
        mean = ranks(accuracy.values).mean(axis=0)
        best = sentence.conclusion if sentence.decided else "cannot be decided"
        cells = [
            f"{mean[i]:.2f}, {accuracy.values[:, i].mean():.2f} %, {seconds(float(np.exp(times.values[:, i].mean())))}"
            for i in range(len(rivals))
        ]
        rows.append([shape, str(len(accuracy.sets)), best, *cells])
    title = "Mean rank, mean accuracy, and time to a tuned model (geometric mean), by kind of data"
    return Table(title, ["data", "sets", "best mean rank", *(f"`{name}`" for name in rivals)], rows)
