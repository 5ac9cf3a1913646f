"""Unclassifiable regions: test samples for which the machines name no class, or more than one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagmar import SVC, AndGate
from dagmar.base.typing import Index

from ...data import Split
from ..study import Found


def regions(clf: SVC, split: Split) -> Found:
    """Shares of test samples in the regions of one-against-one or one-against-all, in percent, and the errors there.

    Parameters
    ----------
    clf : SVC
        With all pairs, or with each class against the rest.
    split : Split

    Returns
    -------
    dict
        For pairs: ``no_winner``, where no class wins all its pairs, and ``tied``, where several have the most votes. Else
        ``none``, where no machine is positive, and ``several``, where more than one is. ``wrong_there_percent`` is the
        error on the samples of the region, which are those of the first share, or of both of one-against-all.
    """
    values = clf.pair_decisions(split.X_test)
    n = len(clf.classes_)
    if clf.bank_.tasks.pairwise:
        votes = AndGate.wins(values, n)
        inside = ~AndGate.unanimous(values, n)
        tied = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1
        shares = {"no_winner": _percent(inside), "tied": _percent(tied)}
    else:
        positive = (values > 0).sum(axis=1)
        inside = positive != 1
        shares = {"none": _percent(positive == 0), "several": _percent(positive > 1)}
    wrong: NDArray[np.bool_] = _labels(clf, split) != split.y_test
    return {
        **shares,
        "samples": int(inside.sum()),
        "wrong_there": int((wrong & inside).sum()),
        "wrong_elsewhere": int((wrong & ~inside).sum()),
    }


def _labels(clf: SVC, split: Split) -> Index:
    labels: Index = clf.predict(split.X_test)
    return labels


def _percent(which: NDArray[np.bool_]) -> float:
    return float(100.0 * np.mean(which))
