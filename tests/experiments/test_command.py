"""The command `python -m experiments`."""

import subprocess
import sys

import experiments.__main__ as cli
import pytest
from experiments import papers
from experiments.papers import commands


def command(*arguments):
    """Run the command in a process of its own."""
    return subprocess.run([sys.executable, "-m", "experiments", *arguments], capture_output=True, text=True, timeout=60)


def test_command_without_a_word_is_an_error():
    """Without a command, usage is shown."""
    done = command()
    assert done.returncode == 2
    assert "usage: python -m experiments" in done.stderr


def test_unknown_paper_is_named():
    """The papers there are, are listed."""
    done = command("reproduce", "smith2020")
    assert done.returncode == 2
    assert "platt1999" in done.stderr


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
    """Ctrl-C ends with the code that shells expect, and a word on going on."""

    def stopped(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "reproduce", stopped)
    assert cli.main(["reproduce", "yu2011", "--data", str(tmp_path)]) == 130
    assert "goes on from here" in capsys.readouterr().err


def test_defect_keeps_its_traceback(tmp_path, monkeypatch):
    """An error that nobody foresaw is not taken for a wrong option."""

    def broken(options):
        raise ValueError("inside a step")

    monkeypatch.setattr(commands, "reproduce", broken)
    with pytest.raises(ValueError, match="inside a step"):
        cli.main(["reproduce", "yu2011", "--data", str(tmp_path)])


def test_every_paper_is_a_study():
    """Every name on the command line is a study."""
    for name in papers.NAMES:
        assert papers.study_of(name).name == name


def test_parsing_loads_nothing_heavy():
    """Help is quick: no library is loaded for it."""
    code = "import sys; import experiments.__main__ as cli; cli._parser(); print('numpy' in sys.modules or 'sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "False"
