"""Make training problems from X, y, weights and parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.class_weight import compute_class_weight

from ..base.frozen import FrozenArrays, freeze
from ..base.kept import kept_for_few_classes
from ..base.typing import Array, Features, Index, Labels
from .callable_kernels import KernelFunction, kernel_matrix
from .choices import training_rows
from .kernels import Kernel, refuse_negative
from .labels import SortedClasses, name_of, sort_classes
from .ordinary_arrays import plain_sums
from .per_pair import PerPair
from .problem import Problem, caps
from .reductions import DistantRows
from .samples import ByClass, in_order
from .validation import Columns, check_samples, check_training_data
from .weights import check_weights


@dataclass(frozen=True)
class ProblemParameters:
    """The parameters of `dagmar.SVC` that a problem depends on, with the same meaning and defaults.

    Examples
    --------
    >>> import dagmar
    >>> from dagmar.problem.making import ProblemParameters
    >>> ProblemParameters.of(dagmar.SVC(C=10)).C
    10
    """

    C: float | ArrayLike = 1.0
    kernel: str | Callable[..., Any] = "rbf"
    degree: int = 3
    gamma: str | float | ArrayLike = "scale"
    coef0: float = 0.0
    tol: float = 1e-3
    class_weight: dict[Any, float] | str | None = None
    precision: str = "auto"

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Return the parameters of an estimator, which must have all of them."""
        return cls(*_values(estimator))


_values = attrgetter(*ProblemParameters.__match_args__)


@dataclass(frozen=True, eq=False)
class Learned(FrozenArrays):
    """What a fit learns from X and y in addition to the machines.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels.
    class_weight : ndarray of shape (n_classes,)
        The factor of C of each class.
    shape_fit : tuple of int
        Shape of the training data.
    columns : Columns or None
        Number and names of the features; None for a callable kernel.
    function : KernelFunction or None
        A callable kernel with its training samples; None for other kernels.
    target : str or None
        The name of y, if it is a column of a data frame.
    """

    classes: Labels
    class_weight: Array
    shape_fit: tuple[int, ...]
    columns: Columns | None = None
    function: KernelFunction | None = None
    target: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        shape = _shape_of(self.classes)
        if len(shape) != 1 or _shape_of(self.class_weight) != shape:
            raise ValueError("classes and class_weight must be arrays with one entry per class")

    def check(
        self, X: Any, vectors: Features, kernel: str, support: Index | None = None, n_jobs: int | None = 1
    ) -> Features:
        """Check samples for a model with these support vectors and this kernel; see `check_samples`."""
        X = check_samples(X, self.columns, self.function, vectors, self.shape_fit[0], support, n_jobs)
        refuse_negative(kernel, X)
        return X


def _shape_of(array: Any) -> tuple[int, ...]:
    return array.shape if type(array) is np.ndarray else np.shape(array)  # which takes longer


@kept_for_few_classes
def _equal_weights(n_classes: int) -> Array:
    return freeze(np.ones(n_classes))


@dataclass(frozen=True)
class CheckedSamples:
    """Samples that are checked already, because they are not in this process; y is checked, too.

    Attributes
    ----------
    rows : DistantRows
    columns : Columns
    target : str or None
        The name of y.
    """

    rows: DistantRows
    columns: Columns
    target: str | None = None


def make_problem(
    parameters: ProblemParameters,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    owner: str = "SVC",
    known: Labels | None = None,
    n_threads: int = 1,
) -> tuple[Problem, Learned]:
    """Check the training data and make the training problem.

    Parameters
    ----------
    parameters : ProblemParameters
    X, y, sample_weight
        As given to `fit`.
    owner : str
        Name of the estimator, for messages.
    known : ndarray of shape (n_classes,), optional
        Number the classes in this order; y must have exactly these labels.
    n_threads : int
        Threads for large data. The result does not depend on it.

    Returns
    -------
    problem : Problem
    learned : Learned

    Examples
    --------
    >>> from dagmar.problem.making import ProblemParameters, make_problem
    >>> problem, learned = make_problem(ProblemParameters(gamma=1.0), [[0.0], [1.0], [2.0]], ["b", "a", "b"])
    >>> problem.order.tolist(), learned.classes.tolist()
    ([1, 0, 2], ['a', 'b'])
    """
    sums = plain_sums(X, parameters.kernel, n_threads)
    X, classes, columns, target = check_data(owner, parameters.kernel, X, y, n_threads, sums, known)
    return make_checked(parameters, X, classes, sample_weight, columns, target, n_threads, sums)


def check_data(
    owner: str,
    kernel: str | Callable[..., Any],
    X: Any,
    y: Any,
    n_threads: int = 1,
    sums: Array | None = None,
    known: Labels | None = None,
) -> tuple[Features | DistantRows, SortedClasses, Columns | None, str | None]:
    """Check the samples and labels given to `fit`, if they are not checked yet.

    Parameters
    ----------
    owner : str
        Name of the estimator, for messages.
    kernel : str or callable
    X, y
        As given to `fit`, or `CheckedSamples` and their labels.
    n_threads : int
        Threads for large data.
    sums : ndarray of shape (n_features,), optional
        The `plain_sums` of X, if they are known.
    known : ndarray of shape (n_classes,), optional
        As for `sort_classes`.

    Returns
    -------
    X : ndarray, CSR matrix or DistantRows of shape (n_samples, n_features)
    classes : SortedClasses
    columns : Columns or None
        None for a callable kernel.
    target : str or None
        The name of y.
    """
    if not isinstance(X, CheckedSamples):
        return *check_training_data(owner, kernel, X, y, n_threads, sums, known), name_of(y)
    if kernel == "precomputed":
        raise TypeError(
            "kernel='precomputed' needs the whole kernel matrix in this process, because columns are chosen from it for every "
            "machine; pass a NumPy array: X.compute()"
        )
    if callable(kernel):
        raise TypeError(
            "a callable kernel is called here, with all samples; pass a NumPy array: X.compute(). With Dask collections, "
            "the other kernels are computed on the workers"
        )
    return X.rows, sort_classes(y, known), X.columns, X.target


def make_checked(
    parameters: ProblemParameters,
    X: Any,
    sorted_y: SortedClasses,
    sample_weight: Any = None,
    columns: Columns | None = None,
    target: str | None = None,
    n_threads: int = 1,
    sums: Array | None = None,
) -> tuple[Problem, Learned]:
    """Make the training problem from data that is checked: see `make_problem`.

    Parameters
    ----------
    parameters : ProblemParameters
    X : ndarray, CSR matrix or DistantRows
    sorted_y : SortedClasses
    sample_weight : array-like of shape (n_samples,), optional
    columns : Columns or None
    target : str or None
        The name of y.
    n_threads : int
    sums : ndarray of shape (n_features,), optional
        The `plain_sums` of X, if they are known.

    Returns
    -------
    problem : Problem
    learned : Learned
    """
    classes, order = sorted_y.labels, sorted_y.samples.order
    if parameters.class_weight is None:
        class_weight = _equal_weights(len(classes))
    else:
        y = classes[sorted_y.samples.class_index]
        class_weight = compute_class_weight(parameters.class_weight, classes=classes, y=y)
    shape_fit = tuple(X.shape) if hasattr(X, "shape") else (len(order),)
    function = None
    if callable(parameters.kernel):
        function = KernelFunction(parameters.kernel, X)
        X = kernel_matrix(parameters.kernel, X, X)
        if X.shape[0] != X.shape[1]:
            raise ValueError("X.shape[0] should be equal to X.shape[1]")
    per_pair = PerPair.resolve(parameters.C, parameters.gamma, parameters.kernel, len(classes))
    rows = training_rows(X, parameters.kernel, n_threads)
    refuse_negative(parameters.kernel, rows)
    kernel = Kernel.resolve(parameters.kernel, parameters.gamma, parameters.coef0, parameters.degree, rows)
    shared_C = float(cast(float, parameters.C)) if per_pair.C is None else 1.0
    weight: Array | float = 1.0
    cap: Array | float = shared_C
    if parameters.class_weight is not None or sample_weight is not None:
        class_index = sorted_y.samples.class_index
        weight = check_weights(class_weight, class_index, sample_weight)
        cap = caps(shared_C, weight * class_weight[class_index])
    by_class = ByClass(order, sorted_y.samples.class_start, in_order(weight, order))
    problem = Problem.make(
        X,
        by_class,
        kernel,
        cap,
        parameters.precision,
        parameters.tol,
        rows=rows,
        per_pair=per_pair,
        n_threads=n_threads,
        sums=sums,
    )
    return problem, Learned(classes, class_weight, shape_fit, columns, function, target)
