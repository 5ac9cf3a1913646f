"""The best cells, chosen from the scores of trials, and what to warn about."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..base.exceptions import GridEdgeWarning
from ..base.typing import Array, Index
from ..machines.convergence import machine_names, why_unconverged
from .cv_results import CVResults
from .grid import Grid
from .score_notes import Notes, constant_pair_scores, constant_score, no_guidance, not_finite
from .scoring import Scoring
from .trials import PairTrials, StructureTrials, Trials

WIDEN = "Cells beyond may be better: add values there, unless they make no sense."
# The most cells that the text of a warning names.
MOST_NAMED = 10


@dataclass(frozen=True, eq=False)
class Choice:
    """The cells that were chosen, with their scores; fields as in `SearchResult`. `notes` are warnings to give."""

    cv_results: CVResults
    unconverged: Index
    notes: Notes
    multimetric: bool = False
    best_index: int | Index | None = None
    best_params: dict[str, Any] | None = None
    best_score: float | None = None
    pair_scores: Array | None = None


def choose_cell(grid: Grid, trials: StructureTrials, scoring: Scoring, max_iter: int) -> Choice:
    """Choose the cell with the best mean score; with several scores and ``refit=False``, none.

    Parameters
    ----------
    grid : Grid
    trials : StructureTrials
        With the scores of the cells that were tried.
    scoring : Scoring
    max_iter : int
        Limit of solver steps, for a warning.

    Returns
    -------
    Choice
    """
    table = grid.table(trials.scores, trials.fit_seconds, trials.score_seconds, trials.tried)
    unconverged, notes = unconverged_cells(grid, trials, max_iter)
    notes += not_finite(table)
    names = list(trials.scores)
    multimetric = scoring.multimetric(names)
    if not scoring.chooses(names):
        return Choice(table, unconverged, notes, multimetric)
    metric = scoring.chosen_metric(names)
    best = int(np.argmin(table[f"rank_test_{metric}"]))
    cell = int(np.flatnonzero(trials.tried)[best])
    mean = table[f"mean_test_{metric}"]
    score = float(mean[best])
    edges = [] if np.isnan(score) else grid.edges(trials.scores[metric].mean(axis=2), cell)
    if edges:
        words = f"The best cell is on the edge of the grid: it has {' and '.join(edges)}. {WIDEN}"
        notes.append((GridEdgeWarning, words))
    notes += no_guidance(mean, score, constant_score(scoring, metric, trials.samples))
    return Choice(table, unconverged, notes, multimetric, best, grid.cells[cell], score)


def choose_for_pairs(grid: Grid, trials: PairTrials, largest_C: bool, max_iter: int) -> Choice:
    """Choose the cell with the best mean accuracy for each pair of classes.

    Parameters
    ----------
    grid : Grid
    trials : PairTrials
        With the scores of all cells.
    largest_C : bool
        Of equally good cells, choose that with the largest C, as Yu et al. do; there must be one gamma. Otherwise the first.
    max_iter : int
        Limit of solver steps, for a warning.

    Returns
    -------
    Choice
    """
    scores = mean_of_known(trials.scores, axis=3)
    by_cell = scores.reshape(len(scores), -1)
    # Ties are common here; scores are rounded so that rounding errors do not break them.
    rounded = np.nan_to_num(np.round(by_cell, 12), nan=-1.0)
    order = np.argsort(-grid.Cs, kind="stable") if largest_C else np.arange(rounded.shape[1])
    best = order[np.argmax(rounded[:, order], axis=1)]
    by_fold = {"score": mean_of_known(trials.scores, axis=0)}
    table = grid.table(by_fold, trials.fit_seconds, trials.score_seconds)
    unconverged, notes = unconverged_cells(grid, trials, max_iter)
    known = ~np.isnan(by_cell).all(axis=1)
    if not known.all():
        names = machine_names(trials.tasks(), trials.samples.classes, np.flatnonzero(~known))
        notes.append(
            (UserWarning, f"No fold can score these pairs, so their C and gamma are not chosen by score: {names}")
        )
    edges = Counter(
        edge
        for pair, cell in zip(rounded[known], best[known].tolist(), strict=True)
        for edge in grid.edges(pair.reshape(grid.shape), cell)
    )
    if edges:
        named = ", ".join(f"{edge} for {n} of {len(best)} pairs" for edge, n in edges.items())
        notes.append((GridEdgeWarning, f"The best cells of pairs are on the edge of the grid: {named}. {WIDEN}"))
    best_score = float(mean_of_known(by_cell[np.arange(len(by_cell)), best], axis=0))
    constant = float(mean_of_known(mean_of_known(constant_pair_scores(trials.samples), axis=1), axis=0))
    notes += no_guidance(by_cell[known], best_score, constant)
    return Choice(
        table,
        unconverged,
        notes,
        best_index=best,
        best_params=grid.best_of_pairs(best),
        best_score=best_score,
        pair_scores=scores if grid.named else by_cell,
    )


def unconverged_cells(grid: Grid, trials: Trials, max_iter: int) -> tuple[Index, Notes]:
    """Return the cells that did not converge, as rows of the table of cells tried, and a warning about them."""
    tried = np.flatnonzero(trials.tried)
    rows = np.flatnonzero(trials.unconverged.any(axis=2).ravel()[tried])
    if not len(rows):
        return rows, []
    cells = [grid.cells[cell] for cell in tried[rows[:MOST_NAMED]].tolist()]
    named = "; ".join(", ".join(f"{name}={value}" for name, value in cell.items()) for cell in cells)
    words = (
        f"{why_unconverged(trials.unconverged_machines, max_iter)} Cells not converged: {len(rows)} of {len(tried)} "
        f"({named}{'; ...' if len(rows) > MOST_NAMED else ''})"
    )
    return rows, [(ConvergenceWarning, words)]


def mean_of_known(values: Array, axis: int) -> Array:
    """Return the mean without NaN entries; NaN where all entries are NaN."""
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    mean: Array = np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0)
    return mean
