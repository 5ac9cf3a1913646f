"""The parameters of a search, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..analysis.gradients import KERNELS as SMOOTH
from ..base.exceptions import InvalidParameterError
from ..base.pairs import n_pairs
from ..base.parameters import KERNELS, SVC_CHECKS, Check, a_callable, boolean, check_parameters, none, one_of
from ..machines.folds import a_cv
from ..problem.per_pair import PerPair
from ..structures import Structure
from .grid import GRID_CHECKS
from .scalers import a_scaler, some_scalers

SEARCHED = ("C", "gamma", "checkpoint")  # the parameters of SVC that SVCCV does not have
a_str = Check(lambda v: isinstance(v, str), "a str")
names_of_scores = Check(
    lambda v: isinstance(v, list | tuple | set) and len(v) > 0 and all(isinstance(name, str) for name in v),
    "a list of str",
)
a_dict_of_scorers = Check(lambda v: isinstance(v, dict) and len(v) > 0, "a dict of scorers")
# The kernels of which several may be searched: they take samples.
OF_SAMPLES = sorted(set(KERNELS) - {"precomputed"})
some_kernels = Check(
    lambda v: (
        isinstance(v, list | tuple) and len(v) > 0 and all(isinstance(one, str) and one in OF_SAMPLES for one in v)
    ),
    f"a list of one or more str among {{{', '.join(map(repr, OF_SAMPLES))}}}",
)
CHECKS: dict[str, Check] = {
    **GRID_CHECKS,
    "cv": a_cv,
    "search": one_of(["grid", "adaptive", "auto"]),
    "per_pair": boolean,
    "scoring": none | a_str | a_callable | names_of_scores | a_dict_of_scorers,
    "refit": boolean | a_str,
    "scaler": a_scaler | some_scalers,
    "kernels": none | some_kernels,
    "feature_weights": none | one_of(["learned"]) | Check(lambda v: v is False, "False"),
    **{name: check for name, check in SVC_CHECKS.items() if name not in SEARCHED},
}


def check_search(search: Any) -> None:
    """Raise InvalidParameterError for parameters of `SVCCV` that have wrong values, or do not work together."""
    check_parameters(type(search).__name__, vars(search), CHECKS)
    if (
        search.kernels is None
        and search.scaler is not None
        and (callable(search.kernel) or search.kernel == "precomputed")
    ):
        raise InvalidParameterError(
            "The 'scaler' parameter of SVCCV must be None if the kernel is precomputed or callable. "
            f"Got {search.scaler!r} instead."
        )
    kernels = (search.kernel,) if search.kernels is None else search.kernels
    if search.feature_weights and not any(kernel in SMOOTH for kernel in kernels):
        raise InvalidParameterError(
            f"The 'feature_weights' parameter of SVCCV may be 'learned' for the kernels {', '.join(SMOOTH)}. "
            f"Got {', '.join(map(repr, kernels))} instead."
        )
    if not search.per_pair:
        return
    if search.kernels is not None or isinstance(search.scaler, list | tuple) or search.feature_weights:
        raise InvalidParameterError(
            "With per_pair=True, the parameters of SVCCV must be one 'kernel' and one 'scaler', which all pairs share, and no "
            f"'feature_weights'. Got kernels={search.kernels!r}, scaler={search.scaler!r} and "
            f"feature_weights={search.feature_weights!r}."
        )
    if search.scoring is not None:
        raise InvalidParameterError(
            "The 'scoring' parameter of SVCCV must be None with per_pair=True: a pair is scored by its accuracy. "
            f"Got {search.scoring!r} instead."
        )
    if search.search != "grid":
        raise InvalidParameterError(
            "The 'search' parameter of SVCCV must be 'grid' with per_pair=True: every pair has a best cell of its own. "
            f"Got {search.search!r} instead."
        )


def check_only_pairs(kernel: Any, structure: Structure, n_classes: int) -> None:
    """Raise an error if some machine of a structure is not that of a pair, for a search with `per_pair`."""
    PerPair.resolve(np.ones(n_pairs(n_classes)), 1.0, kernel, n_classes).of(structure.tasks(n_classes))
