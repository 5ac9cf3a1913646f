"""What a scheme is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedKFold

FOLDS, FEWER_FOLDS = 5, 3


class Kind(Enum):
    """Where a scheme comes from."""

    STRUCTURE = "structures of Dagmar"
    OUTSIDE = "other multiclass schemes over the same kernel"
    INSTEAD = "what people would use instead"
    PROBE = "probes, which explain results and have no rank"


@dataclass(frozen=True)
class Trial:
    """What a scheme may know before it is fitted.

    Attributes
    ----------
    seed : int
        Of folds and of estimators that draw random numbers.
    threads : int
    n_features : int
    seconds : float
        Processor time for everything, where the scheme has a limit.
    """

    seed: int
    threads: int
    n_features: int
    seconds: float = 0.0

    def folds(self, n_folds: int) -> StratifiedKFold:
        """The folds of the tuning: the same for all schemes with this number of folds."""
        return StratifiedKFold(n_folds, shuffle=True, random_state=self.seed)


@dataclass(frozen=True)
class Scheme:
    """A way to get a classifier, tuned for itself.

    Attributes
    ----------
    name : str
    kind : Kind
    words : str
        What it is.
    make : callable
        Takes a `Trial`, returns an estimator whose `fit` tunes and trains.
    as_long_as : str, optional
        Another scheme: this one may take as long as that took on the same split.
    explains : str, optional
        Of a probe: a scheme that it explains. It runs after all others, on the sets where that scheme is far above the
        reference.
    """

    name: str
    kind: Kind
    words: str
    make: Callable[[Trial], Any]
    as_long_as: str | None = None
    explains: str | None = None

    @property
    def recipe(self) -> str:
        """The estimator with its grid as text. Results count only while it is the same."""
        made: BaseEstimator = self.make(Trial(seed=0, threads=1, n_features=1))
        return " ".join(made.__repr__(N_CHAR_MAX=5000).split())
