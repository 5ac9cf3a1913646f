"""What a fit takes of the machine's memory: its budget for kernel rows, the model, and next to nothing else."""

import json
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

if sys.platform != "linux":  # Wine shows /proc, but Windows programs have none
    pytest.skip("the peak of a process is read from /proc", allow_module_level=True)

MB = 2**20

# A process of its own, so that no other test is in the peak; a small fit first, so that loading code is not, either.
MEASURE = """
import json, re, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
import numpy as np
from helpers import blobs
import dagmar

def now(what):
    return 1024 * int(re.search(what + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

asked = json.loads(sys.argv[1])
X, y = blobs(seed=5, **asked["blobs"])
small = np.concatenate([np.flatnonzero(y == c)[:2] for c in range(2)])
dagmar.SVC(precision="single", n_jobs=2).fit(X[small], y[small]).predict(X[small])
try:
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
except OSError:
    pass
before = now("VmRSS")
clf = dagmar.SVC(**asked["parameters"]).fit(X, y)
fit = now("VmHWM") - before
right = []
for structure in asked["structures"]:
    other = clf.restructure(structure)
    right.append(float(np.mean(other.predict(X[:1000]) == y[:1000])))
bank, report = clf.bank_, clf.report_
arrays = [bank.vectors, bank.support, bank.class_start, bank.begin, bank.index, bank.coef, bank.bias]
print(json.dumps({{
    "fit": fit, "all": now("VmHWM") - before, "rss": now("VmHWM"), "right": right,
    "model": sum(a.nbytes for a in arrays), "machines": bank.n_machines,
    "rows": int(report.rows_computed.sum()), "single": bank.precision == "single", "converged": bool(report.converged.all()),
}}))
"""


def measure(blobs, structures=(), **parameters):
    """Bytes that a fit, and then predicting by each structure, took at their peak, and what was fitted."""
    asked = json.dumps({"blobs": blobs, "structures": structures, "parameters": parameters})
    code = MEASURE.format(tests=str(Path(__file__).parent))
    done = subprocess.run([sys.executable, "-c", code, asked], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


LARGE = [(12000, *case) for case in product((2, 10), (50, 200), (1, 2))]


@pytest.mark.parametrize(
    ("n", "n_classes", "cache_size", "n_jobs"),
    [
        (8000, 2, 40, 1),
        (8000, 2, 40, 2),
        (8000, 10, 40, 2),
        (8000, 10, 100, 1),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in LARGE),
    ],
)
def test_fit_stays_within_its_budget(n, n_classes, cache_size, n_jobs):
    """Kernel rows take no more than `cache_size`, all else no more than the model and a tenth."""
    n_features = 32 if n_classes == 2 else 8  # of large pairs with few features, rows are not kept
    blobs = {"n_classes": n_classes, "per_class": n // n_classes, "n_features": n_features, "spread": 4.0}
    took = measure(blobs, C=1.0, gamma=0.4 / n_features, cache_size=cache_size, n_jobs=n_jobs)
    row = 4 * 2 * blobs["per_class"]
    assert took["single"]
    assert took["rows"] * row > 2 * cache_size * MB  # the budget is really needed
    assert took["fit"] <= 1.1 * (cache_size * MB + took["model"])
    if n_classes == 2 and n_jobs == 1:  # the rows of one pair do not fit: it would be a waste to leave room
        assert took["fit"] >= 0.75 * cache_size * MB


def test_rows_of_few_products_take_little():
    """Of a large pair with few features, rows are added to the scores as they are computed, whatever the budget is."""
    blobs = {"n_classes": 2, "per_class": 4000, "n_features": 8, "spread": 4.0}
    took = measure(blobs, C=1.0, gamma=0.05, cache_size=400, n_jobs=2)
    assert took["single"]
    assert took["rows"] * 4 * 8000 > 400 * MB  # more was computed
    assert took["fit"] < 80 * MB


@pytest.mark.slow
def test_wide_data_is_copied_once():
    """With many features the solver's own copy of the samples, in single precision, comes on top; no other does."""
    blobs = {"n_classes": 4, "per_class": 1000, "n_features": 2000, "spread": 30.0}
    took = measure(blobs, C=1.0, gamma=1e-6, cache_size=50, n_jobs=2)
    copy = 4 * 4000 * 2000
    assert took["single"]
    assert took["fit"] <= 1.1 * (50 * MB + took["model"] + copy)


def test_two_hundred_classes():
    """19,900 machines: beside budget and model, a fit takes one more model and half a kilobyte per machine.

    Predicting takes a third one, in the form in which the core reads it.
    """
    blobs = {"n_classes": 200, "per_class": 20, "n_features": 20}
    took = measure(blobs, ["ddag", "max_wins"], C=10.0, gamma=0.05, cache_size=20, n_jobs=2)
    assert took["machines"] == 200 * 199 // 2
    assert took["converged"]
    assert min(took["right"]) > 0.99
    assert took["fit"] <= 20 * MB + 2 * took["model"] + 512 * took["machines"]
    assert took["all"] <= 20 * MB + 3 * took["model"] + 512 * took["machines"]


@pytest.mark.slow
def test_a_thousand_classes():
    """499,500 machines over 100,000 samples train and predict within 8 GiB."""
    blobs = {"n_classes": 1000, "per_class": 100, "n_features": 20}
    took = measure(blobs, ["ddag", "max_wins"], C=10.0, gamma=0.05, n_jobs=2)
    assert took["machines"] == 499_500
    assert took["converged"]
    assert min(took["right"]) > 0.99
    assert took["rss"] <= 8 * 1024 * MB
