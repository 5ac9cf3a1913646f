"""Which sources made a number, and when."""

from __future__ import annotations

import hashlib
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# What a number depends on. Records and pages are left out: a run writes them itself.
LIBRARY = ("src", "cpp")
SUFFIXES = {".py", ".pyi", ".cpp", ".hpp", ".html", ".css", ".js"}
RECORDS = (":(exclude)experiments/benchmarks/results", ":(exclude)experiments/cluster/results")
SOURCES = ("src", "cpp", "experiments", "CMakeLists.txt", "pyproject.toml", *RECORDS)


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


def digest_of_sources(root: Path = ROOT) -> str:
    """A digest of the library's sources: every file of ``src`` and ``cpp``, with its name.

    It is the same for the same sources, with or without Git, so records of two runs can be told to be of one state.

    Parameters
    ----------
    root : Path
        The folder of the sources.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> from experiments.provenance import digest_of_sources
    >>> len(digest_of_sources())
    64
    """
    digest = hashlib.sha256()
    for folder in LIBRARY:
        for file in sorted((root / folder).rglob("*")):
            if file.is_file() and file.suffix in SUFFIXES:
                content = file.read_bytes()
                digest.update(f"{file.relative_to(root).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def source_in_words(source: dict[str, Any] | None) -> str:
    """Which sources made a number, as a sentence.

    Parameters
    ----------
    source : dict or None
        As `describe_source` returns it, with "digest" if it is known; None if a record does not say.

    Examples
    --------
    >>> from experiments.provenance import source_in_words
    >>> source_in_words({"commit": "0123456789abcdef", "clean": True, "date": "2026-01-31 12:00"})
    'Sources: commit `0123456789ab` without changes, 2026-01-31 12:00 UTC.'
    """
    if source is None:
        return "Sources: not in this record, which is older than the note of its sources."
    commit = "no Git checkout" if source["commit"] is None else f"commit `{source['commit'][:12]}`"
    changed = {True: " without changes", False: " with changes", None: ""}[source["clean"]]
    digest = f", digest of src and cpp `{source['digest'][:12]}`" if "digest" in source else ""
    return f"Sources: {commit}{changed}{digest}, {source['date']} UTC."


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
