"""Estimators hold one fitted model: what they know from it, and how it is pickled."""

from __future__ import annotations

from functools import cache
from typing import Any, Self, TypeVar

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..base.typing import Labels
from ..base.unfolding import fold, unfold
from ..base.versions import check_version, with_version
from ..machines.report import FitReport
from ..problem.making import Learned
from ..structures import Structure
from ..structures.plans import Plan
from .model import Model


class ModelHolder(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of estimators that hold a `Model`, and read their fitted attributes from it.

    A fit replaces the model by one assignment.
    """

    _model: Model

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """Return the names of the parameters, read from the signature once: scikit-learn asks twice for every clone."""
        names: list[str] = super()._get_param_names()
        return names

    def _model_or_none(self) -> Model | None:
        """Return the model, or None if there is none."""
        return self.__dict__.get("_model")

    def _fitted(self) -> Model:
        """Return the model; raise NotFittedError if there is none."""
        if "_model" not in self.__dict__:
            check_is_fitted(self)  # raises scikit-learn's error
        return self._model

    def _known(self, name: str) -> Model:
        """Return the model, for the fitted attribute `name`; raise AttributeError if there is none."""
        model = self._model_or_none()
        if model is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}: it is not fitted")
        return model

    def _learned(self, name: str) -> Learned:
        """Return what the fit learned from X and y, for the fitted attribute `name`."""
        return self._known(name).learned

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def __getstate__(self) -> dict[str, Any]:
        # Parameters are stored as the user gave them; what a fit has found, as plain values.
        state = super().__getstate__()
        return with_version({name: unfold(value) if name.startswith("_") else value for name, value in state.items()})

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = check_version(type(self).__name__, state)
        super().__setstate__({name: fold(value) for name, value in state.items()})

    def __copy__(self) -> Self:
        # The copy holds the same model, which never changes, with what it has cached.
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        return copy

    def _restore(self, before: Model | None) -> None:
        """Hold the model from before a fit that failed, even if a new one was assigned already."""
        if before is None:
            self.__dict__.pop("_model", None)
        else:
            self._model = before

    @property
    def classes_(self) -> Labels:
        """The labels, shape (n_classes,)."""
        return self._learned("classes_").classes

    @property
    def plan_(self) -> Plan:
        """The plan by which the machines are consulted."""
        return self._known("plan_").plan

    @property
    def structure_(self) -> Structure:
        """The structure that made the plan."""
        return self._known("structure_").structure

    @property
    def report_(self) -> FitReport:
        """The cost of fitting."""
        report = self._known("report_").report
        if report is None:
            raise AttributeError("this model has no report_")
        return report

    @property
    def n_features_in_(self) -> int:
        """Number of features of the training samples."""
        columns = self._learned("n_features_in_").columns
        if columns is None or columns.n_features is None:
            raise AttributeError("n_features_in_ is not known: X has no columns, or the kernel is a callable")
        return columns.n_features

    @property
    def feature_names_in_(self) -> Labels:
        """Names of the features, if X has string column names."""
        columns = self._learned("feature_names_in_").columns
        if columns is None or columns.names is None:
            raise AttributeError("feature_names_in_ is known only if X has string column names")
        return columns.names

    @property
    def target_name_(self) -> str:
        """Name of y, if y is a Series of pandas or polars with a name."""
        name = self._learned("target_name_").target
        if name is None:
            raise AttributeError("target_name_ is known only if y is a Series with a name")
        return name


Held = TypeVar("Held", bound=ModelHolder)


def hold(estimator: Held, model: Model) -> Held:
    """Assign a model to an estimator, which is fitted from then on, and return the estimator."""
    estimator._model = model
    return estimator
