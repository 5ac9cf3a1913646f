"""One model under load: many threads, many fits, and processes that fork."""

import gc
import multiprocessing
import os
import pickle
import threading
import time
import warnings
from pathlib import Path

import joblib
import numpy as np
import pytest
from children import FORKS, MEMORY_IN_USE, SLOWER
from helpers import blobs

import dagmar
from dagmar.base import threads


def two_models():
    """Two problems over the same features whose labels tell which of the two models answered; their answers to samples."""
    X, y = blobs(seed=21, n_classes=4, per_class=15, n_features=5)
    T = np.concatenate([X, X[::-1] / 2 + X / 2])
    labels = [y, y + 100]
    expected = [dagmar.SVC(gamma=0.1).fit(X, z).predict(T) for z in labels]
    return X, T, labels, expected


def test_answers_belong_to_one_model():
    """While one thread fits now this, now that problem, others predict, pickle and restructure: no answer is a mixture."""
    X, T, labels, expected = two_models()
    clf = dagmar.SVC(gamma=0.1).fit(X, labels[0])
    until, wrong, asked = time.monotonic() + 3.0, [], [0] * 4

    def belongs(answer):
        return any(np.array_equal(answer, e) for e in expected)

    def fit():
        k = 0
        while time.monotonic() < until:
            k += 1
            clf.fit(X, labels[k % 2])

    def ask(place, answer):
        while time.monotonic() < until:
            asked[place] += 1
            told = answer()
            if not belongs(told):
                wrong.append(told)

    def by_path():
        path = clf.restructure("ddag")
        return path.classes_[path.decision_path(T).answers]

    jobs = [
        lambda: ask(0, lambda: clf.predict(T)),
        lambda: ask(1, lambda: pickle.loads(pickle.dumps(clf)).predict(T)),
        lambda: ask(2, lambda: clf.restructure("ddag").predict(T)),
        lambda: ask(3, by_path),
        fit,
    ]
    errors = []

    def guarded(job):
        try:
            job()
        except Exception as error:
            errors.append(error)

    running = [threading.Thread(target=guarded, args=[job]) for job in jobs]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert not errors, errors[0]
    assert not wrong
    assert min(asked) > 5


def resident():
    """Bytes of memory that this process has in use."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@MEMORY_IN_USE
def test_memory_is_flat():
    """Hundreds of fits and predictions, of all kinds of bank, leave no memory behind."""
    X, y = blobs(seed=22, n_classes=4, per_class=25, n_features=40)
    T = np.tile(X, (4, 1))

    def work(times):
        for k in range(times):
            kernel, precision = ("rbf", "linear", "poly")[k % 3], ("single", "double")[k % 2]
            clf = dagmar.SVC(
                kernel=kernel, gamma=0.01, precision=precision, structure="max_wins", n_jobs=1 + k % 2
            ).fit(X, y)
            clf.predict(T)
            clf.decision_path(T)
            pickle.loads(pickle.dumps(clf))
        gc.collect()

    work(30)
    before = resident()
    work(200)
    # A fit that kept its bank, or its kernel rows, would add 20 MB.
    assert resident() - before < 8 * 2**20


def ends_well(answer, seconds=20):
    """Call `answer` in a fork of this process; return whether it ended in time and returned true."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads: that is what is tested
        child = os.fork()
    if child == 0:
        try:
            os._exit(0 if answer() else 3)
        except BaseException:
            os._exit(4)
    until = time.monotonic() + seconds * SLOWER
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.005)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


@pytest.fixture
def always_threads(monkeypatch):
    """Threads are used for any amount of work."""
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1)


def threaded_model(n_jobs=2):
    """A model that decides in threads, samples, and the answers to them of one thread."""
    X, y = blobs(seed=23, n_classes=4, per_class=60, n_features=5)
    clf = dagmar.SVC(gamma=0.1, n_jobs=n_jobs, structure="max_wins").fit(X, y)
    return clf, X, dagmar.SVC(gamma=0.1, structure="max_wins").fit(X, y).predict(X)


@FORKS
def test_fork_after_use(always_threads):
    """A forked process answers and fits as its parent did, with threads of its own; so does a fork of that."""
    clf, X, expected = threaded_model()
    assert np.array_equal(clf.predict(X), expected)

    def answers():
        again = dagmar.SVC(gamma=0.1, n_jobs=2, structure="max_wins").fit(X, expected)
        return np.array_equal(clf.predict(X), expected) and np.array_equal(again.predict(X), expected)

    assert ends_well(lambda: answers() and ends_well(answers))
    assert np.array_equal(clf.predict(X), expected)


@FORKS
def test_fork_in_use(always_threads):
    """Processes that are forked while other threads predict answer as well, and the predictions go on."""
    clf, X, expected = threaded_model()
    forking, wrong, asked = threading.Event(), [], [0, 0]

    def ask(place):
        while not forking.is_set():
            asked[place] += 1
            if not np.array_equal(clf.predict(X), expected):
                wrong.append(place)

    asking = [threading.Thread(target=ask, args=[place]) for place in range(2)]
    for thread in asking:
        thread.start()
    try:
        ended = [ends_well(lambda: np.array_equal(clf.predict(X), expected)) for _ in range(10)]
    finally:
        forking.set()
        for thread in asking:
            thread.join()
    assert all(ended)
    assert not wrong
    assert min(asked) > 5


def predicted(clf, X):
    """Predict in a worker process, where joblib allows one thread unless it knows that they are threads."""
    with joblib.parallel_config(backend="threading"):
        return clf.predict(X)


@FORKS
def test_workers_of_multiprocessing(always_threads):
    """Worker processes that are started by a fork predict with threads."""
    clf, X, expected = threaded_model()
    clf.predict(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with multiprocessing.get_context("fork").Pool(2) as workers:
            told = workers.starmap_async(predicted, [(clf, X)] * 4).get(timeout=30 * SLOWER)
    assert all(np.array_equal(answer, expected) for answer in told)


def test_many_threads_share_the_threads_of_the_core(always_threads):
    """Sixteen threads that predict with four threads each get their own answers."""
    clf, X, expected = threaded_model(n_jobs=4)
    places = [np.random.default_rng(k).permutation(len(X)) for k in range(16)]
    right = [0] * 16

    def ask(k):
        for _ in range(20):
            right[k] += np.array_equal(clf.predict(X[places[k]]), expected[places[k]])

    asking = [threading.Thread(target=ask, args=[k]) for k in range(16)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert right == [20] * 16


def test_errors_of_the_threads_of_the_core(always_threads):
    """An error of any thread is raised in the thread that called, and the threads go on to serve."""
    X, y = blobs(seed=24, n_classes=3, per_class=100, n_features=5)
    clf = dagmar.SVC(kernel="poly", degree=3, gamma=1.0, n_jobs=4).fit(X, y)
    expected = clf.predict(X)
    for bad in range(0, 300, 30):
        wild = X.copy()
        wild[bad] = 1e150 * np.array([1, -1, 1, -1, 1])
        with pytest.raises(ValueError, match="not a number"):
            clf.predict(wild)
        assert np.array_equal(clf.predict(X), expected)


def test_threads_wait_without_work(always_threads):
    """The threads that are kept for the next call take no processor time until then."""
    clf, X, _ = threaded_model(n_jobs=4)
    clf.predict(X)
    time.sleep(0.1)
    begun = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - begun < 0.05
