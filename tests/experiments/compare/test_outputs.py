"""The files of a comparison."""

import builtins
import json

from comparisons import content

from experiments.compare.outputs import write_outputs
from experiments.compare.results import Results


def results(folder, told):
    """Results with given content."""
    folder.mkdir(exist_ok=True)
    (folder / "results.json").write_text(json.dumps(told))
    return Results.read(folder)


def test_files_are_written_and_sentences_printed(tmp_path, capsys):
    """Tables as text; every sentence also on the terminal."""
    written = write_outputs(results(tmp_path, content(schemes=("max_wins", "ddag"))), tmp_path)
    assert {file.name for file in written} >= {"results.json", "results.csv", "tables.md", "tables.tex", "time.png"}
    printed = capsys.readouterr().out
    text = (tmp_path / "tables.md").read_text()
    sentences = [line for line in text.splitlines() if line.startswith("- ")]
    assert len(sentences) == 4
    assert all(sentence in printed for sentence in sentences)


def test_nothing_is_written_without_results(tmp_path):
    """A run without a step has no files."""
    assert write_outputs(results(tmp_path, content(sets=())), tmp_path) == []


def test_missing_library_is_told(tmp_path, monkeypatch, capsys):
    """Without scikit-posthocs there are no pictures, but all tables."""
    true = builtins.__import__

    def without(name, *rest):
        if name == "scikit_posthocs":
            raise ModuleNotFoundError("no", name=name)
        return true(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    written = write_outputs(results(tmp_path, content()), tmp_path)
    assert "tables.md" in {file.name for file in written}
    assert "scikit_posthocs is not installed" in capsys.readouterr().err
