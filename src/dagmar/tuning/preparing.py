"""From the training data of a search to its folds, scaled samples and grids."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from sklearn.base import clone
from sklearn.utils.class_weight import compute_class_weight

from ..base.threads import n_threads
from ..base.typing import Features, Index, Labels
from ..machines.folds import Fold, split
from ..problem.callable_kernels import kernel_matrix
from ..problem.making import Learned, check_data
from ..problem.weights import check_weights
from .combinations import Combination, Steps
from .grid import Grid
from .refitted import RefittedClassifier
from .scalers import check_can_scale
from .trials import Samples

Result = TypeVar("Result")


class PreparingSearch(RefittedClassifier):
    """Base class of a search: what it makes of its training data, with the parameters of `SVCCV`."""

    Cs: Any
    gammas: Any
    cv: Any
    search: str
    per_pair: bool
    kernels: Any

    def _samples(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Samples, Learned]:
        """Return the checked training data with its folds, and what a fit learns from it."""
        kernel = self.kernel if self.kernels is None else self.kernels[0]
        X, (classes, samples), columns, target = check_data(type(self).__name__, kernel, X, y, n_threads(self.n_jobs))
        class_index = samples.class_index
        y = classes[class_index]
        of_class = compute_class_weight(self.class_weight, classes=classes, y=y)
        weight = check_weights(of_class, class_index, sample_weight)
        folds = [
            Fold.of(train, test, class_index, classes, self.class_weight, weight)
            for train, test in split(self.cv, y, groups, self.random_state)
        ]
        if callable(kernel):
            X = kernel_matrix(kernel, X, X)
        learned = Learned(classes, of_class, X.shape, columns, target=target)
        return Samples(X, y, classes, class_index, weight, sample_weight is not None, folds), learned

    def _as_seen(self, samples: Samples, combination: Combination) -> Samples:
        """Return samples with the transformers of a combination, fitted for each fold."""
        check_can_scale(combination.scaler, samples.X)
        transformer = combination.transformer()
        if transformer is None:
            return samples
        train = [fold.train for fold in samples.folds]
        return replace(samples, scalers=self._with_samples(_fit_scalers, samples.X, transformer, samples.y, train))

    def _grid(self, samples: Samples, combination: Combination) -> Grid:
        """Return the grid of a combination, made from all samples."""
        kernel = "precomputed" if callable(combination.kernel) else combination.kernel
        rest = samples.y, samples.weight, self.per_pair, self.n_jobs, "grid" if self.search == "grid" else "adaptive"
        transformer = combination.transformer()
        return self._with_samples(_make_grid, samples.X, transformer, self.Cs, self.gammas, kernel, *rest)

    def _with_samples(self, function: Callable[..., Result], X: Any, *arguments: Any) -> Result:
        """Return the result of a function of all training samples."""
        return function(X, *arguments)

    def _scale(self, X: Any, y: Any, steps: Steps) -> tuple[Steps, Any]:
        """Return transformers, fitted one after another on all training samples, and the samples after them."""
        for _, step in steps:
            X = step.fit_transform(X, y)
        return steps, X


def _fit_scalers(X: Features, scaler: Any, y: Labels, folds: Iterable[Index]) -> list[Any]:
    """Return a scaler for each fold, fitted on its training samples."""
    return [clone(scaler).fit(X[train], y[train]) for train in folds]


def _make_grid(X: Features, scaler: Any, Cs: Any, gammas: Any, kernel: str, *rest: Any) -> Grid:
    """Return the grid of a search, as `Grid.resolve` makes it from all samples, scaled."""
    return Grid.resolve(Cs, gammas, kernel, X if scaler is None else clone(scaler).fit_transform(X, rest[0]), *rest)
