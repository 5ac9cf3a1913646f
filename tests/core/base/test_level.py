"""The instruction set that the core chooses by itself."""

import platform
from pathlib import Path

import pytest

from dagmar import _core

CPUINFO = Path("/proc/cpuinfo")


@pytest.mark.skipif(not CPUINFO.exists(), reason="only Linux lists the features of the processor in a file")
def test_best_level_is_what_the_system_lists():
    """The core asks the processor; Linux lists only what it lets programs use."""
    found = {
        feature for line in CPUINFO.read_text().splitlines() if line.startswith("flags") for feature in line.split()
    }
    expected = _core.Level.plain
    if platform.machine() in ("x86_64", "AMD64") and {"avx2", "fma"} <= found:
        expected = _core.Level.avx2
        if {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= found:
            expected = _core.Level.avx512
    assert _core.best_level() == expected
