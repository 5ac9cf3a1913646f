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


@pytest.mark.parametrize("entries", [{}, {"x": {"b": [1, 2]}}, {"x": 1, "y": {"c": "}"}}])
def test_many_entries_have_a_line_each(entries, tmp_path):
    """The content is the same, and a change of one entry is a change of one line."""
    file = tmp_path / "run.json"
    write_json({"steps": entries, "a": {"b": 1}}, file, one_line_each="steps")
    assert read_json(file) == {"steps": entries, "a": {"b": 1}}
    assert sum(line.startswith(('  "x"', '  "y"')) for line in file.read_text().splitlines()) == len(entries)


def test_failed_write_leaves_the_old_file(tmp_path):
    """What cannot be written does not destroy what was there."""
    file = tmp_path / "run.json"
    write_json({"a": 1}, file)
    with pytest.raises(TypeError):
        write_json({"a": object()}, file)
    assert json.loads(file.read_text()) == {"a": 1}
