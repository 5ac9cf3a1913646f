"""The site is built without a warning, and needs nothing but its own files."""

import re

import pytest

from experiments.site.build import build, write_explorer

FETCHED = re.compile(r'(?:src|href)="(?:https?:)?//[^"]*"')


def test_the_page_of_the_explorer_is_small(tmp_path):
    """The first page shows it, so it must load quickly."""
    write_explorer(tmp_path / "sub" / "page.html")
    assert 50_000 < (tmp_path / "sub" / "page.html").stat().st_size < 400_000


@pytest.mark.slow
def test_the_site_is_built(tmp_path):
    """Every page is there; scripts, styles and pictures come from the folder; every link inside leads somewhere."""
    pytest.importorskip("sphinx")
    assert build(tmp_path) == 0
    html = tmp_path / "html"
    for page in (
        "index",
        "quickstart",
        "questions",
        "reference",
        "api/dagmar.SVC",
        "gallery/plot_01_digits",
        "measured/census",
    ):
        assert (html / f"{page}.html").exists(), page
    for page in html.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for tag in re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", text):
            assert not FETCHED.search(tag), (page.name, tag)
        for target in re.findall(r'<(?:a|link|img|iframe|script)\b[^>]*?(?:href|src)="(?![a-z]+:)([^"#?]+)', text):
            assert (page.parent / target).exists(), (page.relative_to(html), target)
