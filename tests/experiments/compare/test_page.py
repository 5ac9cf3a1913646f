"""The page of documentation about a comparison."""

import re
from pathlib import Path

import pytest
from comparisons import content, cube

from experiments.compare.cube import Cube
from experiments.compare.page import compose
from experiments.compare.results import FILE, Results

DOCS = Path(__file__).parents[3] / "docs"


def test_page_says_where_others_win_first():
    """Then by shape, time, structures and cost, each with its sentences."""
    text = compose(cube(), content(), "choosing")
    headings = re.findall("^## (.*)$", text, re.MULTILINE)
    assert headings[0] == "Is an SVM the right tool?"
    first = text[text.index("## Is an SVM") :].splitlines()[2]
    assert first.startswith("- Where is it the wrong tool?")
    assert len(headings) == len(set(headings)) >= 9
    assert "commit" not in text
    assert "cccccccccccc" in text


def test_part_of_a_run_is_called_so():
    """The page of a run that was stopped says how much of it is there."""
    assert "not complete" not in compose(cube(), content(), "choosing")
    told = content()
    del told["steps"]["iris/0/ddag"]
    told["steps"]["wine/0/ddag"] = {"error": "ValueError: no", "run": 0}
    text = compose(Cube.of(told), told, "choosing")
    assert "**The run is not complete**: 94 of 96 steps are there" in text
    assert "1 step failed" in text
    assert "96 of 500 steps are there" in compose(cube(), {**content(), "asked": 500}, "choosing")


def test_committed_page_is_written_from_the_committed_results():
    """Nobody changed it by hand, or forgot to write it again."""
    if not (DOCS / "choosing" / FILE).is_file():
        pytest.skip("there are no committed results")
    results = Results.read(DOCS / "choosing")
    assert (DOCS / "choosing.md").read_text(encoding="utf-8") == compose(
        Cube.of(results.content), results.content, "choosing"
    )
