"""A benchmark runs from data to files, and the pages say what their records say."""

from argparse import Namespace

import pytest

from experiments.benchmarks import (
    adaptive,
    calls,
    census,
    covertype,
    default_grid,
    fingerprints,
    kernels,
    mnist,
    peers,
    probability,
    sparse,
    tuning,
)
from experiments.benchmarks.command import RESULTS, Screen
from experiments.benchmarks.competitors import Dagmar, ScikitLearn
from experiments.benchmarks.report import conditions, new_report
from experiments.benchmarks.results import disagreements, measure
from experiments.benchmarks.synthetic import clouds
from experiments.exceptions import DataError
from experiments.records import read_json

PAGES = {
    "bench": peers.PAGE.markdown,
    "census": census.PAGE.markdown,
    "covertype": covertype.PAGE.markdown,
    "sparse": sparse.PAGE.markdown,
    "mnist": mnist.markdown,
    "tuning": tuning.markdown,
    "adaptive": adaptive.markdown,
    "default_grid": default_grid.markdown,
    "probability": probability.markdown,
    "fingerprints": fingerprints.PAGE.markdown,
    "calls": calls.markdown,
    "kernels": kernels.PAGE.markdown,
    "avx2/bench": peers.PAGE.markdown,
    "avx2/census": census.PAGE.markdown,
    "avx2/calls": calls.markdown,
}


@pytest.mark.parametrize("name", PAGES)
def test_page_is_made_of_its_record(name):
    """Every word of a page in results comes out again from its record."""
    file = RESULTS / f"{name}.json"
    if not file.exists():
        pytest.skip("this copy of the sources came without this record")
    assert PAGES[name](read_json(file)) == file.with_suffix(".md").read_text(encoding="utf-8")


def test_conditions_name_threads_and_repeats():
    """The page says how many repeats there were if all had the same number."""
    assert "; 2 threads for those who can use them; 3 repeats. " in conditions(
        new_report(Namespace(threads=2, repeats=3))
    )
    assert "use them. " in conditions(new_report(Namespace(threads=2)))


@pytest.fixture
def quick(monkeypatch):
    """No waiting between runs, and the two competitors that are always there."""
    monkeypatch.setattr("experiments.benchmarks.race.REST", 0)
    monkeypatch.setattr(peers, "measure", lambda *given: measure(*given, (Dagmar, ScikitLearn)))


def test_peers_run_from_data_to_files(quick, tmp_path, monkeypatch, capsys):
    """Every set that is there is measured, shown and written; one that is not makes the command fail."""
    monkeypatch.setattr("experiments.benchmarks.race.LATENCY_ROWS", 3)
    monkeypatch.setattr(peers, "load_case", lambda name: clouds(3))
    arguments = ["--out", str(tmp_path), "--repeats", "1", "--sets", "letter"]
    assert peers.BENCHMARK.main(arguments) == 0
    report = read_json(tmp_path / "bench.json")
    assert list(report["sets"]) == ["clouds"]
    assert not disagreements(report)
    assert peers.PAGE.markdown(report) == (tmp_path / "bench.md").read_text(encoding="utf-8")

    def load(name):
        if name == "usps":
            raise DataError("no data for 'usps'")
        return clouds(3)

    monkeypatch.setattr(peers, "load_case", load)
    monkeypatch.setattr(peers, "measure", lambda *given: report["sets"]["clouds"])
    assert peers.BENCHMARK.main(["--out", str(tmp_path / "other"), "--sets", "usps", "letter"]) == 1
    assert "no data for 'usps'" in capsys.readouterr().out
    assert (tmp_path / "other" / "bench.md").exists()


def test_disagreement_fails(tmp_path, capsys):
    """An answer that does not agree is named on the screen and on the page, and the command fails."""
    case = clouds(3)
    check = {"what": "% of labels as scikit-learn", "value": 50.0, "limit": 99.9, "passed": False}
    result = {"case": case.describe(), "checks": [check]}
    page = peers.SetBySet("some", "Some", lambda name, result: [])
    assert page.run([case], lambda case: result, Namespace(threads=1, repeats=1, out=tmp_path), Screen()) == 1
    assert "Disagreement: clouds, % of labels as scikit-learn: 50" in capsys.readouterr().out
    assert "Disagreement: clouds" in (tmp_path / "some.md").read_text(encoding="utf-8")
