"""The classifier `dagmar.SVC`, which replaces `sklearn.svm.SVC`."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from ..base.exceptions import MissingMachinesError
from ..base.frozen import freeze
from ..base.pairs import n_pairs
from ..base.parameters import SVC_CHECKS, check_parameters
from ..base.signatures import ShortSignature
from ..base.threads import n_threads, warn_if_distributed
from ..base.typing import Array, Features, Index
from ..machines.bank import Bank
from ..machines.callbacks import CallbackSupportMixin, CallbackWatcher, with_callbacks
from ..machines.checkpoint import Checkpoint, identify
from ..machines.cross_fitting import cross_values
from ..machines.progress import Progress, Watcher
from ..machines.training import TrainSettings
from ..machines.workshop import Workshop
from ..probabilities.calibration import calibrate, calibrate_further
from ..probabilities.combining import check_combinable
from ..problem.labels import check_class_index
from ..problem.making import Learned, ProblemParameters, make_problem
from ..problem.per_pair import is_per_pair
from ..problem.problem import Problem
from ..structures import DDAG, Structure, as_structure
from . import layout
from .holding import hold
from .kernel_classifier import KernelClassifier
from .model import Model, build_model

if TYPE_CHECKING:
    from ..analysis.bounds import GeneralizationBound


class SVC(CallbackSupportMixin, KernelClassifier):  # type: ignore[misc]
    """Kernel SVM for two or many classes: `sklearn.svm.SVC`, faster, with a choice of multiclass structures.

    One machine is trained for each pair of classes. A prediction consults only as many of them as can change the answer, or
    those that another structure asks for. Parameters, attributes and errors are those of `sklearn.svm.SVC`, and by default so
    are the labels; scale the features first, then choose C and gamma (`dagmar.SVCCV`). In short::

        clf = dagmar.SVC(C=10, gamma=0.1, n_jobs=-1).fit(X, y)
        clf.predict(X_new)  # labels
        clf.explain(X_new[0])  # why
        clf.restructure("ddag")  # the same machines, consulted along a decision graph

    Parameters
    ----------
    C : float or array-like of shape (n_classes * (n_classes - 1) / 2,), default=1.0
        Penalty of margin errors; ``inf`` for a hard margin. One number for all machines, or one for each pair of classes, in
        the order (0, 1), (0, 2), ...; then all machines of the structure must be pairs.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "chi2", "tanimoto", "precomputed"} or callable, default="rbf"
        The kernel. "laplacian" is ``exp(-gamma Σ|x - z|)``, and "chi2" is ``exp(-gamma Σ(x - z)²/(x + z))``; the sums are
        over features. They are `laplacian_kernel` and `chi2_kernel` of `sklearn.metrics.pairwise`. "tanimoto" is
        ``⟨x, z⟩ / (|x|² + |z|² - ⟨x, z⟩)``, and 1 for two rows of zeros: the similarity of fingerprints and of counts.
        For "chi2" and "tanimoto", X must not have negative values. A callable takes two collections of samples and
        returns their kernel matrix: in `fit`, of all training samples; later, of new samples and the support vectors.
        Samples may then be anything that it compares, such as texts in a list.
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"}, float or array-like of shape (n_classes * (n_classes - 1) / 2,), default="scale"
        Coefficient of all kernels but "linear" and "precomputed"; "scale" is 1 / (n_features * X.var()), or
        1 / (n_features * X.std()) for "laplacian" and "chi2", "auto" is 1 / n_features. For "rbf", "laplacian" and "chi2", an
        array gives one number for each pair of classes, as for C.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid"; 0 makes "poly" homogeneous.
    shrinking : bool, default=True
        Accepted for compatibility; it has no effect.
    probability : bool, default=False
        Whether to compute what `predict_proba` and `predict_log_proba` need. The machines are also trained on five folds, with
        shared kernel rows, and a sigmoid is fitted to the values of each on held-out samples (Platt). Sigmoids of all pairs
        are coupled (Wu, Lin & Weng, second method), those of a tree are multiplied along its paths, and those of
        "one_vs_rest" are normalised. The machines are the same, bit for bit, and `predict` is still the answer of the
        structure: it may differ from the class with the largest probability. A checkpoint does not keep this part.
    tol : float, default=1e-3
        Training of a machine ends when its KKT gap is below this.
    cache_size : float, default=200
        Memory for training in MB: kernel rows, scratch memory and bookkeeping. Not included are the model and a packed copy
        of X in single precision (in double where needed). A pair of more than 16,000 samples takes up to 70 MB per thread,
        even if this is less. A pair whose free samples are moved at once (overlapping classes, large C) takes up to 64 MiB
        more while that lasts.
    class_weight : dict, "balanced" or None, default=None
        Factors of C per class, as in scikit-learn; None for no factors.
    verbose : bool or int, default=False
        Show the progress of a long fit on standard error, as a bar on a terminal if `rich` is installed; print the cost at
        the end.
    max_iter : int, default=-1
        Limit of solver steps per machine, -1 for none.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        What `decision_function` returns: a score per class, or a value per pair.
    break_ties : bool, default=False
        With "max_wins": the answer is the class with the highest value of `decision_function`, also where votes are equal.
        All machines are then consulted. Other structures do not count votes and refuse it.
    random_state : int, RandomState or None, default=None
        Accepted for compatibility; it has no effect, because nothing is random.
    structure : str or Structure, default="max_wins"
        Which machines are trained and how they are consulted: "max_wins", "and_gate", "one_vs_rest", "ddag",
        "adaptive_ddag", "bracket", "divide_and_conquer", "fisher_tree", "centered_tree", or an object such as
        ``DDAG(order=...)``. The default gives the labels of scikit-learn.
    soft_labels : int, callable or None, default=None
        Train posterior-probability machines on soft labels, which can help with noisy labels. An int is the number of
        nearest neighbours that determine a soft label; the sample itself counts, so 1 gives ordinary machines. A callable
        is called once per machine as ``soft_labels(X, rows, sign)``, with all training samples, the indices of those that
        the machine is trained on, and their signs (+1 for the later class of a pair). It returns one number in [-1, 1] for
        each of these rows: the sign is the side, the absolute value is how certain that is, and 0 leaves the sample out.
        None gives ordinary machines.
    n_jobs : int or None, default=None
        Number of threads for fit and predict: None for one (or what `joblib.parallel_config` sets), -1 for all cores. The
        result is the same, bit for bit, for any value.
    precision : {"auto", "single", "double"}, default="auto"
        Precision of kernel values. "auto" uses single where it saves time and an error estimate says that it is safe; this
        is decided for each machine.
    checkpoint : str, path or None, default=None
        A folder to which finished machines are saved, about every second. If a fit is interrupted, the next fit with the same
        data and parameters continues from there and gives the same result, bit for bit. A fit with other data or parameters
        raises a CheckpointError that names the difference; only `structure`, `n_jobs`, `cache_size` and `verbose` may
        differ. The folder is kept after the fit, so the same fit is immediate the next time; delete it when you no longer
        need it. It takes 12 bytes per support vector of each machine, and about 100 bytes per machine. A folder belongs to
        one problem, so do not use one for clones that are fitted on parts of the data, as in cross-validation. A checkpoint
        cannot be used if `soft_labels` is a callable.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    bank_ : Bank
        The trained machines.
    plan_ : Plan
        How the machines are consulted.
    structure_ : Structure
        The structure that made the plan.
    report_ : FitReport
        The cost of fitting.
    class_weight_ : ndarray of shape (n_classes,)
        The factor of C of each class.
    gamma_ : float or ndarray of shape (n_machines,)
        The gamma of the kernel as a number, for kernels that have one; an array if each pair has its own.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, shape_fit_, fit_status_
        As in scikit-learn.
    probA_, probB_ : ndarray of shape (n_machines,)
        The sigmoids, as in scikit-learn: ``1 / (1 + exp(probA_ * v + probB_))`` is the probability of the earlier class of a
        pair, where the value v is positive for the earlier class. If the machines are not all pairs, it is the probability of
        the positive side of each. Empty without `probability`.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if X has string column names.
    target_name_ : str
        Name of y, if y is a Series of pandas or polars with a name.

    See Also
    --------
    SVCCV : Chooses C and gamma, and perhaps kernel, scaling and feature weights.
    PairwiseClassifier : The same structures over any binary classifier of scikit-learn.
    explain : Says why a sample got its class.
    save : Writes a fitted model to a file.
    sklearn.svm.SVC : The same classifier, built on LIBSVM.

    Notes
    -----
    If each pair has its own gamma, machines share fewer kernel values: a prediction computes one for each distinct
    combination of support vector and gamma.

    With machines for all pairs, `decision_function` returns the same values as scikit-learn, for any structure.

    Parameters that are changed after a fit have no effect before the next fit, except `n_jobs`, `decision_function_shape` and
    `break_ties`. After a change of `structure`, predictions raise an error until the next fit; `restructure` gives a fitted
    classifier with another structure.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = dagmar.SVC(C=10, gamma=0.001).fit(X[:1500], y[:1500])
    >>> round(clf.score(X[1500:], y[1500:]), 2)
    0.95
    """

    __signature__ = ShortSignature("C", "kernel", "gamma", "structure", "n_jobs")

    def __init__(
        self,
        *,
        C: float | ArrayLike = 1.0,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: str | float | ArrayLike = "scale",
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
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
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
        self.checkpoint = checkpoint

    # ------------------------------------------------------------------ fit

    # Whether machines are trained on other machines.
    _distributes = False

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the machines that the structure needs, and make its plan.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training samples; with ``kernel="precomputed"``, the kernel matrix.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of C per sample; by default 1. A sample of weight 0 or less is ignored.

        Returns
        -------
        self : SVC
            The fitted estimator. If the fit raises an exception, the estimator is unchanged; a checkpoint keeps the
            finished machines.

        Examples
        --------
        >>> import dagmar
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> dagmar.SVC(C=10).fit(X, y).bank_
        Bank(3 machines, 3 classes, 27 support vectors, rbf kernel, double precision)
        """
        if not self._distributes:
            warn_if_distributed("SVC", stacklevel=2)
        before = self._model_or_none()
        try:
            model = self._fit(X, y, sample_weight)
            self._warn_if_unconverged(model, stacklevel=2)
        except BaseException:
            self._restore(before)
            raise
        return self

    @with_callbacks
    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Model:
        check_parameters(type(self).__name__, vars(self), SVC_CHECKS)
        structure, callbacks = as_structure(self.structure), []
        self._check_break_ties(structure)
        if CallbackWatcher.wanted(self):
            one_lot = type(structure).build is Structure.build
            n_lots = 1 + bool(self.probability) if one_lot else None
            callbacks = [CallbackWatcher(self, X, y, sample_weight, n_lots)]
        self._model = model = fit_model(self, X, y, sample_weight, callbacks)
        for callback in callbacks:
            callback.end_fit()
        if self.verbose:
            print(f"[dagmar] {model.report}")
        return model

    def _workshop(self, *arguments: Any, **options: Any) -> Workshop:
        """Return the workshop that trains the machines; it takes what `Workshop` takes."""
        return Workshop(*arguments, **options)

    def _cross_values(self, *arguments: Any, **options: Any) -> list[list[Array]]:
        """Return the values of machines on held-out samples, for probabilities; it takes what `cross_values` takes."""
        return cross_values(*arguments, **options)

    def restructure(
        self,
        structure: str | Structure,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Consult the same machines by another structure.

        Parameters
        ----------
        structure : str or Structure
            The new structure.
        X, y, sample_weight : array-like, optional
            The training data, as given to `fit`. Needed only if the structure uses the data, or needs machines that this
            model does not have; those are then trained.

        Returns
        -------
        SVC
            A new fitted estimator with the same machines; this one is not changed.

        Examples
        --------
        >>> import dagmar
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = dagmar.SVC(C=10).fit(X, y)
        >>> clf.restructure("ddag").predict(X[[0, 60, 120]])
        array([0, 1, 2])
        >>> clf.restructure("one_vs_rest", X, y).bank_.n_machines  # trained now, as they are others
        3
        """
        model, other = self._with_structure(structure, X, y)
        made, problem = as_structure(structure), None
        self._check_break_ties(made)
        if X is not None:
            problem, _ = make_problem(
                ProblemParameters.of(other), X, y, sample_weight, owner=type(self).__name__, known=model.classes
            )
        there: dict[str, Any] = {"bank": model.bank, "report": model.report, "cannot_train": model.cannot_train}
        hard = problem is not None and not model.status and hard_margin(self)
        with open_workshop(other, settings_of(other), model.learned, problem, **there) as workshop:
            new = build_model(made, workshop, model.learned, hard_margin=hard, cannot_train=model.cannot_train)
            if model.sigmoids is not None:
                check_combinable(new.bank_as(Bank), new.plan)
                known, tasks = (model.sigmoids, model.bank.tasks), new.bank.tasks
                sigmoids = calibrate_further(
                    *known, tasks, problem, workshop.settings, self.soft_labels, self._cross_values
                )
                new = replace(new, sigmoids=sigmoids)
        if problem is not None:
            self._warn_if_unconverged(new, stacklevel=2)
        return hold(other, new)

    # ---------------------------------------------------------------- analyse

    def generalization_bound(
        self,
        X: ArrayLike,
        y: ArrayLike,
        delta: float = 0.05,
        *,
        radius: str | float = "origin",
        base: float = 2.0,
    ) -> GeneralizationBound:
        """Compute Platt's bounds on the error of a DDAG from the margins of its nodes.

        The model must have a machine for every pair of classes. Its structure does not matter, because margins do not depend
        on the order of the classes. The bounds hold for the error of ``restructure("ddag")``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            The training samples, without those of weight 0; with ``kernel="precomputed"``, the kernel matrix.
        y : array-like of shape (n_samples,)
            Labels of the samples.
        delta : float, default=0.05
            The probability that the bound does not hold.
        radius : {"origin", "ball"} or float, default="origin"
            Radius R of a ball that contains the images of all samples in kernel space. "origin": 1 for "rbf", "laplacian",
            "chi2" and "tanimoto", for any samples; for other kernels the largest norm of a sample, which is an estimate.
            "ball": the radius of the smallest ball around the samples, to within 0.1 %; it is never larger than that of
            "origin", and also an estimate. A number is used unchanged.
        base : float, default=2.0
            Base of the logarithms.

        Returns
        -------
        GeneralizationBound
            Print it for a summary; its method `plot` draws the margins.

        Raises
        ------
        MissingMachinesError
            If the model does not have a machine for every pair.
        ValueError
            If margins are not defined for the kernel ("sigmoid", or "poly" with a negative `coef0`), or if y lacks a class.

        Examples
        --------
        >>> import dagmar
        >>> from sklearn.datasets import load_digits
        >>> X, y = load_digits(return_X_y=True)
        >>> bound = dagmar.SVC(C=10, gamma=0.001).fit(X, y).generalization_bound(X, y)
        >>> bound.says_anything, int(bound.separable.sum()), bound.n_nodes
        (False, 45, 45)
        """
        from ..analysis.bounds import measure

        model = self._fitted()
        bank = model.bank_as(Bank)
        if not bank.all_pairs:
            raise MissingMachinesError(
                f"the bounds need a machine for each of the {n_pairs(model.n_classes)} pairs of classes; this model has "
                f"{bank.n_machines} machines and lacks some of these. "
                'restructure("ddag", X, y) trains them.'
            )
        if bank.kernel.by_function:  # norms and radii need the kernel matrix of all training samples
            bank = replace(bank, kernel=replace(bank.kernel, by_function=False))
            samples = model.learned.check(X, None, bank.kernel.name)
        else:
            samples = self._check(model, X)
        class_index = check_class_index(model.classes, samples, y)
        n_trained = model.learned.shape_fit[0]
        if bank.vectors is None and samples.shape[0] != n_trained:
            raise ValueError(
                f"X has {samples.shape[0]} samples, but the model was trained on {n_trained}; with a precomputed or callable "
                "kernel, the norms of the machines need all of them"
            )
        order = getattr(model.structure, "order", None) if isinstance(model.structure, DDAG) else None
        order = np.arange(model.n_classes) if order is None else np.array(order, dtype=np.int64)
        threads = n_threads(self.n_jobs)
        return measure(bank, samples, class_index, model.classes, order, delta, radius, base, threads)

    # ------------------------------------------------------ fitted attributes

    @property
    def class_weight_(self) -> Array:
        """The factor of C of each class, shape (n_classes,)."""
        return self._known("class_weight_").learned.class_weight

    @property
    def shape_fit_(self) -> tuple[int, ...]:
        """Shape of the training data."""
        return self._known("shape_fit_").learned.shape_fit

    @property
    def fit_status_(self) -> int:
        """0 if all machines converged, else 1."""
        return self._known("fit_status_").status

    @property
    def support_(self) -> Index:
        """Indices of the support vectors in the training data."""
        return freeze(self.bank_.support.astype(np.int32))

    @property
    def support_vectors_(self) -> Features:
        """The support vectors, grouped by class; empty for a precomputed or callable kernel. Read-only."""
        vectors = self.bank_.vectors
        if vectors is None:
            return freeze(np.empty((0, 0)))
        # A matrix of its own over the same arrays: SciPy's methods may replace the arrays of a matrix.
        return type(vectors)(vectors) if sp.issparse(vectors) else vectors

    @property
    def n_support_(self) -> Index:
        """Number of support vectors per class."""
        return freeze(np.diff(self.bank_.class_start).astype(np.int32))

    @property
    def n_iter_(self) -> Index:
        """Solver steps per machine."""
        return freeze(self.report_.iterations.astype(np.int32))

    @property
    def intercept_(self) -> Array:
        """Constants of the machines, with scikit-learn's signs."""
        return layout.intercept(self.bank_)

    @property
    def dual_coef_(self) -> Any:
        """Coefficients of the support vectors in scikit-learn's layout; one row per machine unless all pairs are there."""
        return layout.dual_coef(self.bank_)

    @property
    def coef_(self) -> Any:
        """Weights of the features for a linear kernel, one row per machine, with scikit-learn's signs."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return layout.coef(self.bank_)


def fit_model(svc: SVC, X: Any, y: Any, sample_weight: Any, watchers: Sequence[Watcher] = ()) -> Model:
    """Train a model with the parameters of an `SVC`. The estimator itself is not changed.

    Parameters
    ----------
    svc : SVC
    X, y, sample_weight
        As given to `fit`.
    watchers : sequence of Watcher
        Objects that show the progress.

    Returns
    -------
    Model
    """
    structure, settings = as_structure(svc.structure), settings_of(svc)
    parameters, owner = ProblemParameters.of(svc), type(svc).__name__
    problem, learned = make_problem(parameters, X, y, sample_weight, owner=owner, n_threads=settings.n_threads)
    with open_workshop(svc, settings, learned, problem, watchers) as workshop:
        model = build_model(structure, workshop, learned, hard_margin=hard_margin(svc))
        if not svc.probability:
            return model
        check_combinable(model.bank_as(Bank), model.plan)
        tasks, soft = model.bank.tasks, svc.soft_labels
        (sigmoids,) = calibrate(
            problem, tasks, workshop.settings, soft=soft, watchers=workshop.watchers, cross=svc._cross_values
        )
        return replace(model, sigmoids=sigmoids)


def open_workshop(
    svc: SVC,
    settings: TrainSettings,
    learned: Learned,
    problem: Problem | None,
    watchers: Sequence[Watcher] = (),
    **machines: Any,
) -> AbstractContextManager[Workshop]:
    """Open a workshop that shows progress and saves finished machines, according to the parameters of an `SVC`."""
    if svc.verbose or svc.checkpoint is not None:
        return _observed_workshop(svc, settings, learned, problem, watchers, **machines)
    # There is nothing to close at the end.
    return nullcontext(
        svc._workshop(learned.classes, problem, settings, svc.soft_labels, watchers=watchers, **machines)
    )


@contextmanager
def _observed_workshop(
    svc: SVC,
    settings: TrainSettings,
    learned: Learned,
    problem: Problem | None,
    watchers: Sequence[Watcher],
    **machines: Any,
) -> Iterator[Workshop]:
    checkpoint = None
    with ExitStack() as stack:
        if svc.verbose:
            watchers = [*watchers, stack.enter_context(Progress())]
        if svc.checkpoint is not None and problem is not None:
            if callable(svc.soft_labels):  # a callable cannot be fingerprinted, so a checkpoint cannot be validated
                raise ValueError("a checkpoint cannot be kept if soft_labels is a callable")
            identity = identify(problem, svc.C, learned.class_weight, settings, svc.soft_labels)
            checkpoint = stack.enter_context(Checkpoint(svc.checkpoint, identity, len(problem.order)))
        kept = {"checkpoint": checkpoint, "watchers": watchers, **machines}
        yield svc._workshop(learned.classes, problem, settings, svc.soft_labels, **kept)


def hard_margin(svc: SVC) -> bool:
    """Return whether some C is infinite and the number of solver steps is not limited."""
    return svc.max_iter == -1 and math.isinf(float(np.max(svc.C) if is_per_pair(svc.C) else svc.C))  # type: ignore[arg-type]


def settings_of(svc: Any) -> TrainSettings:
    """Return the training settings in the parameters of an `SVC` or `SVCCV`."""
    return TrainSettings(svc.tol, svc.max_iter, svc.cache_size * 2**20, n_threads(svc.n_jobs))
