"""The pictures of a comparison."""

import pytest
from comparisons import SCHEMES, content, cube
from matplotlib.figure import Figure

from experiments.compare.cube import Cube
from experiments.compare.pictures import draw, pictures


def test_pictures_have_every_scheme():
    """Names beside the points, and a number for each pair in the matrix of wins."""
    drawn = {}
    for picture in pictures(cube()):
        if picture.name != "ranks":
            drawn[picture.name] = figure = Figure(figsize=picture.size)
            picture.draw(figure)
    assert set(drawn) == {"time", "wins", "cost"}
    for name in ("time", "cost"):
        assert {text.get_text() for text in drawn[name].axes[0].texts} == set(SCHEMES)
    assert len(drawn["wins"].axes[0].texts) == 4 * 3


def test_critical_difference_diagram(tmp_path):
    """All pictures as files; the diagram is that of scikit-posthocs."""
    pytest.importorskip("scikit_posthocs", reason="scikit-posthocs is not installed")
    files = draw(cube(), tmp_path)
    assert [file.name for file in files] == ["ranks.png", "time.png", "wins.png", "cost.png"]
    assert all(file.stat().st_size > 5000 for file in files)


def test_few_results_have_fewer_pictures():
    """Ranks need three schemes and two sets; one scheme alone needs no picture."""
    assert [picture.name for picture in pictures(cube(schemes=("max_wins", "ddag")))] == ["time", "wins", "cost"]
    assert pictures(cube(schemes=("ddag",))) == []


def test_names_of_schemes_that_take_equally_long_leave_room(tmp_path):
    """Points above each other: the axes must not give way to names beside them, which would be a warning."""
    results = content(schemes=("max_wins", "neighbours"))
    for step in results["steps"].values():
        step["seconds"] = 0.1 if step["accuracy"] > 89.5 else 0.1000001
    draw(Cube.of(results), tmp_path)
    assert (tmp_path / "time.png").stat().st_size > 5000
