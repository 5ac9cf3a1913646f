"""The core compiled for macOS, on Linux: whether it can be compiled is all that this shows.

``python -m release.macos python3.12`` compiles every source for both processors, and links nothing: wheels for macOS are made
by the workflow ``wheels.yml``. Python's headers are those of the Python here.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from release.zig import BUILD, CACHE, ROOT, TOOLS, answer, environment, run, zig_of

PROCESSORS = ("x86_64", "aarch64")
MACOS = "11.0"


def main(python: str) -> None:
    """Compile for both processors."""
    suffix = answer(python, "-c", "import sys; print(*sys.version_info[:2], sep='')")
    tools = environment(python, f"tools-macos-{suffix}", *TOOLS)
    for processor in PROCESSORS:
        compile_all(tools, processor)
        print(f"macOS, {processor}: all sources compile", flush=True)


def compile_all(tools: Path, processor: str) -> None:
    """Compile all objects of the module and what it consists of."""
    folder = BUILD / f"macos-{processor}"
    run(
        *(tools.parent / "cmake", "-G", "Ninja", "-S", ROOT, "-B", folder),
        f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'release' / 'zig.cmake'}",
        f"-DPython_EXECUTABLE={tools}",
        f"-Dnanobind_DIR={answer(tools, '-m', 'nanobind', '--cmake_dir')}",
        "-DCMAKE_CXX_COMPILER_WORKS=ON",
        **variables(tools, processor),
    )
    listed = answer(tools.parent / "ninja", "-C", folder, "-t", "targets", "all").splitlines()
    objects = [line.split(": ")[0] for line in listed if ".o: " in line]
    run(tools.parent / "ninja", "-C", folder, *objects, **variables(tools, processor))


def variables(tools: Path, processor: str) -> dict[str, str | Path]:
    """Return what the toolchain reads."""
    return {
        "ZIG": zig_of(tools),
        "ZIG_TARGET": f"{processor}-macos.{MACOS}",
        "ZIG_GLOBAL_CACHE_DIR": CACHE,
        "ZIG_UNWINDER": "",
        "PATH": f"{tools.parent}{os.pathsep}{os.environ['PATH']}",
    }


if __name__ == "__main__":
    main(sys.argv[1])
