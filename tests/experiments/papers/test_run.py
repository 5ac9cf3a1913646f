"""A run keeps every step, goes on where it was stopped, and refuses another run's record."""

import json

import numpy as np
import pytest
from toy import ToyStudy, small_sets

from experiments.exceptions import OtherRunError, StepError
from experiments.papers.record import Record, read_all
from experiments.papers.rule import digest
from experiments.papers.run import all_steps, run, run_step
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
    go(ToyStudy())
    study = ToyStudy()
    go(study, fresh=True, quick=True)
    assert study.ran == ["draw", "double"]


def test_search_adds_steps_to_the_same_record(go):
    """With `search` the other steps are taken from the record; without it again, the search is not lost."""
    go(ToyStudy())
    more = ToyStudy()
    assert "search" in go(more, search=True)
    assert more.ran == ["draw"]
    assert "search" in go(ToyStudy())


def test_every_seed_has_its_record(go):
    """Runs of other seeds stand side by side."""
    first, second = go(ToyStudy()), go(ToyStudy(), seed=1)
    assert [record.file.name for record in (first, second)] == ["toy-seed0.json", "toy-seed1.json"]
    assert first["draw"] != second["draw"]
    read = read_all("toy", first.file.parent)
    assert [record.content for record in read] == [first.content, second.content]


def test_folder_without_records_is_told(tmp_path):
    """A paper that was not run cannot be written down."""
    with pytest.raises(OtherRunError, match="has no record of toy"):
        read_all("toy", tmp_path)


def test_rule_is_that_of_the_beginning(go):
    """A record has the digest of the rule that stood when its run was begun, also where it is continued."""
    record = go(ToyStudy())
    assert record.content["rule"]["digest"] == digest()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("experiments.papers.rule.RULE", ("Another rule.",))
        assert digest() != record.content["rule"]["digest"]
        assert go(ToyStudy(factor=3)).content["rule"] == record.content["rule"]


def test_record_of_another_run_is_refused(go):
    """Another length is named, and nothing is overwritten."""
    before = go(ToyStudy()).file.read_bytes()
    with pytest.raises(OtherRunError, match=r"is of another run: settings .*--fresh"):
        go(ToyStudy(), quick=True)
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
    file = tmp_path / "out" / "toy-seed0.json"
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
    with pytest.raises(StepError, match=r"'double' needs the result of 'draw', which is not in .*toy-seed0\.json"):
        go_alone(ToyStudy(), "double")
    assert not (tmp_path / "out" / "toy-seed0.json").exists()
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


def test_old_record_is_read(go):
    """The results of a record without provenance can be read."""
    record = go(ToyStudy())
    as_before_provenance(record)
    old = Record.read(record.file)
    assert {key: old[key] for key in old} == {key: record[key] for key in record}


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
