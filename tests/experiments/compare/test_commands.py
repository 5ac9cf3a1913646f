"""The command `python -m experiments compare`."""

import json

import numpy as np
import pytest
from comparisons import rows

import experiments.__main__ as cli
from experiments.compare.schemes import DEFAULT


@pytest.fixture
def flowers(tmp_path, monkeypatch):
    """A CSV file in the folder of the command."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DAGMAR_DATA", raising=False)
    X, y = rows()
    lines = [f"{a},{b},{'abc'[c]}" for (a, b), c in zip(X, y, strict=True)]
    (tmp_path / "flowers.csv").write_text("\n".join(["length,width,kind", *lines]))
    return ["compare", "--data", "flowers.csv:kind", "--schemes", "max_wins", "neighbours", "--splits", "2"]


def test_two_schemes_on_a_csv(flowers, tmp_path, capsys):
    """One command: files in `comparison`, and an answer on the terminal; the same command again runs nothing."""
    assert cli.main(flowers) == 0
    assert "`neighbours` or `max_wins` on flowers?" in capsys.readouterr().out
    names = {file.name for file in (tmp_path / "comparison").iterdir()}
    assert {"results.json", "results.csv", "tables.md", "tables.tex"} <= names
    assert cli.main(flowers) == 0
    assert "4 of 4 steps are in" in capsys.readouterr().err


def test_steps_are_listed_and_run_alone(flowers, tmp_path, capsys):
    """--list names them without running; --step prints what one finds."""
    assert cli.main([*flowers, "--list"]) == 0
    keys = capsys.readouterr().out.split()
    assert keys == [f"flowers/{number}/{scheme}" for number in (0, 1) for scheme in ("max_wins", "neighbours")]
    assert not (tmp_path / "comparison").exists()
    assert cli.main([*flowers, "--step", keys[1]]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == [keys[1]]
    assert json.loads((tmp_path / "comparison" / "results.json").read_text())["steps"] == printed


def test_schemes_are_listed(capsys):
    """All names, with words, and the options of structures."""
    assert cli.main(["compare", "--list-schemes"]) == 0
    printed = capsys.readouterr().out
    assert set(DEFAULT) <= {line.split()[0] for line in printed.splitlines() if line}
    assert "softK" in printed


def test_config_gives_options_and_the_command_line_wins(flowers, tmp_path, capsys):
    """A TOML file has the same options."""
    (tmp_path / "run.toml").write_text('schemes = ["ddag"]\nsplits = 3\ndata = ["flowers.csv:kind"]\n')
    assert cli.main(["compare", "--config", "run.toml", "--list"]) == 0
    assert capsys.readouterr().out.split() == [f"flowers/{number}/ddag" for number in range(3)]
    assert cli.main(["compare", "--config", "run.toml", "--list", "--splits", "1"]) == 0
    assert capsys.readouterr().out.split() == ["flowers/0/ddag"]


def test_config_says_which_sets_are_generated(flowers, tmp_path):
    """It is kept in the results, and shown in the table of sets."""
    (tmp_path / "run.toml").write_text('generated = ["flowers"]\n')
    assert cli.main([*flowers, "--config", "run.toml"]) == 0
    assert "not: said so in the configuration" in (tmp_path / "comparison" / "tables.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--splits", "0"], "--splits must be at least 1, got 0"),
        (["--rows", "3"], "--rows must be at least 50, got 3"),
        (["--schemes", "maxwins"], "there is no scheme 'maxwins' (did you mean max_wins"),
        (["--schemes", "ddag", "ddag"], "--schemes names ddag more than once"),
        (["--data", "flowers.csv:sort"], "flowers.csv has no column 'sort'"),
        (["--step", "flowers/9/ddag"], "there is no step 'flowers/9/ddag'"),
        (["--config", "wrong.toml"], "wrong.toml has 'colour', but a comparison has only"),
        (["--config", "type.toml"], "'splits' in type.toml must be a int, got '3'"),
        (["--config", "broken.toml"], "broken.toml is not TOML"),
        (["--document", "--out", "nowhere"], "there is no results.json in nowhere"),
    ],
)
def test_wrong_options_are_told_without_a_traceback(arguments, message, flowers, tmp_path, capsys):
    """One line says what is wrong, and nothing is written."""
    (tmp_path / "wrong.toml").write_text("colour = 1\n")
    (tmp_path / "type.toml").write_text('splits = "3"\n')
    (tmp_path / "broken.toml").write_text("splits 3\n")
    assert cli.main([*flowers, *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "comparison" / "results.json").exists()


def test_page_is_written_again_from_results(flowers, tmp_path):
    """--document runs nothing."""
    assert cli.main([*flowers, "--page", "page.md"]) == 0
    text = (tmp_path / "page.md").read_text()
    (tmp_path / "page.md").unlink()
    (tmp_path / "flowers.csv").unlink()
    assert cli.main(["compare", "--document", "--page", "page.md"]) == 0
    assert (tmp_path / "page.md").read_text() == text
    assert "](comparison/results.json)" in text
    assert np.char.count(text, "flowers") > 3
