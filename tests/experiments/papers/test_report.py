"""What a report says, and how it is written."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from toy import ToyStudy

from experiments.papers.document import compose
from experiments.papers.report import ErrorRate, conditions, number, provenance
from experiments.papers.rule import RULE, THRESHOLDS
from experiments.papers.study import Settings

FOUND = {"draw": {"number": 0.25}, "double": {"number": 0.5}}
CONTENT = {
    "environment": {
        "versions": {"python": "3.11", "dagmar": "1", "absent": None},
        "cpu": "abacus",
        "cores": 2,
        "instructions": "beads",
        "system": "wood",
    },
    "settings": {"seed": 7, "quick": True},
    "threads": 2,
    "steps": {"draw": {"seconds": 30.0}, "double": {"seconds": 60.0}},
}


@pytest.fixture
def report():
    return ToyStudy().report(Settings(), FOUND)


@pytest.mark.parametrize(("measured", "close"), [(2.5, True), (1.5, True), (2.51, False), (1.49, False)])
def test_close_is_half_a_point(measured, close):
    """Half a point either way is close, more is not."""
    assert ErrorRate("letter", "ddag", 2.0, measured).is_close is close


def test_markdown_has_everything(report):
    """Claims with verdicts, errors with reasons, tables with their source, pictures."""
    text = report.markdown("there/")
    assert "| It doubles. | held | 0.500 |" in text
    assert "| tiny | guess | 2.00 | 2.40 | +0.40 | yes |" in text
    assert "| tiny | hope | 2.00 | 3.00 | +1.00 | no: another split |" in text
    assert "*[toy.json](there/toy.json), steps `double`*" in text
    assert "![A line.](there/toy-line.png)" in text
    assert text.index("## A toy") < text.index("### Numbers") < text.index("### Errors, published and measured")


def test_claims_that_fail_say_so():
    """The verdict follows the numbers."""
    failed = ToyStudy().report(Settings(), {"draw": {"number": 0.25}, "double": {"number": 0.1}})
    assert "| It doubles. | not held | 0.100 |" in failed.markdown()


def test_document_has_all_papers_and_claims(report):
    """All claims come first, then every paper; the hours are those of the records."""
    record = SimpleNamespace(seconds=1800.0, content=CONTENT)
    text = compose([report, report], [record, record], "out/")
    assert "All papers together took 1.00 hours" in text
    assert text.count("| toy | 1 | 0 | 0 | 0 | 1 |") == 2
    assert all(words in text for words in RULE)
    assert all(threshold.reason in text for threshold in THRESHOLDS)
    assert text.index("## The rule") < text.index("## What held")
    assert text.count("| toy | It doubles. | held | 0.500 |") == 2
    assert text.index("## What held") < text.index("## A toy")
    assert "\n## Errors\n" not in text  # none on a set that could be compared


def test_document_compares_errors_of_the_papers(report):
    """Where papers share a set whose errors can be compared, they stand side by side."""
    record = SimpleNamespace(seconds=1800.0, content=CONTENT)
    on_letter = replace(report, errors=[ErrorRate("Letter", "ddag", 2.2, 2.3), ErrorRate("iris", "ddag", 2.0, 9.0)])
    text = compose([on_letter], [record], "out/")
    assert "| toy | Letter | ddag | 2.20 | 2.30 | +0.10 | yes |" in text
    assert "**1 of 1 errors are within 0.5 points of the published ones**" in text
    assert "| toy | iris" not in text
    assert "(out/toy-line.png)" in text


def test_conditions():
    """Length, steps, time, seed, threads, machine and versions, without packages that are absent."""
    text = conditions(CONTENT)
    assert text.startswith(
        "A quick run, on part of the data: no reproduction: 2 steps, 1.5 minutes, seed 7, 2 threads."
    )
    assert "abacus, 2 cores, beads; wood, python 3.11, dagmar 1. This record lacks provenance" in text


def test_provenance_names_commits_dates_and_what_lacks_them():
    """Commits once each, marked if sources were changed; the first and the last day; how many steps say nothing."""
    steps = {
        "a": {"provenance": {"commit": "a" * 40, "clean": True, "date": "2026-01-02 10:00"}},
        "b": {"provenance": {"commit": "a" * 40, "clean": False, "date": "2026-01-01 09:00"}},
        "c": {"provenance": {"commit": None, "clean": None, "date": "2026-01-01 09:00"}},
        "d": {},
    }
    text = provenance({"steps": steps, "environment": {"libsvm": "3.10"}, "smoothing_edge": "constant"})
    assert text == (
        "Sources: commit aaaaaaaaaaaa, commit aaaaaaaaaaaa with changes, no Git checkout; 2026-01-01 to 2026-01-02. "
        "1 steps lack a commit and a date. LIBSVM 3.10, in scikit-learn. Edge mode of smoothing: constant."
    )
    alone = provenance({"steps": {"a": steps["a"]}, "environment": {}})
    assert alone == (
        "Sources: commit aaaaaaaaaaaa; 2026-01-02. LIBSVM of an unknown version, in scikit-learn. "
        "Edge mode of smoothing: unknown."
    )


def test_numbers_in_cells():
    """Digits as asked, a dash where there is nothing."""
    assert number(1.234) == "1.23"
    assert number(1.25, 0) == "1"
    assert number(None) == "–"
