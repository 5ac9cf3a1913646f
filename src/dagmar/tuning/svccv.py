"""The search for C and gamma, kernel, scaler and feature weights: `dagmar.SVCCV`."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d

from ..base.signatures import ShortSignature
from ..base.threads import warn_if_distributed
from ..estimators.svc import SVC
from ..machines.progress import Progress
from ..structures import Structure, as_structure
from .choosing import Choice, choose_cell, choose_for_pairs
from .combinations import Attempt, Combination, Wanted
from .gamma import span
from .grid import Grid
from .preparing import PreparingSearch
from .refitted import when_refitted
from .score_notes import Notes
from .scoring import Scoring
from .search_parameters import SEARCHED, check_only_pairs, check_search
from .search_result import SearchResult
from .searching import Searcher
from .trials import PairTrials, Samples, StructureTrials, Trials


class SVCCV(PreparingSearch):
    """An `SVC` whose C and gamma, and perhaps kernel, scaler and feature weights, are chosen by cross-validation.

    It searches the same grid as scikit-learn's `GridSearchCV` over `SVC`, but shares work between the cells. For each gamma,
    every kernel row is computed once for all folds and all values of C, and each machine starts from the solution for the
    previous C. A cell is scored by the answers of the structure among all classes; with `per_pair`, each pair of classes is
    scored separately.

    Parameters
    ----------
    Cs : array-like of shape (n_Cs,) or None, default=None
        Values of C, finite, in any order. If scores are equal, the first cell wins. None: 0.25, 1, 4, ..., 1024; with
        ``search="adaptive"`` the powers of two from 0.25 to 4096.
    gammas : {"scale-grid", "dbtc", "scale", "auto"} or array-like of shape (n_gammas,), default="scale-grid"
        Values of gamma: numbers, "scale" and "auto". These two are computed from all of X, as in the final fit, because all
        folds share one kernel; `gammas_` has the numbers. (`GridSearchCV` computes "scale" from the training samples of each
        fold.) "scale-grid": five values around "scale", by factors of four; with ``search="adaptive"`` eleven values, by
        factors of two, from a 64th of it to 16 times it. "dbtc": one value, the gamma with the largest distance between the
        classes (`dagmar.tuning.dbtc`), computed on all of X and y before they are split. For kernels without a gamma, only C
        is searched.
    cv : int, float, splitter or iterable, default=5
        How to split the samples. An int: this many stratified folds. A float: hold out this share once, stratified (Platt et
        al. train on 70 percent, ``cv=0.3``). Otherwise a splitter of scikit-learn, or an iterable of (train, test) indices.
    search : {"grid", "adaptive", "auto"}, default="grid"
        "grid" tries every cell. "adaptive" begins with every third value of C and gamma, then tries the neighbours of the
        best cell, and of the next best within one standard error of it, until there are no more, or a third of the grid is
        tried (of a small grid, more). What it tries depends on the scores alone. "auto" also chooses kernel, scaler and
        feature weights, as far as they are not given; see Notes.
    per_pair : bool, default=False
        Choose C and gamma for each pair of classes, by the accuracy of its machine on its two classes; gamma only with
        the kernels "rbf", "laplacian" and "chi2". With ``gammas="dbtc"`` this is the procedure of Yu et al.: gamma without
        training, C by cross-validation, and the largest of equally good values of C.
    scoring : str, callable, list, dict or None, default=None
        One score or several, in any form that `GridSearchCV` accepts; None for accuracy. With `per_pair` it must be None.
    refit : bool or str, default=True
        Whether to fit an `SVC` with the best parameters on all samples at the end. With several scores, the name of the one
        that chooses the best cell, or False for no choice.
    scaler : {"standard", "minmax", "robust", "power", "ranks"}, transformer, None, or a list of these, default=None
        A transformer of scikit-learn, such as ``StandardScaler()``, that is fitted on the training samples of each fold and
        at the end on all samples; or a name: `StandardScaler`, `MinMaxScaler`, `RobustScaler`, `PowerTransformer` and
        `dagmar.tuning.Ranks`. Several are searched, each with every kernel, and the first is preferred (see Notes). Folds then
        have different kernels, so that kernel rows are shared between values of C only. It gets no weights. Not for kernels
        that are precomputed or callable; the names are not for sparse X.
    kernels : list of str or None, default=None
        Several kernels to search, each with its own grid of gammas; the first is preferred. None for `kernel` alone. Not for
        kernels that are precomputed or callable.
    feature_weights : {"learned", False} or None, default=None
        "learned": also try weights of the features, `dagmar.tuning.FeatureWeights`, with the best cell and cells near it. They
        are learned in each fold from its training samples. False: never, not even with ``search="auto"``.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "chi2", "tanimoto", "precomputed"} or callable, default="rbf"
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
        ``search="adaptive"`` there are only the cells that were tried. With several kernels or scalers, or feature weights,
        each combination has its rows one after another, with ``param_kernel``, ``param_scaler``, ``param_feature_weights``.
        ``cv_results_.to_frame()`` is a pandas DataFrame.
    best_index_ : int, or ndarray of shape (n_pairs,)
        The row of the best cell; with `per_pair`, that of each pair. Of several combinations the first may be taken, so its
        rank may be above 1 (see Notes).
    best_params_ : dict
        C and gamma of the best cell, with kernel, scaler and feature_weights if they are searched; with `per_pair`, arrays in
        the order of the pairs (0, 1), (0, 2), ..., except that a single gamma for all pairs is a number.
    best_score_ : float
        The mean score of the best cell; with `per_pair`, the mean of the best scores of the pairs.
    pair_scores_ : ndarray of shape (n_pairs, n_Cs, n_gammas) or (n_pairs, n_Cs)
        Only with `per_pair`: the mean accuracy over the folds, for every pair and cell; NaN if no fold has test samples of
        the pair. There is no last axis if gamma is not searched.
    gammas_ : ndarray of shape (n_gammas,)
        The gammas of the grid as numbers, if gamma is searched; of several grids, that of the best cell.
    unconverged_ : ndarray of shape (n_unconverged,)
        The rows of `cv_results_` whose cells have a machine that did not converge.
    multimetric_ : bool
        Whether there are several scores. With ``refit=False`` there is then no best cell.
    best_estimator_ : SVC or Pipeline
        The `SVC` fitted on all samples with the best parameters, if `refit`; with a scaler or weights, a pipeline.
    feature_weights_ : ndarray of shape (`n_features_in_`,)
        The weight of each feature, if weights were chosen. Their mean is 1.
    refit_time_ : float
        Seconds for fitting `best_estimator_`.
    n_splits_ : int
        Number of folds.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
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

    A `GridEdgeWarning` tells if the best cell is on the edge of the grid and better than all cells that are not on this edge;
    if all cells tie; and if the best score is not above that of always answering the largest class. A `UserWarning` tells if
    mean scores are not finite, as in `GridSearchCV`.

    The precision of kernel values is chosen once for all folds.

    Of several combinations of kernel, scaler and weights, the first is taken whose best score is below the best of all by at
    most half a standard error of their difference, which is computed over the folds. So put first what you would take without
    a search: scores of few samples differ by chance. Weights come last. The adaptive search tries the first cells of every
    combination, then more of those that are within two standard errors of the best.

    ``search="auto"`` searches the kernels rbf and laplacian with the scalers "standard" and "ranks", and feature weights for
    the best of them. If there are more than 1000 samples, it first looks at about 1000 of them; then it tries the best two
    combinations on all samples, near their best cells. The table has the cells that were tried on all samples. Sparse X is not
    scaled. More than 300 features get no weights. Give `kernels`, `scaler` or `feature_weights` to search others, such as
    ``scaler=[None]`` for samples that are scaled already. A `kernel` other than "rbf" is the only one.

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

    Several kernels and scalers:

    >>> search = dagmar.SVCCV([1, 10], cv=3, kernels=["rbf", "laplacian"], scaler=[None, "ranks"]).fit(X[:300], y[:300])
    >>> search.best_params_["kernel"], search.best_params_["scaler"]
    ('rbf', None)
    """

    # Whether cells are tried on other machines.
    _distributes = False

    __signature__ = ShortSignature("Cs", "gammas", "cv", "search", "scaler", "n_jobs")

    def __init__(
        self,
        Cs: ArrayLike | None = None,
        gammas: str | ArrayLike = "scale-grid",
        cv: Any = 5,
        *,
        search: str = "grid",
        per_pair: bool = False,
        scoring: str | Callable[..., Any] | Iterable[str] | Mapping[str, Any] | None = None,
        refit: bool | str = True,
        scaler: Any = None,
        kernels: Iterable[str] | None = None,
        feature_weights: str | bool | None = None,
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
        self.kernels = kernels
        self.feature_weights = feature_weights
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
            result = self._refit(result, X, y, sample_weight)
        self._result = result
        return self

    def _search(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[SearchResult, Notes]:
        """Return the result of the search, and what to warn about."""
        check_search(self)
        structure, scoring = as_structure(self.structure, "SVCCV"), self._scoring()
        self._check_break_ties(structure)
        scoring.check()
        samples, learned = self._samples(X, y, sample_weight, groups)
        if self.per_pair:
            check_only_pairs(self.kernel, structure, len(learned.classes))
            choice = self._try_pairs(samples)
        else:
            choice = self._try_cells(samples, structure, scoring)
        grid = None if choice.chosen is None else choice.chosen.grid
        result = SearchResult(
            learned,
            len(samples.folds),
            choice.cv_results,
            np.asarray(grid.gammas) if grid is not None and grid.named else None,
            choice.unconverged,
            choice.multimetric,
            choice.best_index,
            choice.best_params,
            choice.best_score,
            choice.pair_scores,
            None if choice.chosen is None else choice.chosen.combination,
        )
        if self.verbose and result.best_params is not None:
            _print_best(result)
        return result, choice.notes

    def _try_cells(self, samples: Samples, structure: Structure, scoring: Scoring) -> Choice:
        """Score the answers among all classes, and choose the best cell."""

        def attempt(some: Samples, combination: Combination, grid: Grid | None = None) -> Attempt:
            seen = self._as_seen(some, combination)
            grid = self._grid(seen, combination) if grid is None else grid
            tried = self._tried(combination.kernel)
            trials = StructureTrials(seen, tried, grid.Cs, grid.gammas, structure, scoring.scorer())
            return Attempt(combination, grid, trials)

        wanted = Wanted.by(self, samples.X)
        machines = {**self._fixed(), "verbose": False, "probability": False}
        searcher = Searcher(self.search, wanted, scoring, attempt, self._run, machines)
        return choose_cell(searcher.attempts(samples), scoring, self.max_iter)

    def _try_pairs(self, samples: Samples) -> Choice:
        """Score each pair of classes separately, and choose its best cell."""
        combination = Combination(self.kernel, self.scaler)
        seen = self._as_seen(samples, combination)
        grid = self._grid(seen, combination)
        trials = PairTrials(seen, self._tried(self.kernel), grid.Cs, grid.gammas)
        self._run(trials, np.ones(grid.shape, dtype=bool))
        by_distance = isinstance(self.gammas, str) and self.gammas == "dbtc"
        return choose_for_pairs(Attempt(combination, grid, trials), by_distance, self.max_iter)

    def _run(self, trials: Trials, cells: NDArray[np.bool_]) -> None:
        with ExitStack() as stack:
            trials.run(cells, [stack.enter_context(Progress())] if self.verbose else [])

    def _refit(self, result: SearchResult, X: Any, y: Any, sample_weight: Any) -> SearchResult:
        """Return the result with the best estimator, fitted on all samples."""
        begun = time.perf_counter()
        assert result.combination is not None
        assert result.best_params is not None
        found = {name: value for name, value in result.best_params.items() if name in ("C", "gamma")}
        best: Any = self._with({**found, "kernel": result.combination.kernel})
        steps = result.combination.steps()
        if steps:
            steps, X = self._scale(X, y, steps)
        best.fit(X, y, sample_weight)
        if steps:
            best = Pipeline([*steps, ("svc", best)])
        return replace(result, best_estimator=best, refit_time=time.perf_counter() - begun)

    def _fixed(self) -> dict[str, Any]:
        """Return the parameters of `SVC` that are not searched."""
        return {name: getattr(self, name) for name in SVC._get_param_names() if name not in SEARCHED}

    def _tried(self, kernel: Any) -> dict[str, Any]:
        """Return the parameters of the classifiers that are tried, without C and gamma."""
        # A callable kernel has been evaluated to its matrix.
        tried = {**self._fixed(), "verbose": False, "kernel": "precomputed" if callable(kernel) else kernel}
        if self.scoring is None:  # accuracy needs no probabilities
            tried["probability"] = False
        return tried

    def _with(self, found: dict[str, Any]) -> SVC:
        """Return the classifier to fit at the end, with the parameters that were found."""
        return SVC(**{**self._fixed(), **found})

    # ----------------------------------------------------------------- scores

    def _scoring(self) -> Scoring:
        return Scoring(self.scoring, self.refit, self.search, self.probability)

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
        scores = self._scoring().scorer()(self._best(), self._scaled(X), column_or_1d(y), weight)
        return scores["score"] if "score" in scores else scores[str(self.refit)]


def _print_best(result: SearchResult) -> None:
    """Print the best parameters and their score."""
    best = ", ".join(
        f"{name} {span(value) if name in ('C', 'gamma') and not isinstance(value, str) else value}"
        for name, value in (result.best_params or {}).items()
    )
    print(f"[dagmar] best of {len(result.cv_results['params'])} cells: {best}, score {result.best_score:.4g}")
