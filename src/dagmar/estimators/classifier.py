"""Base class of the classifiers: questions to the model that a classifier holds."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from ..base.exceptions import InvalidParameterError
from ..base.typing import Array, Labels
from ..problem.frames import as_document, as_row
from ..structures import Structure, stands_for
from ..structures.paths import DecisionPath
from .html_view import HtmlView
from .model import Model

if TYPE_CHECKING:
    from ..analysis.explanation import Explanation


class StructuredClassifier(HtmlView):
    """Base class of classifiers that hold a `Model`: the machines of a bank, consulted by the plan of a structure.

    Every method reads the model once, so a fit in another thread cannot replace it in the middle of a call.
    """

    structure: Any
    n_jobs: int | None
    # How to apply another structure, for a message.
    _restructure_words = "restructure(structure)"

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

    def predict(self, X: ArrayLike) -> Labels:
        """Predict the class of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_training_samples)
            Samples; with a precomputed kernel, their kernel values against the training samples.

        Returns
        -------
        ndarray of shape (n_samples,)

        Examples
        --------
        >>> import dagmar
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> dagmar.SVC().fit(X, y).predict(X[[0, 60, 120]])
        array([0, 1, 2])
        """
        model = self._asked()
        break_ties = self._breaks_ties(model)
        return model.labels(model.decide(self._check(model, X), self.n_jobs, break_ties))

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

        Raises
        ------
        ValueError
            If pairs of a sample have infinite values both for a class and against it, so that "ovr" has no score for it.

        Examples
        --------
        >>> import dagmar
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = dagmar.SVC().fit(X, y)
        >>> clf.decision_function(X[:1]).round(1)  # a score per class: votes, and less than a third of a vote
        array([[ 2.2,  1.2, -0.3]])
        """
        model = self._asked()
        shape = getattr(self, "decision_function_shape", "ovr")
        return model.scores(self._check(model, X), shape, self.n_jobs)

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

        Examples
        --------
        >>> import dagmar
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = dagmar.SVC().fit(X, y)
        >>> clf.bank_.pairs.tolist()
        [[0, 1], [0, 2], [1, 2]]
        >>> clf.pair_decisions(X[:1]).round(1)  # class 0 wins both its pairs, class 1 the third
        array([[-1.3, -1.1, -2.2]])
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

        Examples
        --------
        >>> import dagmar
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> path = dagmar.SVC(structure="ddag").fit(X, y).decision_path(X[:1])
        >>> path.to_frame()[["negative", "positive", "winner"]].values.tolist()  # a row per sample and step
        [[0, 2, 0], [0, 1, 0]]
        """
        model = self._asked()
        break_ties = self._breaks_ties(model)
        return model.trace(self._check(model, X), self.n_jobs, break_ties)

    def explain(self, x: ArrayLike, top: int = 5) -> Explanation:
        """Explain how one sample gets its class, machine by machine.

        Parameters
        ----------
        x : array-like of shape (n_features,) or (1, n_features)
            The sample: a list, an array, a row of a data frame as a pandas Series, or a data frame of one row. For a callable
            kernel, one of the samples that it takes, or a collection of one.
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
        return model.explain(self._check(model, self._as_row(model, x)), top, self.n_jobs, break_ties, names)

    def _names_for_machines(self, names: Labels | None) -> Labels | None:
        """Return the names of the features that the machines get, from those of the sample; None for those of the fit."""
        return names

    def _as_row(self, model: Model, x: Any) -> Any:
        """Return one sample as a table of one row, or as a collection of one sample if the model does not read tables."""
        function, columns = model.learned.function, model.learned.columns
        if function is not None:
            return function.one(x)
        return as_document(x) if columns is None or columns.n_features is None else as_row(x)
