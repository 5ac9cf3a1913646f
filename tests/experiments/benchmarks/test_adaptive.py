"""The adaptive search beside the whole grid."""

import pytest

from experiments.benchmarks import adaptive
from experiments.benchmarks.synthetic import clouds
from experiments.records import read_json


def found(score, solves, error=0.01):
    return {"C": 1.0, "gamma": 0.5, "score": score, "standard_error": error, "solves": solves, "seconds": 2.0}


@pytest.mark.parametrize(("score", "solves", "met"), [(0.9, 33, True), (0.88, 33, False), (0.895, 34, False)])
def test_goal(score, solves, met):
    """Within one standard error of the grid, for at most a third of the solves."""
    result = {"grid": found(0.9, 100), "adaptive": found(score, solves)}
    assert adaptive.met(result) == met
    assert ("not met on a" in adaptive.verdict({"a": result})) == (not met)


def test_runs_from_data_to_files(tmp_path, monkeypatch):
    """Both ways are in the table, and in the JSON file."""
    monkeypatch.setattr(adaptive, "CS", (0.25, 1.0, 4.0, 16.0))
    monkeypatch.setattr(adaptive, "GAMMAS", (0.25, 1.0, 4.0, 16.0, 64.0))
    monkeypatch.setitem(adaptive.SETS, "letter", lambda rows: clouds(3, per_class=rows))
    arguments = ["--out", str(tmp_path), "--sets", "letter", "--rows", "20"]
    assert adaptive.BENCHMARK.main(arguments) == 0
    result = read_json(tmp_path / "adaptive.json")["sets"]["letter"]
    assert result["grid"]["solves"] == 100
    assert result["adaptive"]["solves"] < 100
    page = (tmp_path / "adaptive.md").read_text(encoding="utf-8")
    assert "| letter, grid | 2^" in page
    assert "| letter, adaptive | 2^" in page
