"""Banks of machines, tuned as the paper says, and otherwise."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import LeaveOneGroupOut, StratifiedKFold

from dagmar import SVC, SVCCV, GridEdgeWarning, tuning
from dagmar.base.typing import Array

from ...data import Split
from ..study import Lab
from .equations import FORMULAS, means_of_pairs
from .published import FOLDS
from .splits import PER_SPEAKER

FINE = tuple(2.0**power for power in range(-15, 4))  # gammas to choose among without training


class Search(NamedTuple):
    """What is searched: the paper gives neither grid."""

    Cs: tuple[float, ...]  # the largest first: among equal scores SVCCV takes the first, and with dbtc the largest
    gammas: tuple[float, ...]
    n_folds: int

    @classmethod
    def of(cls, quick: bool) -> Search:
        """Powers of 4; of 16 in a quick run."""
        step = 4 if quick else 2
        Cs = tuple(2.0**power for power in range(15, -6, -step))
        gammas = tuple(2.0**power for power in range(-13 if quick else -15, 4, step))
        return cls(Cs, gammas, 3 if quick else FOLDS)


@dataclass(frozen=True, eq=False)
class Tuned:
    """Machines for all pairs, and what finding C and gamma cost.

    Attributes
    ----------
    clf : SVC
    pair_scores : ndarray of shape (n_pairs,) or None
        Accuracy of every pair in cross-validation.
    trainings : int
        How often a machine of every pair was trained in the search.
    unconverged : int
        Cells of the search in which some machine did not converge.
    """

    clf: SVC
    pair_scores: Array | None
    trainings: int
    unconverged: int = 0

    @property
    def validated(self) -> float:
        """Accuracy in cross-validation, mean over the pairs."""
        return float(np.mean(self.pair_scores)) if self.pair_scores is not None else float("nan")


class Tuner:
    """The ways to tune on one split: all see the same folds.

    Parameters
    ----------
    lab : Lab
    split : Split
    words : object
        What the folds hang on.
    """

    def __init__(self, lab: Lab, split: Split, *words: object) -> None:
        self.lab = lab
        self.split = split
        self.search = Search.of(lab.quick)
        self.Cs, self.gammas = self.search.Cs, self.search.gammas
        seed = int(lab.rng("folds", *words).integers(2**31))
        self.folds: Any = StratifiedKFold(self.search.n_folds, shuffle=True, random_state=seed)

    def protocol(self) -> Tuned:
        """The paper's: gamma of every pair where its classes are farthest apart, then C by cross-validation."""
        return self._per_pair(self.Cs, "dbtc")

    def smallest_C(self) -> Tuned:
        """The smallest C among equals."""
        search = self.fit(SVCCV(self.Cs[::-1], "dbtc", per_pair=True, refit=False, **self._common()))
        scores, gamma = search.pair_scores_, search.best_params_["gamma"]
        C = np.array(self.Cs[::-1])[np.argmax(np.round(scores, 12), axis=1)]
        clf = SVC(C=C, gamma=gamma, structure="ddag", n_jobs=self.lab.n_jobs)
        return Tuned(self.fit(clf), scores.max(axis=1), _trainings(search), len(search.unconverged_))

    def folds_in_order(self) -> Tuned:
        """Samples dealt to the folds as they stand in the file."""
        self.folds = self.search.n_folds
        return self.protocol()

    def folds_of_speakers(self) -> Tuned:
        """Every training speaker of Vowel a fold."""
        self.folds = _speakers(self.split)
        return self.protocol()

    def all_by_cv_of_speakers(self) -> Tuned:
        """C and gamma of every pair by cross-validation, every training speaker of Vowel a fold."""
        self.folds = _speakers(self.split)
        return self.all_by_cv()

    def one_gamma(self) -> Tuned:
        """One gamma for all pairs, where they are farthest apart on average."""
        return self.at_gamma(float(tuning.dbtc(self.split.X, self.split.y, n_jobs=self.lab.n_jobs).gamma))

    def at_gamma(self, gamma: float) -> Tuned:
        """A given gamma for all pairs, and C of every pair by cross-validation."""
        return self._per_pair(self.Cs, [gamma])

    def gamma_of_powers(self) -> Tuned:
        """The power of 2 with the largest distance, in place of the maximum itself."""
        choice = tuning.dbtc(self.split.X, self.split.y, FINE, per_pair=True, n_jobs=self.lab.n_jobs)
        return self._at_gammas(np.asarray(choice.gamma))

    def gamma_of_equation_6(self) -> Tuned:
        """The power of 2 at which Equation 6, as printed, is largest."""
        return self._at_gammas(self._largest("equation_6"))

    def gamma_of_equation_9(self) -> Tuned:
        """The power of 2 at which the last line of Equation 9, as printed, is largest."""
        return self._at_gammas(self._largest("equation_9"))

    def gamma_of_fisher(self) -> Tuned:
        """The power of 2 at which Fisher's criterion in kernel space is largest."""
        return self._at_gammas(self._largest("fisher"))

    def all_by_cv(self) -> Tuned:
        """C and gamma of every pair by cross-validation."""
        return self._per_pair(self.Cs, self.gammas)

    def shared_by_cv(self) -> Tuned:
        """One C and one gamma for all, by cross-validation of the DDAG's answers."""
        search = self.fit(SVCCV(self.Cs, self.gammas, **self._common()))
        return Tuned(search.best_estimator_, None, _trainings(search), len(search.unconverged_))

    def largest_C(self) -> Tuned:
        """The largest C of the grid, whatever cross-validation says."""
        return self._with_C(self.Cs[0])

    def C_1(self) -> Tuned:
        """C = 1, whatever cross-validation says."""
        return self._with_C(1.0)

    def _per_pair(self, Cs: Any, gammas: Any) -> Tuned:
        search = self.fit(SVCCV(Cs, gammas, per_pair=True, **self._common()))
        scores = search.pair_scores_.reshape(len(search.pair_scores_), -1).max(axis=1)
        return Tuned(search.best_estimator_, scores, _trainings(search), len(search.unconverged_))

    def _at_gammas(self, gamma: Array) -> Tuned:
        """Every pair at its own gamma, and C by cross-validation."""
        # Search every pair at the gammas that any pair has, and look up its own.
        some, place = np.unique(gamma, return_inverse=True)
        search = self.fit(SVCCV(self.Cs, some, per_pair=True, refit=False, **self._common()))
        scores = search.pair_scores_[np.arange(len(gamma)), :, place]
        C = np.array(self.Cs)[np.argmax(np.round(scores, 12), axis=1)]
        trainings = len(self.Cs) * search.n_splits_
        return Tuned(self._ddag(C, gamma), scores.max(axis=1), trainings, len(search.unconverged_))

    def _largest(self, formula: str) -> Array:
        """The power of 2 at which a formula is largest, for every pair."""
        n = len(np.unique(self.split.y))
        grid = np.tile(FINE, (n * (n - 1) // 2, 1))
        best = np.argmax(FORMULAS[formula](means_of_pairs(self.split.X, self.split.y, grid)), axis=1)
        gammas: Array = np.asarray(FINE)[best]
        return gammas

    def _with_C(self, C: float) -> Tuned:
        gamma = tuning.dbtc(self.split.X, self.split.y, per_pair=True, n_jobs=self.lab.n_jobs).gamma
        return Tuned(self._ddag(C, gamma), None, 0)

    def _ddag(self, C: Any, gamma: Any) -> Any:
        return self.fit(SVC(C=C, gamma=gamma, structure="ddag", n_jobs=self.lab.n_jobs))

    def _common(self) -> dict[str, Any]:
        return {"cv": self.folds, "structure": "ddag", "n_jobs": self.lab.n_jobs}

    def fit(self, model: Any) -> Any:
        """Fit a model on the training part."""
        with warnings.catch_warnings():
            # Glass has classes of fewer samples than folds; their pairs are scored on the folds that have some.
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            # The grid is part of the protocol.
            warnings.simplefilter("ignore", GridEdgeWarning)
            return model.fit(self.split.X, self.split.y)


def _speakers(split: Split) -> Any:
    speaker = np.arange(len(split.y)) // PER_SPEAKER
    return list(LeaveOneGroupOut().split(split.X, groups=speaker))


def _trainings(search: SVCCV) -> int:
    return len(search.cv_results_["params"]) * int(search.n_splits_)


WAYS: dict[str, Callable[[Tuner], Tuned]] = {
    "protocol": Tuner.protocol,
    "smallest_C": Tuner.smallest_C,
    "gamma_of_powers": Tuner.gamma_of_powers,
    "one_gamma": Tuner.one_gamma,
    "all_by_cv": Tuner.all_by_cv,
    "shared_by_cv": Tuner.shared_by_cv,
    "largest_C": Tuner.largest_C,
    "C_1": Tuner.C_1,
    "gamma_of_equation_6": Tuner.gamma_of_equation_6,
    "gamma_of_equation_9": Tuner.gamma_of_equation_9,
    "gamma_of_fisher": Tuner.gamma_of_fisher,
    "folds_in_order": Tuner.folds_in_order,
    "folds_of_speakers": Tuner.folds_of_speakers,
    "all_by_cv_of_speakers": Tuner.all_by_cv_of_speakers,
}
