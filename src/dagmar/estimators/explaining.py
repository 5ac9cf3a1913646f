"""`dagmar.explain`: why a sample got its class, for estimators, pipelines and searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.fitted_steps import names_after
from ..base.typing import Labels
from ..problem.frames import as_document, as_row
from .classifier import StructuredClassifier

if TYPE_CHECKING:
    from ..analysis.explanation import Explanation


def explain(model: Any, x: Any, top: int = 5) -> Explanation:
    """Explain how a fitted model gives one sample its class, machine by machine.

    Parameters
    ----------
    model : SVC, SVCCV, PairwiseClassifier, Pipeline or search
        A fitted classifier of dagmar; a `Pipeline` of scikit-learn that ends with one; or a search such as `GridSearchCV` whose
        best estimator is one of these.
    x : array-like of shape (n_features,) or (1, n_features)
        The sample, as the model takes it: a list, an array, a row of a data frame; for a pipeline of texts, a text or a
        collection of one text.
    top : int, default=5
        The number of most influential support vectors of each machine.

    Returns
    -------
    Explanation
        For a pipeline, features are those that the last step gets; they have names if the steps before it can tell them
        (`get_feature_names_out`). If a step has feature weights, the explanation names the features with most weight.

    See Also
    --------
    SVC.explain : The same for a classifier by itself.
    explore : The same for many samples, in a browser.

    Examples
    --------
    >>> import dagmar
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(StandardScaler(), dagmar.SVC(kernel="linear")).fit(X, y)
    >>> explanation = dagmar.explain(model, X.iloc[0])
    >>> explanation.answer, explanation.steps[0].features.names[2]
    (0, 'petal length (cm)')
    """
    return _explain(model, x, top, None).with_weights_of(model)


def _explain(model: Any, x: Any, top: int, names: Labels | None) -> Explanation:
    """Explain a sample whose features have these names, if they are given."""
    if isinstance(model, StructuredClassifier):
        return model._explain(x, top, names)
    if hasattr(model, "steps"):
        before, last = model[:-1], model.steps[-1][1]
        if not len(before):
            return _explain(last, x, top, names)
        names = names_after(before, getattr(model, "feature_names_in_", names))
        return _explain(last, before.transform(_as_given(before, x)), top, names)
    if hasattr(model, "best_estimator_"):
        return _explain(model.best_estimator_, x, top, names)
    raise TypeError(
        "explain takes a fitted classifier of dagmar, a Pipeline that ends with one, or a search over them; got "
        f"{type(model).__name__}"
    )


def _as_given(steps: Any, x: Any) -> Any:
    """Return one sample as a table of one row, or as a collection of one text if the steps do not read tables."""
    return as_row(x) if hasattr(steps, "n_features_in_") else as_document(x)
