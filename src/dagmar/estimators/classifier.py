"""Base classes of the classifiers. A classifier holds one fitted model, and its methods call that model."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..base.exceptions import InvalidParameterError
from ..base.typing import Array, Features, Labels
from ..base.versions import check_version, documentation_url, with_version
from ..machines.bank import Bank
from ..machines.convergence import Unconverged, why_unconverged
from ..machines.report import FitReport
from ..problem.kernels import WITH_GAMMA
from ..problem.making import Learned
from ..problem.validation import as_row
from ..structures import MaxWins, Structure, stands_for
from ..structures.paths import DecisionCost, DecisionPath
from ..structures.plans import Plan
from . import layout
from .model import Model
from .predictor import Predictor

if TYPE_CHECKING:
    from ..analysis.explanation import Explanation


class StructuredClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of classifiers that hold a `Model`: the machines of a bank, consulted by the plan of a structure.

    Every method reads the model once, so a fit in another thread cannot replace it in the middle of a call.
    """

    _model: Model
    structure: Any
    n_jobs: int | None

    # For scikit-learn's HTML view of an estimator: the page that its question mark leads to.
    _doc_link_module = "dagmar"

    @property
    def _doc_link_template(self) -> str:
        site = documentation_url()
        return f"{site}#dagmar.{type(self).__name__}" if site else ""

    # Scikit-learn has no public way to add to its HTML view, so ours follows it, in the two forms that notebooks ask for.

    @property
    def _repr_html_(self) -> Callable[[], str]:
        inner = super()._repr_html_  # an AttributeError if scikit-learn is set to show text
        return lambda: f"{inner()}{self._more_html()}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._more_html()
        return bundle

    def _more_html(self) -> str:
        """Return the fitted structure as a drawing, and the meaning of the parameters where scikit-learn does not show it."""
        from .notebook import parameters_html, structure_html

        model = self._model_or_none()
        drawn = "" if model is None else structure_html(model)
        # With the address of a documentation, scikit-learn shows the meaning of parameters itself.
        return drawn + ("" if self._doc_link_template else parameters_html(self))

    def _model_or_none(self) -> Model | None:
        """Return the model, None if there is none."""
        return self.__dict__.get("_model")

    def _fitted(self) -> Model:
        """Return the model; raise NotFittedError if there is none."""
        if "_model" not in self.__dict__:
            check_is_fitted(self)  # raises scikit-learn's error
        return self._model

    def _asked(self) -> Model:
        """Return the model that answers; raise an error if `structure` was changed after the fit."""
        model = self._fitted()
        if not stands_for(self.structure, model.structure):
            raise InvalidParameterError(
                f"The 'structure' parameter of this {type(self).__name__} was changed to {self.structure!r} after the fit, "
                f"but its model is built for {model.structure!r}. {self._restructure_words} gives a fitted classifier with "
                "the same machines and the new structure; or call fit again."
            )
        return model

    _restructure_words = "restructure(structure)"

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
        return with_version(super().__getstate__())

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(check_version(type(self).__name__, state))

    def _restore(self, before: Model | None) -> None:
        """Hold the model from before a fit that failed, even if a new one was assigned already."""
        if before is None:
            self.__dict__.pop("_model", None)
        else:
            self._model = before

    @abstractmethod
    def _check(self, model: Model, X: Any) -> Any:
        """Check samples and return them in the form that the model needs."""

    def _breaks_ties(self, model: Model) -> bool:
        """Return whether the answer is the class with the highest decision value, also where votes are equal."""
        return False

    def _with_structure(self, structure: str | Structure, X: Any, y: Any) -> tuple[Model, Self]:
        """Return the model and an unfitted estimator with another structure, for `restructure`."""
        model = self._fitted()
        if (X is None) != (y is None):
            raise ValueError("X and y go together: give both or neither")
        return model, type(self)(**{**self.get_params(deep=False), "structure": structure})

    # ------------------------------------------------------ fitted attributes

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

    # ----------------------------------------------------------------- decide

    def predict(self, X: ArrayLike) -> Labels:
        """Predict the class of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_training_samples)
            Samples; with a precomputed kernel, their kernel values against the training samples.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        model = self._asked()
        break_ties = self._breaks_ties(model)
        return model.labels(model.decide(self._check(model, X), self.n_jobs, break_ties))

    def pair_decisions(self, X: ArrayLike) -> Array:
        """Compute the value of every machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_machines)
            One column per machine, in the order of ``bank_.tasks`` (for pairs, ``bank_.pairs``). A positive value is for
            the positive side of the task; for a pair, this is the later class.
        """
        model = self._asked()
        return model.values(self._check(model, X), self.n_jobs)

    def decision_path(self, X: ArrayLike) -> DecisionPath:
        """Return the machines consulted for each sample, in order, with their values.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        DecisionPath
        """
        model = self._asked()
        break_ties = self._breaks_ties(model)
        return model.trace(self._check(model, X), self.n_jobs, break_ties)

    def explain(self, x: ArrayLike, top: int = 5) -> Explanation:
        """Explain how one sample gets its class, machine by machine.

        Parameters
        ----------
        x : array-like of shape (n_features,) or (1, n_features)
            The sample: a list, an array, a row of a data frame as a pandas Series, or a data frame of one row.
        top : int, default=5
            The number of most influential support vectors of each machine; only kernel machines have them.

        Returns
        -------
        Explanation
            Print it to read one line per machine consulted, and the answer. It holds the data: values, influential support
            vectors, shares of the features for a linear kernel, and the runner-up.

        Examples
        --------
        >>> import dagmar
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris()
        >>> clf = dagmar.SVC(C=10, structure="ddag").fit(iris.data, iris.target_names[iris.target])
        >>> print(clf.explain(iris.data[77]).runner_up)
        virginica (0.122 away)
        """
        return self._explain(x, top)

    def _explain(self, x: Any, top: int, names: Labels | None = None) -> Explanation:
        """Explain a sample; `names` are those of its features, if the sample itself has none."""
        model = self._asked()
        break_ties = self._breaks_ties(model)
        names = self._names_for_machines(names)
        return model.explain(self._check(model, self._as_row(x)), top, self.n_jobs, break_ties, names)

    def _names_for_machines(self, names: Labels | None) -> Labels | None:
        """Return the names of the features that the machines get, from those of the sample; None for those of the fit."""
        return names

    def _as_row(self, x: Any) -> Any:
        """Return one sample as a table of one row."""
        return as_row(x)

    def decision_function(self, X: ArrayLike) -> Array:
        """Compute a score for each class, or a value for each pair of classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_classes * (n_classes - 1) / 2)
            For two classes: one value per sample, positive for ``classes_[1]``. With machines for all pairs: the same as
            in scikit-learn. "ovr" gives the votes of each class plus a confidence of less than a third of a vote; "ovo" gives
            the value of each pair, positive for the earlier class. With one machine per class: the values of the machines.
            With the machines of a tree: a score from the path. The later a class is ruled out, and the closer that decision,
            the higher its score; the predicted class has the highest score.
        """
        model = self._asked()
        shape = getattr(self, "decision_function_shape", "ovr")
        return model.scores(self._check(model, X), shape, self.n_jobs)


def _has_probabilities(classifier: KernelClassifier) -> bool:
    return classifier._offers_probabilities()


Method = TypeVar("Method", bound=Callable[..., Any])
with_probabilities: Callable[[Method], Method] = available_if(_has_probabilities)


class KernelClassifier(StructuredClassifier):
    """Base class of classifiers with kernel machines: `SVC` and `SVCCV`."""

    kernel: Any
    decision_function_shape: str
    break_ties: bool
    max_iter: int
    probability: bool

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    def _check(self, model: Model, X: Any) -> Features:
        return model.learned.check(X, model.bank_as(Bank).vectors)

    @property
    def bank_(self) -> Bank:
        """The trained machines."""
        return self._known("bank_").bank_as(Bank)

    def _warn_if_unconverged(self, model: Model, stacklevel: int) -> None:
        """Warn about machines that did not converge; the warning names the caller `stacklevel` frames up."""
        if model.status and model.report is not None:
            late = Unconverged.among(model.report, model.bank.tasks, model.classes)
            warnings.warn(
                f"{why_unconverged([late], self.max_iter)} Machines not converged: {late.names()}",
                ConvergenceWarning,
                stacklevel=stacklevel + 1,
            )

    @property
    def gamma_(self) -> float | Array:
        """The gamma of the kernel, as a number; if each pair has its own, an array with the gamma of each machine."""
        bank = self._known("gamma_").bank_as(Bank)
        if bank.kernel.name not in WITH_GAMMA:
            raise AttributeError(f"gamma_ is only available for the kernels {', '.join(WITH_GAMMA)}")
        return bank.kernel.gamma if bank.gammas is None else bank.gammas

    def _check_break_ties(self, structure: Structure) -> None:
        """Raise InvalidParameterError if ties are to be broken and the structure has none."""
        if self.break_ties and not isinstance(structure, MaxWins):
            raise InvalidParameterError(
                f"The 'break_ties' parameter of {type(self).__name__} must be False with {structure!r}: only the votes of "
                '"max_wins" are compared with decision_function. Got True instead.'
            )

    def _breaks_ties(self, model: Model) -> bool:
        if not self.break_ties:
            return False
        if self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        self._check_break_ties(model.structure)
        return model.n_classes > 2

    def predictor(self) -> Predictor:
        """Return a function from NumPy rows to labels without checks and copies, for serving.

        Returns
        -------
        Predictor
            A callable that holds the model of this moment; a later fit does not change it.

        Raises
        ------
        ValueError
            If the kernel is a callable: then Python computes the kernel, and `predict` does the same.

        Examples
        --------
        >>> import dagmar
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> predict = dagmar.SVC().fit(X, y).predictor()
        >>> int(predict(X[0])), predict(X[:2])
        (0, array([0, 0]))
        """
        model = self._asked()
        return Predictor(model, self.n_jobs, self._breaks_ties(model))

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

    def decision_cost(self, X: ArrayLike) -> DecisionCost:
        """Count the cost of predictions: machines, kernel evaluations and summed support vectors per sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        DecisionCost
        """
        model = self._asked()
        break_ties = self._breaks_ties(model)
        return model.cost(self._check(model, X), self.n_jobs, break_ties)

    def _as_row(self, x: Any) -> Any:
        return x if callable(self.kernel) else as_row(x)


Held = TypeVar("Held", bound=StructuredClassifier)


def hold(estimator: Held, model: Model) -> Held:
    """Assign a model to an estimator, which is fitted from then on, and return the estimator."""
    estimator._model = model
    return estimator
