"""Half a minute of fuzzing, and every failure that was ever found."""

from pathlib import Path

import pytest

from fuzzing import campaign, cases
from fuzzing.known import KNOWN

SEED, COUNT, SECONDS = 20260, 900, 25.0
CORPUS = sorted(cases.CORPUS.glob("*.json"))


def test_fuzzing_finds_nothing_unknown():
    """No signal, no hang, no wrong label, no gap above tol, no strange exception, except those of the known doors."""
    result = campaign.run(campaign.KINDS, SEED, SECONDS, COUNT, n_children=2, limit=5.0, avoid_hangs=True)
    print(result)
    assert not result.unexpected, str(result)
    for kind in campaign.KINDS:
        assert sum(n for (of, _), n in result.outcomes.items() if of == kind) > 20


@pytest.fixture(scope="module")
def replayed():
    """The outcome of every case of the corpus. Those of known doors get little time: they are expected to fail."""
    doors = {path: campaign.door_of(path) for path in CORPUS}
    shut = [path for path in CORPUS if doors[path] is None]
    known = [path for path in CORPUS if doors[path] is not None]
    return dict((campaign.replay(shut) if shut else []) + (campaign.replay(known, limit=1.0) if known else []))


@pytest.mark.parametrize("path", CORPUS, ids=[path.stem for path in CORPUS])
def test_nothing_found_comes_back(path, replayed, request):
    """A case of the corpus passes; one of a known door must fail until that door is shut."""
    door = campaign.door_of(path)
    if door is not None:
        request.applymarker(pytest.mark.xfail(reason=door.name, strict=True))
    assert not replayed[path].failed, replayed[path].detail


def test_every_known_door_has_a_case():
    """The corpus shows every known door, so that a door that is shut is noticed by a test that passes unexpectedly."""
    shown = {door.name for path in CORPUS if (door := campaign.door_of(path)) is not None}
    assert {door.name for door in KNOWN if door.in_corpus} <= shown


def test_cases_survive_being_written(tmp_path):
    """A case read from its file is the case that was written, to the bit."""
    for kind in campaign.KINDS:
        for number in range(20):
            case = campaign.make_case(kind, 1, number)
            path = cases.save(tmp_path, kind, case, cases.Outcome("hang"), "x")
            assert cases.dumps(cases.loads(Path(path).read_text())["case"]) == cases.dumps(case)


def test_signals_and_hangs_are_seen():
    """A child that dies or takes too long is a failure, and the next case gets a new one."""
    orders = [{"kind": "fits", "case": {"test": "signal"}}, {"kind": "fits", "case": {"test": "hang"}}]
    told = [outcome.kind for _, outcome in campaign.pool.run(iter(orders), 1, 0.2)]
    assert told == ["signal", "hang"]
