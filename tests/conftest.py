"""Small named data sets, seeds, and how hypothesis runs."""

import os
from importlib.util import find_spec
from pathlib import Path

# On data this small the threads of BLAS and OpenMP only wait for each other; set before NumPy is loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest
from datasets import arrays
from helpers import blobs, letter_like
from hypothesis import HealthCheck, settings

from dagmar.base import threads

settings.register_profile(
    "dagmar",
    deadline=None,
    max_examples=25,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("dagmar")

# Tests of optional parts, by the packages that they import. Where a package is missing they are left out, and the header of the
# report says so.
OPTIONAL = {
    "distributed": [
        *("base/test_threads.py", "dask", "experiments/cluster", "problem/test_frames.py", "test_cluster_processes.py"),
        "test_docstring_parts.py",
    ],
    "matplotlib": [
        *("analysis/test_triangle.py", "examples", "experiments/compare/test_pictures.py", "pictures"),
        *("test_pictures_page.py", "test_snippets.py"),
    ],
    "pyarrow": ["explorer/test_features.py"],
    "polars": ["cli", "estimators/test_holding.py", "problem/test_callable_kernels.py"],
}
MISSING = {package: places for package, places in OPTIONAL.items() if find_spec(package) is None}
collect_ignore = [place for places in MISSING.values() for place in places]


def pytest_report_header():
    return [f"without {package}, left out: {', '.join(places)}" for package, places in MISSING.items()]


# Tests of these folders and files use all threads that they ask for, however small the data; the others see the threshold that
# users have.
ALL_THREADS = {"core", "robustness", "machines", "test_invariance.py", "test_every_structure.py", "test_tournaments.py"}


@pytest.fixture(autouse=True)
def threads_for_small_data(request, monkeypatch):
    """Let small data be worth a thread where threads are what is tested."""
    if ALL_THREADS & set(request.path.relative_to(Path(__file__).parent).parts):
        monkeypatch.setattr(threads, "WORTH_A_THREAD", 1)


@pytest.fixture
def seed():
    return 20260


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


@pytest.fixture
def stay_sparse(monkeypatch):
    """Sparse samples are trained as sparse ones, however small they are."""
    monkeypatch.setattr("dagmar.problem.choices.DENSE_NUMBERS", -1)
    monkeypatch.setattr("dagmar.problem.choices.DENSE_SHARE", 2.0)


@pytest.fixture(scope="session")
def two_moons():
    """Two classes that a line cannot part."""
    rng = np.random.default_rng(1)
    angle = rng.uniform(0, np.pi, 120)
    y = np.arange(120) % 2
    X = np.stack([np.cos(angle) + y * 1.0, np.sin(angle) * (1 - 2 * y) + y * 0.4], axis=1)
    return X + 0.15 * rng.normal(size=X.shape), y


@pytest.fixture(scope="session")
def three_blobs():
    """Three classes in the plane that overlap a little."""
    return blobs(seed=2, n_classes=3, per_class=30, n_features=2, spread=1.5)


@pytest.fixture(scope="session")
def seven_blobs():
    """Seven classes in five dimensions that overlap."""
    return blobs(seed=3, n_classes=7, per_class=40, n_features=5, spread=1.2)


@pytest.fixture(scope="session")
def letters():
    """Eight classes of 16 small whole numbers each, scaled as Letter is."""
    return letter_like(seed=4, n_classes=8, per_class=100)


@pytest.fixture(scope="session")
def data_set():
    """A function from the name of a real data set to its arrays; DAGMAR_DATA says where they are."""

    def load(name):
        stored = arrays(name)
        return tuple(stored[part] for part in ("X_train", "y_train", "X_test", "y_test"))

    return load


@pytest.fixture
def clock_at(monkeypatch):
    """A clock to be set by hand: the time of progress bars."""
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now
