"""The search for C and gamma: `dagmar.SVCCV`."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..base.exceptions import GridEdgeWarning, InvalidParameterError
from ..base.frozen import FrozenArrays
from ..base.pairs import n_pairs
from ..base.parameters import SVC_CHECKS, Check, a_callable, boolean, check_parameters, none, one_of
from ..base.threads import n_threads, warn_if_distributed
from ..base.typing import Array, Features, Index, Labels
from ..estimators.classifier import KernelClassifier, hold
from ..estimators.explaining import names_after
from ..estimators.model import Model
from ..estimators.predictor import Predictor
from ..estimators.svc import SVC
from ..machines.convergence import why_unconverged
from ..machines.folds import Fold, a_cv, split
from ..machines.progress import Progress
from ..problem.making import Learned, check_data
from ..problem.per_pair import PerPair
from ..problem.validation import check_weights, kernel_matrix, number_classes
from ..structures import Structure, as_structure
from .adaptive import Adaptive
from .cv_results import CVResults
from .gamma import span
from .grid import GRID_CHECKS, Grid
from .trials import PairTrials, Samples, Scorer, StructureTrials, Trials

SEARCHED = ("C", "gamma", "checkpoint")  # the parameters of SVC that SVCCV does not have
a_str = Check(lambda v: isinstance(v, str), "a str")
CHECKS: dict[str, Check] = {
    **GRID_CHECKS,
    "cv": a_cv,
    "search": one_of(["grid", "adaptive"]),
    "per_pair": boolean,
    "scoring": none
    | a_str
    | a_callable
    | Check(
        lambda v: isinstance(v, list | tuple | set) and len(v) > 0 and all(isinstance(name, str) for name in v),
        "a list of str",
    )
    | Check(lambda v: isinstance(v, dict) and len(v) > 0, "a dict of scorers"),
    "refit": boolean | a_str,
    "scaler": none | Check(lambda v: hasattr(v, "fit") and hasattr(v, "transform"), "a transformer"),
    **{name: check for name, check in SVC_CHECKS.items() if name not in SEARCHED},
}

# Warnings to give: category and text.
Notes = list[tuple[type[Warning], str]]
WIDEN = "Cells beyond may be better: add values there, unless they make no sense."
# The most cells that the text of a warning names.
MOST_NAMED = 10
# The methods that scorers call.
ANSWERS = ("predict", "decision_function", "predict_proba")


@dataclass(frozen=True, eq=False)
class SearchResult(FrozenArrays):
    """The result of a search; the fitted attributes of `SVCCV` are read from it."""

    learned: Learned
    n_splits: int
    cv_results: CVResults
    gammas: Array | None
    unconverged: Index
    multimetric: bool = False
    best_index: int | Index | None = None
    best_params: dict[str, Any] | None = None
    best_score: float | None = None
    pair_scores: Array | None = None
    best_estimator: Any = None
    refit_time: float | None = None


def _refitted(search: SVCCV) -> bool:
    if not search.refit:
        raise AttributeError("this method needs best_estimator_, which does not exist with refit=False")
    return True


def _found(name: str, meaning: str) -> Any:
    """Return a property that reads a fitted attribute from the result of the search."""

    def read(search: SVCCV) -> Any:
        value = getattr(search.__dict__.get("_result"), name, None)
        if value is None:
            raise AttributeError(f"{type(search).__name__!r} object has no attribute '{name}_'")
        return value

    return property(read, doc=meaning)


Method = TypeVar("Method", bound=Callable[..., Any])
Result = TypeVar("Result")
when_refitted: Callable[[Method], Method] = available_if(_refitted)


class SVCCV(KernelClassifier):
    """An `SVC` whose C and gamma are chosen by cross-validation.

    It searches the same grid as scikit-learn's `GridSearchCV` over `SVC`, but shares work between the cells. For each gamma,
    every kernel row is computed once for all folds and all values of C, and each machine starts from the solution for the
    previous C. A cell is scored by the answers of the structure among all classes; with `per_pair`, each pair of classes is
    scored separately.

    Parameters
    ----------
    Cs : array-like of shape (n_Cs,), default=(0.25, 1, 4, 16, 64, 256, 1024)
        Values of C, finite, in any order. If scores are equal, the first cell wins.
    gammas : {"scale-grid", "dbtc", "scale", "auto"} or array-like of shape (n_gammas,), default="scale-grid"
        Values of gamma: numbers, "scale" and "auto". These two are computed from all of X, as in the final fit, because all
        folds share one kernel; `gammas_` has the numbers. (`GridSearchCV` computes "scale" from the training samples of each
        fold.) "scale-grid": five values around "scale", by factors of four. "dbtc": one value, the gamma with the largest
        distance between the classes (`dagmar.tuning.dbtc`), computed on all of X and y before they are split. For kernels
        without a gamma, only C is searched.
    cv : int, float, splitter or iterable, default=5
        How to split the samples. An int: this many stratified folds. A float: hold out this share once, stratified (Platt et
        al. train on 70 percent, ``cv=0.3``). Otherwise a splitter of scikit-learn, or an iterable of (train, test) indices.
    search : {"grid", "adaptive"}, default="grid"
        "grid" tries every cell. "adaptive" begins with every third value of C and gamma, then tries the neighbours of the
        best cell, and of the next best within one standard error of it, until there are no more, or a third of the grid is
        tried (of a small grid, more). What it tries depends on the scores alone.
    per_pair : bool, default=False
        Choose C and gamma for each pair of classes, by the accuracy of its machine on its two classes; gamma only with
        kernel="rbf". With ``gammas="dbtc"`` this is the procedure of Yu et al.: gamma without training, C by
        cross-validation, and the largest of equally good values of C.
    scoring : str, callable, list, dict or None, default=None
        One score or several, in any form that `GridSearchCV` accepts; None for accuracy. With `per_pair` it must be None.
    refit : bool or str, default=True
        Whether to fit an `SVC` with the best parameters on all samples at the end. With several scores, the name of the one
        that chooses the best cell, or False for no choice.
    scaler : transformer or None, default=None
        A transformer of scikit-learn, such as ``StandardScaler()``, that is fitted on the training samples of each fold and
        at the end on all samples. Then folds have different kernels, so that kernel rows are shared between values of C
        only. It gets no weights. Not for kernels that are precomputed or callable.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        The kernel, as for `SVC`.
    degree : int, default=3
        Degree of "poly".
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    shrinking : bool, default=True
        Accepted for compatibility; it has no effect.
    probability : bool, default=False
        Whether to compute what `predict_proba` needs, as for `SVC`. Then a `scoring` such as "neg_log_loss" can be used; if
        `scoring` is not None, the machines of every cell and fold are cross-fitted as well, all values of C together.
    tol : float, default=1e-3
        Training of a machine ends when its KKT gap is below this.
    cache_size : float, default=200
        Memory for training in MB, as for `SVC`.
    class_weight : dict, "balanced" or None, default=None
        Factors of C per class.
    max_iter : int, default=-1
        Limit of solver steps per machine, -1 for none.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        What `decision_function` returns: a score per class, or a value per pair.
    break_ties : bool, default=False
        With "max_wins": the answer is the class with the highest value of `decision_function`, as for `SVC`.
    structure : str or Structure, default="max_wins"
        Which machines are trained and how they are consulted, as for `SVC`.
    soft_labels : int, callable or None, default=None
        Train posterior-probability machines on soft labels, as for `SVC`. Then no work is shared between cells, because the
        neighbours differ between folds.
    n_jobs : int or None, default=None
        Number of threads, as for `SVC`.
    precision : {"auto", "single", "double"}, default="auto"
        Precision of kernel values, as for `SVC`.
    verbose : bool or int, default=False
        Show the progress of the search, and print the result.
    random_state : int, RandomState or None, default=None
        Seed of the split if `cv` is a float; None for a fixed seed.

    Attributes
    ----------
    cv_results_ : CVResults, a dict of str to ndarray or list
        Columns as in scikit-learn's `GridSearchCV`, with one row per cell (C, gamma); gamma changes fastest. ``param_C``,
        ``param_gamma``, ``params``; ``split0_test_score`` ..., ``mean_test_score``, ``std_test_score``, ``rank_test_score``;
        and in seconds ``mean_fit_time``, ``std_fit_time``, ``mean_score_time``, ``std_score_time``. The fit time is the time
        of solving, summed over the machines; a kernel row counts for the machine that needed it first. With `per_pair`, a
        score is the mean over the pairs. With several scores, columns have their names: ``mean_test_f1_macro``. With
        ``search="adaptive"`` there are only the cells that were tried. ``cv_results_.to_frame()`` is a pandas DataFrame.
    best_index_ : int, or ndarray of shape (n_pairs,)
        The row of the best cell; with `per_pair`, that of each pair.
    best_params_ : dict
        C and gamma of the best cell; with `per_pair`, arrays in the order of the pairs (0, 1), (0, 2), ...,
        except that a single gamma for all pairs is a number.
    best_score_ : float
        The mean score of the best cell; with `per_pair`, the mean of the best scores of the pairs.
    pair_scores_ : ndarray of shape (n_pairs, n_Cs, n_gammas) or (n_pairs, n_Cs)
        Only with `per_pair`: the mean accuracy over the folds, for every pair and cell; NaN if no fold has test samples of
        the pair. There is no last axis if gamma is not searched.
    gammas_ : ndarray of shape (n_gammas,)
        The gammas of the grid as numbers, if gamma is searched.
    unconverged_ : ndarray of shape (n_unconverged,)
        The rows of `cv_results_` whose cells have a machine that did not converge.
    multimetric_ : bool
        Whether there are several scores. With ``refit=False`` there is then no best cell.
    best_estimator_ : SVC or Pipeline
        The `SVC` fitted on all samples with the best parameters, if `refit`; with a `scaler`, a pipeline of both.
    refit_time_ : float
        Seconds for fitting `best_estimator_`.
    n_splits_ : int
        Number of folds.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.
    target_name_ : str
        Name of y, if y is a Series of pandas or polars with a name.

    See Also
    --------
    sklearn.model_selection.GridSearchCV : Search for any estimator and any parameter; every fit is separate.
    dagmar.tuning.dbtc : Choice of gamma without training.

    Notes
    -----
    ``class_weight="balanced"`` is computed from the training samples of each fold.

    With `per_pair`, answers among all classes are not scored. Pairs that are easy to separate have many equally good cells, of
    which the first is chosen (except with ``gammas="dbtc"``); so put small values of C first.

    A `GridEdgeWarning` tells if the best cell is on the edge of the grid and better than all cells that are not on this edge.

    The precision of kernel values is chosen once for all folds.

    References
    ----------
    Platt, Cristianini & Shawe-Taylor, Large margin DAGs for multiclass classification, NIPS 1999.
    Yu, Rhuma, Naqvi & Chambers, An improved DAGSVM, 2011.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> search = dagmar.SVCCV(Cs=[0.1, 1, 10], gammas=[1e-4, "scale", 1e-2], cv=3).fit(X[:1500], y[:1500])
    >>> search.best_params_
    {'C': 10.0, 'gamma': 'scale'}
    >>> search.gammas_.round(5).tolist()
    [0.0001, 0.00043, 0.01]
    >>> round(search.score(X[1500:], y[1500:]), 2)
    0.95
    """

    _result: SearchResult
    # Whether cells are tried on other machines.
    _distributes = False
    _restructure_words = "best_estimator_.restructure(structure)"

    def __init__(
        self,
        Cs: ArrayLike = (0.25, 1, 4, 16, 64, 256, 1024),
        gammas: str | ArrayLike = "scale-grid",
        cv: Any = 5,
        *,
        search: str = "grid",
        per_pair: bool = False,
        scoring: str | Callable[..., Any] | Iterable[str] | Mapping[str, Any] | None = None,
        refit: bool | str = True,
        scaler: Any = None,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: dict[Any, float] | str | None = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        structure: str | Structure = "max_wins",
        soft_labels: int | Callable[..., Any] | None = None,
        n_jobs: int | None = None,
        precision: str = "auto",
    ) -> None:
        self.Cs = Cs
        self.gammas = gammas
        self.cv = cv
        self.search = search
        self.per_pair = per_pair
        self.scoring = scoring
        self.refit = refit
        self.scaler = scaler
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.structure = structure
        self.soft_labels = soft_labels
        self.n_jobs = n_jobs
        self.precision = precision

    # ------------------------------------------------------------------ fit

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Score every cell on every fold, and fit the best cell on all samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training samples; with ``kernel="precomputed"``, the kernel matrix.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of C per sample; by default 1. They weight the scores as well (as in scikit-learn from 1.9 on), if
            `scoring` supports weights.
        groups : array-like of shape (n_samples,), optional
            The group of each sample, for splitters that keep groups together.

        Returns
        -------
        self : SVCCV
            The fitted estimator. If the search raises an exception, the estimator is unchanged.
        """
        if not self._distributes:
            warn_if_distributed("SVCCV", stacklevel=2)
        result, notes = self._search(X, y, sample_weight, groups)
        for category, words in notes:
            warnings.warn(words, category, stacklevel=3 if self._distributes else 2)  # where the user calls fit
        if self.refit and result.best_params is not None:
            begun = time.perf_counter()
            best: Any = self._with(result.best_params)
            if self.scaler is None:
                best.fit(X, y, sample_weight)
            else:
                scaler, scaled = self._scale(X)
                best.fit(scaled, y, sample_weight)
                best = Pipeline([("scaler", scaler), ("svc", best)])
            result = replace(result, best_estimator=best, refit_time=time.perf_counter() - begun)
        self._result = result
        return self

    def _fixed(self) -> dict[str, Any]:
        """Return the parameters of `SVC` that are not searched."""
        return {name: getattr(self, name) for name in SVC._get_param_names() if name not in SEARCHED}

    def _with(self, found: dict[str, Any]) -> SVC:
        """Return the classifier to fit at the end, with the parameters that were found."""
        return SVC(**self._fixed(), **found)

    def _search(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[SearchResult, Notes]:
        """Return the result of the search, and what to warn about."""
        check_parameters(type(self).__name__, self.get_params(deep=False), CHECKS)
        structure = as_structure(self.structure, "SVCCV")
        self._check_break_ties(structure)
        names = self._metrics()
        if self.scaler is not None and (callable(self.kernel) or self.kernel == "precomputed"):
            raise InvalidParameterError(
                "The 'scaler' parameter of SVCCV must be None if the kernel is precomputed or callable. "
                f"Got {self.scaler!r} instead."
            )
        samples, learned = self._samples(X, y, sample_weight, groups)
        # A callable kernel has been evaluated to its matrix.
        fixed = {**self._fixed(), "verbose": False, "kernel": "precomputed" if callable(self.kernel) else self.kernel}
        if self.scoring is None:  # accuracy needs no probabilities
            fixed["probability"] = False
        if self.per_pair:
            self._refuse_for_pairs(structure, len(learned.classes))
        rest = samples.y, samples.weight, self.per_pair, self.n_jobs
        grid = self._with_samples(_make_grid, samples.X, self.scaler, self.Cs, self.gammas, fixed["kernel"], *rest)
        if self.per_pair:
            found, notes = self._try_pairs(grid, PairTrials(samples, fixed, grid.Cs, grid.gammas))
        else:
            trials = StructureTrials(samples, fixed, grid.Cs, grid.gammas, structure, self._scorer())
            found, notes = self._try_cells(grid, trials, names)
        gammas = np.asarray(grid.gammas) if grid.named else None
        result = SearchResult(learned, len(samples.folds), gammas=gammas, **found)
        if self.verbose and result.best_params is not None:
            best = ", ".join(
                f"{name} {value if isinstance(value, str) else span(value)}"
                for name, value in result.best_params.items()
            )
            print(f"[dagmar] best of {len(result.cv_results['params'])} cells: {best}, score {result.best_score:.4g}")
        return result, notes

    def _with_samples(self, function: Callable[..., Result], X: Any, *arguments: Any) -> Result:
        """Return the result of a function of all training samples."""
        return function(X, *arguments)

    def _scale(self, X: Any) -> tuple[Any, Any]:
        """Return the scaler fitted on all training samples, and the scaled samples."""
        scaler = clone(self.scaler)
        return scaler, scaler.fit_transform(X)

    def _samples(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Samples, Learned]:
        """Return the checked training data with its folds, and what a fit learns from it."""
        X, y, columns, target = check_data(type(self).__name__, self.kernel, X, y, n_threads(self.n_jobs))
        classes, class_index = number_classes(y)
        of_class = compute_class_weight(self.class_weight, classes=classes, y=y)
        weight = check_weights(of_class, class_index, sample_weight)
        folds = [
            Fold.of(train, test, class_index, classes, self.class_weight, weight)
            for train, test in split(self.cv, y, groups, self.random_state)
        ]
        scalers = None
        if self.scaler is not None:
            scalers = self._with_samples(_fit_scalers, X, self.scaler, y, [fold.train for fold in folds])
        if callable(self.kernel):
            X = kernel_matrix(self.kernel, X, X)
        learned = Learned(classes, of_class, X.shape, columns, target=target)
        return Samples(X, y, classes, class_index, weight, sample_weight is not None, folds, scalers), learned

    def _metrics(self) -> list[str] | None:
        """Return the names of several metrics, or None for a single one; a callable may still return several."""
        if self.scoring is None or isinstance(self.scoring, str) or callable(self.scoring):
            if isinstance(self.refit, str) and not callable(self.scoring):
                raise InvalidParameterError(
                    f"The 'refit' parameter of SVCCV must be a bool with a single score. Got {self.refit!r} instead."
                )
            return None
        names = list(self.scoring)
        if len(set(names)) < len(names):
            raise InvalidParameterError(
                f"The 'scoring' parameter of SVCCV must not have a name twice. Got {self.scoring!r}."
            )
        self._check_refit(names)
        return names

    def _check_refit(self, names: list[str]) -> None:
        """Raise InvalidParameterError unless `refit` names one of several metrics, or is False."""
        if self.refit is not False and self.refit not in names:
            raise InvalidParameterError(
                "With several scores, the 'refit' parameter of SVCCV must be the name of the one that chooses the best cell, "
                f"or False. Got {self.refit!r}; the names are {names}."
            )
        if self.refit is False and self.search == "adaptive":
            raise InvalidParameterError(
                "With several scores and search='adaptive', the 'refit' parameter of SVCCV must be the name of the one "
                "that guides the search. Got False instead."
            )

    def _scorer(self) -> Scorer:
        """Return a function that scores a fitted classifier by every metric; a single score is called "score"."""
        if self.scoring is None:
            return lambda svc, X, y, weight: {"score": _accuracy(svc, X, y, weight)}
        scoring: Any = self.scoring
        if isinstance(scoring, str) or callable(scoring):
            scoring = {"score": scoring}
        elif not isinstance(scoring, dict):
            scoring = {name: name for name in scoring}
        scorers = {
            name: check_scoring(SVC(probability=self.probability), scoring=metric) for name, metric in scoring.items()
        }
        # A scorer accepts weights even if its metric does not, so look at the metric.
        takes_weights = {
            name: "sample_weight" in signature(getattr(scorer, "_score_func", scorer)).parameters
            for name, scorer in scorers.items()
        }

        def score(svc: SVC, X: Features, y: Labels, weight: Array | None) -> dict[str, float]:
            if len(scorers) > 1:
                svc = _answering_once(svc)
            out: dict[str, float] = {}
            for name, scorer in scorers.items():
                weights = {"sample_weight": weight} if takes_weights[name] and weight is not None else {}
                found = scorer(svc, X, y, **weights)
                out |= {
                    key: float(value) for key, value in (found if isinstance(found, dict) else {name: found}).items()
                }
            return out

        return score

    def _refuse_for_pairs(self, structure: Structure, n: int) -> None:
        """Raise InvalidParameterError for parameters that do not work with `per_pair`."""
        if self.scoring is not None:
            raise InvalidParameterError(
                "The 'scoring' parameter of SVCCV must be None with per_pair=True: a pair is scored by its accuracy. "
                f"Got {self.scoring!r} instead."
            )
        if self.search != "grid":
            raise InvalidParameterError(
                "The 'search' parameter of SVCCV must be 'grid' with per_pair=True: every pair has a best cell of its own. "
                f"Got {self.search!r} instead."
            )
        PerPair.resolve(np.ones(n_pairs(n)), 1.0, self.kernel, n).of(structure.tasks(n))

    def _try_cells(self, grid: Grid, trials: StructureTrials, names: list[str] | None) -> tuple[dict[str, Any], Notes]:
        """Score the answers among all classes; return the best cell as fields of a `SearchResult`, and warnings."""
        if self.search == "grid":
            self._run(trials, np.ones(grid.shape, dtype=bool))
        else:
            adaptive = Adaptive(grid.Cs, np.asarray(grid.gammas))
            cells = adaptive.first()
            while cells.any():
                self._run(trials, cells)
                cells = adaptive.next(trials.scores[self._metric(trials)], trials.tried)
        table = grid.table(trials.scores, trials.fit_seconds, trials.score_seconds, trials.tried)
        found, notes = self._unconverged(grid, trials)
        found |= {"cv_results": table, "multimetric": names is not None or len(trials.scores) > 1}
        if found["multimetric"] and self.refit is False:
            return found, notes
        metric = self._metric(trials)
        best = int(np.argmin(table[f"rank_test_{metric}"]))
        cell = int(np.flatnonzero(trials.tried)[best])
        edges = grid.edges(trials.scores[metric].mean(axis=2), cell)
        if edges:
            notes.append(
                (GridEdgeWarning, f"The best cell is on the edge of the grid: it has {' and '.join(edges)}. {WIDEN}")
            )
        found |= {
            "best_index": best,
            "best_params": grid.cells[cell],
            "best_score": float(table[f"mean_test_{metric}"][best]),
        }
        return found, notes

    def _metric(self, trials: StructureTrials) -> str:
        """Return the name of the metric that chooses the best cell."""
        names = list(trials.scores)
        if names == ["score"] and not isinstance(self.refit, str):
            return "score"
        self._check_refit(names)
        return str(self.refit)

    def _try_pairs(self, grid: Grid, trials: PairTrials) -> tuple[dict[str, Any], Notes]:
        """Score each pair separately; return the best cell of each pair as fields of a `SearchResult`, and warnings."""
        self._run(trials, np.ones(grid.shape, dtype=bool))
        scores = _mean(trials.scores, axis=3)
        by_cell = scores.reshape(len(scores), -1)
        # Ties are common here; scores are rounded so that rounding errors do not break them. The first of equal scores wins;
        # in the procedure of Yu et al., the largest C.
        rounded = np.nan_to_num(np.round(by_cell, 12), nan=-1.0)
        order = np.arange(rounded.shape[1])
        if isinstance(self.gammas, str) and self.gammas == "dbtc":
            order = np.argsort(-grid.Cs, kind="stable")  # there is one gamma, so a cell is a C
        best = order[np.argmax(rounded[:, order], axis=1)]
        table = grid.table({"score": _mean(trials.scores, axis=0)}, trials.fit_seconds, trials.score_seconds)
        found, notes = self._unconverged(grid, trials)
        edges = Counter(
            edge
            for pair, cell in zip(rounded, best.tolist(), strict=True)
            for edge in grid.edges(pair.reshape(grid.shape), cell)
        )
        if edges:
            named = ", ".join(f"{edge} for {n} of {len(best)} pairs" for edge, n in edges.items())
            notes.append((GridEdgeWarning, f"The best cells of pairs are on the edge of the grid: {named}. {WIDEN}"))
        found |= {
            "cv_results": table,
            "best_index": best,
            "best_params": grid.best_of_pairs(best),
            "best_score": float(_mean(by_cell[np.arange(len(by_cell)), best], axis=0)),
            "pair_scores": scores if grid.named else by_cell,
        }
        return found, notes

    def _run(self, trials: Trials, cells: NDArray[np.bool_]) -> None:
        with ExitStack() as stack:
            trials.run(cells, [stack.enter_context(Progress())] if self.verbose else [])

    def _unconverged(self, grid: Grid, trials: Trials) -> tuple[dict[str, Any], Notes]:
        """Return the cells that did not converge, as rows of the table of cells tried, and a warning about them."""
        tried = np.flatnonzero(trials.tried)
        rows = np.flatnonzero(trials.unconverged.any(axis=2).ravel()[tried])
        if not len(rows):
            return {"unconverged": rows}, []
        cells = [grid.cells[cell] for cell in tried[rows[:MOST_NAMED]].tolist()]
        named = "; ".join(", ".join(f"{name}={value}" for name, value in cell.items()) for cell in cells)
        words = (
            f"{why_unconverged(trials.late, self.max_iter)} Cells not converged: {len(rows)} of {len(tried)} "
            f"({named}{'; ...' if len(rows) > MOST_NAMED else ''})"
        )
        return {"unconverged": rows}, [(ConvergenceWarning, words)]

    # ------------------------------------------------------ fitted attributes

    cv_results_ = _found("cv_results", "The scores and times of all cells.")
    best_index_ = _found("best_index", "The row of the best cell, or of the best cell of each pair.")
    best_params_ = _found("best_params", "The best C and gamma.")
    best_score_ = _found("best_score", "The mean score of the best cell.")
    pair_scores_ = _found("pair_scores", "With `per_pair`, the accuracy of every pair in every cell.")
    best_estimator_ = _found("best_estimator", "The `SVC` fitted on all samples.")
    refit_time_ = _found("refit_time", "Seconds for fitting `best_estimator_`.")
    n_splits_ = _found("n_splits", "Number of folds.")
    gammas_ = _found("gammas", "The gammas of the grid as numbers.")
    unconverged_ = _found("unconverged", "The rows of `cv_results_` whose cells did not converge.")
    multimetric_ = _found("multimetric", "Whether there are several scores.")

    @property
    def n_iter_(self) -> Index:
        """Solver steps per machine of `best_estimator_`."""
        return self._best().n_iter_

    def _best(self) -> SVC:
        """Return the fitted `SVC`, without its scaler."""
        best = self.best_estimator_
        svc: SVC = best[-1] if isinstance(best, Pipeline) else best
        return svc

    def __sklearn_is_fitted__(self) -> bool:
        return "_result" in self.__dict__

    def _learned(self, name: str) -> Learned:
        if "_result" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}: it is not fitted")
        return self._result.learned

    def _known(self, name: str) -> Model:
        return self._best()._known(name)

    def _model_or_none(self) -> Model | None:
        found = "_result" in self.__dict__ and self._result.best_estimator is not None
        return self._known("predict") if found else None

    def _more_html(self) -> str:
        cells = CVResults(self._result.cv_results)._repr_html_() if "_result" in self.__dict__ else ""
        return cells + super()._more_html()

    def _fitted(self) -> Model:
        if "_result" not in self.__dict__ or self._result.best_estimator is None:
            check_is_fitted(self, "best_estimator_")
        return self._known("predict")

    def _offers_probabilities(self) -> bool:
        return _refitted(self) and super()._offers_probabilities()

    def _check(self, model: Model, X: Any) -> Features:
        best = self.best_estimator_
        return super()._check(model, best[:-1].transform(X) if isinstance(best, Pipeline) else X)

    def _names_for_machines(self, names: Labels | None) -> Labels | None:
        best, columns = self.best_estimator_, self._result.learned.columns
        if not isinstance(best, Pipeline):
            return names
        return names_after(best[:-1], names if names is not None or columns is None else columns.names)

    # -------------------------------------------------------------- decide

    predict = when_refitted(KernelClassifier.predict)
    decision_function = when_refitted(KernelClassifier.decision_function)
    pair_decisions = when_refitted(KernelClassifier.pair_decisions)
    decision_path = when_refitted(KernelClassifier.decision_path)
    decision_cost = when_refitted(KernelClassifier.decision_cost)
    explain = when_refitted(KernelClassifier.explain)

    @when_refitted
    def predictor(self) -> Predictor:
        """Return a function from NumPy rows to labels; see `SVC.predictor`. A search with a `scaler` has none."""
        if isinstance(self.best_estimator_, Pipeline):
            raise ValueError(
                "a search with a scaler has no predictor, because samples must be scaled first. Use predict, or scale samples "
                "by best_estimator_[:-1] and call best_estimator_[-1].predictor()."
            )
        return super().predictor()

    @when_refitted
    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Score `best_estimator_` by `scoring`; with several scores, by the one that `refit` names.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples, used if `scoring` supports them.

        Returns
        -------
        float
        """
        self._asked()
        weight = None if sample_weight is None else np.asarray(sample_weight)
        best = self.best_estimator_
        X = best[:-1].transform(X) if isinstance(best, Pipeline) else X
        scores = self._scorer()(self._best(), X, column_or_1d(y), weight)
        return scores["score"] if "score" in scores else scores[str(self.refit)]


def _fit_scalers(X: Features, scaler: Any, y: Labels, folds: Iterable[Index]) -> list[Any]:
    """Return a scaler for each fold, fitted on its training samples."""
    return [clone(scaler).fit(X[train], y[train]) for train in folds]


def _make_grid(X: Features, scaler: Any, Cs: Any, gammas: Any, kernel: str, *rest: Any) -> Grid:
    """Return the grid of a search, as `Grid.resolve` makes it from all samples, scaled."""
    return Grid.resolve(Cs, gammas, kernel, X if scaler is None else clone(scaler).fit_transform(X), *rest)


def _answering_once(svc: SVC) -> SVC:
    """Return the same classifier, but it answers for the samples that it saw last from memory, as every metric asks anew."""
    out = hold(SVC(**svc.get_params(deep=False)), svc._fitted())
    for name in ANSWERS:
        if hasattr(out, name):
            setattr(out, name, _remembering(getattr(out, name)))
    return out


def _remembering(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    seen: list[Any] = []

    @wraps(method)  # scikit-learn reads its name
    def answer(X: Any) -> Any:
        if not seen or seen[0] is not X:
            seen[:] = [X, method(X)]
        return seen[1]

    return answer


def _accuracy(svc: SVC, X: Features, y: Labels, weight: Array | None) -> float:
    return float(np.average(svc.predict(X) == y, weights=weight))


def _mean(values: Array, axis: int) -> Array:
    """Return the mean without NaN entries; NaN where all entries are NaN."""
    there = ~np.isnan(values)
    count = there.sum(axis=axis)
    total = np.where(there, values, 0.0).sum(axis=axis)
    mean: Array = np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0)
    return mean
