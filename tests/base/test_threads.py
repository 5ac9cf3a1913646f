"""How many threads `n_jobs` stands for."""

import os

import joblib
import pytest

from dagmar.base.threads import FEW_SAMPLES, MOST_THREADS, n_threads, n_threads_to_decide


@pytest.mark.parametrize(("n_jobs", "expected"), [(None, 1), (1, 1), (3, 3), (-1, joblib.cpu_count())])
def test_threads_are_those_of_joblib(n_jobs, expected):
    """None is one thread, -1 is one per core."""
    assert n_threads(n_jobs) == expected


def test_no_thread_is_started_for_a_few_samples():
    """A few samples are decided by the calling thread, whatever n_jobs says."""
    assert n_threads_to_decide(4, FEW_SAMPLES) == 1
    assert n_threads_to_decide(4, FEW_SAMPLES + 1) == 4


def test_context_of_joblib_counts():
    """`joblib.parallel_config` sets what None stands for."""
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert n_threads(None) == 2
    assert os.cpu_count() >= 1


@pytest.mark.parametrize("n_jobs", [10**6, 2**31, 10**400])
def test_threads_are_not_more_than_any_machine_has(n_jobs):
    """n_jobs may be any integer."""
    assert n_threads(n_jobs) == MOST_THREADS
