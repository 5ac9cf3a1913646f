"""Results that depend on the number of classes alone, kept for the next fit.

On a few hundred samples, making the list of all pairs and a plan over it takes longer than training the machines.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

Result = TypeVar("Result")

# Results for more classes take more memory and are a smaller part of the time of a fit: they are made each time. The last
# few results are kept; for 128 classes, each takes some hundred kilobytes.
FEW_CLASSES, MOST_KEPT = 128, 16


def kept_for_few_classes(make: Callable[[int], Result]) -> Callable[[int], Result]:
    """Decorate a function of the number of classes, so that it makes each result for few classes once.

    All callers share the result, so it must be immutable: a frozen object, or read-only arrays.

    Examples
    --------
    >>> from dagmar.base.kept import kept_for_few_classes
    >>> @kept_for_few_classes
    ... def classes(n_classes):
    ...     return tuple(range(n_classes))
    >>> classes(3) is classes(3), classes(1000) is classes(1000)
    (True, False)
    """
    kept = lru_cache(maxsize=MOST_KEPT)(make)

    @wraps(make)
    def result(n_classes: int) -> Result:
        return kept(n_classes) if n_classes <= FEW_CLASSES else make(n_classes)

    return result
