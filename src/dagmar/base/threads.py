"""The number of threads, from the value of `n_jobs` and the amount of work."""

from __future__ import annotations

import joblib

# Work for which another thread pays, in multiply-adds (`work_per_value`): it takes about 0.05 ms. The core keeps its threads
# and wakes one in 0.01 to 0.05 ms; meanwhile the calling thread works.
WORTH_A_THREAD = 2**21
# Up to this many samples are decided by one thread if the work is not known: with machines of any kind.
FEW_SAMPLES = 16
# More threads than this would only cost memory; n_jobs may be any integer.
MOST_THREADS = 1024


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` asks for.

    Examples
    --------
    >>> from dagmar.base.threads import n_threads
    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    return min(int(joblib.effective_n_jobs(n_jobs)), MOST_THREADS)


def threads_worth(n: int, work: float) -> int:
    """Return as many of n threads as the work is worth: small work is finished sooner by the calling thread alone."""
    return int(min(n, max(1.0, work / WORTH_A_THREAD)))


def n_threads_to_decide(n_jobs: int | None, work: float) -> int:
    """Return the number of threads for decisions that take this much work."""
    # For small work joblib is not asked: it may count the processors, which takes longer than the decisions.
    return 1 if work < 2 * WORTH_A_THREAD else threads_worth(n_threads(n_jobs), work)
