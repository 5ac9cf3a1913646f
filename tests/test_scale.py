"""A hundred classes: every structure builds and predicts, within its counts and 2 GiB of memory."""

import json
import subprocess
import sys

import pytest

from dagmar.structures import STRUCTURES

N = 100
K = N * (N - 1) // 2

# One process per structure, so that what it needs at its peak is its own.
SCRIPT = """
import json, resource, sys, time
import numpy as np
import dagmar


def peak():
    # In KiB. What getrusage tells begins, on Linux, at the size of the process that started this one.
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

name, spread = sys.argv[1], float(sys.argv[2])
rng = np.random.default_rng(0)
means = 3.0 * rng.normal(size=(100, 10))
y = np.tile(np.arange(100), 100)
X = means[y] + spread * rng.normal(size=(len(y), 10))
T = means[y[:2000]] + spread * rng.normal(size=(2000, 10))
dagmar.SVC(C=10.0, gamma=0.02).fit(X[:2000], y[:2000] % 4).predict(T)  # what any fit needs
before = peak()
begun = time.perf_counter()
clf = dagmar.SVC(C=10.0, gamma=0.02, structure=name, n_jobs=2).fit(X, y)
fitted = time.perf_counter()
labels = clf.predict(T)
predicted = time.perf_counter()
growth = peak() - before
path = clf.decision_path(T)
print(json.dumps({
    "machines": clf.bank_.n_machines,
    "reported": len(clf.report_.iterations),
    "nodes": len(getattr(clf.plan_, "machine", [])),
    "longest": int(np.diff(path.begin).max()),
    "consulted": float(np.diff(path.begin).mean()),
    "repeats": any(len(set(m.tolist())) < len(m) for m, _ in path),
    "correct": float(np.mean(labels == y[:2000])),
    "same": bool((clf.classes_[path.answers] == labels).all()),
    "mib": growth / 1024,
    "fit": fitted - begun,
    "predict": predicted - fitted,
}))
"""


def measure(name, spread):
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, name, str(spread)], capture_output=True, text=True, timeout=900, check=False
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    print(name, spread, found)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("spread", "least"), [(0.8, 0.97), (1.6, 0.5)], ids=["apart", "overlapping"])
@pytest.mark.parametrize("name", STRUCTURES)
def test_hundred_classes(name, spread, least):
    """With 100 classes of 100 samples, counts and accuracy are as expected, and memory grows by less than 2 GiB."""
    found = measure(name, spread)
    assert found["machines"] == found["reported"]
    assert found["same"]
    assert not found["repeats"]
    assert found["correct"] > least
    assert found["mib"] < 2048
    if name == "one_vs_rest":
        assert found["machines"] == found["longest"] == N
    elif name in ("max_wins", "and_gate"):
        assert found["machines"] == K
        assert N - 1 <= found["consulted"] <= K
    elif name in ("ddag", "adaptive_ddag", "bracket"):
        assert found["machines"] == K
        assert found["consulted"] == found["longest"] == N - 1
    else:
        assert N - 1 <= found["machines"] <= K
        assert found["longest"] <= N - 1
        assert found["nodes"] <= 10**6
