"""The command `dagmar`."""

import subprocess
import sys

import dagmar
from dagmar import cli


def dagmar_command(*arguments):
    """Run the command in a process of its own."""
    return subprocess.run([sys.executable, "-m", "dagmar", *arguments], capture_output=True, text=True, timeout=60)


def test_version():
    """The command knows the package's version."""
    done = dagmar_command("--version")
    assert (done.returncode, done.stdout.strip()) == (0, f"dagmar {dagmar.__version__}")


def test_command_without_a_word_says_what_it_can_do(capsys):
    """Without a command, the usage and a hint to the library are printed."""
    assert cli.main([]) == 0
    out = capsys.readouterr().out
    assert "usage: dagmar" in out
    assert "dagmar.SVC" in out


def test_unknown_command_is_named():
    """An unknown word is an error that repeats it, with exit code 2."""
    done = dagmar_command("reproduce")
    assert done.returncode == 2
    assert "reproduce" in done.stderr


def test_help_loads_nothing_heavy():
    """Help is quick: no library is loaded for it."""
    code = "import sys; from dagmar import cli; cli.main([]); print('numpy' in sys.modules or 'sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "False"
