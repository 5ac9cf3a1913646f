"""Probabilities of classes, for classifiers whose model has sigmoids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from ..base.typing import Array
from ..machines.bank import Bank
from . import layout
from .classifier import StructuredClassifier
from .model import Model


def _has_probabilities(classifier: ProbabilisticClassifier) -> bool:
    return classifier._offers_probabilities()


Method = TypeVar("Method", bound=Callable[..., Any])
with_probabilities: Callable[[Method], Method] = available_if(_has_probabilities)


class ProbabilisticClassifier(StructuredClassifier):
    """Base class of classifiers with `predict_proba`, if their parameter `probability` is True."""

    probability: bool

    def _offers_probabilities(self) -> bool:
        """Return True if `predict_proba` exists; raise AttributeError with the reason if not."""
        if not self.probability:
            raise AttributeError("predict_proba is not available when probability=False")
        return True

    def _with_sigmoids(self) -> Model:
        """Return the model; raise NotFittedError if it was fitted without probabilities."""
        model = self._asked()
        if model.sigmoids is None:
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        return model

    @with_probabilities
    def predict_proba(self, X: ArrayLike) -> Array:
        """Compute the probability of each class; only with ``probability=True``.

        The class with the largest probability is not always the answer of `predict`, which is that of the structure.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_training_samples)
            Samples; with a precomputed kernel, their kernel values against the training samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; each row has the sum 1.

        Examples
        --------
        >>> import dagmar
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = dagmar.SVC(probability=True).fit(X, y)
        >>> clf.predict_proba(X[:1]).round(2)
        array([[0.98, 0.01, 0.01]])
        """
        model = self._with_sigmoids()
        return model.probabilities(self._check(model, X), self.n_jobs)

    @with_probabilities
    def predict_log_proba(self, X: ArrayLike) -> Array:
        """Compute the logarithm of `predict_proba`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_training_samples)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):  # in a very deep tree a probability can be below the smallest float
            log_probability: Array = np.log(self.predict_proba(X))
        return log_probability

    @property
    def probA_(self) -> Array:
        """Slopes of the sigmoids, with scikit-learn's meaning; empty without probabilities."""
        return self._sigmoids("probA_")[0]

    @property
    def probB_(self) -> Array:
        """Offsets of the sigmoids, with scikit-learn's meaning; empty without probabilities."""
        return self._sigmoids("probB_")[1]

    def _sigmoids(self, name: str) -> tuple[Array, Array]:
        model = self._known(name)
        return (
            (np.zeros(0), np.zeros(0))
            if model.sigmoids is None
            else layout.sigmoids(model.bank_as(Bank), model.sigmoids)
        )
