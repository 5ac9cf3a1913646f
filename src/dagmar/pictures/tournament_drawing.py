"""Drawing a bracket: classes on the left, the winner on the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.typing import Array
from .drawing import FAINT, INK, VERMILLION, bare
from .labels import plain, shortened
from .tournament import Tournament

WRITTEN = 64  # classes up to which all are written; of more, only the winner


def tournament_places(cup: Tournament) -> Array:
    """Return the positions of all entrants, shape (2 n_classes - 1, 2): the round on the x axis, no lines that cross."""
    n = cup.n_classes
    x = np.concatenate([np.zeros(n), cup.rounds])
    y = np.zeros(2 * n - 1)
    stack, row = [2 * n - 2], 0
    while stack:  # classes from top to bottom, as the tree below the final has them
        entrant = stack.pop()
        if entrant < n:
            y[entrant] = -row
            row += 1
        else:
            stack += cup.matches[entrant - n, ::-1].tolist()
    for m, pair in enumerate(cup.matches):
        y[n + m] = y[pair].mean()
    return np.stack([x, y], axis=1)


def draw_tournament(ax: Any, cup: Tournament, names: Sequence[str], values: Array | None) -> None:
    """Draw the matches; with the values of a sample, who won each, with the way of the winner of all.

    Parameters
    ----------
    ax : matplotlib axes
    cup : Tournament
    names : sequence of n_classes str
    values : ndarray of shape (n_classes - 1,) or None
        The values of the matches in their order.
    """
    n = cup.n_classes
    where = tournament_places(cup)
    who = None if values is None else cup.play(values)
    names = shortened(names, 12)
    size = 9.0 if n <= 16 else 7.0
    bare(ax)
    for m, pair in enumerate(cup.matches.tolist()):
        x, y = where[n + m]
        for entrant in pair:
            from_x, from_y = where[entrant]
            won = who is not None and who[entrant] == who[n + m]
            champion = won and who is not None and who[entrant] == who[-1]
            style = {"color": VERMILLION if champion else INK if won else FAINT, "zorder": 3 if champion else 2}
            ax.plot(
                [from_x, x - 0.35, x - 0.35, x], [from_y, from_y, y, y], linewidth=2.2 if champion else 1.1, **style
            )
        if n > WRITTEN and (who is None or who[n + m] != who[-1]):
            continue
        if who is None:
            _write(ax, x, y, f"match {m + 1}", size - 1.5)
        else:
            _write(ax, x, y, names[who[n + m]], size, bold=who[n + m] == who[-1])
            if values is not None:
                ax.text(x - 0.33, y, f"{abs(values[m]):.2g}", fontsize=size - 1.5, va="bottom", ha="left", color="0.35")
    for c in range(n) if n <= WRITTEN else [] if who is None else [int(who[-1])]:
        _write(ax, where[c, 0], where[c, 1], names[c], size, bold=who is not None and c == who[-1])
    last = int(cup.rounds[-1]) if n > 1 else 0
    ax.set_xticks(range(1, last + 1), [f"round {r}" for r in range(1, last + 1)], fontsize=8)
    ax.tick_params(length=0)
    ax.set_xlim(-0.5, last + 0.5)
    ax.set_ylim(-n + 0.3, 0.7)


def _write(ax: Any, x: float, y: float, text: str, size: float, bold: bool = False) -> None:
    box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": VERMILLION if bold else FAINT}
    weight = "bold" if bold else "normal"
    ax.text(x, y, plain(text), ha="center", va="center", fontsize=size, fontweight=weight, bbox=box, zorder=4)
