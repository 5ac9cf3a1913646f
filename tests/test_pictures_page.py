"""The page about pictures: its snippets run, and it shows the pictures that the example draws."""

import ast
import re
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "pictures.md").read_text(encoding="utf-8")


def drawn_by_the_example():
    """The names of the pictures, read from the script without running it."""
    tree = ast.parse((ROOT / "examples" / "pictures.py").read_text(encoding="utf-8"))
    table = next(node.value for node in tree.body if isinstance(node, ast.AnnAssign) and node.target.id == "PICTURES")
    return {ast.literal_eval(key) for key in table.keys}


def test_the_page_shows_what_the_example_draws():
    """Every picture, each once and small enough."""
    shown = re.findall(r"!\[[^\]]+\]\(pictures/([\w-]+)\.png\)", PAGE)
    assert sorted(shown) == sorted(drawn_by_the_example())
    for name in shown:
        assert (ROOT / "docs" / "pictures" / f"{name}.png").stat().st_size < 80_000


def test_every_display_is_on_the_page():
    """None is forgotten."""
    from dagmar import pictures

    assert all(f"`{name}" in PAGE or f"pictures.{name}" in PAGE for name in pictures.__all__)


def test_the_snippets_run(tmp_path, monkeypatch, capsys):
    """One after the other, as they stand."""
    from matplotlib import pyplot as plt

    monkeypatch.chdir(tmp_path)
    names = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(code, "docs/pictures.md", "exec"), names)
    plt.close("all")
    assert (tmp_path / "path.png").stat().st_size > 0
    assert (tmp_path / "digits.dot").read_text(encoding="utf-8").startswith("digraph")
    assert capsys.readouterr().out.startswith("|--- 0 beats 9")


@pytest.mark.parametrize("name", ["benchmark-bars", "digit-path"])
def test_pictures_of_the_readme_are_small(name):
    """They load quickly."""
    assert (ROOT / "docs" / "pictures" / f"{name}.png").stat().st_size < 150_000
