"""The scores of a search over C and gamma, as a heat map."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ..base.typing import Array
from .drawing import LETTER, VERMILLION, axes, cell_size, heat_map

NUMBERED = 12  # up to this many values of C or gamma, each cell has room for its score


@dataclass(eq=False)
class GridDisplay:
    """The mean score of every cell of a search, C by gamma; the best is outlined, and cells that were not tried are hatched.

    Use `from_estimator` or `from_cv_results` to make one.

    Attributes
    ----------
    scores : ndarray of shape (n_Cs, n_gammas)
        Mean scores on the held-out folds; NaN where a cell was not tried.
    Cs : list of n_Cs values of C, ascending
    gammas : list of n_gammas values of gamma, ascending, names such as "scale" last
        A single None if gamma was not searched.
    best : tuple of int, or None
        Row and column of the best cell.
    metric : str
    ax_, figure_ : matplotlib axes and figure
        Where it was drawn last.

    See Also
    --------
    dagmar.SVCCV : The search.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> search = dagmar.SVCCV(Cs=[1, 10, 100], gammas=[0.001, 0.01, 0.1], cv=3).fit(*load_iris(return_X_y=True))
    >>> display = dagmar.pictures.GridDisplay.from_estimator(search)
    >>> display.scores.shape, display.Cs[display.best[0]] == search.best_params_["C"]
    ((3, 3), True)
    """

    scores: Array
    Cs: list[Any]
    gammas: list[Any]
    best: tuple[int, int] | None
    metric: str = "score"
    ax_: Any = field(init=False, default=None, repr=False)
    figure_: Any = field(init=False, default=None, repr=False)

    @classmethod
    def from_estimator(cls, search: Any, *, metric: str = "score") -> Self:
        """Read the results of a fitted search.

        Parameters
        ----------
        search : SVCCV, GridSearchCV or another search with ``cv_results_``
            It must have searched a parameter "C", or one whose name ends with "__C"; gamma likewise. Of an `SVCCV` with several
            kernels or scalers, the cells with those of the best cell are read.
        metric : str, default="score"
            The score to show, for a search with several.

        Returns
        -------
        GridDisplay
        """
        if not hasattr(search, "cv_results_"):
            raise ValueError(f"a fitted search with cv_results_ is needed; got {type(search).__name__}")
        display = cls.from_cv_results(_of_best(search), metric=metric)
        Cs = getattr(search, "Cs", None)
        return display._completed(() if Cs is None else Cs, getattr(search, "gammas_", ()))

    @classmethod
    def from_cv_results(cls, cv_results: Any, *, metric: str = "score") -> Self:
        """Read the table of a search.

        Parameters
        ----------
        cv_results : dict
            As ``cv_results_`` of scikit-learn. If several rows have the same C and gamma, the best counts.
        metric : str, default="score"

        Returns
        -------
        GridDisplay
        """
        column = f"mean_test_{metric}"
        if column not in cv_results:
            known = ", ".join(name.removeprefix("mean_test_") for name in cv_results if name.startswith("mean_test_"))
            raise ValueError(f"the results have no score {metric!r}; they have {known}")
        means = np.asarray(cv_results[column], dtype=np.float64)
        params = cv_results["params"]
        of_rows = {name: [_value(row, name) for row in params] for name in ("C", "gamma")}
        if all(value is None for value in of_rows["C"]):
            raise ValueError("the search has no parameter C")
        Cs, gammas = (_sorted(of_rows[name]) for name in ("C", "gamma"))
        scores = np.full((len(Cs), len(gammas)), np.nan)
        for C, gamma, mean in zip(of_rows["C"], of_rows["gamma"], means.tolist(), strict=True):
            cell = Cs.index(C), gammas.index(gamma)
            scores[cell] = np.fmax(scores[cell], mean)
        best = None
        if np.isfinite(means).any():
            row = int(np.nanargmax(means))  # the first of the best, as the searches choose
            best = Cs.index(of_rows["C"][row]), gammas.index(of_rows["gamma"][row])
        return cls(scores, Cs, gammas, best, metric)

    def _completed(self, Cs: Any, gammas: Any) -> Self:
        """Add the rows and columns of a grid of which an adaptive search tried no cell."""
        numbers = all(isinstance(gamma, float) for gamma in self.gammas)
        all_Cs = _sorted([*self.Cs, *map(float, Cs)])
        all_gammas = _sorted([*self.gammas, *map(float, gammas if numbers else ())])
        rows, columns = [all_Cs.index(C) for C in self.Cs], [all_gammas.index(gamma) for gamma in self.gammas]
        scores = np.full((len(all_Cs), len(all_gammas)), np.nan)
        scores[np.ix_(rows, columns)] = self.scores
        best = None if self.best is None else (rows[self.best[0]], columns[self.best[1]])
        return type(self)(scores, all_Cs, all_gammas, best, self.metric)

    def plot(self, ax: Any = None) -> Self:
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        GridDisplay
            This display, with `ax_` and `figure_`.
        """
        from matplotlib.patches import Rectangle

        n_Cs, n_gammas = self.scores.shape
        self.ax_ = ax = axes(
            ax, float(np.clip(0.62 * n_gammas + 2.4, 3.5, 12)), float(np.clip(0.42 * n_Cs + 1.4, 2.6, 9))
        )
        self.figure_ = ax.figure
        words = None
        if max(n_Cs, n_gammas) <= NUMBERED:
            words = np.array([[f"{score:.4g}" if np.isfinite(score) else "" for score in row] for row in self.scores])
        heat_map(ax, self.scores, words=words, bar=f"mean {self.metric.replace('_', ' ')}", aspect="auto")
        for row, column in np.argwhere(np.isnan(self.scores)).tolist():
            blank = Rectangle(
                (column - 0.5, row - 0.5), 1, 1, facecolor="white", edgecolor="0.8", hatch="///", linewidth=0
            )
            ax.add_patch(blank)
        title = "C and gamma" if self.gammas != [None] else "C"
        if self.best is not None:
            row, column = self.best
            ax.add_patch(
                Rectangle((column - 0.48, row - 0.48), 0.96, 0.96, fill=False, edgecolor=VERMILLION, linewidth=2.5)
            )
            gamma = "" if self.gammas == [None] else f", gamma {_short(self.gammas[column])}"
            title = f"best: C {_short(self.Cs[row])}{gamma}, {self.scores[row, column]:.4g}"
        labels = [_short(gamma) for gamma in self.gammas]
        room = cell_size(ax, n_Cs, n_gammas)[0]
        turned = LETTER * 8 * max(map(len, labels)) > 0.85 * room  # names that would touch
        style = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if turned else {}
        ax.set_xticks(range(n_gammas), labels, fontsize=8, **style)
        ax.set_yticks(range(n_Cs), map(_short, self.Cs), fontsize=8)
        ax.tick_params(which="major", length=0)
        ax.set_xlabel("gamma" if self.gammas != [None] else "")
        ax.set_ylabel("C")
        ax.set_title(title, fontsize="medium")
        return self


def _of_best(search: Any) -> Any:
    """Return the results of the cells that have the kernel, the scaler and the feature weights of the best cell."""
    results, best = search.cv_results_, getattr(search, "best_params_", {})
    shared = {name: best[name] for name in ("kernel", "scaler", "feature_weights") if name in best}
    rows = [
        all(cell.get(name) is value or cell.get(name) == value for name, value in shared.items())
        for cell in results["params"]
    ]
    if all(rows):
        return results
    return {
        name: [value for value, there in zip(column, rows, strict=True) if there] for name, column in results.items()
    }


def _value(params: dict[str, Any], name: str) -> Any:
    """The value of a parameter, also that of a step of a pipeline; None if there is none."""
    for key, value in params.items():
        if key == name or key.endswith(f"__{name}"):
            return str(value) if isinstance(value, str) else float(value)
    return None


def _sorted(values: list[Any]) -> list[Any]:
    """Distinct values: numbers ascending, then names, then None."""
    return sorted(set(values), key=lambda v: (v is None, isinstance(v, str), v if v is not None else 0))


def _short(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return re.sub(r"e([+-])0*", lambda found: f"e{found[1].strip('+')}", f"{value:.4g}")  # 1e-06 is 1e-6
