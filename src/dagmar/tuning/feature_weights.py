"""Feature weights, learned from fitted machines: how much each feature counts."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_is_fitted, validate_data

from ..analysis.gradients import KERNELS, mean_square_gradients
from ..base.exceptions import InvalidParameterError
from ..base.parameters import Check, check_parameters, none, number
from ..base.threads import n_threads
from ..base.typing import Array, Features, Index
from ..estimators.svc import SVC
from ..machines.bank import Bank
from ..pictures.reading import classifier_of, prepared
from ..problem.making import check_data
from ..problem.weights import check_weights

# Gradients are computed at no more samples than this, and of no more machines.
MOST_SAMPLES, MOST_MACHINES = 1000, 2000
# Weights have settled if none has moved by more than this in a round; their mean is 1.
SETTLED = 0.01

_ACCEPTED = {"dtype": [np.float64, np.float32], "accept_sparse": "csr"}
_CHECKS = {
    "svc": Check(lambda v: isinstance(v, SVC), "an SVC") | none,
    "rounds": number(1, np.inf, "left", Integral),
    "power": number(0.0, np.inf, "neither"),
}


class FeatureWeights(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer that gives each feature a weight, learned from the machines of an `SVC`.

    A sample's features are multiplied by the square roots of their weights. So squared differences and products of two samples
    get the weights themselves, and absolute differences (Laplacian kernel) get their square roots. Features that hardly
    change the values of machines get small weights, and disturb the kernel less. Scale features first.

    Parameters
    ----------
    weights : array-like of shape (n_features,) or None, default=None
        The weights, if they are known. None: learned by `fit`, as `learn_weights` does.
    svc : SVC or None, default=None
        Its parameters are those of the machines that are trained in each round; None for those of ``SVC()``. Use the kernel,
        C and gamma of the classifier that follows.
    rounds : int, default=3
        At most this many times, machines are trained and weights learned.
    power : float, default=1.0
        Weights are mean square derivatives to this power. Those of a smaller power, such as 0.5, are more even: they help less
        where few features matter, and hurt less elsewhere.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (`n_features_in_`,)
        The weights. None is negative, and their mean is 1.
    scale_ : ndarray of shape (`n_features_in_`,)
        What features are multiplied by: the square roots of the weights.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if X has string column names.

    See Also
    --------
    learn_weights : The weights alone.
    feature_importance : Which features count for a fitted classifier.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), dagmar.tuning.FeatureWeights(), dagmar.SVC()).fit(X, y)
    >>> model[1].feature_weights_.round(1).tolist()
    [0.0, 0.0, 1.5, 2.4]
    """

    def __init__(
        self, weights: ArrayLike | None = None, *, svc: SVC | None = None, rounds: int = 3, power: float = 1.0
    ) -> None:
        self.weights = weights
        self.svc = svc
        self.rounds = rounds
        self.power = power

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the weights, or take those that were given.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,), optional
            Labels; needed if weights are learned.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of C per sample; by default 1. Not used if weights are given.

        Returns
        -------
        self : FeatureWeights
        """
        check_parameters("FeatureWeights", {name: getattr(self, name) for name in _CHECKS}, _CHECKS)
        samples = validate_data(self, X, **_ACCEPTED)
        if self.weights is not None:
            self.feature_weights_ = _checked(self.weights, samples.shape[1])
            return self
        if y is None:
            raise ValueError("FeatureWeights requires y to be passed, but the target y is None.")
        learned = learn_weights(samples, y, sample_weight, svc=self.svc, rounds=self.rounds, power=self.power)
        self.feature_weights_ = learned
        return self

    def transform(self, X: ArrayLike) -> Features:
        """Multiply each feature by the square root of its weight.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray or CSR matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return scale_samples(validate_data(self, X, reset=False, **_ACCEPTED), self.scale_)

    @property
    def scale_(self) -> Array:
        """What features are multiplied by: the square roots of the weights."""
        check_is_fitted(self)
        scale: Array = np.sqrt(self.feature_weights_)
        return scale

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self.weights is None
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def learn_weights(
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    svc: SVC | None = None,
    rounds: int = 3,
    power: float = 1.0,
) -> Array:
    """Learn a weight for each feature from the gradients of machines.

    In each round an `SVC` is fitted to weighted samples. The new weight of a feature is the mean square of the derivative of
    the machines by the feature (before weighting), each at samples of its own classes. This is the diagonal form of the
    recursive feature machine.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Training samples, with features of similar size.
    y : array-like of shape (n_samples,)
        Labels.
    sample_weight : array-like of shape (n_samples,), optional
        Factors of C per sample; by default 1. They weight the means as well.
    svc : SVC or None, default=None
        Its parameters are those of the machines; None for those of ``SVC()``. It is not changed. Not for kernels that are
        precomputed or callable.
    rounds : int, default=3
        The most rounds; fewer if no weight changes by more than 0.01.
    power : float, default=1.0
        Weights are mean square derivatives to this power; see `FeatureWeights`.

    Returns
    -------
    ndarray of shape (n_features,)
        Weights whose mean is 1. A constant feature has the weight 0 with the kernels rbf, laplacian and linear.

    See Also
    --------
    dagmar.tuning.FeatureWeights : The same as a transformer.

    Notes
    -----
    Machines count the same, however steep they are, except that those whose values hardly change count less.

    Derivatives are taken at no more than 1000 samples, spread evenly over the classes, and of no more than 2000 machines. The
    result does not depend on chance or on the number of threads.

    Labels are used: a score by cross-validation is honest only if weights are learned inside each fold.

    References
    ----------
    Radhakrishnan, Beaglehole, Pandit & Belkin, Mechanism for feature learning in neural networks and backpropagation-free
    machine learning models, Science 383, 2024.

    Examples
    --------
    >>> import dagmar
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> dagmar.tuning.learn_weights(X, X[:, 0] * X[:, 2] > 0).round(1).tolist()
    [1.6, 0.0, 1.4]
    """
    check_parameters("learn_weights", {"svc": svc, "rounds": rounds, "power": power}, _CHECKS)
    machines: SVC = SVC() if svc is None else clone(svc)
    if not isinstance(machines.kernel, str) or machines.kernel not in KERNELS:
        raise InvalidParameterError(
            f"Feature weights can be learned with the kernels {', '.join(KERNELS)}. Got {machines.kernel!r} instead."
        )
    machines.set_params(probability=False, verbose=False)
    samples, (classes, by_class), *_ = check_data("learn_weights", machines.kernel, X, y, n_threads(machines.n_jobs))
    class_index = by_class.class_index
    weight = check_weights(np.ones(len(classes)), class_index, sample_weight)
    points = spread(np.argsort(class_index, kind="stable"), MOST_SAMPLES)
    weights: Array = np.ones(samples.shape[1])
    for _ in range(rounds):
        scaled = scale_samples(samples, np.sqrt(weights))
        bank = machines.fit(scaled, classes[class_index], weight).bank_
        some = scaled[points]
        squares = _mean_squares(bank, some, class_index[points], weight[points], _variances(some, weight[points]))
        squares *= weights  # derivatives by the features before weighting
        before, weights = weights, _with_mean_1(squares**power)
        if np.abs(weights - before).max() <= SETTLED:
            break
    return weights


def feature_importance(estimator: Any, X: ArrayLike, y: ArrayLike | None = None) -> Array:
    """Return how much each feature counts for a fitted classifier.

    The importance of a feature is the mean square of the derivatives of the machines by it, times its variance, divided by the
    sum over all features. It does not depend on the units of features. Machines count as in `learn_weights`.

    Parameters
    ----------
    estimator : SVC, SVCCV, or a Pipeline that ends with one
        Fitted, with a kernel rbf, linear, poly, sigmoid or laplacian.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples, as `estimator.predict` takes them.
    y : array-like of shape (n_samples,), optional
        Their labels; by default those that the estimator gives them. A machine is asked at samples of its own classes only.

    Returns
    -------
    ndarray of shape (n_features,)
        Shares between 0 and 1 whose sum is 1; zeros if no feature changes any value. For a pipeline, features are those that
        the last step gets.

    See Also
    --------
    dagmar.tuning.FeatureWeights : Weights that change the kernel.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> dagmar.tuning.feature_importance(dagmar.SVC().fit(X, y), X, y).round(2).tolist()
    [0.01, 0.01, 0.9, 0.08]
    """
    clf = classifier_of(estimator)
    labels = np.asarray(estimator.predict(X) if y is None else y)
    best = getattr(clf, "best_estimator_", clf)  # a search with a scaler holds a pipeline
    samples, svc = prepared(best, prepared(estimator, X)), classifier_of(best)
    if not isinstance(svc, SVC):
        raise TypeError(f"a {type(svc).__name__} has no kernel machines, whose gradients could be computed")
    model = svc._asked()
    samples = svc._check(model, samples)
    place = {label: c for c, label in enumerate(model.classes.tolist())}
    class_index = np.array(
        [place.get(label, -1) for label in labels.tolist()]
    )  # no machine has samples of other labels
    points = spread(np.argsort(class_index, kind="stable"), MOST_SAMPLES)
    some, weight = samples[points], np.ones(len(points))
    variances = _variances(some, weight)
    parts = _mean_squares(model.bank_as(Bank), some, class_index[points], weight, variances) * variances
    total = parts.sum()
    return parts / total if total > 0 else parts


def _checked(weights: ArrayLike, n_features: int) -> Array:
    """Return weights that the user gave, with the mean 1."""
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (n_features,):
        raise ValueError(f"X has {n_features} features, but the shape of weights is {given.shape}")
    if not (np.isfinite(given) & (given >= 0)).all() or not given.any():
        raise InvalidParameterError("weights of features must be finite, not negative, and not all 0")
    return _with_mean_1(given)


def scale_samples(X: Features, scale: Array) -> Features:
    """Return samples whose features are multiplied by these numbers, in the precision of the samples."""
    factors = scale.astype(X.dtype)
    if not sp.issparse(X):
        return X * factors
    scaled = X.copy()
    scaled.data *= factors[scaled.indices]
    return scaled


def spread(index: Index, most: int) -> Index:
    """Return all of some numbers, or as many as `most` of them at even distances."""
    return index if len(index) <= most else index[np.linspace(0, len(index) - 1, most).astype(np.int64)]


def _mean_squares(bank: Bank, X: Features, class_index: Index, weight: Array, variances: Array) -> Array:
    """Return the mean square derivative by each feature, over samples and machines, shape (n_features,).

    Steep machines count the same, however steep they are: each is divided by the mean square change of its value over the
    samples. Machines whose values change by less than a margin, 1, count less, because their derivatives may be mere noise.
    """
    if bank.n_machines > MOST_MACHINES:
        bank = bank.select(spread(np.arange(bank.n_machines), MOST_MACHINES))
    squares = mean_square_gradients(bank, X, class_index, weight)
    change = squares @ variances
    mean: Array = (squares / np.maximum(change, 1.0)[:, None]).mean(axis=0)
    return mean


def _variances(X: Features, weight: Array) -> Array:
    variances: Array
    if sp.issparse(X):
        variances = mean_variance_axis(X.astype(np.float64), axis=0, weights=weight)[1]
    else:
        mean = np.average(X, axis=0, weights=weight)
        variances = np.average((X - mean) ** 2, axis=0, weights=weight)
    return variances


def _with_mean_1(weights: Array) -> Array:
    """Return weights with the mean 1; if all are 0, all become 1."""
    mean = weights.mean()
    return weights / mean if mean > 0 else np.ones(len(weights))
