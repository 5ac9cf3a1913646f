"""Models on their way out: what is exported, and what other libraries can say.

LIBSVM and scikit-learn know one way to consult machines: Max Wins over all pairs. A model whose labels are found in another
way is refused, because the other library would give other labels.
"""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..estimators.svc import SVC
from ..machines.bank import Bank
from ..structures.plans import KnockoutPlan, PollPlan
from ..tuning.svccv import SVCCV
from .foreign_pairs import ForeignPairs
from .libsvm_format import KERNELS

VOTES = ("fewest_losses", "everyone")  # the rules of knockouts that give the answer of Max Wins


def steps_of(model: Any) -> list[tuple[str, Any]]:
    """Return the steps of a model with their names: transformers, and the fitted `SVC` at the end.

    Parameters
    ----------
    model : SVC, SVCCV or Pipeline
        Of an `SVCCV`, the steps of its best estimator, which has a scaler if the search has one.

    Returns
    -------
    list of (str, object)
        Names differ, and an `SVC` that is no step of a pipeline is called "model".

    Raises
    ------
    TypeError
        If the last step is no `SVC`.
    sklearn.exceptions.NotFittedError
        If it is not fitted.
    """
    steps: list[tuple[str, Any]] = [("model", model)]
    while isinstance(steps[-1][1], Pipeline | SVCCV):
        name, last = steps.pop()
        if isinstance(last, SVCCV):
            check_is_fitted(last, "best_estimator_")
            steps.append((name, last.best_estimator_))
            continue
        for inner, step in last.steps:
            while inner in dict(steps):  # of a pipeline inside of another
                inner += "_"
            steps.append((inner, step))
    svc = steps[-1][1]
    if not isinstance(svc, SVC):
        raise TypeError(
            f"a {type(svc).__name__} cannot be exported: only SVC, SVCCV, and a Pipeline that ends with one of them"
        )
    svc._asked()
    return steps


def pairs_of(svc: SVC, what: str) -> ForeignPairs:
    """Return the machines of a fitted model in LIBSVM's layout.

    Parameters
    ----------
    svc : SVC
        Fitted.
    what : str
        What the model is exported to, for messages.

    Returns
    -------
    ForeignPairs

    Raises
    ------
    ValueError
        If it does not find its labels by Max Wins over all pairs with one kernel that others have; the message says what to do.
    """
    model = svc._asked()
    bank, plan = model.bank_as(Bank), model.plan
    said = f"{what} has only machines for all pairs, consulted by Max Wins"
    if not bank.all_pairs or isinstance(plan, PollPlan):
        raise ValueError(
            f"{said}; {model.structure!r} has other machines. A model with the machines of all pairs can be made by "
            'restructure("max_wins", X, y).'
        )
    if model.n_classes > 2 and not (isinstance(plan, KnockoutPlan) and plan.rule in VOTES):
        raise ValueError(
            f"{said}; {model.structure!r} gives other labels for some samples. If those of Max Wins will do, export "
            'restructure("max_wins").'
        )
    known = [ours for ours, _ in KERNELS.values()]
    if bank.kernel.name not in known:
        raise ValueError(
            f"{what} has no {bank.kernel.name} kernel, only {', '.join(known)}. Models with a {bank.kernel.name} kernel can be "
            "saved by dagmar.save and dagmar.to_onnx; a model of kernel='precomputed', trained on the kernel matrix, can be "
            "exported."
        )
    if bank.gammas is not None:
        raise ValueError(f"{what} has one gamma for all pairs, but this model has one for each")
    return ForeignPairs.of(bank, model.sigmoids)
