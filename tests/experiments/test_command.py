"""The command `python -m experiments`."""

import json
import subprocess
import sys

import numpy as np
import pytest
from toy import small_sets

import experiments.__main__ as cli
from experiments import benchmarks, papers
from experiments.catalogue import CATALOGUE
from experiments.papers import commands


def test_command_without_a_word_is_an_error(capsys):
    """Without a command, usage is shown."""
    with pytest.raises(SystemExit) as stopped:
        cli.main([])
    assert stopped.value.code == 2
    assert "usage: python -m experiments" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "listed"), [("reproduce", "platt1999"), ("bench", "scaling")])
def test_unknown_name_is_told(command, listed, capsys):
    """The papers and the benchmarks that exist are listed."""
    with pytest.raises(SystemExit) as stopped:
        cli.main([command, "smith2020"])
    assert stopped.value.code == 2
    assert listed in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "nowhere"], "there is no folder nowhere"),
        (["--seed", "-1"], "--seed must be at least 0, got -1"),
        (["--threads", "0"], "--threads must be at least 1, got 0"),
    ],
)
def test_wrong_options_are_told_without_a_traceback(arguments, message, tmp_path, monkeypatch, capsys):
    """One line says what is wrong."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(["reproduce", "yu2011", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_stop_by_the_user_is_told(tmp_path, monkeypatch, capsys):
    """Ctrl-C ends with the code that shells expect, and says how to continue."""

    def stopped(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "reproduce", stopped)
    assert cli.main(["reproduce", "yu2011", "--data", str(tmp_path)]) == 130
    assert "the same command continues from here" in capsys.readouterr().err


def test_defect_keeps_its_traceback(tmp_path, monkeypatch):
    """An unexpected error is not taken for a wrong option."""

    def broken(options):
        raise ValueError("inside a step")

    monkeypatch.setattr(commands, "reproduce", broken)
    with pytest.raises(ValueError, match="inside a step"):
        cli.main(["reproduce", "yu2011", "--data", str(tmp_path)])


@pytest.mark.parametrize("name", papers.NAMES)
def test_every_paper_is_a_study(name):
    """Every name of a paper on the command line is a study."""
    assert papers.study_of(name).name == name


@pytest.mark.parametrize("name", benchmarks.NAMES)
def test_every_benchmark_has_its_options(name, capsys):
    """Every name of a benchmark has a command line, whose options reach it."""
    assert benchmarks.benchmark_of(name).name == name
    with pytest.raises(SystemExit) as stopped:
        cli.main(["bench", name, "--help"])
    assert stopped.value.code == 0
    words = capsys.readouterr().out
    assert f"usage: python -m experiments bench {name}" in words
    assert "--threads" in words


def test_wrong_number_of_threads_is_told(capsys):
    """Benchmarks refuse what is not a positive whole number."""
    with pytest.raises(SystemExit):
        cli.main(["bench", "tuning", "--threads", "0"])
    assert "at least 1, got 0" in capsys.readouterr().err


def test_module_runs_and_loads_nothing_heavy():
    """`python -m experiments` works, and help is quick: no library is loaded for it."""
    code = "import sys, runpy; sys.argv = ['experiments', '--help']\ntry: runpy.run_module('experiments', run_name='__main__')"
    code += "\nexcept SystemExit: print('numpy' in sys.modules or 'sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "reproduce" in done.stdout
    assert done.stdout.splitlines()[-1] == "False"


# ------------------------------------------------------------- parts of a paper


def test_steps_are_listed(tmp_path, monkeypatch, capsys):
    """Every step of a paper is named, one per line, without any data; for all papers the paper stands before it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DAGMAR_DATA", raising=False)
    assert cli.main(["reproduce", "don2018", "--list"]) == 0
    names = capsys.readouterr().out.splitlines()
    assert "curve/80/vowel" in names
    assert len(names) == len(set(names))
    assert cli.main(["reproduce", "all", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines} == set(papers.NAMES)
    assert [line.removeprefix("don2018 ") for line in lines if line.startswith("don2018 ")] == names
    assert any(line.startswith("platt1999 search/") for line in lines)
    assert not list(tmp_path.iterdir())


def test_one_step_is_printed_and_kept(tmp_path, capsys):
    """One step of a real study, on small made-up data: what it found is printed, and is all that the record has."""
    y = np.arange(60) % 3
    X = y[:, None] + np.random.default_rng(0).normal(size=(60, 2))
    np.savez(tmp_path / "iris.npz", X=X, y=y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commands, "DataSets", small_sets)
        words = ["reproduce", "don2018", "--step", "curve/90/iris", "--quick", "--threads", "1"]
        assert cli.main([*words, "--data", str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    printed = json.loads(capsys.readouterr().out)
    kept = json.loads((tmp_path / "out" / "don2018-seed0.json").read_text())
    assert printed == kept["steps"]
    assert list(printed) == ["curve/90/iris"]
    assert printed["curve/90/iris"]["result"]["class_rows"] == [18, 18]
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["don2018-seed0.json"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["don2018", "--step", "curve/80/vowl"], "don2018 has no step 'curve/80/vowl' (did you mean curve/80/vowel"),
        (["all", "--step", "curve/80/vowel"], "--step needs one paper, not all, and one seed"),
        (["don2018", "--step", "curve/80/vowel", "--seed", "0", "1"], "--step needs one paper, not all, and one seed"),
        (["don2018", "--document", "--out", "nowhere"], "nowhere"),
    ],
)
def test_wrong_steps_are_told_without_a_traceback(arguments, message, tmp_path, monkeypatch, capsys):
    """One line says what is wrong."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DAGMAR_DATA", raising=False)
    assert cli.main(["reproduce", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_set_that_cannot_be_downloaded_is_named_with_its_place(tmp_path, capsys):
    """A step whose data is missing says where to get it and the digest of its arrays."""
    words = [
        "reproduce",
        "don2018",
        "--step",
        "curve/80/vowel",
        "--data",
        str(tmp_path),
        "--out",
        str(tmp_path / "out"),
    ]
    assert cli.main(words) == 2
    error = capsys.readouterr().err
    assert "Get it from: R package ElemStatLearn" in error
    assert CATALOGUE["vowel"].origin.sha256 in error
