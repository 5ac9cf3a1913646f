"""Points that are on record are not run again."""

import json

import pytest
from fakes import Fake, new_record

from experiments.benchmarks import scaling
from experiments.benchmarks.curves import Series
from experiments.benchmarks.points import ONE_VS_ONE


@pytest.fixture
def letter():
    return Series("rows", "letter", ONE_VS_ONE)


def resume(letter, record, limit, *, again=False, cache_mb=200):
    fake = Fake()
    asked = scaling.asked_of(letter, threads=2, cache_mb=cache_mb, up_to=None)
    scaling.run_series(letter, record, asked, limit, again=again, say=len, save=lambda: None, measure=fake)
    return [size for _, size in fake.ran], [entry["status"] for entry in letter.entries(record).values()]


def test_points_on_record_are_not_run_again(letter):
    """A second run finds all points there; other parameters, another version or `again` run them anew."""
    record = new_record()
    everything = list(letter.sizes)
    assert resume(letter, record, 900) == (everything, ["done"] * 4)
    record = json.loads(json.dumps(record))  # as it comes back from the file
    assert resume(letter, record, 900) == ([], ["done"] * 4)
    assert resume(letter, record, 900, again=True)[0] == everything
    assert resume(letter, record, 900, cache_mb=100)[0] == everything
    record["environment"]["versions"]["dagmar"] = "another"
    assert resume(letter, record, 900, cache_mb=100)[0] == everything
    del record["points"][letter.key(4000)]
    assert resume(letter, record, 900, cache_mb=100)[0] == [4000]


def test_over_the_limit_the_larger_are_skipped(letter):
    """A point over the limit is on record as such, larger ones are skipped; only a longer limit runs them again."""
    record = new_record()
    assert resume(letter, record, 20) == ([2000, 4000, 8000], ["done", "done", "over", "skipped"])
    assert "took longer than 20 s" in letter.entries(record)[16000]["why"]
    assert resume(letter, record, 20) == ([], ["done", "done", "over", "skipped"])
    assert resume(letter, record, 10)[0] == []
    assert resume(letter, record, 100) == ([8000, 16000], ["done", "done", "done", "over"])


def test_failures_are_tried_again(letter):
    """What has failed stops its series, and has another chance in the next run."""
    record = new_record()
    resume(letter, record, 900)
    record["points"][letter.key(2000)] = {**letter.entries(record)[2000], "status": "failed", "why": "signal 9"}
    assert resume(letter, record, 900) == ([2000], ["done"] * 4)


def test_other_machines_have_other_records():
    """Points of another processor or number of threads do not stand beside each other."""
    record = new_record()
    assert scaling.same_conditions(record, new_record())
    assert not scaling.same_conditions(record, new_record(threads=1))
