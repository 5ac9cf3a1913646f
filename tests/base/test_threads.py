"""How many threads `n_jobs` stands for."""

import os

import joblib
import pytest

from dagmar.base import threads
from dagmar.base.threads import MOST_THREADS, n_threads, n_threads_to_decide, threads_worth


@pytest.mark.parametrize(("n_jobs", "expected"), [(None, 1), (1, 1), (3, 3), (-1, joblib.cpu_count())])
def test_threads_are_those_of_joblib(n_jobs, expected):
    """None is one thread, -1 is one per core."""
    assert n_threads(n_jobs) == expected


@pytest.mark.parametrize(
    ("work", "expected"), [(0, 1), (199, 1), (200, 2), (399, 3), (401, 4), (10**9, 4), (1e300, 4), (float("inf"), 4)]
)
def test_threads_are_those_that_the_work_is_worth(monkeypatch, work, expected):
    """Each thread has enough to do; small work is done by the calling thread, whatever n_jobs says."""
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 100)
    assert threads_worth(4, work) == expected
    assert n_threads_to_decide(4, work) == expected
    assert n_threads_to_decide(None, work) == 1


def test_context_of_joblib_counts():
    """`joblib.parallel_config` sets what None stands for."""
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert n_threads(None) == 2
    assert os.cpu_count() >= 1


@pytest.mark.parametrize("n_jobs", [10**6, 2**31, 10**400])
def test_threads_are_not_more_than_any_machine_has(n_jobs):
    """n_jobs may be any integer."""
    assert n_threads(n_jobs) == MOST_THREADS
