"""The sources of the site: links lead where they should, on the site and in the repository."""

import re
from fnmatch import fnmatch

import pytest

from experiments.exceptions import DataError
from experiments.site.build import ROOT
from experiments.site.gather import ELSEWHERE, FOLDERS, gather, links, places

PAGES = [file for file in places(ROOT) if file.suffix == ".md"] + [ROOT / "README.md"]
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def anchors(file):
    """The anchors of a page: its headings as GitHub and the site name them, and ids that are written out."""
    text = file.read_text(encoding="utf-8")
    names = [
        re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)).strip()
        for title in HEADING.findall(text)
    ]
    return {name.lower().replace(" ", "-") for name in names} | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    """To a file or folder of the repository, and to a heading that is there."""
    for link in links(page):
        assert link.target.exists(), (link.target, link.anchor)
        if link.anchor and link.target.suffix == ".md":
            assert link.anchor[1:] in anchors(link.target), link.anchor


def test_every_page_has_its_place():
    """No two pages share one, and every page is in a table of contents."""
    of = [place for file, place in places(ROOT).items() if file.suffix in (".md", ".rst")]
    assert len(of) == len(set(of))
    listed = {"index.md"}
    for file in places(ROOT):
        if file.suffix != ".md":
            continue
        for block in re.findall(r"```\{toctree\}\n(.*?)```", file.read_text(encoding="utf-8"), re.DOTALL):
            listed |= {f"{line}.md" for line in block.splitlines() if line and not line.startswith(":")}
    pages = [place for place in of if place.endswith(".md")]
    assert [page for page in pages if not any(fnmatch(page, pattern) for pattern in listed)] == []


def test_pages_from_elsewhere_are_moved(tmp_path):
    """With their links; what Sphinx wrote beside them stays, other old files go."""
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "kept.rst").write_text("kept")
    (tmp_path / "old.md").write_text("old")
    gather(ROOT, tmp_path)
    assert (tmp_path / "api" / "kept.rst").exists()
    assert not (tmp_path / "old.md").exists()
    assert not (tmp_path / "site").exists()
    assert "](measured/census.md)" in (tmp_path / "benchmarks.md").read_text(encoding="utf-8")
    assert "](contributing.md#to-add-a-kernel)" in (tmp_path / "kernels.md").read_text(encoding="utf-8")
    assert "](benchmarks.md)" in (tmp_path / "changelog.md").read_text(encoding="utf-8")
    assert all(
        "](../" not in (tmp_path / page).read_text(encoding="utf-8") for page in ("core.md", "index.md", "guide.md")
    )


def test_a_link_to_nothing_is_an_error(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text("[here](there.md), `[code](is not a link.md)`")
    with pytest.raises(DataError, match=r"there\.md"):
        gather(tmp_path, tmp_path / "out")


def test_other_files_go_along(tmp_path):
    """A file of the repository that is no page is copied; a folder leads to the page about it."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (tmp_path / "examples").mkdir()
    (tmp_path / "Makefile").write_text("all:")
    (docs / "index.md").write_text('[make](../Makefile) [examples](../examples/) <a id="x"></a>')
    gather(tmp_path, tmp_path / "out")
    assert (tmp_path / "out" / "index.md").read_text() == "[make](files/Makefile) [examples](gallery/index.rst) []{#x}"
    assert (tmp_path / "out" / "files" / "Makefile").read_text() == "all:"


def test_lists_of_places_are_true():
    avx2 = "experiments/benchmarks/results/avx2/*.md"  # which need not have been measured
    assert [pattern for pattern in ELSEWHERE if not list(ROOT.glob(pattern))] in ([], [avx2])
    assert all((ROOT / folder).is_dir() for folder in FOLDERS)
