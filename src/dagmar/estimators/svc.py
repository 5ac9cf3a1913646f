"""The estimator: `dagmar.SVC`, where `sklearn.svm.SVC` stood."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..base.exceptions import MissingMachinesError
from ..base.pairs import n_pairs
from ..base.parameters import SVC_CHECKS, check_parameters
from ..base.threads import n_threads
from ..base.typing import Array, Features, Index
from ..machines.callbacks import CallbackSupportMixin, CallbackWatcher, with_callbacks
from ..machines.checkpoint import Checkpoint, identify
from ..machines.progress import Progress, Watcher
from ..machines.report import FitReport
from ..machines.training import TrainSettings
from ..machines.workshop import Workshop
from ..problem.making import Learned, ProblemParameters, make_problem
from ..problem.problem import Problem
from ..problem.validation import check_class_index
from ..structures import DDAG, Structure, as_structure
from . import layout
from .classifier import KernelClassifier, hold
from .model import Model, build_model

if TYPE_CHECKING:
    from ..analysis.bounds import GeneralizationBound


class SVC(CallbackSupportMixin, KernelClassifier):  # type: ignore[misc]
    """C-support vector classification with a choice of multiclass structures.

    Takes the parameters of `sklearn.svm.SVC` with the same meaning and defaults, except `probability`
    (``CalibratedClassifierCV(SVC(), ensemble=False)`` gives probabilities).

    Parameters
    ----------
    C : float or array-like of shape (n_classes * (n_classes - 1) / 2,), default=1.0
        Price of a margin error; ``inf`` for a hard margin. One number for all machines, or one for each pair of classes, in
        the order (0, 1), (0, 2), ...; then the structure must ask for machines of pairs only.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        A callable takes two arrays of samples and returns their kernel matrix.
    degree : int, default=3
        Of the polynomial kernel.
    gamma : {"scale", "auto"}, float or array-like of shape (n_classes * (n_classes - 1) / 2,), default="scale"
        Of "rbf", "poly" and "sigmoid"; "scale" is 1 / (n_features * X.var()), "auto" is 1 / n_features. For "rbf", each pair
        of classes may have its own, as with C.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid"; 0 makes "poly" homogeneous.
    shrinking : bool, default=True
        Accepted for compatibility; it changes nothing.
    tol : float, default=1e-3
        A machine is done when its KKT gap is below this.
    cache_size : float, default=200
        Memory for training, in MB: kernel rows and all that stands around them, beside the model and a packed copy of X in
        single precision (in double where that is needed).
    class_weight : dict, "balanced" or None, default=None
        Factors of C per class.
    verbose : bool or int, default=False
        Show how far a long fit is (on standard error; a bar on a terminal where `rich` is installed), and print in the end
        what it cost.
    max_iter : int, default=-1
        Limit of solver steps per machine, -1 for none.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        What `decision_function` returns.
    break_ties : bool, default=False
        With "max_wins", break ties by `decision_function`; other structures have no ties.
    random_state : int, RandomState or None, default=None
        Accepted for compatibility; nothing here is random.
    structure : str or Structure, default="ddag"
        Which machines there are and how they are consulted: "max_wins", "and_gate", "one_vs_rest", "ddag", "adaptive_ddag",
        "bracket", "divide_and_conquer", "fisher_tree", "centered_tree", or an object such as ``DDAG(order=...)``.
    soft_labels : int, callable or None, default=None
        Train posterior-probability machines, on soft labels from this many nearest neighbours (the sample itself counts,
        so 1 is the ordinary machine). Worth it where labels are noisy. A callable is asked for the soft labels of every
        machine, as ``soft_labels(X, rows, sign)``: all training samples, the rows of them that it is trained on, and their
        signs, +1 for the later class of a pair. It returns as many numbers in [-1, 1]: the sign is the side, the size how
        sure that is, and 0 leaves a sample out.
    n_jobs : int or None, default=None
        Threads for fit and predict, -1 for all. The result is the same to the bit for any value.
    precision : {"auto", "single", "double"}, default="auto"
        Of kernel values; "auto" is single where an error estimate says it is safe, machine by machine.
    checkpoint : str, path or None, default=None
        A folder where machines are kept as they are finished, about every second. If the fit is stopped, by whatever, the
        next one with the same data and parameters goes on from there and ends with the same bits; another one is refused
        with a CheckpointError that says what differs. `structure`, `n_jobs`, `cache_size` and `verbose` may differ. The
        folder stays after the fit, so that a second one is immediate: delete it when it is no longer wanted. It takes 12
        bytes per support vector of every machine, and about 100 per machine. One folder serves one problem, so clones that are
        fitted on parts of the data, as in cross-validation, should have none.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    bank_ : Bank
        The trained machines.
    plan_ : Plan
        How they are consulted.
    structure_ : Structure
        The structure that made the plan.
    report_ : FitReport
        What fitting cost.
    class_weight_ : ndarray of shape (n_classes,)
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, shape_fit_, fit_status_
        As in scikit-learn.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has string column names.

    See Also
    --------
    sklearn.svm.SVC : The same classifier over LIBSVM.

    Notes
    -----
    Machines with gammas of their own share fewer kernel values: deciding costs one for each distinct vector and gamma.

    With machines for all pairs, `decision_function` is scikit-learn's, whatever the structure.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = dagmar.SVC(C=10, gamma=0.001, structure="ddag").fit(X[:1500], y[:1500])
    >>> round(clf.score(X[1500:], y[1500:]), 2)
    0.95
    """

    def __init__(
        self,
        *,
        C: float | ArrayLike = 1.0,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: str | float | ArrayLike = "scale",
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
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
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
        self.checkpoint = checkpoint

    # ------------------------------------------------------------------ fit

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the machines that the structure asks for, and lay out its plan.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training samples; the kernel matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of C per sample; a sample of weight 0 or less is as good as absent.

        Returns
        -------
        self : SVC
            If anything stops the fit, the estimator is left as it was before; a checkpoint keeps what was finished.
        """
        with self._unchanged_on_error():
            self._fit(X, y, sample_weight)
            self._warn_if_unconverged(self._model, stacklevel=2)
        return self

    @with_callbacks
    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        check_parameters(type(self).__name__, self.get_params(deep=False), SVC_CHECKS)
        callbacks = []
        if CallbackWatcher.wanted(self):
            n_lots = 1 if type(as_structure(self.structure)).build is Structure.build else None
            callbacks = [CallbackWatcher(self, X, y, sample_weight, n_lots)]
        self._model = model = fit_model(self, X, y, sample_weight, callbacks)
        for callback in callbacks:
            callback.end_fit()
        if self.verbose:
            print(f"[dagmar] {model.report}")

    def restructure(
        self,
        structure: str | Structure,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Consult the same machines in another way.

        Parameters
        ----------
        structure : str or Structure
        X, y, sample_weight : array-like, optional
            The training data, as given to `fit`; needed only where the structure looks at the data or asks for machines that
            this model lacks. They are then trained.

        Returns
        -------
        SVC
            A new fitted estimator over the same bank; this one is not changed.
        """
        model = self._fitted()
        if (X is None) != (y is None):
            raise ValueError("X and y go together: give both or neither")
        other = type(self)(**{**self.get_params(deep=False), "structure": structure})
        made, problem = as_structure(structure), None
        if X is not None:
            problem, _ = make_problem(
                ProblemParameters.of(other), X, y, sample_weight, owner=type(self).__name__, known=model.classes
            )
        there: dict[str, Any] = {"bank": model.bank, "report": model.report, "cannot_train": model.cannot_train}
        hard = problem is not None and not model.status and hard_margin(self)
        with open_workshop(other, model.learned, problem, **there) as workshop:
            new = build_model(made, workshop, model.learned, hard_margin=hard, cannot_train=model.cannot_train)
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
        """Platt's bounds on the error of a DDAG over the machines of all pairs, with the margin of every node.

        Margins do not depend on the order of the classes, so the structure of this model does not matter, as long as it has
        a machine for every pair; but it is ``restructure("ddag")`` whose error is bounded.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            The training samples; rows of weight 0 left out. The kernel matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Their labels.
        delta : float, default=0.05
            The probability that the bound does not hold.
        radius : {"origin", "ball"} or float, default="origin"
            R, the radius of a ball that holds all images in kernel space. "origin": for "rbf" it is 1, whatever the
            samples; for other kernels the largest norm of a sample, as an estimate. "ball": the smallest ball around the
            samples, never larger, found to within 0.1 %; an estimate, too. A number is taken as it is.
        base : float, default=2.0
            Of the logarithms.

        Returns
        -------
        GeneralizationBound
            Printed, it tells what it says; `plot` draws it.

        Raises
        ------
        MissingMachinesError
            If this model does not have a machine for every pair.
        ValueError
            If the kernel has no space in which there are margins ("sigmoid"), or y lacks a class.

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
        bank = self._bank(model)
        if not bank.all_pairs:
            raise MissingMachinesError(
                f"the theorems are about a DDAG, with a machine for each of the {n_pairs(model.n_classes)} pairs of "
                f"classes, and this model has {bank.n_machines} machines that are not those. "
                'restructure("ddag", X, y) trains them.'
            )
        samples = self._check(model, X)
        class_index = check_class_index(model.classes, samples, y)
        n_trained = model.learned.shape_fit[0]
        if bank.vectors is None and samples.shape[0] != n_trained:
            raise ValueError(
                f"X has {samples.shape[0]} samples where the model was trained on {n_trained}; with a kernel that is "
                "known by its matrix, the norms of the machines need all of them"
            )
        order = getattr(model.structure, "order", None) if isinstance(model.structure, DDAG) else None
        order = np.arange(model.n_classes) if order is None else np.array(order, dtype=np.int64)
        threads = n_threads(self.n_jobs)
        return measure(bank, samples, class_index, model.classes, order, delta, radius, base, threads)

    # ------------------------------------------------------ fitted attributes

    @property
    def report_(self) -> FitReport:
        """What fitting cost."""
        report = self._known("report_").report
        if report is None:
            raise AttributeError("this model has no report_")
        return report

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
        """Places of the support vectors in the training data."""
        return self.bank_.support.astype(np.int32)

    @property
    def support_vectors_(self) -> Features:
        """The support vectors, grouped by class; empty for a precomputed kernel."""
        vectors = self.bank_.vectors
        return np.empty((0, 0)) if vectors is None else vectors

    @property
    def n_support_(self) -> Index:
        """Number of support vectors per class."""
        return np.diff(self.bank_.class_start).astype(np.int32)

    @property
    def n_iter_(self) -> Index:
        """Solver steps per machine."""
        return self.report_.iterations.astype(np.int32)

    @property
    def intercept_(self) -> Array:
        """Constants of the machines, with scikit-learn's signs."""
        return layout.intercept(self.bank_)

    @property
    def dual_coef_(self) -> Any:
        """Coefficients of the support vectors, in scikit-learn's layout; one row per machine if those are not pairs."""
        return layout.dual_coef(self.bank_)

    @property
    def coef_(self) -> Any:
        """Weights of the features for a linear kernel, one row per machine, with scikit-learn's signs."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return layout.coef(self.bank_)


def fit_model(svc: SVC, X: Any, y: Any, sample_weight: Any, watchers: Sequence[Watcher] = ()) -> Model:
    """Train the model that the parameters of an `SVC` ask for. The estimator itself is not changed.

    Parameters
    ----------
    svc : SVC
    X, y, sample_weight
        As given to `fit`.
    watchers : sequence of Watcher
        Who is told about the progress.

    Returns
    -------
    Model
    """
    structure = as_structure(svc.structure)
    problem, learned = make_problem(ProblemParameters.of(svc), X, y, sample_weight, owner=type(svc).__name__)
    with open_workshop(svc, learned, problem, watchers) as workshop:
        return build_model(structure, workshop, learned, hard_margin=hard_margin(svc))


@contextmanager
def open_workshop(
    svc: SVC, learned: Learned, problem: Problem | None, watchers: Sequence[Watcher] = (), **machines: Any
) -> Iterator[Workshop]:
    """A workshop that shows its progress and keeps finished machines, as the parameters of an `SVC` ask for."""
    settings, checkpoint = settings_of(svc), None
    with ExitStack() as stack:
        if svc.verbose:
            watchers = [*watchers, stack.enter_context(Progress())]
        if svc.checkpoint is not None and problem is not None:
            if callable(svc.soft_labels):  # a callable cannot be fingerprinted, so a checkpoint cannot be validated
                raise ValueError("a checkpoint cannot be kept where soft_labels is a callable")
            identity = identify(problem, svc.C, learned.class_weight, settings, svc.soft_labels)
            checkpoint = stack.enter_context(Checkpoint(svc.checkpoint, identity))
        kept = {"checkpoint": checkpoint, "watchers": watchers, **machines}
        yield Workshop(learned.classes, problem, settings, svc.soft_labels, **kept)


def hard_margin(svc: SVC) -> bool:
    """Whether no margin error is allowed, and training goes on until there is none."""
    return bool(np.any(np.isinf(np.asarray(svc.C, dtype=np.float64)))) and svc.max_iter == -1


def settings_of(svc: Any) -> TrainSettings:
    """What the parameters of an `SVC` or `SVCCV` tell the training."""
    return TrainSettings(svc.tol, svc.max_iter, svc.cache_size * 2**20, n_threads(svc.n_jobs))
