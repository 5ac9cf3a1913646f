"""The sources of the site: every page of the repository in one folder, with links that lead from one to the other."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..exceptions import DataError

# Pages that stand outside docs/, and their place on the site; * is the name of a file.
ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "cpp/README.md": "core.md",
    "experiments/benchmarks/results/*.md": "measured/*.md",
    "experiments/benchmarks/results/avx2/*.md": "measured/avx2-*.md",
}
# Folders to which pages link, and the page that shows what is in them.
FOLDERS = {"examples": "gallery/index.rst", "experiments/benchmarks/results": "measured.md", "docs": "index.md"}
# What Sphinx itself writes among the sources.
GENERATED = ("gallery", "api")

LINK = re.compile(r"(?<=\]\()(?!\w+:)([^)#\s]*)(#[^)\s]*)?(?=\))")
CODE = re.compile(r"(^ *```.*?^ *```|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
ANCHOR = re.compile(r'<a id="([\w-]+)"></a>')


@dataclass(frozen=True)
class Link:
    """A link of a page to something in the repository.

    Attributes
    ----------
    page : Path
        The file that has the link.
    target : Path
        What it leads to.
    anchor : str
        With its #; empty if there is none.
    """

    page: Path
    target: Path
    anchor: str


def places(root: Path) -> dict[Path, str]:
    """Every file of the site that exists before it is built, with its place on the site.

    Parameters
    ----------
    root : Path
        The folder of the repository.

    Returns
    -------
    dict
        From absolute paths to paths relative to the site. Of two files with one place the last is shown there.
    """
    docs = root / "docs"
    found: dict[Path, str] = {}
    for pattern, place in ELSEWHERE.items():
        for file in sorted(root.glob(pattern)):
            if pattern != "README.md":  # its place is that of the first page, which is written for the site
                found[file] = place.replace("*", file.stem)
    for file in sorted(docs.rglob("*")):
        if file.is_file() and not file.is_relative_to(docs / "site"):
            found[file] = file.relative_to(docs).as_posix()
    return found


def links(file: Path) -> Iterator[Link]:
    """The links of a page to other files, folders and headings of the repository.

    Parameters
    ----------
    file : Path
    """
    for part in _without_code(file.read_text(encoding="utf-8")):
        for found in LINK.finditer(part):
            target, anchor = found[1], found[2] or ""
            yield Link(file, (file.parent / target).resolve() if target else file, anchor)


def gather(root: Path, out: Path) -> None:
    """Put the sources of the site into a folder. What Sphinx wrote there before is kept.

    Parameters
    ----------
    root : Path
        The folder of the repository.
    out : Path

    Raises
    ------
    DataError
        A page has a link to a file that does not exist.
    """
    root = root.resolve()
    out.mkdir(parents=True, exist_ok=True)
    for old in out.iterdir():
        if old.name not in GENERATED:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    site = places(root)
    for file, place in site.items():
        copy = out / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, copy)
        if file.suffix == ".md":
            text = _rewritten(file, place, site, root, out)
            copy.write_text(text, encoding="utf-8")
            os.utime(copy, (file.stat().st_atime, file.stat().st_mtime))  # so that Sphinx sees what did not change


def _rewritten(file: Path, place: str, site: Mapping[Path, str], root: Path, out: Path) -> str:
    """The text of a page at its place on the site."""

    def moved(found: re.Match[str]) -> str:
        target, anchor = found[1], found[2] or ""
        if not target:
            return anchor
        to = _place((file.parent / target).resolve(), site, root, out)
        if to is None:
            raise DataError(f"{file.relative_to(root)} has a link to {target}, which does not exist")
        return os.path.relpath(to, Path(place).parent).replace(os.sep, "/") + anchor

    text = file.read_text(encoding="utf-8")
    parts = [part if CODE.fullmatch(part) else LINK.sub(moved, part) for part in CODE.split(text)]
    return ANCHOR.sub(r"[]{#\1}", "".join(parts))


def _place(target: Path, site: Mapping[Path, str], root: Path, out: Path) -> str | None:
    """Where something of the repository is on the site; None if it does not exist. Other files are copied there."""
    if target in site:
        return site[target]
    if not target.is_relative_to(root) or not target.exists():
        return None
    name = target.relative_to(root).as_posix()
    if name in ELSEWHERE or name in FOLDERS:
        return ELSEWHERE.get(name) or FOLDERS[name]
    if target.is_dir():
        return None
    copy = out / "files" / name
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(target, copy)
    return f"files/{name}"


def _without_code(text: str) -> list[str]:
    return [part for part in CODE.split(text) if not CODE.fullmatch(part)]
