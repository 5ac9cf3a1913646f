"""Tables on pages are those of the records; without a record there is no table."""

import shutil

import pytest

from experiments.benchmarks.blocks import BLOCKS, STATES, block_spans, with_blocks
from experiments.benchmarks.call_kinds import FIRST, FIT, KINDS, NEXT
from experiments.benchmarks.command import AVX2, RESULTS
from experiments.benchmarks.quotes import ROOT, unlisted
from experiments.exceptions import DataError
from experiments.records import read_json, write_json

pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="this copy of the sources came without the records")


@pytest.fixture
def records(tmp_path):
    """A folder with every record: those of AVX2 are copies, those of calls and kernels are made."""
    folder = tmp_path / "results"
    shutil.copytree(RESULTS, folder)
    bench, census = (read_json(folder / f"{name}.json") for name in ("bench", "census"))
    for name, report in (("bench", bench), ("census", census)):
        report["environment"]["instructions"] = "avx2"
        write_json(report, folder / AVX2 / f"{name}.json")
    ratio = {"seconds": 0.001, "ratio": 12.34, "best_peer": "scikit-learn"}
    kinds = {
        name: {
            "iris": {"ratios": dict.fromkeys(kind.goals, ratio)},
            "wine": {"ratios": dict.fromkeys(kind.goals, ratio)},
        }
        for name, kind in KINDS.items()
    }
    calls = {"environment": bench["environment"], "source": None, "threads": 2, "kinds": kinds}
    write_json(calls, folder / "calls.json")
    write_json(calls, folder / AVX2 / "calls.json")
    small = {name: result for name, result in census["sets"].items() if name.startswith("iris")}
    write_json({**census, "sets": small}, folder / "kernels.json")
    return folder


@pytest.mark.parametrize("page", BLOCKS)
def test_pages_say_what_the_records_have(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert with_blocks(page, text) == text, "run `make figures`"


def test_a_block_without_record_is_empty(tmp_path):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    begin, end = block_spans("README.md", empty := with_blocks("README.md", text, tmp_path))["avx2"]
    assert empty[begin:end] == "\n"
    assert with_blocks("README.md", empty, tmp_path) == empty


def test_blocks_are_written(records):
    """Every kind of call and every group has a line; no figure in them needs another place."""
    readme = with_blocks("README.md", (ROOT / "README.md").read_text(encoding="utf-8"), records)
    assert "| Letter | " in readme
    assert readme.count("| census: ") == 3
    assert unlisted("README.md", readme) == []
    page = with_blocks("docs/benchmarks.md", (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8"), records)
    for name, kind in KINDS.items():
        (line,) = [line for line in page.splitlines() if line.startswith(f"| {name} | 2 |")]
        assert line.count("12.3 ×, 12.3 ×") == len(kind.goals)
        assert line.count("| 12.3 × ") == len(kind.goals)
        assert line.count(" – ") == 2 * (len({FIT, FIRST, NEXT}) - len(kind.goals))
    assert "| fit, times scikit-learn | 2 |" in page
    assert unlisted("docs/benchmarks.md", page) == []


def test_measured_lists_every_record(records):
    """With the commit and digest of its sources, where it says them."""
    page = with_blocks("docs/measured.md", (ROOT / "docs/measured.md").read_text(encoding="utf-8"), records)
    names = {file.relative_to(records).with_suffix("").as_posix() for file in records.rglob("*.json")}
    assert names == set(STATES)
    assert all(title in page for title in STATES.values())
    commit = read_json(records / "structures.json")["source"]["commit"]
    assert f"`{commit[:12]}`" in page


def test_a_page_without_the_comments_is_an_error():
    with pytest.raises(DataError, match="avx2"):
        with_blocks("README.md", "nothing")
