"""The command as users meet it: help, exit codes, errors in one line, and the session in docs/command_line.md."""

import doctest
import importlib.util
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import numpy as np
import pytest
from children import PERMISSIONS, SIGNALS
from click.testing import CliRunner

import dagmar
from dagmar import cli
from dagmar.cli.commands import FORMATS, KERNELS, STRUCTURES, NumberOr, NumbersOr, as_shown
from dagmar.cli.commands import dagmar as group
from dagmar.cli.reading import SUFFIXES
from dagmar.structures import STRUCTURES as ALL_STRUCTURES

PAGE = Path(__file__).parents[2] / "docs" / "command_line.md"
COMMANDS = {"train", "tune", "predict", "evaluate", "explain", "explore", "inspect", "convert"}


def in_a_process(*arguments, **options):
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "dagmar", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


# -------------------------------------------------------------------- help


def test_version_is_that_of_the_package(run):
    assert run("--version").out.strip() == f"dagmar {dagmar.__version__}"


def test_help_names_every_command(run):
    """Without a command, with --help and with -h, the commands are listed, and the exit code is 0."""
    for arguments in ([], ["--help"], ["-h"]):
        done = run(*arguments)
        assert done.code == 0
        assert set(re.findall(r"^  (\w+)  ", done.out, re.MULTILINE)) >= COMMANDS
    assert set(group.commands) == COMMANDS


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help_and_json(command):
    done = CliRunner().invoke(group, [command, "--help"])
    assert done.exit_code == 0
    assert "--json" in done.output


def test_names_in_the_help_are_those_of_the_library():
    """The lists are repeated in `commands`, so that help need not load the library."""
    assert set(STRUCTURES) == set(ALL_STRUCTURES)
    assert set(FORMATS) == set(SUFFIXES.values())
    for kernel in KERNELS:
        dagmar.SVC(kernel=kernel).fit([[0.0], [1.0]], [0, 1])


def test_help_loads_nothing_heavy():
    code = "import sys; from dagmar import cli; cli.main([]); print({'numpy', 'sklearn', 'polars', 'rich'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_shell_completion_knows_the_commands():
    done = in_a_process(
        env={**os.environ, "_DAGMAR_COMPLETE": "bash_complete", "COMP_WORDS": "dagmar e", "COMP_CWORD": "1"}
    )
    assert done.stdout.split() == ["plain,evaluate", "plain,explain", "plain,explore"]


def test_without_the_extra_one_line_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(cli, "find_spec", lambda name: None if name == "polars" else importlib.util.find_spec(name))
    assert cli.main(["--help"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["dagmar: the command line is an optional part: pip install 'dagmar[cli]'"]


# -------------------------------------------------------------- exit codes


@pytest.mark.parametrize(
    "arguments",
    [
        ["reproduce"],
        ["train"],
        ["train", "nowhere.csv", "--target", "species", "--out", "a.dagmar"],
        ["train", "iris.csv", "--target", "species"],
        ["train", "iris.csv", "--target", "species", "--out", "a.dagmar", "-c", "much"],
        ["train", "iris.csv", "--target", "species", "--out", "a.dagmar", "-c", "-1"],
        ["train", "iris.csv", "--target", "species", "--out", "a.dagmar", "-g", "wide"],
        ["train", "iris.csv", "--target", "species", "--out", "a.dagmar", "--structure", "ddags"],
        ["train", "iris.csv", "--target", "species", "--out", "a.dagmar", "--class-weight", "rose=1"],
        ["train", "iris.csv", "--target", "species", "--out", "a.pickle"],
        ["train", "iris.csv", "--target", "species", "--out", "nowhere/a.dagmar"],
        ["train", "iris.csv", "--target", "specie", "--out", "a.dagmar"],
        ["train", "iris.csv", "--target", "species", "--weights", "weight", "--out", "a.dagmar"],
        ["train", "iris.csv", "--out", "a.dagmar"],
        ["train", "iris.csv", "--target", "species", "--out", "a.dagmar", "--threads", "0"],
        ["train", "iris.csv", "--target", "species", "--out", "a.dagmar", "--test", "part.csv"],
        ["tune", "iris.csv", "--target", "species", "--cs", "1,many"],
        ["convert", "iris.csv", "iris.joblib"],
    ],
    ids=lambda a: " ".join(a)[-50:],
)
def test_wrong_use_is_exit_code_2(run, files, arguments):
    (files / "part.csv").write_text("sepal_length,species\n1,setosa\n")
    done = run(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert "Error: " in done.err
    assert not list(files.glob("*.dagmar"))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.csv", b"", "cannot be read"),
        ("ragged.csv", b"a,b,species\n1,2,x\n1,2,3,4,5\n", "cannot be read"),
        ("latin.csv", b"a,b,species\n1,2,\xff\xfe\n1,2,y\n", "cannot be read"),
        ("latin.csv", b"a,b,species\n1,2,\xff\xfe\n1,2,y\n", "Save it in the encoding UTF-8"),
        ("utf16.csv", "a,b,species\n1,2,x\n1,2,y\n".encode("utf-16"), "not a text in UTF-8"),
        ("twice.csv", b"a,a,species\n1,2,x\n1,2,y\n", "more than one column 'a'"),
        ("blank.csv", b"a,b,species\n1,2,x\n\n1,2,y\n", "row 1 has no values at all"),
        ("header.csv", b"a,b,species\n", "has no rows"),
        ("text.csv", b"a,b,species\n1,red,x\n1,2,y\n", "column 'b' has the text 'red' in row 0"),
        ("missing.csv", b"a,b,species\n1,2,x\n1,,y\n", "column 'b' has no value in row 1"),
        ("na.csv", b"a,b,species\n1,2,x\n1,NA,y\n", "column 'b' has no value in row 1"),
        ("label.csv", b"a,b,species\n1,2,x\n1,3,\n", "no label in row 1"),
        ("one.csv", b"a,b,species\n1,2,x\n1,3,x\n", "two classes are needed"),
        ("inf.csv", b"a,b,species\n1,2,x\n1,inf,y\n", "infinity"),
        ("fraction.csv", b"a,b,species\n1,2,0.5\n1,3,0.7\n", "numbers with fractions"),
        ("broken.parquet", b"PAR1 but no more", "cannot be read"),
        ("broken.npz", b"PK but no more", "cannot be read"),
        ("broken.svm", b"1 0:1\n", "cannot be read"),
    ],
)
def test_bad_data_is_exit_code_1(run, tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    target = ["--target", "species"] if name.endswith(("csv", "parquet")) else []
    done = run("train", name, *target, "--out", "a.dagmar")
    assert (done.code, done.out) == (1, "")
    assert words in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "a.dagmar").exists()


def test_damaged_model_is_exit_code_1(run, files):
    (files / "a.dagmar").write_bytes(b"not a model")
    (files / "a.model").write_text("not a model")
    for model in ("a.dagmar", "a.model"):
        for arguments in (["inspect", model], ["predict", model, "test.csv"], ["convert", model, "b.dagmar"]):
            done = run(*arguments)
            assert (done.code, done.out) == (1, "")
            assert model in done.err


def test_errors_become_one_line():
    """Whatever the library raises is shown in a line; what nobody expected names its type."""
    shown = {type(error).__name__: as_shown(error) for error in (
        PermissionError(13, "Permission denied", "a.dagmar"), MemoryError(), ValueError("two\n lines"), KeyError("x"),
        ImportError("No module named 'onnx'"), dagmar.InvalidParameterError("C must be positive"), click.UsageError("no"),
    )}  # fmt: skip
    assert {name: error.exit_code for name, error in shown.items()} == {
        "PermissionError": 1, "MemoryError": 1, "ValueError": 1, "KeyError": 1, "ImportError": 1,
        "InvalidParameterError": 2, "UsageError": 2,
    }  # fmt: skip
    assert shown["PermissionError"].message == "a.dagmar: Permission denied"
    assert shown["ValueError"].message == "two lines"
    assert shown["KeyError"].message.startswith("KeyError: ")


def test_traceback_is_shown_on_request(run, files):
    with pytest.raises(click.ClickException, match="no column"):
        run("--traceback", "train", "iris.csv", "--target", "rose", "--out", "a.dagmar")


def test_full_disk_is_exit_code_1(run, files):
    assert run("train", "iris.csv", "--target", "species", "--out", "a.dagmar").code == 0
    done = run("predict", "a.dagmar", "test.csv", "--out", "/dev/full")
    assert done.code == 1
    assert "No space left" in done.err


@PERMISSIONS
@pytest.mark.skipif(os.name != "nt" and os.geteuid() == 0, reason="the administrator may write everywhere")
def test_read_only_folder_is_exit_code_1(run, files):
    (files / "closed").mkdir(mode=0o500)
    done = run("train", "iris.csv", "--target", "species", "--out", "closed/a.dagmar")
    assert done.code == 1
    assert "Permission denied" in done.err


@SIGNALS
def test_interrupt_is_exit_code_130(tmp_path):
    """Ctrl-C during training ends the command with a line, and leaves no model."""
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "slow.npz", X=rng.normal(size=(20_000, 20)), y=np.arange(20_000) % 4)
    command = [
        sys.executable,
        "-m",
        "dagmar",
        "train",
        "slow.npz",
        "--out",
        "a.dagmar",
        "-c",
        "1000",
        "--checkpoint",
        "kept",
    ]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    for _ in range(600):
        if (tmp_path / "kept").exists():
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "dagmar: interrupted"
    assert not (tmp_path / "a.dagmar").exists()


def test_reader_that_ends_early_is_no_crash(run, files):
    """`dagmar predict ... | head -1` prints no traceback."""
    assert run("train", "iris.csv", "--target", "species", "--out", "a.dagmar").code == 0
    command = f"{shlex.quote(sys.executable)} -m dagmar predict a.dagmar test.csv | true"
    done = subprocess.run(["bash", "-c", command], cwd=files, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""


def test_numbers_and_words_of_options():
    assert NumberOr("scale").convert("scale", None, None) == "scale"
    assert NumberOr().convert("inf", None, None) == float("inf")
    folds = NumberOr(whole=True)
    assert type(folds.convert("5", None, None)) is int
    assert folds.convert("0.3", None, None) == 0.3
    assert NumbersOr("dbtc").convert("1, 2.5", None, None) == [1.0, 2.5]
    assert NumbersOr("dbtc").convert("dbtc", None, None) == "dbtc"
    with pytest.raises(click.BadParameter, match="'wide' is not a number or scale"):
        NumberOr("scale").convert("wide", None, None)


# ------------------------------------------------------------------ docs


def session():
    """The commands on the page, with what they print."""
    section = PAGE.read_text(encoding="utf-8").split("## A session\n")[1].split("\n## ")[0]
    (block,) = re.findall(r"```console\n(.*?)```", section, re.DOTALL)
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        n = 1 + sum(line.startswith("> ") for line in lines)
        yield "\n".join([lines[0], *(line[2:] for line in lines[1:n])]), "\n".join([*lines[n:], ""])


def test_session_on_the_page_runs(run, tmp_path, monkeypatch):
    """A new user installs, trains, evaluates, explains, predicts, tunes and converts, with the results that are printed."""
    checker, verbs = doctest.OutputChecker(), []
    for command, expected in session():
        name, *arguments = shlex.split(command)
        verbs.append(arguments[0])
        if name == "pip":
            continue  # the tests run in an environment where it is installed
        if name == "python":
            subprocess.run([sys.executable, *arguments], cwd=tmp_path, check=True, timeout=60)
            continue
        assert name == "dagmar"
        done = run(*arguments)
        assert done.code == 0, done.err
        assert checker.check_output(expected, done.out, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE), done.out
    assert set(verbs) >= COMMANDS - {"inspect"}
    (X, y), answers = (table(tmp_path / "test.csv")), (tmp_path / "predictions.csv").read_text().split()
    assert [line.split(",")[0] for line in answers[1:]] == dagmar.load(tmp_path / "back.dagmar").predict(X).tolist()
    assert json.loads(done.out)["accuracy"] == np.mean(dagmar.load(tmp_path / "back.dagmar").predict(X) == y)
    onnxruntime = pytest.importorskip("onnxruntime")
    session_ = onnxruntime.InferenceSession(str(tmp_path / "iris.onnx"))
    assert session_.run(["label"], {"X": X})[0].tolist() == [line.split(",")[0] for line in answers[1:]]


def table(path):
    """Features and labels of a CSV file, read without the command."""
    lines = [line.split(",") for line in path.read_text().splitlines()[1:]]
    return np.array([line[:-1] for line in lines], dtype=float), np.array([line[-1] for line in lines])
