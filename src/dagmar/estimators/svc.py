"""The estimator: `dagmar.SVC`, where `sklearn.svm.SVC` stood."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Self, cast

import joblib
import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from .. import _core
from ..base.exceptions import MissingMachinesError
from ..base.parameters import SVC_CHECKS, check_parameters
from ..base.typing import Array, Features, Index, Labels
from ..machines.bank import Bank
from ..machines.callbacks import CallbackSupportMixin, CallbackWatcher, with_callbacks
from ..machines.checkpoint import Checkpoint, identify
from ..machines.progress import Progress, Watcher
from ..machines.report import FitReport
from ..machines.training import TrainSettings
from ..machines.workshop import Workshop
from ..problem.kernels import Kernel
from ..problem.per_pair import PerPair
from ..problem.problem import NOT_FINITE, Problem, caps
from ..problem.samples import as_data
from ..problem.tasks import all_pairs
from ..problem.validation import (
    check_class_index,
    check_samples,
    check_training_data,
    check_weights,
    kernel_matrix,
    unchanged_on_error,
)
from ..structures import DDAG, MaxWins, Structure, as_structure
from ..structures.paths import DecisionCost, DecisionPath, scores_along
from ..structures.plans import Plan, PollPlan
from . import layout

if TYPE_CHECKING:
    from ..analysis.bounds import GeneralizationBound

VALUES_AT_ONCE = 2**23  # of very many pairs, the values of all samples would not fit the memory


class SVC(CallbackSupportMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
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

    classes_: Labels
    bank_: Bank
    plan_: Plan
    structure_: Structure
    report_: FitReport
    _cannot_train: str | None = None  # of a model from elsewhere: why `restructure` may not train machines like its own

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

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
        with unchanged_on_error(self):
            self._fit(X, y, sample_weight)
            self._warn_if_late()
        return self

    @with_callbacks
    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        check_parameters(type(self).__name__, self.get_params(deep=False), SVC_CHECKS)
        structure = as_structure(self.structure)
        callbacks = []
        if CallbackWatcher.wanted(self):
            n_lots = 1 if type(structure).build is Structure.build else None
            callbacks = [CallbackWatcher(self, X, y, sample_weight, n_lots)]
        problem = self._pose(X, y, sample_weight)
        self.__dict__.pop("_cannot_train", None)
        with self._workshop(problem, callbacks) as workshop:
            self._build(structure, workshop)
        for callback in callbacks:
            callback.end_fit()
        if self.verbose:
            print(f"[dagmar] {self.report_}")

    def _build(self, structure: Structure, workshop: Workshop) -> None:
        """Have a structure built in a workshop, and keep what comes out."""
        self.plan_ = structure.build(workshop)
        self.bank_, self.report_ = workshop.bank, workshop.report
        self._check_trained()
        self.structure_ = structure

    def _pose(self, X: Any, y: Any, sample_weight: Any, known: Labels | None = None) -> Problem:
        """The training problem; what is worked out on the way (labels, weights, shape) is kept.

        Classes are numbered as their labels are sorted, or as in `known`, which must be the same labels.
        """
        X, y = check_training_data(self, X, y)
        self.classes_, class_index = np.unique(y, return_inverse=True)
        if known is not None:
            place = np.argsort(known)
            if not np.array_equal(self.classes_, known[place]):
                raise ValueError("y does not have the labels this model was trained on")
            self.classes_, class_index = known, place[class_index]
        n_classes = len(self.classes_)
        if n_classes < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {n_classes} class")
        self.class_weight_ = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        if callable(self.kernel):
            self._fit_samples = X  # the kernel function will want them at predict
            self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(class_index),)
            X = kernel_matrix(self.kernel, X, X)
            if X.shape[0] != X.shape[1]:
                raise ValueError("X.shape[0] should be equal to X.shape[1]")
        else:
            self.__dict__.pop("_fit_samples", None)
            self.shape_fit_ = X.shape
        own = PerPair.resolve(self.C, self.gamma, self.kernel, n_classes)
        kernel = Kernel.resolve(self.kernel, self.gamma, self.coef0, self.degree, X)
        weight = check_weights(self.class_weight_, class_index, sample_weight)
        shared_C = cast(float, self.C) if own.C is None else 1.0
        cap = caps(shared_C, weight * self.class_weight_[class_index])
        return Problem.pose(X, class_index, n_classes, kernel, cap, weight, self.precision, self.tol, own)

    @contextmanager
    def _workshop(
        self, problem: Problem | None, watchers: Sequence[Watcher] = (), **machines: Any
    ) -> Iterator[Workshop]:
        """A workshop that shows how far it is and keeps what it has finished, as the parameters want it."""
        settings, checkpoint = self._settings(), None
        with ExitStack() as stack:
            if self.verbose:
                watchers = [*watchers, stack.enter_context(Progress())]
            if self.checkpoint is not None and problem is not None:
                if callable(self.soft_labels):  # what it will say cannot be compared with what it said
                    raise ValueError("a checkpoint cannot be kept where soft_labels is a callable")
                known = identify(problem, self.C, self.class_weight_, settings, self.soft_labels)
                checkpoint = stack.enter_context(Checkpoint(self.checkpoint, known))
            yield Workshop(
                self.classes_, problem, settings, self.soft_labels, checkpoint=checkpoint, watchers=watchers, **machines
            )

    def _settings(self) -> TrainSettings:
        return TrainSettings(self.tol, self.max_iter, self.cache_size * 2**20, self._n_threads())

    def _check_trained(self) -> None:
        bank, report = self.bank_, self.report_
        if not (np.isfinite(bank.coef).all() and np.isfinite(bank.bias).all()):
            raise ValueError(NOT_FINITE)
        self.fit_status_ = int(not report.converged.all())
        if self.fit_status_ and np.any(np.isinf(self.C)) and self.max_iter == -1:
            raise ValueError(f"C=inf allows no margin error, but these classes cannot be separated: {self._late()}")

    def _warn_if_late(self) -> None:
        if self.fit_status_:
            warnings.warn(
                f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data with "
                f"StandardScaler or MinMaxScaler. Machines not converged: {self._late()}",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _late(self) -> str:
        """The first few machines that did not converge."""
        late = np.flatnonzero(~self.report_.converged)
        return ", ".join(self._name_of(m) for m in late[:10]) + (", ..." if len(late) > 10 else "")

    def _name_of(self, machine: int) -> str:
        """A machine in the user's labels, the negative side first."""
        return f"({', '.join(' + '.join(side) if len(side) < 3 else 'rest' for side in self._sides(machine))})"

    def _sides(self, machine: int) -> tuple[list[str], list[str]]:
        """The labels on the negative and on the positive side of a machine."""
        tasks = self.bank_.tasks
        here = slice(tasks.begin[machine], tasks.begin[machine + 1])
        classes, sides = tasks.classes[here], tasks.sides[here]
        negative, positive = ([str(label) for label in self.classes_[classes[sides == s]]] for s in (-1, 1))
        return negative, positive

    def _n_threads(self) -> int:
        return int(joblib.effective_n_jobs(self.n_jobs))

    def _ready(self, X: Any) -> tuple[_core.Data, int]:
        """Samples, checked, as the core reads them, and the threads to decide them with."""
        return self._readied(check_samples(self, X))

    def _readied(self, X: Features) -> tuple[_core.Data, int]:
        # A few samples are decided before a thread would have started: then it need not even be asked for.
        return as_data(X), 1 if X.shape[0] <= 16 else self._n_threads()

    def _check_fitted(self) -> None:
        if "bank_" not in self.__dict__:  # scikit-learn's own check costs as much as deciding a sample
            check_is_fitted(self, "bank_")

    # -------------------------------------------------------------- decide

    def predict(self, X: ArrayLike) -> Labels:
        """The class of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_training_samples)
            Kernel values against the training samples if ``kernel="precomputed"``.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        self._check_fitted()
        if self.break_ties:
            if self.decision_function_shape == "ovo":
                raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
            if isinstance(self.structure_, MaxWins) and len(self.classes_) > 2:
                return self._labels(np.argmax(self.decision_function(X), axis=1))
        samples, n_threads = self._ready(X)
        return self._labels(self.bank_.native.decide(samples, self.plan_.native, n_threads))

    def _labels(self, class_index: NDArray[np.integer[Any]]) -> Labels:
        labels: Labels = self.classes_.take(class_index)
        return labels

    def pair_decisions(self, X: ArrayLike) -> Array:
        """The value of every machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_machines)
            One column per machine, in the order of ``bank_.pairs``; positive for the later class of the pair.
        """
        self._check_fitted()
        return self._values(check_samples(self, X))

    def _values(self, X: Features) -> Array:
        samples, n_threads = self._readied(X)
        ranked = isinstance(self.plan_, PollPlan)  # whose answer hangs on the order of the values
        values: Array = self.bank_.native.values(samples, ranked, n_threads)
        return values

    def decision_function(self, X: ArrayLike) -> Array:
        """How strongly each class, or each pair, is supported.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_classes * (n_classes - 1) / 2)
            For two classes one value, positive for ``classes_[1]``. With machines for all pairs, scikit-learn's values:
            "ovo", the pairs, positive for the earlier class; "ovr", votes plus confidences below half a vote. With one
            machine per class, their values. With a tree's machines, a score along the path: the later a class was dropped,
            and the less clearly, the higher; the answer has the highest.
        """
        self._check_fitted()
        n_classes = len(self.classes_)
        if self.bank_.all_pairs and n_classes > 2 and self.decision_function_shape != "ovo":
            samples = check_samples(self, X)
            at_once = max(_core.SAMPLES_AT_ONCE, VALUES_AT_ONCE // self.bank_.n_machines)
            blocks = (self._values(samples[first : first + at_once]) for first in range(0, samples.shape[0], at_once))
            return np.concatenate([layout.votes_and_confidence(values, n_classes) for values in blocks])
        if self.bank_.all_pairs or isinstance(self.plan_, PollPlan):
            values = self.pair_decisions(X)
            if n_classes == 2:
                return values[:, 0]
            if self.bank_.all_pairs:
                return -values
        if self.decision_function_shape == "ovo":
            raise ValueError(
                f"decision_function_shape='ovo' needs machines for all pairs, which {self.structure_!r} has not"
            )
        return values if isinstance(self.plan_, PollPlan) else scores_along(self.plan_, self.decision_path(X))

    def decision_path(self, X: ArrayLike) -> DecisionPath:
        """The machines consulted for each sample, in order, with their values.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        DecisionPath
        """
        self._check_fitted()
        samples, n_threads = self._ready(X)
        path = self.bank_.native.trace(samples, self.plan_.native, n_threads)
        return DecisionPath(path.begin, path.machines, path.values, path.answers)

    def decision_cost(self, X: ArrayLike) -> DecisionCost:
        """What deciding costs: machines, kernel evaluations and summed support vectors per sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        DecisionCost
        """
        return DecisionCost.of(self.bank_, self.decision_path(X))

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

        self._check_fitted()
        if not self.bank_.all_pairs:
            raise MissingMachinesError(
                f"the theorems are about a DDAG, with a machine for each of the {len(all_pairs(len(self.classes_)))} pairs of "
                f"classes, and this model has {self.bank_.n_machines} machines that are not those. "
                'restructure("ddag", X, y) trains them.'
            )
        samples = check_samples(self, X)
        class_index = check_class_index(self.classes_, samples, y)
        if self.bank_.vectors is None and samples.shape[0] != self.shape_fit_[0]:
            raise ValueError(
                f"X has {samples.shape[0]} samples where the model was trained on {self.shape_fit_[0]}; with a kernel that is "
                "known by its matrix, the norms of the machines need all of them"
            )
        n_classes = len(self.classes_)
        order = getattr(self.structure_, "order", None) if isinstance(self.structure_, DDAG) else None
        order = np.arange(n_classes) if order is None else np.array(order, dtype=np.int64)
        n_threads = self._n_threads()
        return measure(self.bank_, samples, class_index, self.classes_, order, delta, radius, base, n_threads)

    def explain(self, x: ArrayLike) -> str:
        """One sample's way to its class, in words.

        Parameters
        ----------
        x : array-like of shape (n_features,) or (1, n_features)

        Returns
        -------
        str
        """
        x = x if sp.issparse(x) or callable(self.kernel) else np.atleast_2d(np.asarray(x))
        path = self.decision_path(x)
        if len(path) != 1:
            raise ValueError(f"explain takes one sample, got {len(path)}")
        machines, values = path[0]
        lines = []
        for step, (machine, value) in enumerate(zip(machines.tolist(), values.tolist(), strict=True), 1):
            if isinstance(self.plan_, PollPlan):
                lines.append(f"{step}. {self.classes_[machine]} against the rest: {value:.3g}")
                continue
            winner, loser = (" or ".join(side) for side in self._sides(machine)[:: -1 if value >= 0 else 1])
            clear = "" if abs(value) >= 1 else ", inside the margin"
            lines.append(f"{step}. {winner} beats {loser} ({abs(value):.3g}{clear})")
        return "\n".join([*lines, f"Answer: {self.classes_[path.answers[0]]}"])

    def restructure(
        self,
        structure: str | Structure,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> SVC:
        """The same machines, consulted in another way.

        Parameters
        ----------
        structure : str or Structure
        X, y, sample_weight : array-like, optional
            The training data, as given to `fit`; needed only where the structure asks for machines that this model
            lacks. They are then trained.

        Returns
        -------
        SVC
            A new fitted estimator over the same bank; this one stays as it is.
        """
        self._check_fitted()
        if (X is None) != (y is None):
            raise ValueError("X and y go together: give both or neither")
        other: SVC = type(self)(**{**self.get_params(deep=False), "structure": structure})
        made = as_structure(structure)
        other.classes_, problem = self.classes_, None
        if X is not None:
            problem = other._pose(X, y, sample_weight, known=self.classes_)
        at_hand: dict[str, Any] = {"bank": self.bank_, "report": self.report_, "cannot_train": self._cannot_train}
        with other._workshop(problem, **at_hand) as workshop:
            plan = made.build(workshop)
        parameters = other.get_params(deep=False)
        other.__dict__.update({k: v for k, v in self.__dict__.items() if k not in parameters})
        other.bank_, other.report_ = workshop.bank, workshop.report
        other.structure_, other.plan_ = made, plan
        return other

    # ---------------------------------------- scikit-learn's fitted attributes

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
