"""Half a minute of fuzzing, and every failure that was ever found."""

from pathlib import Path

import pytest

pytest.importorskip("resource", reason="children that are fuzzed need limits and forks")

from fuzzing import campaign, cases

SEED, COUNT, SECONDS = 20260, 900, 25.0
CORPUS = sorted(cases.CORPUS.glob("*.json"))


def test_fuzzing_finds_nothing():
    """No signal, no hang, no wrong label, no gap above tol, no strange exception."""
    result = campaign.run(campaign.KINDS, SEED, SECONDS, COUNT, n_children=2, limit=5.0)
    print(result)
    assert not result.failures, str(result)
    for kind in campaign.KINDS:
        assert sum(n for (of, _), n in result.outcomes.items() if of == kind) > 20


@pytest.fixture(scope="module")
def replayed():
    """The outcome of every case of the corpus."""
    return dict(campaign.replay(CORPUS))


@pytest.mark.parametrize("path", CORPUS, ids=[path.stem for path in CORPUS])
def test_nothing_found_comes_back(path, replayed):
    """A failure that was found and mended stays mended."""
    assert not replayed[path].failed, replayed[path].detail


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
