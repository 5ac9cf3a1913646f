"""Base class of the classifiers with kernel machines."""

from __future__ import annotations

import warnings
from typing import Any

from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from ..base.exceptions import InvalidParameterError
from ..base.typing import Array, Features
from ..machines.bank import Bank
from ..machines.convergence import Unconverged, why_unconverged
from ..problem.kernels import NONNEGATIVE, WITH_GAMMA
from ..structures import MaxWins, Structure
from ..structures.paths import DecisionCost
from .class_probabilities import ProbabilisticClassifier
from .model import Model
from .predictor import Predictor


class KernelClassifier(ProbabilisticClassifier):
    """Base class of classifiers with kernel machines: `SVC` and `SVCCV`."""

    kernel: Any
    decision_function_shape: str
    break_ties: bool
    max_iter: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.positive_only = self.kernel in NONNEGATIVE
        return tags

    def _check(self, model: Model, X: Any) -> Features:
        bank = model.bank_as(Bank)
        return model.learned.check(X, bank.vectors, bank.kernel.name, bank.asked_of_function, self.n_jobs)

    @property
    def bank_(self) -> Bank:
        """The trained machines."""
        return self._known("bank_").bank_as(Bank)

    @property
    def gamma_(self) -> float | Array:
        """The gamma of the kernel, as a number; if each pair has its own, an array with the gamma of each machine."""
        bank = self._known("gamma_").bank_as(Bank)
        if bank.kernel.name not in WITH_GAMMA:
            raise AttributeError(f"gamma_ is only available for the kernels {', '.join(WITH_GAMMA)}")
        return bank.kernel.gamma if bank.gammas is None else bank.gammas

    def _warn_if_unconverged(self, model: Model, stacklevel: int) -> None:
        """Warn about machines that did not converge; the warning names the caller `stacklevel` frames up."""
        if model.status and model.report is not None:
            unconverged = Unconverged.among(model.report, model.bank.tasks, model.classes)
            warnings.warn(
                f"{why_unconverged([unconverged], self.max_iter)} Machines not converged: {unconverged.names()}",
                ConvergenceWarning,
                stacklevel=stacklevel + 1,
            )

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

    def decision_cost(self, X: ArrayLike) -> DecisionCost:
        """Count the cost of predictions: machines, kernel evaluations and summed support vectors per sample.

        The result also says how `predict` computes the labels of this many samples (`DecisionCost.choices`).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        DecisionCost

        Examples
        --------
        >>> import dagmar
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> dagmar.SVC(structure="ddag").fit(X, y).decision_cost(X[:2]).machines.tolist()
        [2, 2]
        """
        model = self._asked()
        break_ties = self._breaks_ties(model)
        return model.cost(self._check(model, X), self.n_jobs, break_ties)
