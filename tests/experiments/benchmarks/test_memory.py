"""The peak of memory."""

import sys

import numpy as np
import pytest

from experiments.benchmarks.memory import forget_peak, peak


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can forget a peak")
def test_memory_is_seen():
    """What is used after the peak was forgotten counts, what was freed before does not."""
    np.ones(8_000_000)
    before = forget_peak()
    np.ones(4_000_000)
    assert 15 < peak() - before < 60
