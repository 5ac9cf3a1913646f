"""From a fitted `sklearn.svm.SVC` or `NuSVC` to a fitted `dagmar.SVC`, and from there to a fitted `sklearn.svm.SVC`.

Some of the attributes that scikit-learn predicts with are private. They are used in this file only.
"""

from __future__ import annotations

from functools import partial
from types import FunctionType
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.metrics.pairwise import chi2_kernel, laplacian_kernel
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC as TheirSVC
from sklearn.svm import NuSVC as TheirNuSVC
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from ..base.typing import Features
from ..estimators.svc import SVC
from ..problem.callable_kernels import KernelFunction
from ..problem.kernels import Kernel
from ..problem.making import Learned
from ..problem.validation import Columns
from ..structures import Structure
from ..tuning.svccv import SVCCV
from .foreign_pairs import ForeignPairs, adopt, consult
from .outgoing import pairs_of, steps_of

_NU = (
    "they cannot be trained: its machines are nu-SVC machines, and Dagmar trains C-SVC machines only. "
    "Train a dagmar.SVC, or choose a structure that needs only pairs."
)


def from_sklearn(
    fitted_svc: Any,
    structure: str | Structure = "max_wins",
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    n_jobs: int | None = None,
    precision: str = "auto",
) -> SVC:
    """Make a fitted `SVC` from a fitted model of scikit-learn, without training; the original is not changed.

    Parameters
    ----------
    fitted_svc : sklearn.svm.SVC or sklearn.svm.NuSVC
        The original: a fitted model with any kernel, trained on dense or sparse data. The functions `laplacian_kernel` and
        `chi2_kernel` of `sklearn.metrics.pairwise`, also with a gamma by `functools.partial`, become the kernels "laplacian"
        and "chi2".
    structure : str or Structure, default="max_wins"
        How the machines are consulted. "max_wins" gives the labels of the original; other structures differ on a few samples.
    X, y : array-like, optional
        The training data of the original, for structures that use it ("divide_and_conquer", "fisher_tree", "centered_tree",
        "adaptive_ddag") or that need other machines ("one_vs_rest"), which are then trained. If the original was fitted with
        sample weights, leave out X and y here and pass X, y and the weights to `SVC.restructure`.
    n_jobs : int or None, default=None
        Number of threads, -1 for all cores.
    precision : {"auto", "single", "double"}, default="auto"
        Precision of kernel values. "auto" uses single if an error estimate says that it is safe and the training data was
        large enough to save time. Labels are always those of double precision.

    Returns
    -------
    SVC
        The fitted classifier, with the parameters and fitted attributes of the original. It has `predict_proba` if the original
        has it. A `NuSVC` has no C: C is then 1.0, has no effect, and no more machines can be trained. In `report_` only steps
        and convergence are known; the rest is None or 0.

    Raises
    ------
    TypeError
        If `fitted_svc` is not an `SVC` or `NuSVC`.
    sklearn.exceptions.NotFittedError
        If `fitted_svc` is not fitted.
    MissingDataError, MissingMachinesError
        If the structure needs X and y, or machines that cannot be trained.

    See Also
    --------
    to_sklearn : The way back.
    from_libsvm : From a model file of LIBSVM.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.svm import SVC
    >>> X, y = load_digits(return_X_y=True)
    >>> slow = SVC(C=10).fit(X, y)
    >>> quick = dagmar.from_sklearn(slow)
    >>> bool((quick.predict(X) == slow.predict(X)).all())
    True
    """
    if not isinstance(fitted_svc, TheirSVC | TheirNuSVC):
        raise TypeError(
            "from_sklearn takes a fitted sklearn.svm.SVC or sklearn.svm.NuSVC (of a pipeline, pass that step; of a search, its "
            f"best_estimator_). Got {type(fitted_svc).__name__} instead."
        )
    check_is_fitted(fitted_svc)
    params = fitted_svc.get_params(deep=False)
    shared = {name: params[name] for name in SVC().get_params() if name in params}
    native = _native_kernel(fitted_svc)
    if native is not None:
        shared |= {"kernel": native.name, "gamma": native.gamma}
    model = adopt(
        {**shared, "n_jobs": n_jobs, "precision": precision},
        _pairs(fitted_svc),
        _learned(fitted_svc),
        fitted_svc.n_iter_,
        fitted_svc.fit_status_,
        cannot_train=_NU if isinstance(fitted_svc, TheirNuSVC) else None,
    )
    return consult(model, structure, X, y)


# Kernel functions of scikit-learn that are kernels here, with their default gamma; None is 1 / n_features.
_NATIVE: dict[Any, tuple[str, float | None]] = {laplacian_kernel: ("laplacian", None), chi2_kernel: ("chi2", 1.0)}


def _native_kernel(theirs: Any) -> Kernel | None:
    """Return the kernel that computes what a callable of scikit-learn does, also inside of a `functools.partial`."""
    function: Any = theirs.kernel
    given: dict[str, Any] = {}
    if isinstance(function, partial) and not function.args:
        function, given = function.func, function.keywords
    if not isinstance(function, FunctionType) or function not in _NATIVE or not given.keys() <= {"gamma"}:
        return None
    name, default = _NATIVE[function]
    gamma = given.get("gamma", default)
    if gamma is None and name == "laplacian":
        gamma = 1.0 / np.shape(theirs._BaseLibSVM__Xfit)[1]
    # Without a number, or with a negative one, it stays a callable, and scikit-learn says what it thinks of it.
    return Kernel(name, float(gamma)) if isinstance(gamma, int | float | np.number) and gamma >= 0 else None


def _vectors(theirs: Any, native: Kernel | None) -> Features | None:
    """Return the support vectors; None for precomputed and callable kernels."""
    if native is not None:
        samples = check_array(theirs._BaseLibSVM__Xfit, dtype=np.float64, accept_sparse="csr")
        return samples[theirs.support_]
    return None if theirs.kernel == "precomputed" or callable(theirs.kernel) else theirs.support_vectors_


def _pairs(theirs: Any) -> ForeignPairs:
    # With two classes scikit-learn flips the signs of its attributes, so that positive values are for the later class.
    sign = -1.0 if len(theirs.classes_) == 2 else 1.0
    dual_coef = theirs.dual_coef_.toarray() if sp.issparse(theirs.dual_coef_) else np.asarray(theirs.dual_coef_)
    native = _native_kernel(theirs)
    return ForeignPairs(
        class_start=np.concatenate([[0], np.cumsum(theirs.n_support_)]).astype(np.int64),
        dual_coef=sign * dual_coef,
        intercept=sign * theirs.intercept_,
        vectors=_vectors(theirs, native),
        support=theirs.support_.astype(np.int64),
        # Gamma is a number here, so X is not needed to resolve it.
        kernel=native or Kernel.resolve(theirs.kernel, _resolved_gamma(theirs), theirs.coef0, theirs.degree, None),
        **_sigmoids(theirs),
    )


def _sigmoids(theirs: Any) -> dict[str, Any]:
    """Return the sigmoids of a model fitted with ``probability=True``; their public names warn that they will be removed."""
    probA, probB = getattr(theirs, "_probA", np.zeros(0)), getattr(theirs, "_probB", np.zeros(0))
    return {"probA": probA, "probB": probB} if len(probA) else {}


def _resolved_gamma(theirs: Any) -> float:
    """Return gamma as a number. "scale" depends on the training data, and no public attribute has the result."""
    return float(theirs._gamma)


def _learned(theirs: Any) -> Learned:
    """Return what the fit of scikit-learn learned from its data."""
    columns = function = None
    if hasattr(theirs, "n_features_in_"):  # not with a callable kernel
        names = getattr(theirs, "feature_names_in_", None)
        columns = Columns("SVC", theirs.n_features_in_, None if names is None else names.copy())
    if _native_kernel(theirs) is not None:
        samples = theirs._BaseLibSVM__Xfit
        columns = Columns("SVC", np.shape(samples)[1])  # names of columns mean nothing to a callable
    elif callable(theirs.kernel):
        # A callable kernel needs the training samples to predict; scikit-learn has them only under this private name.
        function = KernelFunction(theirs.kernel, theirs._BaseLibSVM__Xfit)
    return Learned(theirs.classes_.copy(), theirs.class_weight_.copy(), tuple(theirs.shape_fit_), columns, function)


def to_sklearn(model: SVC | SVCCV | Pipeline) -> Any:
    """Make a fitted `sklearn.svm.SVC` with the values and labels of a fitted model.

    It can be used wherever scikit-learn's models can: pickled for a machine without dagmar, say, or converted by skl2onnx.

    Parameters
    ----------
    model : SVC, SVCCV or Pipeline
        A fitted model with structure "max_wins" or "and_gate" (with two classes, any structure over pairs). Of an `SVCCV`, the
        best estimator is used; a `Pipeline` ends with one of these.

    Returns
    -------
    sklearn.svm.SVC or sklearn.pipeline.Pipeline
        Fitted, with the parameters and fitted attributes of the original. It has `predict_proba` if the original has
        probabilities; scikit-learn finds them by an iteration that ends early, so they differ from the third digit on. Where C
        is an array, which scikit-learn does not have, it gets 1.0; that matters only if it is fitted again. Of a `Pipeline`,
        a new one with the same steps and the new classifier.

    Raises
    ------
    TypeError
        If the model is not one of those above.
    ValueError
        If scikit-learn cannot give its labels: with other structures, or a gamma for each pair.

    See Also
    --------
    from_sklearn : The way back.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = dagmar.SVC(C=10, structure="max_wins").fit(X, y)
    >>> theirs = dagmar.to_sklearn(clf)
    >>> type(theirs).__module__, bool((theirs.predict(X) == clf.predict(X)).all())
    ('sklearn.svm._classes', True)
    """
    *transformers, (name, svc) = steps_of(model)
    theirs = _theirs(svc, pairs_of(svc, "sklearn.svm.SVC"))
    if transformers:
        return Pipeline([*transformers, (name, theirs)])
    return theirs


def _theirs(svc: SVC, pairs: ForeignPairs) -> TheirSVC:
    model = svc._fitted()
    params = svc.get_params(deep=False)
    shared = {name: params[name] for name in TheirSVC().get_params() if name in params and name != "probability"}
    shared["break_ties"] = svc._breaks_ties(model)
    if np.ndim(svc.C):
        shared["C"] = 1.0
    if np.ndim(svc.gamma):  # the same for every pair, or it would have been refused
        shared["gamma"] = pairs.kernel.gamma
    with_probabilities = pairs.probA is not None
    theirs = TheirSVC(**shared, **({"probability": True} if with_probabilities else {}))
    for name, value in {**_state(pairs), **_learned_state(svc, model.learned)}.items():
        setattr(theirs, name, value)
    return theirs


def _state(pairs: ForeignPairs) -> dict[str, Any]:
    """Return the attributes of a fitted `sklearn.svm.SVC` that have its machines."""
    sparse = sp.issparse(pairs.vectors)
    sign = -1.0 if pairs.n_classes == 2 else 1.0
    dual_coef = np.array(pairs.dual_coef)
    if sparse:
        # With all zeros stored: scikit-learn hands the stored values to LIBSVM as a full matrix.
        rows, columns = dual_coef.shape
        places = np.tile(np.arange(columns, dtype=np.int32), rows), columns * np.arange(rows + 1, dtype=np.int32)
        dual_coef = sp.csr_matrix((dual_coef.ravel(), *places), shape=(rows, columns))
    none = np.zeros(0)
    return {
        "support_": pairs.support.astype(np.int32),
        "support_vectors_": np.empty((0, 0)) if pairs.vectors is None else pairs.vectors.astype(np.float64),
        "_n_support": np.diff(pairs.class_start).astype(np.int32),
        "dual_coef_": sign * dual_coef,
        "_dual_coef_": dual_coef,
        "intercept_": sign * pairs.intercept,
        "_intercept_": np.array(pairs.intercept),
        "_probA": none if pairs.probA is None else np.array(pairs.probA),
        "_probB": none if pairs.probB is None else np.array(pairs.probB),
        "_effective_probability": pairs.probA is not None,
        "_gamma": float(pairs.kernel.gamma) if pairs.kernel.name != "precomputed" else 0.0,
        "_sparse": sparse,
    }


def _learned_state(svc: SVC, learned: Learned) -> dict[str, Any]:
    """Return the attributes of a fitted `sklearn.svm.SVC` that do not depend on the machines."""
    iterations = svc.n_iter_.copy()
    state: dict[str, Any] = {
        "classes_": np.array(learned.classes),
        "class_weight_": np.array(learned.class_weight),
        "shape_fit_": learned.shape_fit,
        "fit_status_": svc.fit_status_,
        "n_iter_": iterations,
        "_num_iter": iterations,
    }
    if learned.columns is not None:
        state["n_features_in_"] = learned.columns.n_features
        if learned.columns.names is not None:
            state["feature_names_in_"] = np.array(learned.columns.names)
    if learned.function is not None:
        state["_BaseLibSVM__Xfit"] = learned.function.samples
    return state
