"""Figures in the README and the pages are those of the results, and no figure stands there without its place."""

import re
import shutil
from pathlib import Path

import pytest

from experiments.benchmarks.blocks import BLOCKS
from experiments.benchmarks.command import RESULTS
from experiments.benchmarks.figures import figures
from experiments.benchmarks.quotes import (
    BY_HAND,
    QUOTES,
    ROOT,
    differences,
    holes,
    unlisted,
    write_pages,
    written,
)
from experiments.exceptions import DataError

# Pages that commands write from their records, sentences and all; their tests compare them.
GENERATED = {"choosing.md", "tables.md", "scaling.md", "structures.md", "reproduction.md", "distributed.md"}
PAGES = [
    "README.md",
    *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md") if page.name not in GENERATED),
]

pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="this copy of the sources came without the records")


@pytest.fixture(scope="module")
def known():
    return figures()


@pytest.mark.parametrize("page", QUOTES)
def test_figures_are_those_of_the_results(page, known):
    """Every quoted figure, digit by digit; every sentence of the list is on its page, once."""
    assert list(differences(page, (ROOT / page).read_text(encoding="utf-8"), known)) == []


@pytest.mark.parametrize("page", PAGES)
def test_no_figure_stands_on_a_page_without_its_place(page):
    """A number with a unit is quoted from the results, or the list says where else it comes from."""
    assert unlisted(page, (ROOT / page).read_text(encoding="utf-8")) == []


def test_every_exception_is_on_its_page():
    """Exceptions that no page needs any more are an error, too; every exception has a reason."""
    for page, phrases in BY_HAND.items():
        text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
        for phrase, reason in phrases.items():
            assert phrase in text, (page, phrase)
            assert reason


def test_a_changed_figure_is_found_and_written(known):
    page = "docs/which_structure.md"
    text = (ROOT / page).read_text(encoding="utf-8")
    (hole, *_) = holes(QUOTES[page][0], text)
    wrong = f"{text[: hole.begin]}99.9{text[hole.end :]}"
    assert len(list(differences(page, wrong, known))) == 1
    assert written(page, wrong, known) == text


def test_a_missing_sentence_is_an_error(known):
    page = "docs/which_structure.md"
    assert len(list(differences(page, "nothing", known))) == len(QUOTES[page])
    with pytest.raises(DataError, match="does not have"):
        written(page, "nothing", known)


def test_a_new_figure_is_found():
    """Also one that is like a quoted one, elsewhere on the page."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert unlisted("README.md", f"{text}\nIt takes 0.0797 s, and is 13 times as fast.") == ["0.0797 s", "13 times"]
    assert unlisted("README.md", "an image of 8 × 8 pixels") == []


def test_all_pages_can_be_written(tmp_path, known):
    """Writing changes what is wrong, and nothing else."""
    for page in {*QUOTES, *BLOCKS}:
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / page, tmp_path / page)
    assert write_pages(tmp_path) == []
    readme: Path = tmp_path / "README.md"
    text = readme.read_text(encoding="utf-8")
    readme.write_text(re.sub(r"(\| fit \| )[\d.]+", r"\g<1>7.5", text), encoding="utf-8")
    assert write_pages(tmp_path) == ["README.md"]
    assert readme.read_text(encoding="utf-8") == text
