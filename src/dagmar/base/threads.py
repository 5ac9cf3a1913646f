"""The number of threads, from the value of `n_jobs` and the amount of work."""

from __future__ import annotations

import sys
import warnings
from contextlib import AbstractContextManager
from functools import cache
from multiprocessing import current_process
from typing import Any

import joblib
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

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
    if n_jobs == 1:
        return 1
    worker = dask_worker()
    if worker is not None and current_process().daemon:
        return 1  # this is what joblib says of the usual workers, with a warning about processes, which are not needed here
    # As joblib.effective_n_jobs does; asking joblib again which back end that was would take as long.
    backend, default = get_active_backend()
    n = min(int(backend.effective_n_jobs(default if n_jobs is None else n_jobs)), MOST_THREADS)
    if worker is not None:
        return min(n, int(worker.state.nthreads))
    # A distributed back end counts the cores of other machines.
    return min(n, int(joblib.cpu_count())) if is_distributed(backend) else n


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which products of matrices use one thread each.

    Threads that share a small product wait for each other busily.
    """
    limited: AbstractContextManager[Any] = _libraries().limit(limits=1)
    return limited


@cache  # to look through all loaded libraries takes 3 ms
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def dask_worker() -> Any:
    """Return the Dask worker whose task the calling thread runs, or None."""
    module = sys.modules.get("distributed.worker")  # without it there is no task
    state = getattr(module, "thread_state", None)
    if getattr(state, "key", None) is None:
        return None
    try:
        return module.get_worker()  # type: ignore[union-attr]
    except ValueError:
        return None


def distributed_backend() -> bool:
    """Return whether `joblib.parallel_config` has set a back end that runs on other machines, such as "dask"."""
    backend, _ = get_active_backend()
    return is_distributed(backend)


def is_distributed(backend: Any) -> bool:
    """Return whether a back end is not one of joblib's own, which run on this machine."""
    return not type(backend).__module__.startswith("joblib._parallel_backends")


class _Warned:
    once = False


def warn_if_distributed(owner: str, stacklevel: int = 2) -> None:
    """Warn, once in a process, that a distributed back end of joblib does not distribute the training of a classifier.

    Parameters
    ----------
    owner : str
        The name of its class.
    stacklevel : int
        How many frames up the warning points.
    """
    if _Warned.once or not distributed_backend() or dask_worker() is not None:
        return
    _Warned.once = True
    warnings.warn(
        f"{owner} trains in this process, although joblib's back end is distributed. dagmar.dask.{owner} trains on the workers "
        "of a Dask cluster.",
        stacklevel=stacklevel + 1,
    )


def threads_worth(n: int, work: float) -> int:
    """Return as many of n threads as the work is worth: small work is finished sooner by the calling thread alone."""
    return int(min(n, max(1.0, work / WORTH_A_THREAD)))


def n_threads_to_decide(n_jobs: int | None, work: float) -> int:
    """Return the number of threads for decisions that take this much work."""
    # For small work joblib is not asked: it may count the processors, which takes longer than the decisions.
    return 1 if work < 2 * WORTH_A_THREAD else threads_worth(n_threads(n_jobs), work)
