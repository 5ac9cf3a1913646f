"""Covertype: both caches at every number of rows, and all rows alone."""

from dataclasses import replace

import pytest

from experiments.benchmarks import covertype, duel
from experiments.benchmarks.competitors import Dagmar, Intelex, ScikitLearn
from experiments.benchmarks.synthetic import clouds
from experiments.records import read_json


class Stand(ScikitLearn):
    """scikit-learn by the name of the peer, which may be missing."""

    name = Intelex.name


@pytest.fixture
def small(monkeypatch):
    """Small sets in place of Covertype, and a peer that is always there."""
    monkeypatch.setattr("experiments.benchmarks.race.REST", 0)
    monkeypatch.setattr(duel, "Intelex", Stand)
    monkeypatch.setattr(covertype, "load_covertype", lambda rows: clouds(3, per_class=rows // 3))
    monkeypatch.setattr(covertype, "ALL_ROWS", 600)


def test_covertype_runs_from_data_to_files(small, tmp_path, monkeypatch):
    """Every number of rows is run with both caches, beside its goal, and all rows in a process of their own."""
    asked = []

    def alone(point, limit):
        asked.append(point)
        numbers = {"fit": [9.5], "first_predict": [1.0], "next_predict": [0.5], "accuracy": 90.0}
        return {"status": "done", **numbers, "support_vectors": 7, "fit_grew_mib": 100.0, "grew_mib": 3000.0}

    monkeypatch.setattr(covertype, "measure_alone", alone)
    arguments = ["--out", str(tmp_path), "--repeats", "1", "--rows", "60", "90"]
    assert covertype.BENCHMARK.main(arguments) == 0
    sets = read_json(tmp_path / "covertype.json")["sets"]
    assert {name: result["case"]["cache_mb"] for name, result in sets.items()} == {
        "60 rows, equal cache": 2000,
        "60 rows, defaults": 200,
        "90 rows, equal cache": 2000,
        "90 rows, defaults": 200,
    }
    assert not asked
    assert covertype.BENCHMARK.main([*arguments[:4], "--rows", "60", "--all"]) == 1  # as memory grew beyond the goal
    assert [point.rows for point in asked] == [600]
    page = (tmp_path / "covertype.md").read_text(encoding="utf-8")
    assert "| fit, s | 9.5 |" in page
    assert "Disagreement: 80 % of all rows, MiB that memory grew by: 3000, limit 2048." in page


def test_fit_that_does_not_end_is_told():
    """A fit of all rows over its limit has no numbers."""
    (table,) = covertype.tables("80 % of all rows", {"outcome": {"status": "over", "limit": 60.0}})
    assert table.rows == [["over", "60.0"]]


def test_goals_stand_beside_ratios(small):
    """Ratios without a goal have none; others are met or not."""
    case = replace(clouds(3), cache_mb=10)
    result = duel.measure(case, 1, 1, len)
    assert [check["what"] for check in result["checks"]] == ["points of accuracy", "relative distance of objectives"]
    assert set(result["predict_ratios"]) == {"dagmar ddag", "dagmar max_wins"}
    result["fit_ratio"] = 3.0
    rows = duel.tables(result, {"fit": 3.0, "ddag": 1e9})[1].rows
    assert [row[2:] for row in rows] == [["3", "met"], ["1e+09", "not met"], ["–", ""]]
    assert Dagmar.name in result["counts"]
