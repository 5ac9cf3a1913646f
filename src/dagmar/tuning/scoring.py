"""How a search scores classifiers, and which score chooses the best cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from ..base.exceptions import InvalidParameterError
from ..base.typing import Array, Features, Labels
from ..estimators.holding import hold
from ..estimators.svc import SVC
from .trials import Scorer


@dataclass(frozen=True)
class Scoring:
    """The parameters of `SVCCV` about scores.

    Attributes
    ----------
    scoring : str, callable, list, dict or None
    refit : bool or str
        With several scores, the name of the one that chooses the best cell.
    search : {"grid", "adaptive", "auto"}
    probability : bool
        Whether classifiers have probabilities.
    """

    scoring: Any
    refit: bool | str
    search: str
    probability: bool

    @property
    def names(self) -> list[str] | None:
        """The names of several metrics, or None for a single one; a callable may still return several."""
        single = self.scoring is None or isinstance(self.scoring, str) or callable(self.scoring)
        return None if single else list(self.scoring)

    def check(self) -> None:
        """Raise InvalidParameterError if names of metrics are repeated, or `refit` does not fit them."""
        names = self.names
        if names is not None:
            if len(set(names)) < len(names):
                raise InvalidParameterError(
                    f"The 'scoring' parameter of SVCCV must not have a name twice. Got {self.scoring!r}."
                )
            self._check_refit(names)
        elif isinstance(self.refit, str) and not callable(self.scoring):
            raise InvalidParameterError(
                f"The 'refit' parameter of SVCCV must be a bool with a single score. Got {self.refit!r} instead."
            )

    def _check_refit(self, names: list[str]) -> None:
        """Raise InvalidParameterError unless `refit` names one of several metrics, or is False."""
        if self.refit is not False and self.refit not in names:
            raise InvalidParameterError(
                "With several scores, the 'refit' parameter of SVCCV must be the name of the one that chooses the best cell, "
                f"or False. Got {self.refit!r}; the names are {names}."
            )
        if self.refit is False and self.search != "grid":
            raise InvalidParameterError(
                f"With several scores and search={self.search!r}, the 'refit' parameter of SVCCV must be the name of the one "
                "that guides the search. Got False instead."
            )

    def chooses(self, names: Sequence[str]) -> bool:
        """Return whether a best cell is chosen; `names` are those of the scores that were computed."""
        return not (self.multimetric(names) and self.refit is False)

    def multimetric(self, names: Sequence[str]) -> bool:
        """Return whether there are several scores."""
        return self.names is not None or len(names) > 1

    def chosen_metric(self, names: Sequence[str]) -> str:
        """Return the name of the metric that chooses the best cell, among those that were computed."""
        if list(names) == ["score"] and not isinstance(self.refit, str):
            return "score"
        self._check_refit(list(names))
        return str(self.refit)

    def alone(self, metric: str) -> Scoring | None:
        """Return the scoring by one of the metrics alone; None if it is a function of the user."""
        given = self.scoring[metric] if isinstance(self.scoring, Mapping) else self.scoring
        given = metric if self.names is not None and not isinstance(self.scoring, Mapping) else given
        return replace(self, scoring=given, refit=True) if given is None or isinstance(given, str) else None

    def scorer(self) -> Scorer:
        """Return a function that scores a fitted classifier by every metric; a single score is called "score"."""
        if self.scoring is None:
            return lambda svc, X, y, weight: {"score": _accuracy(svc, X, y, weight)}
        scoring: Any = self.scoring
        if isinstance(scoring, str) or callable(scoring):
            scoring = {"score": scoring}
        elif not isinstance(scoring, dict):
            scoring = {name: name for name in scoring}
        scorers = {
            name: check_scoring(SVC(probability=self.probability), scoring=metric) for name, metric in scoring.items()
        }
        # A scorer accepts weights even if its metric does not, so look at the metric.
        takes_weights = {
            name: "sample_weight" in signature(getattr(scorer, "_score_func", scorer)).parameters
            for name, scorer in scorers.items()
        }

        def score(svc: SVC, X: Features, y: Labels, weight: Array | None) -> dict[str, float]:
            if len(scorers) > 1:
                svc = _answering_once(svc)
            out: dict[str, float] = {}
            for name, scorer in scorers.items():
                weights = {"sample_weight": weight} if takes_weights[name] and weight is not None else {}
                found = scorer(svc, X, y, **weights)
                out |= {
                    key: float(value) for key, value in (found if isinstance(found, dict) else {name: found}).items()
                }
            return out

        return score


# The methods that scorers call.
ANSWERS = ("predict", "decision_function", "predict_proba")


def _answering_once(svc: SVC) -> SVC:
    """Return the same classifier with a memory: every metric asks for the same samples, so the last answers are kept."""
    out = hold(SVC(**svc.get_params(deep=False)), svc._fitted())
    for name in ANSWERS:
        if hasattr(out, name):
            setattr(out, name, _remembering(getattr(out, name)))
    return out


def _remembering(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    seen: list[Any] = []

    @wraps(method)  # scikit-learn reads its name
    def answer(X: Any) -> Any:
        if not seen or seen[0] is not X:
            seen[:] = [X, method(X)]
        return seen[1]

    return answer


def _accuracy(svc: SVC, X: Features, y: Labels, weight: Array | None) -> float:
    return float(np.average(svc.predict(X) == y, weights=weight))
