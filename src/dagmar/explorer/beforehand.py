"""The part of a page that replaces the copy of the model, where there can be none: values and influences of some samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.typing import Index
from ..machines.bank import Bank
from ..machines.estimator_bank import select_rows
from .compact import MOST_NUMBERS, compact_vectors
from .given import Given
from .influences import compact_influences, influences
from .packing import packed

# The most samples that have values and influences, and the most values.
MOST_EXPLAINED = 200
MOST_VALUES = 2_000_000


def beforehand(given: Given, shown: Any, order: Index) -> dict[str, Any]:
    """Compute the values of all machines, and the most influential support vectors, for the first of some samples.

    Parameters
    ----------
    given : Given
    shown : array, sparse matrix or data frame
        The samples of the page, as the classifier takes them.
    order : ndarray of int
        Their places, the most interesting first.

    Returns
    -------
    dict
        ``beforehand``, and ``vectors`` for kernel machines: the support vectors that are shown.
    """
    svc = given.svc
    model = svc._asked()
    n_explained = min(MOST_EXPLAINED, max(1, MOST_VALUES // model.bank.n_machines))
    places = order[:n_explained]
    rows = select_rows(shown, places)
    said: dict[str, Any] = {
        "rows": packed(places, "i4"),
        "values": packed(svc.pair_decisions(rows), "f4"),
        "influences": None,
    }
    bank = model.bank
    if not isinstance(bank, Bank):
        return {"beforehand": said}
    path = svc.decision_path(rows)
    found = influences(bank, svc._check(model, rows), path)
    used = np.unique(found.vectors)
    said["influences"] = compact_influences(found, used)
    said["entries"] = packed(path.begin, "i4")  # where the influences of each sample begin
    vectors = compact_vectors(bank, used)
    if bank.vectors is not None and len(used) * bank.vectors.shape[1] > MOST_NUMBERS // 2:
        vectors["vectors"] = None  # then only their rows and labels are shown
    return {"beforehand": said, "vectors": vectors}
