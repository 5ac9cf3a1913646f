"""The end of the interpreter while other threads are inside the core."""

import pytest
from children import SIGNALS, run_child

SETUP = """
    import sys, threading, time, warnings
    warnings.simplefilter("ignore")
    import numpy as np
    import dagmar
    from dagmar import SVC

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 5)), rng.integers(0, 4, 400)
    model = SVC(n_jobs=2).fit(X, y)
    calls = {
        "predict": lambda: model.predict(X),
        "one row": lambda: model.predict(X[:1]),
        "decision_function": lambda: model.decision_function(X),
        "decision_path": lambda: model.decision_path(X[:20]),
        "fit": lambda: SVC(n_jobs=2).fit(X, y),
        "fit of two classes": lambda: SVC().fit(X, y > 1),
        "search": lambda: dagmar.SVCCV(Cs=[1.0, 10.0], gammas=[0.1], cv=3).fit(X, y),
    }
    call = calls[sys.argv[1]]

    def forever():
        while True:
            call()
"""
CALLS = ["predict", "one row", "decision_function", "decision_path", "fit", "fit of two classes", "search"]


@pytest.mark.parametrize("call", CALLS)
def test_daemon_threads_do_not_change_the_exit_code(call):
    """A script may end while daemon threads predict or fit: its exit code is its own, and nothing is printed."""
    code = (
        SETUP
        + """
    for _ in range(3):
        threading.Thread(target=forever, daemon=True).start()
    time.sleep(0.2)
    sys.exit(7)
    """
    )
    ended = run_child(code, call)
    assert ended.returncode == 7, f"ended with {ended.returncode}: {ended.stderr[-2000:]}"
    assert ended.stderr == ""


def test_pool_at_work_does_not_change_the_exit_code():
    code = (
        SETUP
        + """
    from multiprocessing.pool import ThreadPool
    pool = ThreadPool(3)
    result = pool.map_async(lambda _: call(), range(10**6))
    time.sleep(0.2)
    sys.exit(7)
    """
    )
    ended = run_child(code, "one row")
    assert ended.returncode == 7, f"ended with {ended.returncode}: {ended.stderr[-2000:]}"


@SIGNALS
def test_interrupted_threads_of_joblib_end_as_in_scikit_learn():
    """Ctrl-C in the middle of joblib's threads raises KeyboardInterrupt in the main thread, and no thread aborts."""
    code = (
        SETUP
        + """
    import os, signal
    from joblib import Parallel, delayed
    signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background of a shell ignore it
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        Parallel(n_jobs=2, prefer="threads")(delayed(call)() for _ in range(10**7))
    except KeyboardInterrupt:
        sys.exit(7)
    """
    )
    ended = run_child(code, "one row")
    assert ended.returncode == 7, f"ended with {ended.returncode}: {ended.stderr[-2000:]}"
