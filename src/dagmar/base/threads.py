"""The number of threads for a value of `n_jobs`."""

from __future__ import annotations

import joblib

# Up to this many samples are decided before a second thread would have started.
FEW_SAMPLES = 16
# More threads than this would only cost memory; n_jobs may be any integer.
MOST_THREADS = 1024


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads for training.

    Examples
    --------
    >>> from dagmar.base.threads import n_threads
    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    return min(int(joblib.effective_n_jobs(n_jobs)), MOST_THREADS)


def n_threads_to_decide(n_jobs: int | None, n_samples: int) -> int:
    """Return the number of threads for deciding this many samples: one if they are few."""
    return 1 if n_samples <= FEW_SAMPLES else n_threads(n_jobs)
