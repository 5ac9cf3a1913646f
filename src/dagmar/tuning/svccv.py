"""The search for C and gamma: `dagmar.SVCCV`."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.utils import column_or_1d
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..base.exceptions import InvalidParameterError
from ..base.frozen import FrozenArrays
from ..base.pairs import n_pairs
from ..base.parameters import SVC_CHECKS, Check, a_callable, boolean, check_parameters, none
from ..base.typing import Array, Features, Index, Labels
from ..estimators.classifier import KernelClassifier
from ..estimators.model import Model
from ..estimators.svc import SVC
from ..machines.convergence import why_unconverged
from ..machines.folds import Fold, a_cv, split
from ..machines.progress import Progress
from ..problem.making import Learned
from ..problem.per_pair import PerPair
from ..problem.validation import check_training_data, check_weights, kernel_matrix, name_of, number_classes
from ..structures import Structure, as_structure
from .gamma import span
from .grid import GRID_CHECKS, Grid
from .trials import PairTrials, Samples, Scorer, StructureTrials

SEARCHED = ("C", "gamma", "checkpoint")  # the parameters of SVC that SVCCV does not have
CHECKS: dict[str, Check] = {
    **GRID_CHECKS,
    "cv": a_cv,
    "per_pair": boolean,
    "scoring": none | Check(lambda v: isinstance(v, str), "a str") | a_callable,
    "refit": boolean,
    **{name: check for name, check in SVC_CHECKS.items() if name not in SEARCHED},
}


@dataclass(frozen=True, eq=False)
class SearchResult(FrozenArrays):
    """The result of a search; the fitted attributes of `SVCCV` are read from it."""

    learned: Learned
    n_splits: int
    cv_results: dict[str, Any]
    best_index: int | Index
    best_params: dict[str, Any]
    best_score: float
    pair_scores: Array | None = None
    best_estimator: SVC | None = None
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
    gammas : {"scale-grid", "dbtc"} or array-like of shape (n_gammas,), default="scale-grid"
        Values of gamma. "scale-grid": five values around that of gamma="scale" on all of X, by factors of four. "dbtc": one
        value, the gamma with the largest distance between the classes (`dagmar.tuning.dbtc`), computed on all of X and y
        before they are split. For kernels without a gamma, only C is searched.
    cv : int, float, splitter or iterable, default=5
        How to split the samples. An int: this many stratified folds. A float: hold out this share once, stratified (Platt et
        al. train on 70 percent, ``cv=0.3``). Otherwise a splitter of scikit-learn, or an iterable of (train, test) indices.
    per_pair : bool, default=False
        Choose C and gamma for each pair of classes, by the accuracy of its machine on its two classes; gamma only with
        kernel="rbf". With ``gammas="dbtc"`` this is the procedure of Yu et al.: gamma without training, C by
        cross-validation.
    scoring : str, callable or None, default=None
        A single score in any form that scikit-learn accepts; None for accuracy. With `per_pair` it must be None.
    refit : bool, default=True
        Whether to fit an `SVC` with the best parameters on all samples at the end.
    kernel, degree, coef0, shrinking, probability, tol, cache_size, class_weight, max_iter, decision_function_shape, \
break_ties, structure, soft_labels, n_jobs, precision
        As for `SVC`. With `probability`, a `scoring` such as "neg_log_loss" can be used; if `scoring` is not None, the machines
        of every cell and fold are then cross-fitted as well, all values of C together. With `soft_labels` no work is shared
        between cells, because the neighbours differ between folds.
    verbose : bool or int, default=False
        Show the progress of the search, and print the result.
    random_state : int, RandomState or None, default=None
        Seed of the split if `cv` is a float; None for a fixed seed.

    Attributes
    ----------
    cv_results_ : dict of str to ndarray or list
        Columns as in scikit-learn's `GridSearchCV`, with one row per cell (C, gamma); gamma changes fastest. ``param_C``,
        ``param_gamma``, ``params``; ``split0_test_score`` ..., ``mean_test_score``, ``std_test_score``, ``rank_test_score``;
        and in seconds ``mean_fit_time``, ``std_fit_time``, ``mean_score_time``, ``std_score_time``. The fit time is the time
        of solving, summed over the machines; a kernel row counts for the machine that needed it first. With `per_pair`, a
        score is the mean over the pairs.
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
    best_estimator_ : SVC
        The `SVC` fitted on all samples with the best parameters, if `refit`.
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
    which the first is chosen; so put small values of C first.

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
    >>> search = dagmar.SVCCV(Cs=[1, 10, 100], gammas=[1e-4, 1e-3], cv=3).fit(X[:1500], y[:1500])
    >>> search.best_params_
    {'C': 1.0, 'gamma': 0.001}
    >>> round(search.score(X[1500:], y[1500:]), 2)
    0.95
    """

    _result: SearchResult

    def __init__(
        self,
        Cs: ArrayLike = (0.25, 1, 4, 16, 64, 256, 1024),
        gammas: str | ArrayLike = "scale-grid",
        cv: Any = 5,
        *,
        per_pair: bool = False,
        scoring: str | Callable[..., float] | None = None,
        refit: bool = True,
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
        structure: str | Structure = "ddag",
        soft_labels: int | Callable[..., Any] | None = None,
        n_jobs: int | None = None,
        precision: str = "auto",
    ) -> None:
        self.Cs = Cs
        self.gammas = gammas
        self.cv = cv
        self.per_pair = per_pair
        self.scoring = scoring
        self.refit = refit
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
        result = self._search(X, y, sample_weight, groups)
        if self.refit:
            begun = time.perf_counter()
            best = SVC(**self._fixed(), **result.best_params).fit(X, y, sample_weight)
            result = replace(result, best_estimator=best, refit_time=time.perf_counter() - begun)
        self._result = result
        return self

    def _fixed(self) -> dict[str, Any]:
        """Return the parameters of `SVC` that are not searched."""
        return {name: getattr(self, name) for name in SVC._get_param_names() if name not in SEARCHED}

    def _search(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> SearchResult:
        check_parameters(type(self).__name__, self.get_params(deep=False), CHECKS)
        structure = as_structure(self.structure, "SVCCV")
        samples, learned = self._samples(X, y, sample_weight, groups)
        if self.per_pair:
            self._refuse_for_pairs(structure, len(learned.classes))
        # A callable kernel has been evaluated to its matrix.
        fixed = {**self._fixed(), "verbose": False, "kernel": "precomputed" if callable(self.kernel) else self.kernel}
        if self.scoring is None:  # accuracy needs no probabilities
            fixed["probability"] = False
        grid = Grid.resolve(
            self.Cs, self.gammas, fixed["kernel"], samples.X, samples.y, samples.weight, self.per_pair, self.n_jobs
        )
        if self.per_pair:
            found = self._try_pairs(grid, PairTrials(samples, fixed, grid.Cs, grid.gammas))
        else:
            trials = StructureTrials(samples, fixed, grid.Cs, grid.gammas, structure, self._scorer())
            found = self._try_cells(grid, trials)
        result = SearchResult(learned, len(samples.folds), **found)
        if self.verbose:
            best = ", ".join(f"{name} {span(value)}" for name, value in result.best_params.items())
            print(f"[dagmar] best of {len(grid.cells)} cells: {best}, score {result.best_score:.4g}")
        return result

    def _samples(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Samples, Learned]:
        """Return the checked training data with its folds, and what a fit learns from it."""
        target = name_of(y)
        X, y, columns = check_training_data(type(self).__name__, self.kernel, X, y)
        classes, class_index = number_classes(y)
        of_class = compute_class_weight(self.class_weight, classes=classes, y=y)
        weight = check_weights(of_class, class_index, sample_weight)
        folds = [
            Fold.of(train, test, class_index, classes, self.class_weight, weight)
            for train, test in split(self.cv, y, groups, self.random_state)
        ]
        if callable(self.kernel):
            X = kernel_matrix(self.kernel, X, X)
        learned = Learned(classes, of_class, X.shape, columns, target=target)
        return Samples(X, y, classes, class_index, weight, sample_weight is not None, folds), learned

    def _scorer(self) -> Scorer:
        if self.scoring is None:
            return _accuracy
        scorer = check_scoring(SVC(probability=self.probability), scoring=self.scoring)
        # A scorer accepts weights even if its metric does not, so look at the metric.
        takes_weights = "sample_weight" in signature(getattr(scorer, "_score_func", scorer)).parameters

        def score(svc: SVC, X: Features, y: Labels, weight: Array | None) -> float:
            weights = {"sample_weight": weight} if takes_weights and weight is not None else {}
            return float(scorer(svc, X, y, **weights))

        return score

    def _refuse_for_pairs(self, structure: Structure, n: int) -> None:
        """Raise InvalidParameterError for parameters that do not work with `per_pair`."""
        if self.scoring is not None:
            raise InvalidParameterError(
                "The 'scoring' parameter of SVCCV must be None with per_pair=True: a pair is scored by its accuracy. "
                f"Got {self.scoring!r} instead."
            )
        PerPair.resolve(np.ones(n_pairs(n)), 1.0, self.kernel, n).of(structure.tasks(n))

    def _try_cells(self, grid: Grid, trials: StructureTrials) -> dict[str, Any]:
        """Score the answers among all classes; return the best cell as fields of a `SearchResult`."""
        self._run(trials)
        table = grid.table(trials.scores, trials.fit_seconds, trials.score_seconds)
        best = int(np.argmin(table["rank_test_score"]))
        return {
            "cv_results": table,
            "best_index": best,
            "best_params": grid.best(best),
            "best_score": float(table["mean_test_score"][best]),
        }

    def _try_pairs(self, grid: Grid, trials: PairTrials) -> dict[str, Any]:
        """Score each pair separately; return the best cell of each pair as fields of a `SearchResult`."""
        self._run(trials)
        scores = _mean(trials.scores, axis=3)
        by_cell = scores.reshape(len(scores), -1)
        # The first of equal scores wins. Ties are common here; scores are rounded so that rounding errors do not break them.
        best = np.argmax(np.nan_to_num(np.round(by_cell, 12), nan=-1.0), axis=1)
        return {
            "cv_results": grid.table(_mean(trials.scores, axis=0), trials.fit_seconds, trials.score_seconds),
            "best_index": best,
            "best_params": grid.best(best),
            "best_score": float(_mean(by_cell[np.arange(len(by_cell)), best], axis=0)),
            "pair_scores": scores if grid.named else by_cell,
        }

    def _run(self, trials: StructureTrials | PairTrials) -> None:
        with ExitStack() as stack:
            trials.run([stack.enter_context(Progress())] if self.verbose else [])
        if trials.late:
            warnings.warn(
                f"{why_unconverged(trials.late, self.max_iter)} Cells not converged: {trials.unconverged.any(axis=2).sum()} of "
                f"{len(trials.Cs) * len(trials.gammas)}",
                ConvergenceWarning,
                stacklevel=5,
            )

    # ------------------------------------------------------ fitted attributes

    cv_results_ = _found("cv_results", "The scores and times of all cells.")
    best_index_ = _found("best_index", "The row of the best cell, or of the best cell of each pair.")
    best_params_ = _found("best_params", "The best C and gamma.")
    best_score_ = _found("best_score", "The mean score of the best cell.")
    pair_scores_ = _found("pair_scores", "With `per_pair`, the accuracy of every pair in every cell.")
    best_estimator_ = _found("best_estimator", "The `SVC` fitted on all samples.")
    refit_time_ = _found("refit_time", "Seconds for fitting `best_estimator_`.")
    n_splits_ = _found("n_splits", "Number of folds.")

    @property
    def n_iter_(self) -> Index:
        """Solver steps per machine of `best_estimator_`."""
        n_iter: Index = self.best_estimator_.n_iter_
        return n_iter

    def __sklearn_is_fitted__(self) -> bool:
        return "_result" in self.__dict__

    def _learned(self, name: str) -> Learned:
        if "_result" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}: it is not fitted")
        return self._result.learned

    def _known(self, name: str) -> Model:
        best: SVC = self.best_estimator_
        return best._known(name)

    def _fitted(self) -> Model:
        if "_result" not in self.__dict__ or self._result.best_estimator is None:
            check_is_fitted(self, "best_estimator_")
        return self._known("predict")

    def _offers_probabilities(self) -> bool:
        return _refitted(self) and super()._offers_probabilities()

    # -------------------------------------------------------------- decide

    predict = when_refitted(KernelClassifier.predict)
    decision_function = when_refitted(KernelClassifier.decision_function)
    pair_decisions = when_refitted(KernelClassifier.pair_decisions)
    decision_path = when_refitted(KernelClassifier.decision_path)
    decision_cost = when_refitted(KernelClassifier.decision_cost)
    explain = when_refitted(KernelClassifier.explain)

    @when_refitted
    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Score `best_estimator_` by `scoring`.

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
        self._fitted()
        weight = None if sample_weight is None else np.asarray(sample_weight)
        return self._scorer()(self.best_estimator_, X, column_or_1d(y), weight)


def _accuracy(svc: SVC, X: Features, y: Labels, weight: Array | None) -> float:
    return float(np.average(svc.predict(X) == y, weights=weight))


def _mean(values: Array, axis: int) -> Array:
    """Return the mean without NaN entries; NaN where all entries are NaN."""
    there = ~np.isnan(values)
    count = there.sum(axis=axis)
    total = np.where(there, values, 0.0).sum(axis=axis)
    mean: Array = np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0)
    return mean
