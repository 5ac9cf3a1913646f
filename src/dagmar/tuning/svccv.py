"""The search for C and gamma: `dagmar.SVCCV`."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from inspect import signature
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.utils import column_or_1d
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..base.exceptions import InvalidParameterError
from ..base.pairs import n_pairs
from ..base.parameters import SVC_CHECKS, Check, a_callable, boolean, check_parameters, none
from ..base.typing import Array, Features, Index, Labels
from ..estimators.svc import SVC
from ..machines.folds import Fold, a_cv, split
from ..machines.progress import Progress
from ..problem.per_pair import PerPair
from ..problem.validation import check_training_data, check_weights, kernel_matrix, unchanged_on_error
from ..structures import Structure, as_structure
from ..structures.paths import DecisionCost, DecisionPath
from .grid import GRID_CHECKS, Grid
from .trials import PairTrials, Samples, Scorer, StructureTrials

SEARCHED = ("C", "gamma", "checkpoint")  # the parameters of SVC that a search has no use for
CHECKS: dict[str, Check] = {
    **GRID_CHECKS,
    "cv": a_cv,
    "per_pair": boolean,
    "scoring": none | Check(lambda v: isinstance(v, str), "a str") | a_callable,
    "refit": boolean,
    **{name: check for name, check in SVC_CHECKS.items() if name not in SEARCHED},
}


def _refitted(search: SVCCV) -> bool:
    if not search.refit:
        raise AttributeError("with refit=False there is no best_estimator_ to ask")
    return True


Method = TypeVar("Method", bound=Callable[..., Any])
when_refitted: Callable[[Method], Method] = available_if(_refitted)


class SVCCV(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """An `SVC` whose C and gamma are chosen by cross-validation.

    Finds what scikit-learn's `GridSearchCV` over `SVC` would find, but knows that all fits are of one problem: for each
    gamma, every kernel row is computed once for all folds and values of C, and along C each machine begins where the one
    before ended. What is compared is the answer of the structure among all classes, or, with `per_pair`, every pair of
    classes by itself.

    Parameters
    ----------
    Cs : array-like of shape (n_Cs,), default=(0.25, 1, 4, 16, 64, 256, 1024)
        Values of C, finite, in any order. Among equal scores the first wins.
    gammas : {"scale-grid", "dbtc"} or array-like of shape (n_gammas,), default="scale-grid"
        Values of gamma. "scale-grid" is five by factors of four around gamma="scale", from all of X. "dbtc" is one, the
        gamma that puts the classes farthest apart (`dagmar.tuning.dbtc`), found on all of X and y before there are folds.
        Kernels without a gamma make a grid of C alone.
    cv : int, float, splitter or iterable, default=5
        An int for so many stratified folds; a float for a single stratified hold-out of that share (Platt et al. train on 70
        percent, ``cv=0.3``); a splitter of scikit-learn's; pairs of (train, test) indices.
    per_pair : bool, default=False
        Choose C and gamma for each pair of classes, by its accuracy on its own two classes; gamma with kernel="rbf" only.
        With ``gammas="dbtc"`` this is the procedure of Yu et al.: gamma without training, and C by cross-validation.
    scoring : str, callable or None, default=None
        What scikit-learn takes for a single score; None is accuracy, and all there is with `per_pair`.
    refit : bool, default=True
        Fit the best parameters on all samples in the end.
    kernel, degree, coef0, shrinking, tol, cache_size, class_weight, max_iter, decision_function_shape, break_ties, structure, \
soft_labels, n_jobs, precision
        As of `SVC`. Machines on soft labels share nothing between cells, as each fold has its own neighbours.
    verbose : bool or int, default=False
        Show how far the search is, and print what it found.
    random_state : int, RandomState or None, default=None
        Of the hold-out, if `cv` is a float; None is always the same one.

    Attributes
    ----------
    cv_results_ : dict of str to ndarray or list
        Columns as in scikit-learn's `GridSearchCV`, a row per cell (C, gamma), gamma changing fastest: ``param_C``,
        ``param_gamma``, ``params``, ``split0_test_score`` ..., ``mean_test_score``, ``std_test_score``, ``rank_test_score``,
        and the same of seconds: ``mean_fit_time`` of solving, added up over machines (a kernel row counts where it
        was first asked for), ``mean_score_time``. With `per_pair` a score is the mean over the pairs.
    best_index_ : int, or ndarray of shape (n_pairs,)
        The row of the best cell; with `per_pair`, of every pair's.
    best_params_ : dict
        Its C and gamma; with `per_pair` arrays, in the order of the pairs (0, 1), (0, 2), ...
    best_score_ : float
        Its mean score; with `per_pair`, the mean over the pairs of each one's best.
    pair_scores_ : ndarray of shape (n_pairs, n_Cs, n_gammas) or (n_pairs, n_Cs)
        Only with `per_pair`: the accuracy of every pair in every cell, mean over the folds; NaN if no fold has any of its
        samples to test. Without the last axis where gamma is not searched for.
    best_estimator_ : SVC
        Fitted on all samples, if `refit`.
    refit_time_ : float
        Seconds that took.
    n_splits_ : int
        Number of folds.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has string column names.

    See Also
    --------
    sklearn.model_selection.GridSearchCV : Any estimator, any parameter, every fit by itself.
    dagmar.tuning.dbtc : Gamma without training.

    Notes
    -----
    ``class_weight="balanced"`` is worked out on the training part of each fold.

    With `per_pair` no multiclass answer is looked at, and pairs that are easy to tell apart have many equally good cells; the
    first of them is taken, so put small values of C first.

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

    classes_: Labels
    cv_results_: dict[str, Any]
    best_index_: int | Index
    best_params_: dict[str, Any]
    best_score_: float
    best_estimator_: SVC

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    # ------------------------------------------------------------------ fit

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Try every cell on every fold, and fit the best on all samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training samples; the kernel matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of C per sample, which count in the scores, too (as in scikit-learn from 1.9 on), if `scoring` takes
            weights.
        groups : array-like of shape (n_samples,), optional
            For splitters that keep samples of a group together.

        Returns
        -------
        self : SVCCV
            If anything stops the search, the estimator is left as it was before.
        """
        with unchanged_on_error(self):
            self._search(X, y, sample_weight, groups)
            if self.refit:
                begun = time.perf_counter()
                self.best_estimator_ = SVC(**self._fixed(), **self.best_params_).fit(X, y, sample_weight)
                self.refit_time_ = time.perf_counter() - begun
        return self

    def _fixed(self) -> dict[str, Any]:
        """The parameters of `SVC` that are not searched for."""
        return {name: getattr(self, name) for name in SVC._get_param_names() if name not in SEARCHED}

    def _search(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> None:
        check_parameters(type(self).__name__, self.get_params(deep=False), CHECKS)
        structure = as_structure(self.structure, "SVCCV")
        for name in ("pair_scores_", "best_estimator_", "refit_time_"):  # of an earlier search
            self.__dict__.pop(name, None)
        samples = self._samples(X, y, sample_weight, groups)
        if self.per_pair:
            self._refuse_for_pairs(structure)
        # A kernel function has become its matrix.
        fixed = {**self._fixed(), "verbose": False, "kernel": "precomputed" if callable(self.kernel) else self.kernel}
        grid = Grid.resolve(
            self.Cs, self.gammas, fixed["kernel"], samples.X, samples.y, samples.weight, self.per_pair, self.n_jobs
        )
        if self.per_pair:
            self._try_pairs(grid, PairTrials(samples, fixed, grid.Cs, grid.gammas))
        else:
            self._try_cells(grid, StructureTrials(samples, fixed, grid.Cs, grid.gammas, structure, self._scorer()))
        self.n_splits_ = len(samples.folds)
        if self.verbose:
            found = ", ".join(f"{name} {_span(value)}" for name, value in self.best_params_.items())
            print(f"[dagmar] best of {len(grid.cells)} cells: {found}, score {self.best_score_:.4g}")

    def _samples(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Samples:
        """What is searched over, checked; what is worked out on the way (labels, features) is kept."""
        X, y = check_training_data(self, X, y)
        self.classes_, class_index = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(self.classes_)} class")
        of_class = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        weight = check_weights(of_class, class_index, sample_weight)
        folds = [
            Fold.of(train, test, class_index, self.classes_, self.class_weight, weight)
            for train, test in split(self.cv, y, groups, self.random_state)
        ]
        if callable(self.kernel):
            X = kernel_matrix(self.kernel, X, X)
        return Samples(X, y, self.classes_, class_index, weight, sample_weight is not None, folds)

    def _scorer(self) -> Scorer:
        if self.scoring is None:
            return _accuracy
        scorer = check_scoring(SVC(), scoring=self.scoring)
        # A scorer takes whatever its metric may refuse, so the metric is looked at.
        takes_weights = "sample_weight" in signature(getattr(scorer, "_score_func", scorer)).parameters

        def score(svc: SVC, X: Features, y: Labels, weight: Array | None) -> float:
            weights = {"sample_weight": weight} if takes_weights and weight is not None else {}
            return float(scorer(svc, X, y, **weights))

        return score

    def _refuse_for_pairs(self, structure: Structure) -> None:
        """Raise InvalidParameterError for what cannot be had pair by pair."""
        if self.scoring is not None:
            raise InvalidParameterError(
                "The 'scoring' parameter of SVCCV must be None with per_pair=True: a pair is scored by its accuracy. "
                f"Got {self.scoring!r} instead."
            )
        n = len(self.classes_)
        PerPair.resolve(np.ones(n_pairs(n)), 1.0, self.kernel, n).of(structure.tasks(n))

    def _try_cells(self, grid: Grid, trials: StructureTrials) -> None:
        self._run(trials)
        self.cv_results_ = grid.table(trials.scores, trials.fit_seconds, trials.score_seconds)
        self.best_index_ = int(np.argmin(self.cv_results_["rank_test_score"]))
        self.best_params_ = grid.best(self.best_index_)
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])

    def _try_pairs(self, grid: Grid, trials: PairTrials) -> None:
        self._run(trials)
        self.cv_results_ = grid.table(_mean(trials.scores, axis=0), trials.fit_seconds, trials.score_seconds)
        scores = _mean(trials.scores, axis=3)
        by_cell = scores.reshape(len(scores), -1)
        self.pair_scores_ = scores if grid.named else by_cell
        # The first of equals; ties are common here, and rounding breaks none.
        self.best_index_ = np.argmax(np.nan_to_num(np.round(by_cell, 12), nan=-1.0), axis=1)
        self.best_params_ = grid.best(self.best_index_)
        self.best_score_ = float(_mean(by_cell[np.arange(len(by_cell)), self.best_index_], axis=0))

    def _run(self, trials: StructureTrials | PairTrials) -> None:
        with ExitStack() as stack:
            trials.run([stack.enter_context(Progress())] if self.verbose else [])
        if trials.late.any():
            warnings.warn(
                f"Solver terminated early (max_iter={self.max_iter}) in {trials.late.any(axis=2).sum()} of "
                f"{len(trials.Cs) * len(trials.gammas)} cells.  Consider pre-processing your data with StandardScaler or "
                "MinMaxScaler.",
                ConvergenceWarning,
                stacklevel=5,
            )

    # -------------------------------------------------------------- decide

    @property
    def n_iter_(self) -> Index:
        """Solver steps per machine of `best_estimator_`."""
        return self.best_estimator_.n_iter_

    def _best(self) -> SVC:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    @when_refitted
    def predict(self, X: ArrayLike) -> Labels:
        """The class of each sample, by `best_estimator_`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._best().predict(X)

    @when_refitted
    def decision_function(self, X: ArrayLike) -> Array:
        """How strongly each class, or each pair, is supported: `SVC.decision_function` of `best_estimator_`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_classes * (n_classes - 1) / 2)
        """
        return self._best().decision_function(X)

    @when_refitted
    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """What `best_estimator_` scores, by `scoring`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        weight = None if sample_weight is None else np.asarray(sample_weight)
        return self._scorer()(self._best(), X, column_or_1d(y), weight)

    @when_refitted
    def pair_decisions(self, X: ArrayLike) -> Array:
        """The value of every machine of `best_estimator_`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_machines)
        """
        return self._best().pair_decisions(X)

    @when_refitted
    def decision_path(self, X: ArrayLike) -> DecisionPath:
        """The machines of `best_estimator_` consulted for each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        DecisionPath
        """
        return self._best().decision_path(X)

    @when_refitted
    def decision_cost(self, X: ArrayLike) -> DecisionCost:
        """What deciding costs `best_estimator_`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        DecisionCost
        """
        return self._best().decision_cost(X)

    @when_refitted
    def explain(self, x: ArrayLike) -> str:
        """One sample's way to its class in `best_estimator_`, in words.

        Parameters
        ----------
        x : array-like of shape (n_features,) or (1, n_features)

        Returns
        -------
        str
        """
        return self._best().explain(x)


def _accuracy(svc: SVC, X: Features, y: Labels, weight: Array | None) -> float:
    return float(np.average(svc.predict(X) == y, weights=weight))


def _mean(values: Array, axis: int) -> Array:
    """The mean of what is not NaN; NaN where nothing is left."""
    there = ~np.isnan(values)
    count = there.sum(axis=axis)
    total = np.where(there, values, 0.0).sum(axis=axis)
    mean: Array = np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0)
    return mean


def _span(values: Any) -> str:
    low, high = f"{np.min(values):.3g}", f"{np.max(values):.3g}"
    return low if low == high else f"{low} to {high}"
