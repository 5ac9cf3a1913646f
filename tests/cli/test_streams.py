"""Pipes, standard input and standard output in the place of files."""

import shlex
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

import dagmar


@pytest.fixture
def model(iris, files):
    """A model in a.dagmar and a.model, and iris in other formats."""
    clf = dagmar.SVC().fit(iris[0].drop("species"), np.unique(iris[0]["species"], return_inverse=True)[1])
    dagmar.save(clf, files / "a.dagmar")
    dagmar.to_libsvm(clf, files / "a.model")
    iris[1].write_parquet(files / "test.parquet")
    np.savez(files / "test.npz", X=iris[1].drop("species").to_numpy())
    return clf


def bash(command, folder):
    """Run a line of shell, where `dagmar` is the command."""
    line = f'dagmar() {{ {shlex.quote(sys.executable)} -m dagmar "$@"; }}; {command}'
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    "line",
    [
        "cat test.csv | dagmar predict a.dagmar -",
        "cat test.csv | dagmar predict a.dagmar /dev/stdin --format csv",
        "dagmar predict a.dagmar /dev/stdin < test.csv",
        "dagmar predict a.dagmar <(cat test.csv)",
        "dagmar predict a.dagmar <(cat test.parquet) --out -",
        "cat test.npz | dagmar predict a.dagmar - --out -",
        "cat a.dagmar | dagmar predict - test.csv",
        "dagmar predict <(cat a.model) test.npz",
        "mkfifo pipe.csv; cat test.csv > pipe.csv & dagmar predict a.dagmar pipe.csv",
    ],
)
def test_streams_are_read(files, model, iris, tmp_path, monkeypatch, line):
    """They give what files give, and no copy is left behind."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    done = bash(line, files)
    assert done.stderr == ""
    assert done.stdout.split()[1:] == [str(label) for label in model.predict(iris[1].drop("species"))]
    assert not list((tmp_path / "tmp").iterdir())


def test_models_go_through_pipes(files, iris):
    """A model is trained, converted and used without a file; what is said about it goes to standard error."""
    done = bash(
        "cat iris.csv | dagmar train - --target species --out - | dagmar convert - - --to dagmar | dagmar evaluate - test.csv",
        files,
    )
    assert done.stdout.startswith("accuracy ")
    assert "trained" in done.stderr
    clf = dagmar.SVC().fit(iris[0].drop("species"), iris[0]["species"])
    expected = clf.score(iris[1].drop("species"), iris[1]["species"].to_numpy())
    assert done.stdout.splitlines()[0] == f"accuracy {expected:.4g} on 75 rows"


@pytest.mark.parametrize("out", ["-", "/dev/stdout"])
def test_page_goes_to_standard_output(files, model, out):
    done = bash(f"cat test.csv | dagmar explore a.dagmar - --out {out}", files)
    assert (done.returncode, done.stderr) == (0, "")
    assert "<html" in done.stdout
    assert "standard input" in done.stdout


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("dagmar predict - - < a.dagmar", 2, "standard input is named twice"),
        ("dagmar predict a.dagmar - <&-", 1, "standard input is closed"),
        ("dagmar predict a.dagmar - < /dev/null", 1, "standard input cannot be read"),
        ("dagmar train iris.csv --target species --out - --json", 2, "would both go to standard output"),
        ("dagmar convert a.dagmar -", 2, "or name the format with --to"),
        ("dagmar predict a.dagmar test.csv >&-", 1, "standard output is closed"),
        ("dagmar inspect a.dagmar >&-", 1, "standard output is closed"),
        ("dagmar --help >&-", 1, "standard output is closed"),
    ],
)
def test_what_cannot_be_is_one_sentence(files, model, line, code, words):
    done = bash(line, files)
    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_closed_standard_error_changes_nothing(files, model, iris):
    done = bash("dagmar predict a.dagmar test.csv 2>&-", files)
    assert done.returncode == 0
    assert len(done.stdout.split()) == 1 + len(iris[1])


def test_a_long_label_costs_its_own_bytes(run, files, iris):
    """One label of 10 MB among short ones: no array gives every row as much memory, and no table shows all of it."""
    label = "x" * 10_000_000
    long = iris[0].with_columns(species=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit(label)).otherwise("species"))
    long.write_csv(files / "long.csv")
    begun = time.process_time()
    done = run("train", "long.csv", "--target", "species", "--out", "a.dagmar", "--test", "long.csv")
    assert done.code == 0
    assert len(done.out) < 5000
    assert "xxx… (10000000 letters)" in done.out
    assert label in dagmar.load("a.dagmar").classes_
    assert run("predict", "a.dagmar", "long.csv", "--json").json["prediction"]
    assert time.process_time() - begun < 5  # padded to one width, the labels take half a minute
