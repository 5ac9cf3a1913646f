"""The pages in docs are what their records say."""

import json
import shutil
from pathlib import Path

import pytest

import experiments.__main__ as cli
from experiments.papers import NAMES, study_of
from experiments.papers.commands import report_of
from experiments.papers.document import summary
from experiments.papers.record import read_all
from experiments.papers.rule import digest
from experiments.papers.study import Settings

DOCS = Path(__file__).parents[3] / "docs"
SEEDS = (0, 1)


@pytest.fixture(scope="module")
def records():
    """The records of the full runs, by paper."""
    folder = DOCS / "reproduction"
    if not list(folder.glob("*-seed*.json")):
        pytest.skip("this copy of the sources came without the records")
    return {name: read_all(name, folder) for name in NAMES}


def test_pages_are_made_of_their_records(records, tmp_path, monkeypatch, capsys):
    """Every word comes out again from the records, without data; nothing in the pages was written by hand."""
    monkeypatch.delenv("DAGMAR_DATA", raising=False)
    monkeypatch.setattr("experiments.papers.document.draw_or_say", lambda report, folder: None)
    folder = tmp_path / "reproduction"
    folder.mkdir()
    for file in (DOCS / "reproduction").glob("*-seed*.json"):
        shutil.copy(file, folder)
    assert cli.main(["reproduce", "all", "--document", "--out", str(folder)]) == 0
    assert "written" in capsys.readouterr().err
    assert (tmp_path / "reproduction.md").read_text() == (DOCS / "reproduction.md").read_text()
    for file in folder.iterdir():
        assert file.read_text() == (DOCS / "reproduction" / file.name).read_text(), file.name
    kept = {file.name for file in (DOCS / "reproduction").iterdir()}
    pictures = {f"{name}-{p.name}.png" for name, of in records.items() for p in report_of(name, of).pictures}
    assert kept == {file.name for file in folder.iterdir()} | pictures


def test_records_are_of_full_runs_that_this_code_would_make(records):
    """Each has all steps that the study has now, with the same parameters, made by committed sources under this rule."""
    for name, of in records.items():
        assert [record.content["settings"] for record in of] == [{"seed": seed, "quick": False} for seed in SEEDS]
        for record in of:
            content = record.content
            steps = study_of(name).steps(Settings(content["settings"]["seed"], search=True))
            assert set(content["steps"]) == {step.key for step in steps}
            for step in steps:
                kept = content["steps"][step.key]
                assert kept["parameters"] == json.loads(json.dumps(step.parameters)), step.key
                assert kept["provenance"]["clean"] is True, step.key
            assert content["rule"]["digest"] == digest()
            assert content["rule"]["commit"]
            assert content["environment"]["versions"]["dagmar"]
            assert content["data"]
            assert all(len(sha) == 64 for sha in content["data"].values())


def test_the_page_about_the_papers_says_what_the_records_say(records):
    """It has one sentence on what came out of each paper, made of the records."""
    words = " ".join((DOCS / "papers.md").read_text(encoding="utf-8").split())
    for name, of in records.items():
        report = report_of(name, of)
        if report.claims:
            assert report.finding
            assert " ".join(summary(report, f"reproduction/{name}.md").split()) in words


def test_claims_can_be_found(records):
    """Every claim of a paper has its place in the paper and a name that no other has."""
    names = []
    for name, of in records.items():
        report = report_of(name, of)
        assert all(claim.where for claim in report.claims)
        assert not any(claim.where for claim in report.own_claims)
        assert bool(report.claims) == bool(report.outcome)
        names += [f"{name}.md#{claim.anchor}" for claim in report.claims]
        names += [f"findings.md#{claim.anchor}" for claim in report.own_claims]
    assert len(names) == len(set(names))
    assert not any(name.endswith("#") for name in names)


def test_nothing_is_printed_twice(records):
    """No table has a title that another table of its page has, and no paragraph or row of figures stands twice."""
    for file in [DOCS / "reproduction.md", *(DOCS / "reproduction").glob("*.md")]:
        lines = file.read_text(encoding="utf-8").splitlines()
        heads = {i for i, line in enumerate(lines[1:]) if line.startswith("| ---")}  # tables may have the same columns
        told = [
            line
            for i, line in enumerate(lines)
            if len(line) > 60 and i not in heads and not line.startswith(("| ---", "*Record"))
        ]
        assert len(told) == len(set(told)), file.name
        titles = [line for line in lines if line.startswith("**") and line.endswith("**")]
        assert len(titles) == len(set(titles)), file.name
