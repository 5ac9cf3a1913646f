"""The threads of the core: where they wake, and that they leave no trace."""

import os
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np
import pytest
from helpers import blobs, random_bank, values_of

import dagmar
from dagmar.problem.kernels import Kernel

LINUX = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux tells where threads may run")


def allowed():
    """The processors on which each thread of this process may run, by thread."""
    found = {}
    for thread in os.listdir("/proc/self/task"):
        with suppress(ProcessLookupError):  # it may have ended meanwhile
            found[int(thread)] = os.sched_getaffinity(int(thread))
    return found


@LINUX
def test_woken_threads_may_run_everywhere_again():
    """A sleeping thread is not woken on the processor of the caller; once it runs, it may go there again."""
    X, y = blobs(seed=3, n_classes=8, per_class=60, n_features=16)
    everywhere = os.sched_getaffinity(0)
    for _ in range(5):
        dagmar.SVC(n_jobs=4).fit(X, y).predict(X)
        deadline = time.monotonic() + 10.0
        while any(cpus != everywhere for cpus in allowed().values()):
            assert time.monotonic() < deadline, "a thread of the core is kept from a processor"
            time.sleep(0.01)
        time.sleep(0.05)  # the threads sleep, and the next fit wakes them


PINNED = """
import os, time
import numpy as np
import dagmar

X = np.random.default_rng(0).normal(size=(2000, 8))
y = np.arange(2000) % 5
dagmar.SVC(n_jobs=2).fit(X, y)
time.sleep(0.05)
one = {min(os.sched_getaffinity(0))}
for thread in os.listdir("/proc/self/task"):
    os.sched_setaffinity(int(thread), one)
dagmar.SVC(n_jobs=2).fit(X, y)
time.sleep(0.05)
for thread in os.listdir("/proc/self/task"):
    assert os.sched_getaffinity(int(thread)) == one, thread
"""


@LINUX
def test_a_change_of_affinity_is_kept():
    """If all threads are pinned from outside while they sleep, the core does not let them go elsewhere."""
    subprocess.run([sys.executable, "-c", PINNED], check=True)


BUSY = """
import time
import numpy as np
import dagmar

def busy():
    begun = time.process_time()
    time.sleep(0.05)
    return time.process_time() - begun

n = 20_000
X = np.random.default_rng(0).normal(size=(n, 2))
y = (X[:, 0] > 0).astype(int)
for _ in range(200):  # threads of other libraries fall asleep after their start
    if busy() <= 0.02:
        break
else:
    raise SystemExit
dagmar.SVC(n_jobs=1, gamma=0.1, max_iter=50).fit(X, y)
print(busy())
np.ones(n) @ np.ones(n)
print(busy())
"""


def test_fits_leave_no_busy_threads():
    """A product of long vectors in NumPy may start threads that wait busily beside those of the core: a fit has none."""
    several = {name: "2" for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")}
    code = [sys.executable, "-W", "ignore", "-c", BUSY]
    done = subprocess.run(code, capture_output=True, text=True, check=True, env={**os.environ, **several})
    if not done.stdout:
        pytest.skip("threads of other libraries never fall asleep here")
    ours, theirs = map(float, done.stdout.split())
    if theirs < 0.02:
        pytest.skip("the linear algebra of this NumPy has no threads that wait busily")
    assert ours < 0.02


@pytest.mark.parametrize("n_jobs", [2, 3, 8])
def test_sleeping_threads_are_found_again(n_jobs):
    """After a rest, as after a fit, more threads than processors give the bits of one."""
    X, y = blobs(seed=4, n_classes=6, per_class=40, n_features=12)
    alone = dagmar.SVC(n_jobs=1).fit(X, y)
    for rest in (0.0, 0.001, 0.02):
        time.sleep(rest)
        together = dagmar.SVC(n_jobs=n_jobs).fit(X, y)
        assert np.array_equal(together.dual_coef_, alone.dual_coef_)
        assert np.array_equal(together.predict(X), alone.predict(X))


def test_an_error_in_any_thread_reaches_the_caller(rng):
    """One sample that has no value, anywhere among many: whichever thread meets it, the call raises its error."""
    bank = random_bank(3, 4, kernel=Kernel("poly", gamma=1.0, degree=9))
    for place in range(0, 4000, 100):
        X = rng.normal(size=(4000, 6))
        X[place] = 1e60
        with pytest.raises(ValueError, match="not a number"):
            values_of(bank, X, n_threads=3)
