"""The container of model files: whole or not at all, and checked."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from dagmar import ModelFileError
from dagmar.files import container

HEADER = {"format": 1, "words": ["é", 'quote " and \\']}
ARRAYS = {"a": np.arange(6.0).reshape(2, 3), "b": np.zeros((0, 4), dtype=np.int32), "c": np.array([True, False])}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.dagmar"


def left_in(folder):
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize("mmap", [False, True])
def test_what_was_written_is_read(path, mmap):
    """Header and arrays come back with their types and shapes."""
    container.write(path, HEADER, ARRAYS)
    header, arrays = container.read(path, mmap)
    assert header == HEADER
    assert set(arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(arrays[name], array)
    assert left_in(path.parent) == [path.name]


def test_arrays_of_a_mapped_file_stay_there(path):
    """They are views of the file, not copies."""
    container.write(path, HEADER, ARRAYS)
    mapped = container.read(path, mmap=True)[1]["a"]
    while not isinstance(mapped, np.memmap):
        mapped = mapped.base
    assert str(mapped.filename) == str(path)


def with_length(header: bytes) -> bytes:
    return len(header).to_bytes(8, "little") + header


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0\0\0",
        b"PK\x03\x04 a zip file, or anything else",
        (2**60).to_bytes(8, "little") + b"{}",
        with_length(b"{}"),
        with_length(b"[]"),
        with_length(b"{" + b'"a":' * 3),
        with_length(b'{"__metadata__":{"dagmar":"[1]"}}'),
        with_length(b'{"__metadata__":{"dagmar":"{"}}'),
        with_length(b'{"__metadata__":{"dagmar":"' + b"[" * 30000 + b'"}}'),
        with_length(b'{"__metadata__":{"dagmar":"{}"},"a":{"dtype":"F64","shape":[4],"data_offsets":[0,32]}}'),
        with_length(b'{"__metadata__":{"dagmar":"{}"},"a":{"dtype":"F64","shape":[-1],"data_offsets":[0,0]}}'),
    ],
)
def test_other_files_are_refused(path, content, mmap):
    """Whatever the file is, the error says that it is not a model file, or what is damaged."""
    path.write_bytes(content)
    with pytest.raises((ModelFileError, ValueError), match=r"model file|damaged|header"):
        container.read(path, mmap)


def test_other_safetensors_files_are_told_apart(path):
    """A file of another program has no header of dagmar."""
    save_file(ARRAYS, path)
    with pytest.raises(ModelFileError, match="not a model file of dagmar"):
        container.read(path)


def test_arrays_that_are_not_aligned_are_copied(path):
    """A mapped array may begin anywhere in a file made by hand; the core gets an aligned one."""
    header = {"__metadata__": {"dagmar": "{}"}, "a": {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]}}
    words = json.dumps(header).encode()
    words += b" " * (-len(words) % 8 + 3)
    path.write_bytes(with_length(words) + np.array([1.0, 2.0]).tobytes())
    array = container.read(path, mmap=True)[1]["a"]
    assert array.flags.aligned
    assert array.tolist() == [1.0, 2.0]
