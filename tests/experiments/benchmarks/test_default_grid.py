"""The default grid of the adaptive search beside many more cells."""

import numpy as np
import pytest
from comparisons import rows

from experiments.benchmarks import default_grid
from experiments.records import read_json


def result(gap):
    return {"default": {"score": 90.0 - gap}, "many": {"score": 90.0}}


@pytest.mark.parametrize(("far", "met"), [(1, True), (2, False)])
def test_goal(far, met):
    """Half a point counts as near; nine of ten sets must be."""
    results = {str(i): result(0.51 if i < far else 0.5) for i in range(10)}
    words = default_grid.verdict(results)
    assert f"on {10 - far} of 10 sets" in words
    assert words.endswith("is met." if met else "is not met.")


def test_runs_from_data_to_files(tmp_path, monkeypatch):
    """Both searches use the same folds, so a grid that has the cells of the default is never below it."""
    monkeypatch.setattr(default_grid, "CS", tuple(2.0 ** np.arange(-2, 13)))
    monkeypatch.setattr(default_grid, "GAMMAS", tuple(0.5 * 2.0 ** np.arange(-6, 5)))
    X, y = rows()
    np.savez(tmp_path / "small.npz", X=X, y=y)
    assert default_grid.BENCHMARK.main(["--out", str(tmp_path), "--sets", str(tmp_path), "--threads", "1"]) == 0
    found = read_json(tmp_path / "default_grid.json")["sets"]["small"]
    assert found["many"]["cells"] == 165
    assert found["default"]["cells"] <= 55
    assert default_grid.gap(found) >= -1e-9
    page = (tmp_path / "default_grid.md").read_text(encoding="utf-8")
    assert "| small | 90 |" in page
    assert "on 1 of 1 sets" in page
