"""What the tests of clusters share: equal models, problems, and clusters of separate processes."""

import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from dagmar.problem.making import ProblemParameters, make_problem

HERE = Path(__file__).parent
ARRAYS = ("begin", "index", "coef", "bias", "support", "class_start", "vectors", "centre", "gammas")
COUNTS = ("iterations", "gap", "objective", "norm2", "rows_computed", "status", "refined", "in_double")


def equal(a, b):
    """Whether two arrays, sparse matrices or None are the same, bit for bit."""
    if a is None or b is None:
        return a is b
    if sp.issparse(a):
        return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("data", "indices", "indptr"))
    return a.dtype == b.dtype and np.array_equal(a, b)


def assert_same_model(one, other):
    """Two fitted classifiers have the same machines, the same costs and the same plan."""
    for name in ARRAYS:
        assert equal(getattr(one.bank_, name), getattr(other.bank_, name)), name
    assert one.bank_.tasks.same_as(other.bank_.tasks)
    assert one.bank_.kernel == other.bank_.kernel
    assert one.bank_.precision == other.bank_.precision
    for name in COUNTS:
        assert equal(getattr(one.report_, name), getattr(other.report_, name)), name
    assert type(one.plan_) is type(other.plan_)
    assert str(one.structure_) == str(other.structure_)


def a_problem(X, y, **parameters):
    """The problem of some data."""
    return make_problem(ProblemParameters(**parameters), X, y)[0]


# -------------------------------------------------------- separate processes


@contextmanager
def a_scheduler(folder, **environment):
    """A `dask scheduler` as users start it, on 127.0.0.1; yields the function that starts workers, and its address."""
    file, started = folder / "scheduler.json", []
    # Workers import what tests pickle by name.
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    variables = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", **environment}
    # Processes that end must be noticed at once, and nothing may wait for minutes.
    variables |= {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s", "DASK_DISTRIBUTED__COMM__RETRY__COUNT": "0"}

    def start(*arguments):
        log = (folder / f"{arguments[0]}-{len(started)}.log").open("w")
        command = [sys.executable, "-m", "dask", *arguments]
        started.append(subprocess.Popen(command, env=variables, cwd=folder, stdout=log, stderr=log))
        log.close()
        return started[-1]

    def worker(*arguments):
        return start(
            *("worker", "--scheduler-file", str(file), "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny"),
            *("--no-dashboard", "--local-directory", str(folder), *arguments),
        )

    try:
        scheduler = start(
            *("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)),
            *("--dashboard-address", "127.0.0.1:0", "--no-show"),
        )
        yield scheduler, worker, file
    finally:
        for process in reversed(started):
            process.kill()
        for process in started:
            process.wait(timeout=30)


def when_training(client, act):
    """Do something a moment after the first batches are on the workers, in a thread; return it."""

    def watch():
        for _ in range(3000):
            if any(str(key).startswith("pairs") for keys in client.processing().values() for key in keys):
                return act()
            time.sleep(0.01)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread
