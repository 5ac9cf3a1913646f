"""The best cells, chosen from the scores of trials, and what to warn about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..base.exceptions import GridEdgeWarning
from ..base.typing import Array, Index
from ..machines.convergence import machine_names, why_unconverged
from .combinations import Attempt, behind, known
from .cv_results import CVResults, table_of
from .score_notes import Notes, constant_pair_scores, constant_score, no_guidance, not_finite
from .scoring import Scoring
from .trials import StructureTrials

WIDEN = "Cells beyond may be better: add values there, unless they make no sense."
# The most cells that the text of a warning names.
MOST_NAMED = 10
# A combination that is worse by fewer standard errors than this, and stands before the best, is preferred.
MARGIN = 0.5


@dataclass(frozen=True, eq=False)
class Choice:
    """The cells that were chosen, with their scores; fields as in `SearchResult`.

    `notes` are warnings to give. `chosen` is the attempt of the best cell, or the only one.
    """

    cv_results: CVResults
    unconverged: Index
    notes: Notes
    multimetric: bool = False
    best_index: int | Index | None = None
    best_params: dict[str, Any] | None = None
    best_score: float | None = None
    pair_scores: Array | None = None
    chosen: Attempt | None = None


def choose_cell(attempts: list[Attempt], scoring: Scoring, max_iter: int) -> Choice:
    """Choose the cell with the best mean score; with several scores and ``refit=False``, none.

    Of several combinations of kernel and scaler, the first is preferred: see `simplest`.

    Parameters
    ----------
    attempts : list of Attempt
        With the scores of the cells that were tried.
    scoring : Scoring
    max_iter : int
        Limit of solver steps, for a warning.

    Returns
    -------
    Choice
    """
    first = np.concatenate([[0], np.cumsum([len(attempt.tried) for attempt in attempts])])
    table = _table(attempts)
    unconverged, notes = unconverged_cells(attempts, max_iter)
    notes += not_finite(table)
    names = list(attempts[0].trials.scores)
    multimetric = scoring.multimetric(names)
    if not scoring.chooses(names):
        only = attempts[0] if len(attempts) == 1 else None
        return Choice(table, unconverged, notes, multimetric, chosen=only)
    metric = scoring.chosen_metric(names)
    chosen = simplest([attempt.best(metric) for attempt in attempts])
    attempt = attempts[chosen]
    row = int(np.argmin(table[f"rank_test_{metric}"][first[chosen] : first[chosen + 1]]))
    best = int(first[chosen]) + row
    mean = table[f"mean_test_{metric}"]
    score = float(mean[best])
    edges = [] if np.isnan(score) else attempt.edges(metric, int(attempt.tried[row]))
    if edges:
        words = f"The best cell is on the edge of the grid: it has {' and '.join(edges)}. {WIDEN}"
        notes.append((GridEdgeWarning, words))
    notes += no_guidance(mean, score, constant_score(scoring, metric, attempt.trials.samples))
    return Choice(table, unconverged, notes, multimetric, best, table["params"][best], score, chosen=attempt)


def simplest(scores: list[Array]) -> int:
    """Return which combination of kernel and scaler to take, from the scores of their best cells.

    It is the first whose mean score is below the best of all by at most `MARGIN` standard errors of their difference. Scores
    of the same folds are compared, so what is difficult in a fold cancels out. Scores of few samples differ by chance, and the
    best of several looks better than it is; users put first what they would take without a search.

    Parameters
    ----------
    scores : list of ndarray of shape (n_folds,)

    Returns
    -------
    int

    Examples
    --------
    >>> import numpy as np
    >>> from dagmar.tuning.choosing import simplest
    >>> simplest([np.array([0.8, 0.6, 0.9]), np.array([0.7, 0.8, 0.9])])
    0
    >>> simplest([np.array([0.8, 0.6, 0.9]), np.array([0.9, 0.8, 0.9])])
    1
    """
    best = scores[int(np.argmax([known(one.mean()) for one in scores]))]
    return next(k for k, one in enumerate(scores) if one is best or behind(one, best) <= MARGIN)


def _table(attempts: list[Attempt]) -> CVResults:
    """Return the cells of all attempts as one table."""

    def joined(values: Callable[[StructureTrials], Array]) -> Array:
        found = [values(attempt.trials).reshape(-1, n_folds)[attempt.tried] for attempt in attempts]
        return np.concatenate(found)

    n_folds = len(attempts[0].trials.samples.folds)
    scores = {name: joined(lambda trials, name=name: trials.scores[name]) for name in attempts[0].trials.scores}  # type: ignore[misc]
    return table_of(
        [cell for attempt in attempts for cell in attempt.cells(attempt.tried)],
        scores,
        joined(lambda trials: trials.fit_seconds),
        joined(lambda trials: trials.score_seconds),
    )


def choose_for_pairs(attempt: Attempt, largest_C: bool, max_iter: int) -> Choice:
    """Choose the cell with the best mean accuracy for each pair of classes.

    Parameters
    ----------
    attempt : Attempt
        With the scores of all cells, by `PairTrials`.
    largest_C : bool
        Of equally good cells, choose that with the largest C, as Yu et al. do; there must be one gamma. Otherwise the first.
    max_iter : int
        Limit of solver steps, for a warning.

    Returns
    -------
    Choice
    """
    grid, trials = attempt.grid, attempt.trials
    scores = mean_of_known(trials.scores, axis=3)
    by_cell = scores.reshape(len(scores), -1)
    # Ties are common here; scores are rounded so that rounding errors do not break them.
    rounded = np.nan_to_num(np.round(by_cell, 12), nan=-1.0)
    order = np.argsort(-grid.Cs, kind="stable") if largest_C else np.arange(rounded.shape[1])
    best = order[np.argmax(rounded[:, order], axis=1)]
    by_fold = {"score": mean_of_known(trials.scores, axis=0)}
    table = grid.table(by_fold, trials.fit_seconds, trials.score_seconds)
    unconverged, notes = unconverged_cells([attempt], max_iter)
    scored = ~np.isnan(by_cell).all(axis=1)
    if not scored.all():
        names = machine_names(trials.tasks(), trials.samples.classes, np.flatnonzero(~scored))
        notes.append(
            (UserWarning, f"No fold can score these pairs, so their C and gamma are not chosen by score: {names}")
        )
    edges = Counter(
        edge
        for pair, cell in zip(rounded[scored], best[scored].tolist(), strict=True)
        for edge in grid.edges(pair.reshape(grid.shape), cell)
    )
    if edges:
        named = ", ".join(f"{edge} for {n} of {len(best)} pairs" for edge, n in edges.items())
        notes.append((GridEdgeWarning, f"The best cells of pairs are on the edge of the grid: {named}. {WIDEN}"))
    best_score = float(mean_of_known(by_cell[np.arange(len(by_cell)), best], axis=0))
    constant = float(mean_of_known(mean_of_known(constant_pair_scores(trials.samples), axis=1), axis=0))
    notes += no_guidance(by_cell[scored], best_score, constant)
    return Choice(
        table,
        unconverged,
        notes,
        best_index=best,
        best_params=grid.best_of_pairs(best),
        best_score=best_score,
        pair_scores=scores if grid.named else by_cell,
        chosen=attempt,
    )


def unconverged_cells(attempts: list[Attempt], max_iter: int) -> tuple[Index, Notes]:
    """Return the cells that did not converge, as rows of the table of cells tried, and a warning about them."""
    bad = [attempt.trials.unconverged.any(axis=2).ravel()[attempt.tried] for attempt in attempts]
    rows = np.flatnonzero(np.concatenate(bad))
    if not len(rows):
        return rows, []
    cells = [cell for attempt, some in zip(attempts, bad, strict=True) for cell in attempt.cells(attempt.tried[some])]
    named = "; ".join(", ".join(f"{name}={value}" for name, value in cell.items()) for cell in cells[:MOST_NAMED])
    machines = [machine for attempt in attempts for machine in attempt.trials.unconverged_machines]
    words = (
        f"{why_unconverged(machines, max_iter)} Cells not converged: {len(rows)} of {sum(map(len, bad))} "
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
