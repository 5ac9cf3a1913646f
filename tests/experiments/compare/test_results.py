"""The file of results."""

import json

import pytest
from comparisons import found, told

from experiments.compare import results as module
from experiments.compare.protocol import Settings
from experiments.compare.results import Results
from experiments.compare.scheme import Kind, Scheme
from experiments.compare.schemes import scheme_of
from experiments.exceptions import OtherRunError


def kept(folder, *keys):
    """Results with some steps, saved."""
    results = Results(folder, Settings())
    for key in keys:
        results.admit_set(told(), key.split("/")[0])
        results.admit_scheme(scheme_of(key.split("/")[2]))
        results.keep(key, found(90.0))
    results.save()
    return results


def test_file_is_continued(tmp_path):
    """What was saved is there again, with the run it came from; each step is one line."""
    kept(tmp_path, "iris/0/ddag", "iris/0/forest")
    again = Results(tmp_path, Settings())
    assert list(again) == ["iris/0/ddag", "iris/0/forest"]
    assert again["iris/0/ddag"]["accuracy"] == 90.0
    again.keep("iris/1/ddag", found(91.0))
    again.save()
    assert [step["run"] for step in again.values()] == [0, 0, 1]
    assert len(again.content["runs"]) == 2
    lines = (tmp_path / "results.json").read_text().splitlines()
    assert sum(line.startswith('  "iris/') for line in lines) == 3
    assert json.loads("\n".join(lines)) == again.content
    assert Results.read(tmp_path).settings == Settings()


def test_other_settings_are_refused(tmp_path):
    """Rows or seed must not change in the middle; --fresh begins anew."""
    kept(tmp_path, "iris/0/ddag")
    with pytest.raises(OtherRunError, match=r'"rows": 2000.*"rows": 500'):
        Results(tmp_path, Settings(rows=500))
    assert len(Results(tmp_path, Settings(rows=500), fresh=True)) == 0


def test_changed_set_is_refused(tmp_path):
    """Steps on other rows cannot be compared."""
    results = kept(tmp_path, "iris/0/ddag")
    with pytest.raises(OtherRunError, match="iris changed"):
        results.admit_set(told(digest="1"), "iris")


def test_steps_of_a_changed_scheme_are_forgotten(tmp_path):
    """A scheme with another grid is run again; the others are kept."""
    results = kept(tmp_path, "iris/0/ddag", "iris/0/forest")
    results.admit_scheme(Scheme("forest", Kind.INSTEAD, "", scheme_of("neighbours").make))
    assert list(results) == ["iris/0/ddag"]
    results.admit_scheme(scheme_of("ddag"))
    assert list(results) == ["iris/0/ddag"]


def test_failed_step_is_not_done(tmp_path):
    """It is tried again by the next run."""
    results = kept(tmp_path, "iris/0/ddag")
    results.keep("iris/1/ddag", {"error": "ValueError: no"})
    assert results.has("iris/0/ddag")
    assert not results.has("iris/1/ddag")
    assert not results.has("iris/2/ddag")


def test_file_is_saved_from_time_to_time(tmp_path, monkeypatch):
    """A run that is killed loses little."""
    monkeypatch.setattr(module, "SAVED_EVERY", -1.0)
    Results(tmp_path, Settings()).keep("iris/0/ddag", found(90.0))
    assert list(Results.read(tmp_path)) == ["iris/0/ddag"]


@pytest.mark.parametrize("text", ["", "[]", "{}"])
def test_other_files_are_refused(text, tmp_path):
    """A file that is no results is not overwritten."""
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(OtherRunError, match="is not a file of"):
        Results(tmp_path, Settings())
    with pytest.raises(OtherRunError, match=r"there is no results\.json"):
        Results.read(tmp_path / "nowhere")
