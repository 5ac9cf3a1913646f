"""What a report says, and how it is written."""

from types import SimpleNamespace

import pytest
from toy import ToyStudy

from experiments.papers.document import alone, index, pages, places, write_pages
from experiments.papers.printed import read_cell
from experiments.papers.report import ErrorRate, number
from experiments.papers.rule import RULE, THRESHOLDS, Verdict, judge_parts
from experiments.papers.seeds import over_seeds
from experiments.papers.study import Settings

FOUND = {"draw": {"number": 0.25}, "double": {"number": 0.5}}
FAILED = {"draw": {"number": 0.25}, "double": {"number": 0.1}}
SOURCE = {"commit": "a" * 40, "clean": True, "date": "2026-01-02 10:00"}
CONTENT = {
    "environment": {
        "versions": {"python": "3.11", "dagmar": "1", "absent": None},
        "cpu": "abacus",
        "cores": 2,
        "instructions": "beads",
        "system": "wood",
        "libsvm": "3.10",
    },
    "settings": {"seed": 7, "quick": True},
    "threads": 2,
    "smoothing_edge": "constant",
    "rule": {"digest": "d", "commit": "b" * 40},
    "steps": {"draw": {"seconds": 30.0, "provenance": SOURCE}, "double": {"seconds": 60.0, "provenance": SOURCE}},
}


@pytest.fixture
def report():
    return ToyStudy().report(Settings(), FOUND)


def record(**changes):
    """A record of the toy, in a file that need not be there."""
    return SimpleNamespace(seconds=1800.0, content={**CONTENT, **changes}, file=SimpleNamespace(name="toy-seed7.json"))


@pytest.mark.parametrize(("measured", "close"), [(2.5, True), (1.5, True), (2.51, False), (1.49, False), (None, False)])
def test_close_is_half_a_point(measured, close):
    """Half a point either way is close, more is not; what was not run is not close."""
    assert ErrorRate("letter", "ddag", 2.0, measured).is_close is close


def test_page_of_a_paper_has_everything_once(report):
    """Outcome, protocol, claims with verdicts, tables with their source, pictures, omissions; nothing of our own."""
    text = report.markdown()
    order = [
        "# A toy",
        "**In one minute.** It doubled.",
        "## Protocol",
        "## Claims",
        "## Numbers",
        "## Printed, and not",
    ]
    assert [text.count(part) for part in order] == [1] * len(order)
    assert sorted(order, key=text.index) == order
    assert '| <a id="doubles"></a>It doubles. | Section 1 | held | 0.500 |' in text
    assert "*Record of toy, steps `double`*" in text
    assert "![A line.](toy-line.png)" in text
    assert "| halves | 0.50 | nobody asks |" in text
    assert "It is positive" not in text
    assert "Other numbers" not in text


def test_claims_that_fail_say_so():
    """The verdict follows the numbers."""
    assert "It doubles. | Section 1 | not held | 0.100 |" in ToyStudy().report(Settings(), FAILED).markdown()


def test_other_readings_stand_beside_the_verdict(report):
    """They are named, and decide nothing."""
    claim = report.claims[0]
    both = type(claim)(**{**vars(claim), "others": {"One bank": judge_parts({"a": True, "b": False})}})
    assert both.verdict is Verdict.HELD
    assert both.row()[2] == "held. One bank: held in part: holds for a; not for b"


def test_pages_of_all_papers(report):
    """Our findings and other readings have pages of their own."""
    texts = pages([report])
    assert set(texts) == {"toy.md", "findings.md", "readings.md"}
    assert "It is positive." in texts["findings.md"]
    assert "**Signs**" in texts["findings.md"]
    assert "### Other numbers" in texts["readings.md"]
    assert all(text.endswith("\n") and not text.endswith("\n\n") for text in texts.values())
    whole = alone(report)
    assert all(words in whole for words in ("It doubles.", "It is positive.", "**Signs**", "Other numbers"))


def test_map_leads_to_every_published_number(report):
    """Also to those that are not measured."""
    found = places([report])
    text = report.markdown()
    assert {pointer: read_cell(text, place) for pointer, place in found.items()} == {
        "/toy/in_text/half": "0.50",
        "/toy/tables/table1/x": "1.0",
    }


def test_index(report):
    """Counts, claims with links, the rule with its commit, provenance; no claim of our own."""
    text = index([report, report], {"toy": [record()], "toy2": [record()]}, "out/")
    assert text.count("| toy | 1 | 0 | 0 | 0 | 1 |") == 2
    sentence = "of 1 claims 1 held, 0 held in part, 0 did not hold, 0 cannot be decided here; it doubled."
    assert text.count(f"- [A toy](out/toy.md): {sentence}") == 2
    assert text.count("| toy | 3 | 2 | 1 | 33 | 1 of 1 | – |") == 2
    assert text.count("| toy | [Doubles](out/toy.md#doubles) | held |") == 2
    assert "(commit: `bbbbbbbbbbbb`)" in text
    assert all(words in text for words in RULE)
    assert all(threshold.reason in text for threshold in THRESHOLDS)
    assert "All runs together took 1.0 hours." in text
    assert (
        "| [toy-seed7.json](out/toy-seed7.json) | 2 steps, 1.5 minutes, seed 7; a quick run, on part of the data: no "
        "reproduction | `aaaaaaaaaaaa` | 2026-01-02 |" in text
    )
    machine = (
        "abacus, 2 cores, beads, 2 threads; wood, python 3.11, dagmar 1; LIBSVM 3.10, in scikit-learn. Edge mode of"
    )
    assert text.count(machine) == 1
    assert "positive" not in text


def test_provenance_of_mixed_and_old_records(report):
    """Commits once each, marked if sources were changed; the first and the last day; how many steps say nothing."""
    steps = {
        "a": {"seconds": 1, "provenance": SOURCE},
        "b": {"seconds": 1, "provenance": {**SOURCE, "clean": False, "date": "2026-01-01 09:00"}},
        "c": {"seconds": 1, "provenance": {"commit": None, "clean": None, "date": "2026-01-01 09:00"}},
        "d": {"seconds": 1},
    }
    text = index([report], {"toy": [record(steps=steps)]}, "")
    assert (
        "| `aaaaaaaaaaaa`, `aaaaaaaaaaaa` with changes, no Git checkout, unknown for 1 steps | 2026-01-01 to 2026-01-02 |"
        in text
    )
    old = index([report], {"toy": [record(steps={"d": {"seconds": 1}}, rule={})]}, "")
    assert "| unknown for 1 steps | unknown |" in old
    assert "(commit: unknown)" in old


def test_verdicts_that_the_seed_flips(report):
    """They cannot be decided, and the numbers of both seeds are shown; others stay as they are."""
    same = over_seeds({0: report, 1: report})
    assert same.claims == report.claims
    flipped = over_seeds({0: report, 1: ToyStudy().report(Settings(1), FAILED)})
    assert flipped.claims[0].verdict is Verdict.UNDECIDED
    assert flipped.claims[0].shown == "Seed 0: 0.500. Seed 1: 0.100"
    assert flipped.own_claims[0].verdict is Verdict.HELD
    assert flipped.sections == report.sections


def test_files_are_written(report, tmp_path):
    """Index beside the folder; pages, pictures and the map in it."""
    (tmp_path / "out").mkdir()
    file = write_pages([report], {"toy": [record()]}, tmp_path / "out")
    assert file == tmp_path / "out.md"
    assert "(out/toy.md#doubles)" in file.read_text()
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {"toy.md", "findings.md", "readings.md", "map.json", "toy-line.png"}


def test_numbers_in_cells():
    """Digits as asked, a dash where there is nothing."""
    assert number(1.234) == "1.23"
    assert number(1.25, 0) == "1"
    assert number(None) == "–"
