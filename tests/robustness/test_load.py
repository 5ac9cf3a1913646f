"""One model under load: many threads, many fits, and processes that fork."""

import gc
import os
import pickle
import threading
import time
from pathlib import Path

import numpy as np
from helpers import blobs

import dagmar


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

    threads = [threading.Thread(target=guarded, args=[job]) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]
    assert not wrong
    assert min(asked) > 5


def resident():
    """Bytes of memory that this process has in use."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


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


def test_fork_after_use():
    """A forked process answers as its parent did, with threads and without."""
    X, y = blobs(seed=23, n_classes=4, per_class=25, n_features=5)
    clf = dagmar.SVC(gamma=0.1, n_jobs=2, structure="max_wins").fit(X, y)
    expected = clf.predict(X)
    child = os.fork()
    if child == 0:
        try:
            same = np.array_equal(clf.predict(X), expected)
            again = dagmar.SVC(gamma=0.1, n_jobs=2).fit(X, y)
            same = same and np.array_equal(again.predict(X), dagmar.SVC(gamma=0.1).fit(X, y).predict(X))
            os._exit(0 if same else 3)
        except BaseException:
            os._exit(4)
    until = time.monotonic() + 20
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.02)
    os.kill(child, 9)
    os.waitpid(child, 0)
    raise AssertionError("the forked process did not end")
