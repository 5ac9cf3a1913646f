"""The census: groups, means, the worst, and a run from data to files."""

import pytest

from experiments.benchmarks import census
from experiments.benchmarks.competitors import Dagmar, LibsvmConverted, ScikitLearn
from experiments.benchmarks.goals import LARGE, SMALL, TEXT
from experiments.records import read_json


def result(rows, fit, predict, **more):
    """What is known of a set with these rows, on which we are faster by these ratios."""
    ratios = [{"what": "fit", "ratio": fit, "best_peer": "LIBSVM"}]
    ratios += [
        {"what": what, "ratio": predict, "best_peer": "LIBSVM", "warm": predict} for what in ("ddag", "max_wins")
    ]
    return {"case": {"train_rows": rows - 1, "test_rows": 1, **more}, "ratios": ratios}


def test_groups_have_means_and_the_worst():
    """Sets are grouped by rows and kind; a goal is met if the mean and every set reach it."""
    sets = {
        "a": result(1000, 4.5, 36),
        "b": result(5000, 36, 36),
        "c": result(999, 1, 0.5),
        "d": result(4000, 6, 3, percent_full=0.3),
    }
    assert {name: list(members) for name, members in census.groups(sets).items()} == {
        LARGE: ["a", "b"],
        SMALL: ["c"],
        TEXT: ["d"],
    }
    found = {(line["group"], line["what"]): line for line in census.summary(sets)}
    line = found[LARGE, "fit"]
    assert line["mean"] == pytest.approx((4.5 * 36) ** 0.5)
    assert (line["least"], line["least_of"], line["met"]) == (4.5, "a", True)
    assert [found[key]["met"] for key in ((LARGE, "predict"), (SMALL, "fit"), (SMALL, "predict"))] == [
        True,
        False,
        False,
    ]
    assert [found[TEXT, what]["met"] for what in ("fit", "predict")] == [True, False]


def test_worst_come_first():
    """No more than five, the slowest first, for fit and for predict."""
    members = {str(i): result(2000, 10 - i, 1 + i) for i in range(8)}
    rows = census.worst_table(LARGE, members).rows
    assert [row[0] for row in rows] == ["7", "6", "5", "4", "3", "0", "1", "2", "3", "4"]
    assert rows[0][1:3] == ["fit", "3.00"]
    assert rows[5][1:3] == ["predict", "1.00"]


def test_census_runs_from_data_to_files(tmp_path, monkeypatch, capsys):
    """Every set is run at every C, and the page is made of the record; a set that cannot be loaded fails the command."""
    monkeypatch.setattr("experiments.benchmarks.race.REST", 0)
    monkeypatch.setattr("experiments.benchmarks.race.LATENCY_ROWS", 3)
    monkeypatch.setattr(census, "LINE_UP", (Dagmar, ScikitLearn))
    monkeypatch.setattr(census, "PACE", census.Pace(fill=0.01))
    arguments = ["--out", str(tmp_path), "--repeats", "1", "--max-rows", "1100", "--sets", "breast_cancer", "digits"]
    assert census.BENCHMARK.main(arguments) == 0
    report = read_json(tmp_path / "census.json")
    assert list(report["sets"]) == [f"{name}, C {C}" for name in ("breast_cancer", "digits") for C in (1, 100)]
    page = (tmp_path / "census.md").read_text(encoding="utf-8")
    assert census.PAGE.markdown(report) == page
    assert f"| {LARGE} | predict | 2 |" in page
    converted = LibsvmConverted.name in report["sets"]["breast_cancer, C 1"]["seconds"]["fit"]
    assert ("| breast_cancer, C 1 |" in page.split("converted before**")[-1]) == converted

    monkeypatch.delenv("DAGMAR_DATA", raising=False)
    assert census.BENCHMARK.main(["--out", str(tmp_path / "other"), "--sets", "glass"]) == 1
    assert "no data for 'glass'" in capsys.readouterr().out
