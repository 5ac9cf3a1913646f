"""Where a number was measured: versions and processor, but nothing that identifies the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("dagmar", "numpy", "scipy", "scikit-learn")


def describe_environment(more: Sequence[str] = ()) -> dict[str, Any]:
    """Versions, processor and instruction set.

    Parameters
    ----------
    more : sequence of str
        Further packages whose versions matter, beside dagmar and what it requires.

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
    from dagmar.base.instructions import simd_level

    return {
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in (*PACKAGES, *more)}},
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "instructions": simd_level().name,
    }


def processor(environment: Mapping[str, Any]) -> str:
    """Processor, cores and instruction set in words.

    Parameters
    ----------
    environment : mapping
        As `describe_environment` returns it.
    """
    return f"{environment['cpu']}, {environment['cores']} cores, {environment['instructions']}"


def software(environment: Mapping[str, Any]) -> str:
    """System and versions in words, without packages that are not installed.

    Parameters
    ----------
    environment : mapping
        As `describe_environment` returns it.
    """
    versions = ", ".join(f"{name} {number}" for name, number in environment["versions"].items() if number)
    return f"{environment['system']}, {versions}"


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
