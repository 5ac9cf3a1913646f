"""JSON files of long runs."""

import json

import pytest

from experiments.records import read_json, write_json


def test_what_is_written_is_read(tmp_path):
    """The folder is made, and the content comes back."""
    file = tmp_path / "new" / "run.json"
    write_json({"a": [1, 2.5, None]}, file)
    assert read_json(file) == {"a": [1, 2.5, None]}
    assert [f.name for f in file.parent.iterdir()] == ["run.json"]


def test_failed_write_leaves_the_old_file(tmp_path):
    """What cannot be written does not destroy what was there."""
    file = tmp_path / "run.json"
    write_json({"a": 1}, file)
    with pytest.raises(TypeError):
        write_json({"a": object()}, file)
    assert json.loads(file.read_text()) == {"a": 1}
