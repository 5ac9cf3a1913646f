"""Whether all pairs overfit without regularization, as section 1 says."""

from __future__ import annotations

from typing import Any

from dagmar import SVC

from ..measure import percent_wrong
from ..study import Found, Lab
from .experiments import STRUCTURE, tested
from .published import ONE_VS_REST
from .sets import prepared

MOST_STEPS = 1_000_000  # of the solver, for a machine


def regularization(lab: Lab, data: str, schemes: dict[str, list[float]], C: float, **reading: Any) -> Found:
    """Each rule with its published C, and with one so large that no training error is allowed.

    Parameters
    ----------
    lab : Lab
    data : str
    schemes : dict of str to [sigma, C]
        By rule.
    C : float
        The large one.
    **reading : Any
        Of the data, see `sets.prepared`.

    Returns
    -------
    dict
        By rule: the training and test errors with both, and McNemar's test between them; the first is the published C.
    """
    split = prepared(lab, data, **reading)
    banks: dict[tuple[Any, ...], SVC] = {}
    rules = {}
    for rule, (sigma, published) in schemes.items():
        labels, found = [], {}
        for name, cost in (("published", published), ("large", C)):
            key = (rule == ONE_VS_REST, sigma, cost)
            if key not in banks:
                svc = SVC(C=cost, gamma=1 / (2 * sigma**2), structure=STRUCTURE[rule], max_iter=MOST_STEPS)
                banks[key] = svc.set_params(n_jobs=lab.n_jobs).fit(split.X, split.y)
            clf = banks[key].restructure(STRUCTURE[rule]).set_params(n_jobs=lab.n_jobs)
            labels.append(clf.predict(split.X_test))
            found[name] = {
                "C": cost,
                "train_error": percent_wrong(clf.predict(split.X), split.y),
                "error": percent_wrong(labels[-1], split.y_test),
                "converged": bool(banks[key].report_.converged.all()),
            }
        rules[rule] = {**found, "mcnemar": tested(split.y_test, *labels)}
    return {"rules": rules, "test_rows": len(split.y_test)}
