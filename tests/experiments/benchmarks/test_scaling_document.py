"""docs/scaling.md says what its record says."""

import pytest
from fakes import new_record, outcome, run_all

from experiments.benchmarks import scaling, scaling_document
from experiments.benchmarks.command import RESULTS
from experiments.benchmarks.curves import Series
from experiments.benchmarks.points import ONE_VS_ONE, Point
from experiments.benchmarks.scaling_pictures import PICTURES
from experiments.records import read_json


def test_document_says_what_the_record_says():
    """Comparisons, laws, the goal and what was not run are those of the numbers."""
    record = new_record()
    run_all(record, limit=1000)
    words = scaling_document.document(record, ["scaling-rows.png"])
    assert "one-vs-one trains 3.0 times as fast as one-vs-rest" in words
    assert "trains 9.0 times as fast as scikit-learn" in words
    assert "| Letter, one-vs-one | 1e-06 | 2.00 | 1.000 | 4 |" in words
    assert "It is met: the process grew by 0.01 GiB" in words
    assert "pictures/scaling-rows.png" in words
    assert "pictures/scaling-memory.png" not in words
    assert "- Covertype, one-vs-one, 50000 rows: stopped after 1000 s." in words
    assert "- Covertype, one-vs-one, 200000 rows: skipped, as 50000 rows took longer than 1000 s." in words


def test_document_of_few_points():
    """Without points to compare there are no comparisons, and a goal without its point says so."""
    record = new_record()
    series = Series("rows", "letter", ONE_VS_ONE)
    point = Point("letter", ONE_VS_ONE, rows=2000)
    record["points"][series.key(2000)] = {"point": {}, "version": "", **outcome(point, 1.0)}
    words = scaling_document.document(record, [])
    assert "times as" not in words.split("## Power laws")[0]
    assert "that point has no figures here" in words


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (3, "trains 3.0 times as fast as B"),
        (0.25, "takes 4.0 times as long to train as B"),
        (1.01, "trains about as fast as B"),
    ],
)
def test_speed_in_words(ratio, words):
    """The faster of the two is called the faster."""
    assert scaling_document.speed("trains", "to train", ratio, "B") == words


def test_page_in_docs_is_made_of_its_record():
    """Every word of docs/scaling.md comes out again from the record: nothing in it was written by hand."""
    file = RESULTS / "scaling.json"
    if not file.exists():
        pytest.skip("this copy of the sources came without the record")
    page = scaling_document.document(read_json(file), list(PICTURES))
    assert page == (scaling.DOCS / "scaling.md").read_text(encoding="utf-8")
