"""Running a comparison."""

import pytest
from comparisons import rows, small

from dagmar import SVCCV
from experiments.compare import run as module
from experiments.compare.protocol import Settings
from experiments.compare.results import Results
from experiments.compare.run import Comparison, run, run_one
from experiments.compare.sets import Source
from experiments.exceptions import StepError


def comparison(schemes=("max_wins", "neighbours"), splits=2, sources=None):
    """Two schemes on a small set."""
    return Comparison(sources or [small()], schemes, splits, Settings())


def test_steps_come_split_by_split():
    """A part of the steps is a comparison by itself."""
    steps = comparison(sources=[small("a"), small("b")]).steps()
    assert [step.key for step in steps] == [
        f"{name}/{number}/{scheme}" for number in (0, 1) for name in "ab" for scheme in ("max_wins", "neighbours")
    ]


def test_run_is_continued_and_has_the_same_numbers(tmp_path, monkeypatch):
    """A run that is stopped and continued measures each step once, and finds what a run in one go finds."""
    whole = Results(tmp_path / "whole", Settings())
    run(comparison(), whole)
    assert len(whole) == 4

    ran, true = [], module.run_step

    def stopped(step):
        if len(ran) == 1:
            raise KeyboardInterrupt
        ran.append(step.key)
        return true(step)

    monkeypatch.setattr(module, "run_step", stopped)
    with pytest.raises(KeyboardInterrupt):
        run(comparison(), Results(tmp_path / "parts", Settings()))
    monkeypatch.setattr(module, "run_step", lambda step: (ran.append(step.key), true(step))[1])
    parts = Results(tmp_path / "parts", Settings())
    assert list(parts) == ["small/0/max_wins"]
    run(comparison(), parts)
    assert sorted(ran) == sorted(whole)
    for key in whole:
        assert parts[key]["accuracy"] == whole[key]["accuracy"]
        assert parts[key]["parameters"] == whole[key]["parameters"]


def test_scheme_with_a_limit_runs_last_and_gets_the_time_of_the_other(tmp_path, monkeypatch):
    """A scheme that may take as long as another one comes after it, with that time; alone, it needs the other's result."""
    ran = []

    def fake(step):
        ran.append((step.key, step.limit))
        return {"digest": ""}, {"accuracy": 90.0, "seconds": 2.5}

    monkeypatch.setattr(module, "run_step", fake)
    schemes = ("forest_timed", "auto", "forest_default")
    with pytest.raises(StepError, match="as long as auto, which was not run"):
        run_one(comparison(schemes, 1), "small/0/forest_timed", Results(tmp_path / "alone", Settings()))
    results = Results(tmp_path, Settings())
    run(comparison(schemes, 1), results)
    assert ran == [("small/0/auto", 0.0), ("small/0/forest_default", 0.0), ("small/0/forest_timed", 2.5)]
    run_one(comparison(schemes, 1), "small/0/forest_timed", results)
    assert ran[-1] == ("small/0/forest_timed", 2.5)


def test_probe_runs_last_and_only_where_it_has_something_to_explain(tmp_path, monkeypatch):
    """On average over its splits, the forest is 3 points above the reference on one set, and 1 point on the other."""
    accuracy = {"max_wins": (90.0, 90.0), "far": (95.0, 91.0), "near": (95.0, 87.0)}
    ran = []

    def fake(step):
        ran.append(step.key)
        of = "max_wins" if step.scheme == "max_wins" else step.source.name
        return {"digest": ""}, {"accuracy": accuracy[of][step.number], "seconds": 1.0}

    monkeypatch.setattr(module, "run_step", fake)
    sources = [small("far"), small("near")]
    run(comparison(("rotated_forest", "max_wins", "forest"), 2, sources), Results(tmp_path, Settings()))
    others = [
        f"{name}/{number}/{scheme}"
        for number in (0, 1)
        for name in ("far", "near")
        for scheme in ("max_wins", "forest")
    ]
    assert ran == [*others, "far/0/rotated_forest", "far/1/rotated_forest"]
    ran.clear()  # without the scheme that it explains, a probe runs everywhere
    run(comparison(("rotated_forest",), 1, sources), Results(tmp_path / "alone", Settings()))
    assert ran == ["far/0/rotated_forest", "near/0/rotated_forest"]


def test_failed_step_does_not_end_the_run(tmp_path, monkeypatch, capsys):
    """The error is written down, the other steps run; alone, the step is an error."""
    monkeypatch.setattr(SVCCV, "fit", lambda self, X, y: 1 / 0)
    results = Results(tmp_path, Settings())
    run(comparison(splits=1), results)
    assert results["small/0/max_wins"]["error"] == "ZeroDivisionError: division by zero"
    assert results.has("small/0/neighbours")
    assert "failed, ZeroDivisionError" in capsys.readouterr().err
    with pytest.raises(StepError, match="small/0/max_wins failed: ZeroDivisionError"):
        run_one(comparison(), "small/0/max_wins", results)


def test_no_step_begins_after_the_time(tmp_path):
    """With no minutes at all there is nothing to do, and no file."""
    results = Results(tmp_path, Settings())
    run(comparison(), results, minutes=-1.0)
    assert len(results) == 0
    assert not results.file.exists()


def test_one_step_alone(tmp_path):
    """It is run although it is there, and kept; an unknown one is an error that names it."""
    results = Results(tmp_path, Settings())
    found = run_one(comparison(), "small/1/neighbours", results)
    assert Results.read(tmp_path)["small/1/neighbours"] == found
    with pytest.raises(StepError, match="did you mean small/1/neighbours"):
        run_one(comparison(), "small/1/neighbour", results)


def test_set_is_read_once(tmp_path):
    """However many steps of a run need it; another run reads it again."""
    reads = []
    counted = Source("counted", lambda: (reads.append(1), rows())[1])
    for folder in ("a", "b"):
        run(comparison(("neighbours",), splits=2, sources=[counted]), Results(tmp_path / folder, Settings()))
    assert len(reads) == 2


def test_two_processes_find_the_same(tmp_path):
    """Steps in processes of their own have the same accuracies."""
    one, two = Results(tmp_path / "1", Settings()), Results(tmp_path / "2", Settings())
    what = comparison(("neighbours", "ddag"), splits=1)
    run(what, one)
    run(what, two, jobs=2)
    assert {key: step["accuracy"] for key, step in one.items()} == {key: step["accuracy"] for key, step in two.items()}
