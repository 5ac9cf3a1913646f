"""The document in docs is what its records say."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

import experiments.__main__ as cli
from experiments.papers import NAMES, study_of
from experiments.papers.document import compose
from experiments.papers.study import Settings

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def contents():
    """The records of the full run."""
    files = [DOCS / "reproduction" / f"{name}.json" for name in NAMES]
    if not all(file.exists() for file in files):
        pytest.skip("this copy of the sources came without the records")
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def test_document_is_made_of_its_records(contents):
    """Every word of docs/reproduction.md comes out again from the records: nothing in it was written by hand."""
    reports, records = [], []
    for name, content in zip(NAMES, contents, strict=True):
        found = {key: step["result"] for key, step in content["steps"].items()}
        reports.append(study_of(name).report(Settings(content["settings"]["seed"], search=True), found))
        seconds = sum(step["seconds"] for step in content["steps"].values())
        records.append(SimpleNamespace(content=content, seconds=seconds))
    assert compose(reports, records, "reproduction/") == (DOCS / "reproduction.md").read_text(encoding="utf-8")
    pictures = {f"{report.name}-{picture.name}.png" for report in reports for picture in report.pictures}
    assert {file.name for file in (DOCS / "reproduction").glob("*.png")} == pictures


def test_command_writes_the_document_from_records(contents, tmp_path, monkeypatch, capsys):
    """`--document` runs nothing, needs no data, and gives the same text; records of older versions are enough."""
    monkeypatch.delenv("DAGMAR_DATA", raising=False)
    monkeypatch.setattr("experiments.papers.document.draw_or_say", lambda report, folder: None)
    folder = tmp_path / "reproduction"
    shutil.copytree(DOCS / "reproduction", folder, ignore=shutil.ignore_patterns("*.png"))
    assert cli.main(["reproduce", "all", "--document", "--out", str(folder)]) == 0
    assert (tmp_path / "reproduction.md").read_bytes() == (DOCS / "reproduction.md").read_bytes()
    assert "written" in capsys.readouterr().err


def test_records_are_of_full_runs_that_this_code_would_make(contents):
    """Each record has all steps that the study has now, with the same parameters, and seed, versions and data digests."""
    for name, content in zip(NAMES, contents, strict=True):
        assert content["settings"]["quick"] is False
        steps = study_of(name).steps(Settings(content["settings"]["seed"], search=True))
        assert set(content["steps"]) == {step.key for step in steps}
        for step in steps:
            assert content["steps"][step.key]["parameters"] == json.loads(json.dumps(step.parameters)), step.key
        assert content["environment"]["versions"]["dagmar"]
        assert content["data"]
        assert all(len(digest) == 64 for digest in content["data"].values())
