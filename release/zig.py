"""Wheels for any system, compiled by zig: Clang with the C libraries of other systems, from pip."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "release"
DIST = ROOT / "dist"
CACHE = BUILD / "zig"
TOOLS = ["build", "scikit-build-core", "nanobind", "cmake", "ninja", "ziglang"]


def run(*command: str | Path, **variables: str | Path) -> None:
    """Run a command, with these variables beside those of the environment; it must succeed."""
    subprocess.run(
        [str(part) for part in command], check=True, env=os.environ | {k: str(v) for k, v in variables.items()}
    )


def answer(*command: str | Path) -> str:
    """Return what a command prints."""
    return subprocess.run([str(part) for part in command], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def environment(python: str, name: str, *packages: str | Path) -> Path:
    """Make a new virtual environment with these packages, binary ones only; return its Python."""
    folder = BUILD / "environments" / name
    run(python, "-m", "venv", "--clear", folder)
    inside = folder / "bin" / "python"
    run(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:", *packages)
    return inside


def unpacked_source() -> Path:
    """Make the source archive, and unpack it: wheels are built from it, so nothing else of this folder can get into them."""
    tools = environment(sys.executable, "source", "build", "twine")
    for old in DIST.glob("*.tar.gz"):
        old.unlink()
    run(tools, "-m", "build", "--sdist", "--outdir", DIST, ROOT)
    (archive,) = DIST.glob("*.tar.gz")
    run(tools, "-m", "twine", "check", "--strict", archive)
    with tarfile.open(archive) as files:
        files.extractall(BUILD, filter="data")
    return BUILD / archive.name.removesuffix(".tar.gz")


def build_wheel(
    tools: Path, source: Path, target: str, platform: str, *, suffix: str = "", options: Sequence[str] = ()
) -> Path:
    """Build a wheel for another system.

    Parameters
    ----------
    tools : Path
        Python of an environment with `TOOLS`. The wheel is for its version, and is compiled with its headers: those for one
        Linux are those for the other, as all sizes are equal.
    source : Path
        The unpacked source archive.
    target : str
        The system as zig names it.
    platform : str
        The system as Python names it: that of the wheel's tag.
    suffix : str
        How names of modules end there, if the wheel has no stable ABI.
    options : sequence of str
        More settings of scikit-build-core, as ``name=value``.
    """
    folder = BUILD / "wheels" / f"{tools.parents[1].name}-{target}"
    shutil.rmtree(folder, ignore_errors=True)
    run(
        *(tools, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, source),
        *(part for option in options for part in ("-C", option)),
        ZIG=zig_of(tools),
        ZIG_TARGET=target,
        ZIG_GLOBAL_CACHE_DIR=CACHE,
        ZIG_UNWINDER=system_unwinder(tools, target) if "linux" in target else "",
        CMAKE_TOOLCHAIN_FILE=ROOT / "release" / "zig.cmake",
        CMAKE_GENERATOR="Ninja",
        SETUPTOOLS_EXT_SUFFIX=suffix,
        _PYTHON_HOST_PLATFORM=platform,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def system_unwinder(tools: Path, target: str) -> Path:
    """Compile what stands for a Linux's unwinder; `unwinder.c` says why."""
    library = BUILD / f"unwinder-{target}.so"
    compile_library(tools, target, ROOT / "release" / "unwinder.c", library, "-Wl,-soname,libgcc_s.so.1")
    return library


def compile_library(tools: Path, target: str, source: Path, library: Path, *flags: str) -> None:
    """Compile a shared library of one file."""
    run(zig_of(tools), "cc", f"--target={target}", "-shared", "-o", library, source, *flags, ZIG_GLOBAL_CACHE_DIR=CACHE)


def zig_of(tools: Path) -> Path:
    """Return the zig of an environment."""
    (zig,) = tools.parents[1].glob("lib/python3*/site-packages/ziglang/zig")
    return zig
