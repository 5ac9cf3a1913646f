"""Every published number is on a page, at the place that the committed map names."""

import json
import os
from pathlib import Path

import pytest

from experiments.papers.printed import Printed, numbers_in, places_on, published_numbers, read_cell
from experiments.tables import Table

DOCS = Path(__file__).parents[3] / "docs" / "reproduction"
PAPERS = ("platt1999", "yu2011", "don2018_dcsvm", "wang2011_btppsvm")


def test_cells_keep_their_pointers_and_are_found_again():
    """A printed cell is plain text in a table; its place leads back to it."""
    rows = [["letter", Printed("2.20", "/a/0"), "2.25"], ["usps", Printed("1.6 to 2.3", "/b/0", "/b/1"), "–"]]
    table = Table("Errors", ["set", "published", "measured"], rows)
    places = places_on("page.md", [table])
    assert set(places) == {"/a/0", "/b/0", "/b/1"}
    page = f"# Page\n\n{table.markdown()}\n"
    assert read_cell(page, places["/a/0"]) == "2.20"
    assert read_cell(page, places["/b/1"]) == "1.6 to 2.3"


@pytest.mark.parametrize("change", [{"table": "Other"}, {"row": 2}, {"column": 3}])
def test_places_that_are_not_on_the_page(change):
    """A wrong title, row or column is an error, not another cell."""
    page = Table("Errors", ["set", "published"], [["letter", "2.2"], ["usps", "4.4"]]).markdown() + "\n\nText | text.\n"
    with pytest.raises(LookupError):
        read_cell(page, {"page": "page.md", "table": "Errors", "row": 0, "column": 1, **change})


def test_what_counts_as_published():
    """Numbers in tables, data and text, also inside words; no captions, notes, numbers of rows, checks or own runs."""
    paper = {
        "tables": {"table1": {"caption": "of 3", "note": "4", "rows": [{"row": "1", "i": "1", "error": "4.70"}]}},
        "in_text": {"a/b": ["1.6", "2.3"], "split": "70% / 30%", "none": None, "words": "no number"},
        "check": {"sum": "7"},
        "reference_run": {"error": "9"},
    }
    assert published_numbers({"_about": {"tables": "2"}, "p": paper}) == {
        "/p/tables/table1/rows/0/i": ["1"],
        "/p/tables/table1/rows/0/error": ["4.70"],
        "/p/in_text/a~1b/0": ["1.6"],
        "/p/in_text/a~1b/1": ["2.3"],
        "/p/in_text/split": ["70", "30"],
        "/_about/tables": ["2"],
    }


@pytest.mark.parametrize("paper", PAPERS)
def test_every_published_number_is_on_a_page(paper):
    """By its pointer, with the digits as printed."""
    file = os.environ.get("DAGMAR_PAPER_TABLES")
    if not file:
        pytest.skip("DAGMAR_PAPER_TABLES does not name the file of published numbers")
    content = json.loads(Path(file).read_text(encoding="utf-8"), parse_int=str, parse_float=str)
    published = {p: numbers for p, numbers in published_numbers(content).items() if p.startswith(f"/{paper}/")}
    assert len(published) > 20
    places = json.loads((DOCS / "map.json").read_text(encoding="utf-8"))
    assert [pointer for pointer in published if pointer not in places] == []
    pages = {name: (DOCS / name).read_text(encoding="utf-8") for name in {place["page"] for place in places.values()}}
    wrong = {}
    for pointer, numbers in published.items():
        cell = read_cell(pages[places[pointer]["page"]], places[pointer])
        if not set(numbers) <= set(numbers_in(cell)):
            wrong[pointer] = (numbers, cell)
    assert wrong == {}
