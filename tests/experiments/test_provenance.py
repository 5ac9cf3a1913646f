"""Which sources made a number."""

import re
import subprocess

import pytest

from experiments.provenance import describe_source, last_commit, libsvm_version


@pytest.fixture
def checkout(tmp_path):
    """A repository with one source file in one commit, and a function that runs Git in it."""

    def git(*words):
        identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
        done = subprocess.run(["git", *identity, *words], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "core.py").write_text("x = 1\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "Begin")
    return tmp_path, git


def test_commit_and_changes_of_sources(checkout):
    """The commit is named; a changed or added source is told, a record is not."""
    root, git = checkout
    first = describe_source(root)
    assert first["commit"] == git("rev-parse", "HEAD")
    assert first["clean"] is True
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", first["date"])
    (root / "docs").mkdir()
    (root / "docs" / "record.json").write_text("{}")
    results = root / "experiments" / "benchmarks" / "results"
    results.mkdir(parents=True)
    (results / "bench.json").write_text("{}")  # of the benchmark before
    assert describe_source(root)["clean"] is True
    (root / "src" / "more.py").write_text("")
    assert describe_source(root)["clean"] is False


def test_sources_without_a_repository_have_no_commit(checkout, tmp_path_factory):
    """Neither outside any repository, nor in a folder of another one."""
    root, _ = checkout
    for folder in (tmp_path_factory.mktemp("sources"), root / "src"):
        found = describe_source(folder)
        assert found["commit"] is None
        assert found["clean"] is None


def test_version_of_libsvm():
    """A number such as 3.10, from the header that scikit-learn brings."""
    assert re.fullmatch(r"3\.\d\d", libsvm_version())


def test_last_commit_of_a_file(checkout, tmp_path_factory):
    """The commit that changed it last, not a later one; none while it is changed, or outside of a repository."""
    root, git = checkout
    first = git("rev-parse", "HEAD")
    (root / "src" / "more.py").write_text("")
    git("add", ".")
    git("commit", "-qm", "Go on")
    assert last_commit(root / "src" / "core.py") == first != git("rev-parse", "HEAD")
    (root / "src" / "core.py").write_text("x = 2\n")
    assert last_commit(root / "src" / "core.py") is None
    outside = tmp_path_factory.mktemp("outside") / "file.py"
    outside.write_text("")
    assert last_commit(outside) is None
