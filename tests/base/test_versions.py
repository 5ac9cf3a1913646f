"""Pickles carry the version that wrote them."""

import importlib.metadata
import pickle
from email.message import Message

import pytest

import dagmar
from dagmar.base import versions
from dagmar.base.exceptions import PickleVersionError
from dagmar.base.versions import check_version, with_version


def test_state_goes_through_unchanged():
    """With the version added and checked, the state is what it was, and the given one is left alone."""
    state = {"a": 1, "b": [2, 3]}
    stored = with_version(state)
    assert set(state) == {"a", "b"}
    assert dagmar.__version__ in stored.values()
    assert check_version("Thing", stored) == state


@pytest.mark.parametrize("written", ["0.0.1", None])
def test_other_version_is_refused_by_name(written):
    """The error names the object, the version that wrote it, the one that runs, and what to do."""
    stored = with_version({"a": 1})
    if written is None:
        del stored[versions.KEY]
    else:
        stored[versions.KEY] = written
    with pytest.raises(PickleVersionError, match="again") as caught:
        check_version("Thing", stored)
    for words in ("Thing", written or "unknown version", dagmar.__version__):
        assert words in str(caught.value)


@pytest.mark.parametrize("part", ["bank_", "plan_", "report_"])
def test_parts_of_a_model_written_by_another_version_are_refused(three_blobs, part, monkeypatch):
    """A pickled bank, plan or report of another version is refused where it is read."""
    clf = dagmar.SVC().fit(*three_blobs)
    with monkeypatch.context() as patched:
        patched.setattr(versions, "running_version", lambda: "0.0.1")
        stored = pickle.dumps(getattr(clf, part))
    with pytest.raises(PickleVersionError, match=r"written by dagmar 0\.0\.1"):
        pickle.loads(stored)
    assert pickle.loads(pickle.dumps(getattr(clf, part))) is not None


def test_documentation_is_what_the_package_names(monkeypatch):
    """The address is read from the metadata of the installed package; without one there is none."""
    package = Message()
    monkeypatch.setattr(importlib.metadata, "metadata", lambda name: package if name == "dagmar" else None)
    assert versions.documentation_url() == ""
    package["Project-URL"] = "Source, https://dagmar.example/source"
    assert versions.documentation_url() == ""
    package["Project-URL"] = "Documentation, https://dagmar.example/docs, with a comma"
    assert versions.documentation_url() == "https://dagmar.example/docs, with a comma"
