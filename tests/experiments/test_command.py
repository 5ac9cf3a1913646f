"""The command `python -m experiments`."""

import subprocess
import sys

import pytest

import experiments.__main__ as cli
from experiments import benchmarks, papers
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
