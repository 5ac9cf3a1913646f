"""The result of a search, from which `SVCCV` reads its fitted attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..base.frozen import FrozenArrays
from ..base.typing import Array, Index
from ..problem.making import Learned
from .combinations import Combination
from .cv_results import CVResults


@dataclass(frozen=True, eq=False)
class SearchResult(FrozenArrays):
    """The result of a search; the fitted attributes of `SVCCV` are read from it."""

    learned: Learned
    n_splits: int
    cv_results: CVResults
    gammas: Array | None
    unconverged: Index
    multimetric: bool = False
    best_index: int | Index | None = None
    best_params: dict[str, Any] | None = None
    best_score: float | None = None
    pair_scores: Array | None = None
    combination: Combination | None = None
    best_estimator: Any = None
    refit_time: float | None = None


def found(name: str, meaning: str) -> Any:
    """Return a property of an estimator that reads a fitted attribute from the result of its search, `_result`."""

    def read(search: Any) -> Any:
        value = getattr(search.__dict__.get("_result"), name, None)
        if value is None:
            raise AttributeError(f"{type(search).__name__!r} object has no attribute '{name}_'")
        return value

    return property(read, doc=meaning)
