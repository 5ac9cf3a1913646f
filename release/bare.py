"""Wheels where nothing can be compiled: bare Debian systems that have Python and nothing else.

``python -m release.bare``, or ``python -m release.bare trixie`` for one, needs mmdebstrap, the right to chroot, and wheels in
``dist/``. What these depend on is downloaded outside, as a bare system may have no network.
"""

from __future__ import annotations

import shutil
import sys

from release.zig import BUILD, DIST, ROOT, environment, run

SUITES = {"bookworm": "3.11", "trixie": "3.13"}  # with their Pythons
CHECK = """
for compiler in cc c++ gcc g++ clang; do
  if command -v $compiler; then exit 1; fi
done
python3 -m venv /try
/try/bin/python -m pip install --quiet --no-index --find-links /wheels dagmar
/try/bin/python -P /wheels/smoke.py
"""


def main(suites: list[str]) -> None:
    """Make each system, try the wheel in it, and leave nothing."""
    pip = environment(sys.executable, "download", "pip")
    for suite in suites or SUITES:
        version = SUITES[suite]
        folder = BUILD / suite / "wheels"
        shutil.rmtree(folder, ignore_errors=True)
        run(
            pip,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--only-binary=:all:",
            f"--python-version={version}",
            "--dest",
            folder,
            *platforms(),
            f"--find-links={DIST}",
            "dagmar",
        )
        shutil.copy(ROOT / "release" / "smoke.py", folder)
        (folder / "check.sh").write_text(CHECK)
        run(
            "mmdebstrap",
            "--quiet",
            "--variant=minbase",
            "--format=null",
            "--include=python3,python3-venv",
            f"--customize-hook=copy-in {folder} /",
            '--customize-hook=chroot "$1" sh -e /wheels/check.sh',
            suite,
        )
        print(f"{suite}: the wheel works with Python {version}", flush=True)


def platforms() -> list[str]:
    """Return options of pip for all wheels that a Linux of this processor with glibc 2.36 or newer takes."""
    return [f"--platform=manylinux_2_{minor}_x86_64" for minor in range(36, 16, -1)] + [
        "--platform=manylinux2014_x86_64"
    ]


if __name__ == "__main__":
    main(sys.argv[1:])
