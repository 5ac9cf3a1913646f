"""A search answers by its best estimator, which is fitted on all samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..base.fitted_steps import names_after
from ..base.typing import Array, Features, Index, Labels
from ..estimators.kernel_classifier import KernelClassifier
from ..estimators.model import Model
from ..estimators.predictor import Predictor
from ..estimators.svc import SVC
from ..problem.making import Learned
from .cv_results import CVResults
from .search_result import SearchResult, found

if TYPE_CHECKING:
    from ..analysis.explanation import Explanation


def _refitted(search: RefittedClassifier) -> bool:
    if not search.refit:
        raise AttributeError("this method needs best_estimator_, which does not exist with refit=False")
    return True


Method = TypeVar("Method", bound=Callable[..., Any])
when_refitted: Callable[[Method], Method] = available_if(_refitted)


class RefittedClassifier(KernelClassifier):
    """Base class of a search: its fitted attributes are those of its result, and its answers those of `best_estimator_`."""

    refit: bool | str
    _result: SearchResult
    _restructure_words = "best_estimator_.restructure(structure)"

    # ------------------------------------------------------ fitted attributes

    cv_results_ = found("cv_results", "The scores and times of all cells.")
    best_index_ = found("best_index", "The row of the best cell, or of the best cell of each pair.")
    best_params_ = found("best_params", "The best C and gamma.")
    best_score_ = found("best_score", "The mean score of the best cell.")
    pair_scores_ = found("pair_scores", "With `per_pair`, the accuracy of every pair in every cell.")
    best_estimator_ = found("best_estimator", "The `SVC` fitted on all samples.")
    refit_time_ = found("refit_time", "Seconds for fitting `best_estimator_`.")
    n_splits_ = found("n_splits", "Number of folds.")
    gammas_ = found("gammas", "The gammas of the grid as numbers.")
    unconverged_ = found("unconverged", "The rows of `cv_results_` whose cells did not converge.")
    multimetric_ = found("multimetric", "Whether there are several scores.")

    @property
    def feature_weights_(self) -> Array:
        """The weight of each feature, if the search has chosen weights."""
        best = self.best_estimator_
        steps = best.named_steps if isinstance(best, Pipeline) else {}
        if "feature_weights" not in steps:
            raise AttributeError("there are no feature_weights_: the search has not chosen weights of features")
        weights: Array = steps["feature_weights"].feature_weights_
        return weights

    @property
    def n_iter_(self) -> Index:
        """Solver steps per machine of `best_estimator_`."""
        return self._best().n_iter_

    def _best(self) -> SVC:
        """Return the fitted `SVC`, without its scaler."""
        best = self.best_estimator_
        svc: SVC = best[-1] if isinstance(best, Pipeline) else best
        return svc

    def _scaled(self, X: Any) -> Any:
        """Return samples as the machines get them: scaled, if the search has a scaler."""
        best = self.best_estimator_
        return best[:-1].transform(X) if isinstance(best, Pipeline) else X

    def __sklearn_is_fitted__(self) -> bool:
        return "_result" in self.__dict__

    def _learned(self, name: str) -> Learned:
        if "_result" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}: it is not fitted")
        return self._result.learned

    def _known(self, name: str) -> Model:
        return self._best()._known(name)

    def _model_or_none(self) -> Model | None:
        found = "_result" in self.__dict__ and self._result.best_estimator is not None
        return self._known("predict") if found else None

    def _fitted(self) -> Model:
        if "_result" not in self.__dict__ or self._result.best_estimator is None:
            check_is_fitted(self, "best_estimator_")
        return self._known("predict")

    def _more_html(self) -> str:
        cells = CVResults(self._result.cv_results)._repr_html_() if "_result" in self.__dict__ else ""
        return cells + super()._more_html()

    def _offers_probabilities(self) -> bool:
        return _refitted(self) and super()._offers_probabilities()

    def _check(self, model: Model, X: Any) -> Features:
        return super()._check(model, self._scaled(X))

    def _explain(self, x: Any, top: int, names: Labels | None = None) -> Explanation:
        return super()._explain(x, top, names).with_weights_of(self)

    def _names_for_machines(self, names: Labels | None) -> Labels | None:
        best, columns = self.best_estimator_, self._result.learned.columns
        if not isinstance(best, Pipeline):
            return names
        return names_after(best[:-1], names if names is not None or columns is None else columns.names)

    # ------------------------------------------------------------------ answers

    predict = when_refitted(KernelClassifier.predict)
    decision_function = when_refitted(KernelClassifier.decision_function)
    pair_decisions = when_refitted(KernelClassifier.pair_decisions)
    decision_path = when_refitted(KernelClassifier.decision_path)
    decision_cost = when_refitted(KernelClassifier.decision_cost)
    explain = when_refitted(KernelClassifier.explain)

    @when_refitted
    def predictor(self) -> Predictor:
        """Return a function from NumPy rows to labels; see `SVC.predictor`. A search with a `scaler` has none."""
        if isinstance(self.best_estimator_, Pipeline):
            raise ValueError(
                "a search with a scaler has no predictor, because samples must be scaled first. Use predict, or scale samples "
                "by best_estimator_[:-1] and call best_estimator_[-1].predictor()."
            )
        return super().predictor()
