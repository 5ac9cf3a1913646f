"""Which sources made a number, and when."""

from __future__ import annotations

import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# What a number depends on. Records and pages are left out: a run writes them itself.
SOURCES = ("src", "cpp", "experiments", "CMakeLists.txt", "pyproject.toml")


def describe_source(root: Path = ROOT) -> dict[str, Any]:
    """The commit of the sources, whether they were changed since, and the time.

    Parameters
    ----------
    root : Path
        The folder of the sources.

    Returns
    -------
    dict
        "commit" (40 hexadecimal digits) and "clean" (whether no source differs from the commit), both None where the sources
        are no Git checkout; "date", in UTC, to the minute.

    Examples
    --------
    >>> from experiments.provenance import describe_source
    >>> sorted(describe_source())
    ['clean', 'commit', 'date']
    """
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    top = _git(root, "rev-parse", "--show-toplevel")
    # Sources without a repository of their own may stand inside another one, whose commit says nothing about them.
    if top is None or Path(top).resolve() != root.resolve():
        return {"commit": None, "clean": None, "date": date}
    changes = _git(root, "status", "--porcelain", "--", *SOURCES)
    return {"commit": _git(root, "rev-parse", "HEAD"), "clean": changes == "", "date": date}


def last_commit(file: Path) -> str | None:
    """The last commit that changed a file; None where it is in no Git checkout, or changed since.

    Parameters
    ----------
    file : Path
    """
    if _git(file.parent, "status", "--porcelain", "--", file.name) != "":
        return None
    return _git(file.parent, "log", "-1", "--format=%H", "--", file.name) or None


def libsvm_version() -> str | None:
    """The version of LIBSVM that scikit-learn is built on, with changes of its own; None if it cannot be found.

    Examples
    --------
    >>> from experiments.provenance import libsvm_version
    >>> version = libsvm_version()
    >>> version is None or version.startswith("3.")
    True
    """
    import sklearn.svm

    header = Path(sklearn.svm.__file__).parent / "src" / "libsvm" / "svm.h"
    text = header.read_text(encoding="utf-8", errors="replace") if header.is_file() else ""
    found = re.search(r"#define LIBSVM_VERSION (\d)(\d\d)", text)
    return f"{found[1]}.{found[2]}" if found else None


def _git(root: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
