"""Structures with machines of any classifier: `dagmar.PairwiseClassifier`."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.utils import check_consistent_length, column_or_1d, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import has_fit_parameter

from ..base.exceptions import InvalidParameterError
from ..base.parameters import SVC_CHECKS, check_parameters
from ..base.typing import Labels
from ..machines.estimator_bank import EstimatorBank, is_frame
from ..machines.estimator_workshop import EstimatorWorkshop, TrainingData
from ..problem.labels import name_of, number_classes
from ..problem.making import Learned
from ..problem.samples import ByClass
from ..problem.validation import Columns
from ..problem.weights import check_weights
from ..structures import Structure, as_structure
from ..structures.paths import MachineCost
from .classifier import StructuredClassifier
from .holding import hold
from .model import Model, build_model

# The estimator decides whether missing values are allowed.
_ANY_VALUES = {"accept_sparse": "csr", "ensure_all_finite": False}


class PairwiseClassifier(StructuredClassifier):
    """Multiclass structure whose machines are clones of any binary classifier.

    Each machine is a clone of `estimator`, trained only on the samples of its classes, with the labels ``False`` and
    ``True``. A prediction consults only the machines on the path of the sample.

    Parameters
    ----------
    estimator : classifier
        A classifier with scikit-learn's interface: `LogisticRegression`, a `Pipeline`, ... The value of a machine comes
        from its `decision_function`; without one, from its `predict_proba`; without that, from its `predict`. If it does
        not answer with one value per sample, or with NaN, a ValueError names the pair and the classifier.
    structure : str or Structure, default="max_wins"
        As for `SVC`. Structures that need the distance between classes measure it in feature space ("dbtc" is then the
        squared distance of the class means). ``AdaptiveDDAG(separation="margin")`` works with kernel machines only.
    n_jobs : int or None, default=None
        Number of machines trained at the same time, with the back end of `joblib.parallel_config`, and number of threads
        for predictions; -1 for all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    bank_ : EstimatorBank
        The trained machines and their tasks; if they are pairs, ``bank_.pairs`` has the two classes of each.
    estimators_ : list of n_machines classifiers
        The trained machines.
    report_ : FitReport
        The cost of fitting: seconds per machine, and as `iterations` what the estimators report as ``n_iter_``.
    plan_ : Plan
        How the machines are consulted.
    structure_ : Structure
        The structure that made the plan.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if X has string column names.

    See Also
    --------
    SVC : The same structures with kernel machines.
    sklearn.multiclass.OneVsOneClassifier : Max Wins; it consults every machine.

    Notes
    -----
    Data frames are passed to the machines unchanged. The estimator decides whether missing values are allowed. A value of
    exactly 0, or a probability of exactly one half, is a verdict for the positive side: for a pair, the later class.

    References
    ----------
    Platt, Cristianini & Shawe-Taylor, Large margin DAGs for multiclass classification, NIPS 1999: the Perceptron DDAG.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Perceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = dagmar.PairwiseClassifier(Perceptron(), structure="ddag").fit(X, y)
    >>> clf.predict(X[:1])
    array([0])
    >>> len(clf.estimators_), clf.decision_path(X[:1])[0][0].tolist()
    (3, [1, 0])
    """

    def __init__(self, estimator: Any, structure: str | Structure = "max_wins", n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.structure = structure
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which metadata `fit` passes to the machines, for scikit-learn's metadata routing."""
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add_self_request(self).add(estimator=self.estimator, method_mapping=to_fit)

    # ------------------------------------------------------------------ fit

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Train the machines that the structure needs, and make its plan.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples; for an estimator with a precomputed kernel, the kernel matrix.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights, for estimators that support them. The structure uses them as well, when it compares classes.
        **fit_params : dict
            Parameters for the `fit` of each machine. Of those with one entry per sample, a machine gets the entries of its
            samples.

        Returns
        -------
        self : PairwiseClassifier
            The fitted estimator. If the fit raises an exception, the estimator is unchanged.
        """
        structure = self._check_parameters()
        data, learned = self._make_data(X, y, sample_weight, fit_params)
        workshop = EstimatorWorkshop(learned.classes, self.estimator, data, self.n_jobs)
        return hold(self, build_model(structure, workshop, learned))

    def _check_parameters(self) -> Structure:
        if isinstance(self.estimator, type) or not (hasattr(self.estimator, "fit") and is_classifier(self.estimator)):
            raise InvalidParameterError(
                f"The 'estimator' parameter of PairwiseClassifier must be a classifier. Got {self.estimator!r} instead."
            )
        check_parameters(type(self).__name__, self.get_params(deep=False), {"n_jobs": SVC_CHECKS["n_jobs"]})
        return as_structure(self.structure, type(self).__name__)

    def _make_data(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        fit_params: dict[str, Any],
        known: Labels | None = None,
    ) -> tuple[TrainingData, Learned]:
        """Check the training data; return it and what a fit learns from it."""
        is_kernel = get_tags(self).input_tags.pairwise
        owner, target = type(self).__name__, name_of(y)
        if self._goes_as_it_is(X):
            X, y, columns = Columns.read(owner, X, y, skip_check_array=True)
            X, y = X if hasattr(X, "shape") else np.asarray(X), column_or_1d(y, warn=True)
            check_consistent_length(X, y)
        else:
            X, y, columns = Columns.read(owner, X, y, **_ANY_VALUES)
        check_classification_targets(y)
        if is_kernel and X.shape[0] != X.shape[1]:
            raise ValueError(f"A kernel matrix must be square. Input is a {X.shape[0]}x{X.shape[1]} matrix.")
        classes, class_index = number_classes(y, known)
        if sample_weight is not None:
            sample_weight = np.asarray(sample_weight)
        weight = check_weights(np.ones(len(classes)), class_index, sample_weight)
        params = self._for_machines(sample_weight, fit_params)
        by_class = ByClass.sort(class_index, len(classes), weight)
        learned = Learned(classes, np.ones(len(classes)), tuple(X.shape), columns, target=target)
        return TrainingData(X, class_index, by_class, params, is_kernel), learned

    def _goes_as_it_is(self, X: Any) -> bool:
        """Return whether the estimator reads X itself, without our checks: a data frame, or texts."""
        first = self.estimator.steps[0][1] if hasattr(self.estimator, "steps") else self.estimator
        tags = get_tags(self).input_tags
        reads_arrays = isinstance(first, str) or first is None or get_tags(first).input_tags.two_d_array
        return not tags.pairwise and (is_frame(X) or not reads_arrays)

    def _for_machines(self, sample_weight: Any, fit_params: dict[str, Any]) -> dict[str, Any]:
        given = fit_params if sample_weight is None else {**fit_params, "sample_weight": sample_weight}
        if get_config()["enable_metadata_routing"]:
            return dict(process_routing(self, "fit", **given).estimator.fit)
        if sample_weight is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise TypeError(f"The estimator {type(self.estimator).__name__} does not support sample_weight.")
        return given

    def restructure(
        self,
        structure: str | Structure,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Consult the same machines by another structure.

        Parameters
        ----------
        structure : str or Structure
            The new structure.
        X, y, sample_weight, **fit_params : optional
            The training data, as given to `fit`. Needed only if the structure uses the data, or needs machines that this
            model does not have; those are then trained.

        Returns
        -------
        PairwiseClassifier
            A new fitted estimator with the same machines; this one is not changed.
        """
        model, other = self._with_structure(structure, X, y)
        made, data = other._check_parameters(), None
        if X is not None:
            data, _ = other._make_data(X, y, sample_weight, fit_params, known=model.classes)
            if not np.array_equal(np.diff(data.by_class.class_start), model.bank_as(EstimatorBank).class_sizes):
                raise ValueError("X is not the data this model was trained on: its classes have other sizes")
        there = model.bank_as(EstimatorBank), model.report
        workshop = EstimatorWorkshop(model.classes, self.estimator, data, self.n_jobs, *there)
        return hold(other, build_model(made, workshop, model.learned))

    def decision_cost(self, X: ArrayLike) -> MachineCost:
        """Count the machines that the prediction of each sample consults.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        MachineCost
        """
        return MachineCost(np.diff(self.decision_path(X).begin))

    @property
    def bank_(self) -> EstimatorBank:
        """The trained machines and their tasks."""
        return self._known("bank_").bank_as(EstimatorBank)

    @property
    def estimators_(self) -> list[Any]:
        """The trained machines: a list of n_machines classifiers."""
        return self.bank_.estimators

    def _check(self, model: Model, X: Any) -> Any:
        columns = model.learned.columns
        assert columns is not None
        if self._goes_as_it_is(X):
            X = columns.check(X, skip_check_array=True)
            return X if hasattr(X, "shape") else np.asarray(X)
        return columns.check(X, **_ANY_VALUES)
