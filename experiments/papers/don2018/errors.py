"""Every published error, and the one measured by the printed protocol."""

from __future__ import annotations

import numpy as np

from ..report import ErrorRate, Kind
from .published import ACCURACY, METHODS
from .results import PRINTED, Results, method_key, method_name
from .sources import SOURCES
from .study import READINGS

# The columns of Table 4 that readings of a set measure, and how they are called there.
COLUMNS = {"BI": "BI", "OvsO": "OvsO", "2": "wide accuracy", "0.01": "accuracy"}


def errors(results: Results) -> list[ErrorRate]:
    """All 84 errors of Table 4; then those of sets that are read in another way than in our tables."""
    return [
        *(
            ErrorRate(
                name,
                method_name(method),
                published_error(name, method),
                100 - results.mean(name, PRINTED, method_key(method)),
                Kind.REAL if SOURCES[name].file else Kind.GENERATED,
            )
            for name in results.names
            for method in METHODS
        ),
        *(
            ErrorRate(
                f"{name}: {label}",
                method_name(method),
                published_error(name, method),
                100 - float(np.mean(of[column])),
                Kind.READING,
            )
            for name in READINGS
            for label, of in results.readings(name).items()
            for method, column in COLUMNS.items()
        ),
    ]


def published_error(name: str, method: str) -> float:
    """A cell of Table 4 as an error."""
    return round(100 - ACCURACY[name][METHODS.index(method)], 2)
