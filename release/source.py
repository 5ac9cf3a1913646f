"""The source archive: made, checked, compiled into a wheel as pip does it, and tried."""

from __future__ import annotations

import sys

from release.zig import DIST, ROOT, environment, run, unpacked_source


def main() -> None:
    """Make the archive in ``dist/``, and try it."""
    folder = unpacked_source()
    archive = DIST / f"{folder.name}.tar.gz"
    inside = environment(sys.executable, "from-source", "numpy", "scikit-learn")
    run(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", archive)
    run(inside, "-P", ROOT / "release" / "smoke.py")
    print(f"{archive.name}: {archive.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
