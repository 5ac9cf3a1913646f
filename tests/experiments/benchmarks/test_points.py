"""One fit in a process of its own."""

import pytest

from experiments.benchmarks.points import ONE_VS_ONE, ONE_VS_REST, SCIKIT_LEARN, Point, run


@pytest.mark.parametrize("who", [ONE_VS_ONE, ONE_VS_REST, SCIKIT_LEARN])
def test_point_runs(who, monkeypatch):
    """A point tells its seconds, machines and memory."""
    monkeypatch.setattr("experiments.benchmarks.race.REST", 0)
    monkeypatch.setattr("experiments.benchmarks.points.MOST_REPEATS", 2)
    found = run(Point("clouds", who, classes=4))
    assert found["machines"] == (4 if who == ONE_VS_REST else 6)
    assert found["accuracy"] > 80
    assert 0 <= found["fit_grew_mib"] <= found["grew_mib"]
