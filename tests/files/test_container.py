"""The container of model files: whole or not at all, and checked."""

import errno
import json
import os
import signal
import stat
import subprocess
import sys

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


def test_a_file_is_replaced_and_keeps_its_permissions(path):
    """A new file gets the usual permissions, a replaced one those it had."""
    container.write(path, HEADER, ARRAYS)
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o640)
    container.write(path, {"format": 2}, {})
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert container.read(path) == ({"format": 2}, {})


def test_a_failure_leaves_the_old_file_and_nothing_else(path, monkeypatch):
    """Where the disk is full while the file is written, or a sync fails, the old file stays whole."""
    container.write(path, HEADER, ARRAYS)
    before = path.read_bytes()

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        container.write(path, {"format": 2}, {})
    assert path.read_bytes() == before
    assert left_in(path.parent) == [path.name]


def test_a_limit_of_the_size_of_files_is_an_error(path):
    """A real failure of the system, in a process whose files may have 4 KiB: an error, and the old file."""
    container.write(path, HEADER, ARRAYS)
    before = path.read_bytes()
    code = (
        "import resource, sys, numpy as np\n"
        "from dagmar.files import container\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n"
        "    container.write(sys.argv[1], {}, {'a': np.zeros(10000)})\n"
        "except OSError as error:\n"
        "    print('refused:', error)\n"
    )
    out = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True).stdout
    assert out.startswith("refused:")
    assert path.read_bytes() == before
    assert left_in(path.parent) == [path.name]


def test_a_killed_writer_leaves_the_old_file(path):
    """SIGKILL between writing and renaming: the old file is whole, and a later save is not in the way."""
    container.write(path, HEADER, ARRAYS)
    before = path.read_bytes()
    code = (
        "import os, signal, sys\n"
        "from dagmar.files import container\n"
        "os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "container.write(sys.argv[1], {'format': 2}, {})\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == before
    container.write(path, {"format": 3}, {})
    assert container.read(path)[0] == {"format": 3}


def test_folders_that_cannot_be_written(path, tmp_path):
    """A missing folder, and a folder in the place of the file, are named."""
    with pytest.raises(FileNotFoundError, match="nowhere"):
        container.write(tmp_path / "nowhere" / "a.dagmar", {}, {})
    path.mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder"):
        container.write(path, {}, {})
    assert left_in(tmp_path) == [path.name]


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind the superuser")
def test_a_read_only_folder_is_an_error(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        container.write(tmp_path / "a.dagmar", {}, {})


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
