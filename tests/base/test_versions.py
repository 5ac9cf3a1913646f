"""Pickles carry the version that wrote them."""

import pickle

import pytest

import dagmar
from dagmar.base import versions
from dagmar.problem.tasks import all_pairs


def test_state_says_its_version():
    """What goes into a pickle has the version; what comes out of it has it no more."""
    state = versions.with_version({"C": 1})
    assert state == {"C": 1, versions.KEY: dagmar.__version__}
    assert versions.check_version("SVC", state) == {"C": 1}


@pytest.mark.parametrize("state", [{versions.KEY: "0.0.1"}, {}])
def test_other_versions_are_refused_by_name(state):
    """The error names the object, the version that wrote it if that is known, and the one that is running."""
    written = state.get(versions.KEY, "an unknown version")
    with pytest.raises(dagmar.PickleVersionError, match=f"pickled Bank was written by dagmar {written}"):
        versions.check_version("Bank", state)


def test_frozen_objects_carry_it_too(monkeypatch):
    """Banks, plans, tasks and reports that are pickled by themselves are refused by another version."""
    content = pickle.dumps(all_pairs(3))
    assert pickle.loads(content).same_as(all_pairs(3))
    monkeypatch.setattr(versions, "running_version", lambda: "99.0")
    with pytest.raises(dagmar.PickleVersionError, match=r"Tasks.*dagmar 99\.0 is running"):
        pickle.loads(content)
