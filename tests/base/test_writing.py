"""Files that are written whole or not at all."""

import errno
import os
import re
import signal
import stat
import subprocess
import sys

import pytest
from children import PERMISSIONS, SIGNALS

from dagmar.base.writing import whole_file, write_whole


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.dagmar"


@pytest.fixture
def old(path):
    """A file that is there already."""
    path.write_bytes(b"old")
    return path


def left_in(folder):
    return sorted(entry.name for entry in folder.iterdir())


@PERMISSIONS
def test_a_file_is_replaced_and_keeps_its_permissions(path):
    """A new file gets the usual permissions, a replaced one those it had."""
    write_whole(path, b"first")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o640)
    write_whole(str(path), b"second")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.read_bytes() == b"second"
    assert left_in(path.parent) == [path.name]


def test_a_failure_leaves_the_old_file_and_nothing_else(old, monkeypatch):
    """Where the disk is full while the file is written, or a sync fails, the old file stays whole."""

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=re.escape(f"No space left on device: {str(old)!r}")):
        write_whole(old, b"new")
    assert old.read_bytes() == b"old"
    assert left_in(old.parent) == [old.name]


@SIGNALS
def test_a_limit_of_the_size_of_files_is_an_error(old):
    """A real failure of the system, in a process whose files may have 4 KiB: an error, and the old file."""
    code = (
        "import resource, sys\n"
        "from dagmar.base.writing import write_whole\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n"
        "    write_whole(sys.argv[1], bytes(80000))\n"
        "except OSError as error:\n"
        "    print('refused:', error)\n"
    )
    out = subprocess.run([sys.executable, "-c", code, str(old)], capture_output=True, text=True, check=True).stdout
    assert out.startswith("refused:")
    assert old.read_bytes() == b"old"
    assert left_in(old.parent) == [old.name]


@SIGNALS
def test_a_killed_writer_leaves_the_old_file(old):
    """SIGKILL between writing and renaming: the old file is whole, and what is left is not in the way of a later one."""
    code = (
        "import os, signal, sys\n"
        "from dagmar.base.writing import write_whole\n"
        "os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_whole(sys.argv[1], b'new')\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(old)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert old.read_bytes() == b"old"
    write_whole(old, b"newer")
    assert old.read_bytes() == b"newer"


def test_folders_that_cannot_be_written(path, tmp_path):
    """A missing folder, and a folder in the place of the file, are named."""
    nowhere = tmp_path / "nowhere" / "a.dagmar"
    with pytest.raises(FileNotFoundError, match=re.escape(repr(str(nowhere))) + "$"):
        write_whole(nowhere, b"")
    path.mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_whole(path, b"")
    assert left_in(tmp_path) == [path.name]


@PERMISSIONS
def test_a_read_only_folder_is_an_error(tmp_path, monkeypatch):
    """It names the file that was asked for. Permissions do not bind the superuser, who gives his rights up for a moment."""
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o555)
    user = os.geteuid()
    try:
        if user == 0:
            os.seteuid(65534)
        with pytest.raises(PermissionError, match=r"Permission denied: 'a\.dagmar'"):
            write_whole("a.dagmar", b"")
    finally:
        os.seteuid(user)
        tmp_path.chmod(0o700)
    assert left_in(tmp_path) == []


def test_a_file_written_in_parts_appears_at_the_end(old):
    """Until the context ends, the old file is there; after an error it stays, and nothing else is left."""
    with whole_file(old) as file:
        file.write(b"first ")
        assert old.read_bytes() == b"old"
        file.write(b"second")
    assert old.read_bytes() == b"first second"
    with pytest.raises(TypeError), whole_file(old) as file:
        file.write("no bytes")
    assert old.read_bytes() == b"first second"
    assert left_in(old.parent) == [old.name]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_written_to_and_not_replaced(path):
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(path, b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)
