"""The examples of the gallery run, and show a picture each."""

import ast
import runpy
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")

FOLDER = Path(__file__).parents[2] / "examples" / "gallery"
EXAMPLES = sorted(FOLDER.glob("*.py"))


def test_there_are_enough_and_not_too_many():
    """They can be looked through, and their names give their order."""
    assert 12 <= len(EXAMPLES) <= 15
    assert [int(example.stem.split("_")[1]) for example in EXAMPLES] == list(range(1, len(EXAMPLES) + 1))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_has_a_title_an_introduction_and_steps(example):
    text = example.read_text(encoding="utf-8")
    title, line, blank, *introduction = ast.get_docstring(ast.parse(text)).splitlines()
    assert set(line) == {"="}
    assert len(line) >= len(title)
    assert blank == ""
    assert introduction
    assert "# %%" in text


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_runs_and_draws(example, tmp_path, monkeypatch):
    """Without a warning, from a folder of its own, and with something in every picture."""
    from matplotlib import pyplot as plt

    if example.stem == "plot_14_onnx":
        pytest.importorskip("onnxruntime")
    monkeypatch.chdir(tmp_path)
    plt.close("all")
    runpy.run_path(str(example), run_name="__main__")
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert figures
    assert all(any(ax.has_data() for ax in figure.axes) for figure in figures)
    plt.close("all")
    assert list(tmp_path.iterdir()) == []
