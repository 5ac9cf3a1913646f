"""A run keeps every step, goes on where it was stopped, and refuses another run's record."""

import json

import numpy as np
import pytest
from toy import ToyStudy, small_sets

from experiments.exceptions import OtherRunError, StepError
from experiments.papers.record import Record
from experiments.papers.run import all_steps, publish, run, run_step
from experiments.papers.study import Lab, Settings


@pytest.fixture
def go(data_folder, tmp_path):
    """Run a study with settings; everything else is fixed."""

    def go(study, fresh=False, **settings):
        return run(study, small_sets(data_folder), Settings(**settings), tmp_path / "out", 1, fresh)

    return go


def without_times(record):
    """The record's content, seconds and dates left out."""
    steps = {key: {**step, "seconds": 0, "provenance": None} for key, step in record.content["steps"].items()}
    return {**record.content, "steps": steps}


def test_every_step_is_kept_with_its_parameters(go):
    """The file has the result, parameters and seconds of every step, seed, versions and data digests."""
    record = go(ToyStudy(), seed=3)
    content = json.loads(record.file.read_text())
    assert content == record.content
    assert content["steps"]["double"]["parameters"] == {"factor": 2}
    assert content["steps"]["double"]["result"]["number"] == 2 * content["steps"]["draw"]["result"]["number"]
    assert content["steps"]["double"]["seconds"] >= 0
    assert content["settings"] == {"seed": 3, "quick": False}
    assert content["environment"]["versions"]["dagmar"]
    assert content["environment"]["libsvm"].startswith("3.")
    assert content["environment"]["instructions"]
    assert content["smoothing_edge"] == "constant"
    assert set(content["steps"]["double"]["provenance"]) == {"commit", "clean", "date"}
    assert len(content["data"]["tiny"]) == 64


def test_stopped_run_is_taken_up(go, data_folder, tmp_path):
    """After a stop only the steps that were not finished are run, and the end is the same."""
    with pytest.raises(KeyboardInterrupt):
        go(ToyStudy(stop_at="double"))
    second = ToyStudy()
    resumed = go(second)
    assert second.ran == ["double"]
    whole = run(ToyStudy(), small_sets(data_folder), Settings(), tmp_path / "another", 1)
    assert without_times(resumed) == without_times(whole)


def test_finished_run_is_not_run_again(go, capsys):
    """A second run finds all it needs, and says so."""
    go(ToyStudy())
    again = ToyStudy()
    go(again)
    assert again.ran == []
    assert "2 of 2 steps are in" in capsys.readouterr().err


def test_changed_parameters_are_run_again(go):
    """A step with other parameters than the kept ones is run anew."""
    go(ToyStudy())
    other = ToyStudy(factor=5)
    record = go(other)
    assert other.ran == ["double"]
    assert record["double"]["number"] == 5 * record["draw"]["number"]


def test_fresh_begins_anew(go):
    """`fresh` forgets the record, even of another run."""
    go(ToyStudy(), seed=1)
    study = ToyStudy()
    go(study, fresh=True, seed=2)
    assert study.ran == ["draw", "double"]


def test_search_adds_steps_to_the_same_record(go):
    """With `search` the other steps are taken from the record; without it again, the search is not lost."""
    go(ToyStudy())
    more = ToyStudy()
    assert "search" in go(more, search=True)
    assert more.ran == ["draw"]
    assert "search" in go(ToyStudy())


@pytest.mark.parametrize("other", [{"seed": 1}, {"quick": True}])
def test_record_of_another_run_is_refused(go, other):
    """Another seed or length is named, and nothing is overwritten."""
    before = go(ToyStudy()).file.read_bytes()
    with pytest.raises(OtherRunError, match=r"is of another run: settings .*--fresh"):
        go(ToyStudy(), **other)
    assert go(ToyStudy()).file.read_bytes() == before


def test_changed_data_is_refused(go, data_folder):
    """Steps on other data than the earlier ones' are not put beside them."""
    with pytest.raises(KeyboardInterrupt):
        go(ToyStudy(stop_at="double"))
    np.savez(data_folder / "tiny.npz", X=np.zeros((2, 1)), y=np.arange(2))
    with pytest.raises(OtherRunError, match=r"tiny changed since .*--fresh"):
        go(ToyStudy(read_again=True))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"paper": "toy"}', "no json"])
def test_file_that_is_no_record_is_refused(go, tmp_path, text):
    """Anything else by that name is not overwritten."""
    file = tmp_path / "out" / "toy.json"
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(OtherRunError, match="is not a record"):
        go(ToyStudy())
    assert file.read_text() == text


def test_random_numbers_hang_on_seed_and_words_alone(data_folder):
    """The same seed and words give the same numbers, whatever was drawn before; others give others."""
    lab = Lab(small_sets(data_folder), Settings(seed=1), 1, {})
    lab.rng("other").random(5)
    first = lab.rng("letter", 3).random()
    assert first == Lab(small_sets(data_folder), Settings(seed=1), 1, {}).rng("letter", 3).random()
    assert first != lab.rng("letter", 4).random()
    assert first != Lab(small_sets(data_folder), Settings(seed=2), 1, {}).rng("letter", 3).random()


def test_published_files(go, tmp_path):
    """Text and pictures stand beside the record."""
    study = ToyStudy()
    record = go(study)
    file = publish(study.report(Settings(), record), record, tmp_path / "out")
    text = file.read_text()
    assert f"{record['double']['number']:.3f}" in text
    assert "A full run: 2 steps" in text
    assert (tmp_path / "out" / "toy-line.png").read_bytes().startswith(b"\x89PNG")


# ------------------------------------------------------------------- one step


@pytest.fixture
def go_alone(data_folder, tmp_path):
    """Run one step of a study alone."""

    def go_alone(study, key, **settings):
        return run_step(study, key, small_sets(data_folder), Settings(**settings), tmp_path / "out", 1)

    return go_alone


def test_one_step_is_run_alone(go, go_alone):
    """Only this step is run, although the record has it, and it finds the same again."""
    before = go(ToyStudy())
    study = ToyStudy()
    record = go_alone(study, "double")
    assert study.ran == ["double"]
    assert without_times(record) == without_times(before)
    assert json.loads(record.file.read_text()) == record.content


def test_step_of_the_search_needs_no_option(go_alone):
    """The names that are listed can be run, also those that only --search asks for."""
    study = ToyStudy()
    assert [step.key for step in all_steps(study, Settings())] == ["draw", "double", "search"]
    assert list(go_alone(study, "search")) == ["search"]


def test_step_that_needs_another_says_which(go_alone, tmp_path):
    """A step whose input is not in the record names it, and nothing is written."""
    with pytest.raises(StepError, match=r"'double' needs the result of 'draw', which is not in .*toy\.json"):
        go_alone(ToyStudy(), "double")
    assert not (tmp_path / "out" / "toy.json").exists()
    go_alone(ToyStudy(), "draw")
    assert set(go_alone(ToyStudy(), "double")) == {"draw", "double"}


def test_unknown_step_is_told(go_alone):
    """A name that is nearly right is guessed."""
    with pytest.raises(StepError, match=r"toy has no step 'doubel' \(did you mean double\?\); --list"):
        go_alone(ToyStudy(), "doubel")
    with pytest.raises(StepError, match=r"toy has no step 'zzz'; --list"):
        go_alone(ToyStudy(), "zzz")


# ----------------------------------------------------------------- provenance


def as_before_provenance(record):
    """Write the record as older versions did."""
    content = json.loads(record.file.read_text())
    del content["smoothing_edge"], content["environment"]["libsvm"]
    for step in content["steps"].values():
        del step["provenance"]
    record.file.write_text(json.dumps(content))


def test_old_record_is_read_and_says_that_it_lacks_provenance(go, tmp_path):
    """Its results can be read and written down; the text says what it lacks."""
    study = ToyStudy()
    record = go(study)
    text = publish(study.report(Settings(), record), record, tmp_path / "out").read_text()
    assert "Edge mode of smoothing: constant." in text
    assert "lacks provenance" not in text
    as_before_provenance(record)
    old = Record.read(record.file)
    assert {key: old[key] for key in old} == {key: record[key] for key in record}
    text = publish(study.report(Settings(), old), old, tmp_path / "out").read_text()
    assert "This record lacks provenance" in text


def test_old_record_is_not_continued(go):
    """Steps made before records had provenance are not mixed with new ones."""
    record = go(ToyStudy())
    as_before_provenance(record)
    with pytest.raises(OtherRunError, match=r"is of another run: .*smoothing_edge null \(now \"constant\"\).*--fresh"):
        go(ToyStudy())


def test_file_that_is_no_record_is_not_read(tmp_path):
    """Neither are other files, nor missing ones."""
    file = tmp_path / "toy.json"
    file.write_text("{}")
    with pytest.raises(OtherRunError, match="is not a record"):
        Record.read(file)
    with pytest.raises(FileNotFoundError):
        Record.read(tmp_path / "none.json")
