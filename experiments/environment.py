"""Where a number was measured: versions and processor, and nothing that names the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("dagmar", "numpy", "scipy", "scikit-learn")


def describe_environment(more: Sequence[str] = ()) -> dict[str, Any]:
    """Versions, processor and instruction set.

    Parameters
    ----------
    more : sequence of str
        Packages whose versions matter beside those that dagmar stands on.

    Returns
    -------
    dict
        A package that is not installed has the version None.

    Examples
    --------
    >>> from experiments.environment import describe_environment
    >>> sorted(describe_environment())
    ['cores', 'cpu', 'instructions', 'system', 'versions']
    """
    from dagmar import _core

    return {
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in (*PACKAGES, *more)}},
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "instructions": _core.best_level().name,
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cpu_model() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    if platform.system() == "Darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return platform.processor() or "unknown"
