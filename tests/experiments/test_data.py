"""Data sets are read from a folder, or it is said what is missing."""

import numpy as np
import pytest
from experiments.data import DataFolder

import dagmar


def test_parts_and_rows(data_folder):
    """An official split gives its parts, and all rows one below the other; features are doubles."""
    data = DataFolder(data_folder).load("tiny")
    X, y = data["train"]
    assert X.shape == (4, 2)
    assert X.dtype == np.float64
    assert y.tolist() == [0, 1, 0, 1]
    assert data["test"][1].tolist() == [0, 1]
    assert data.rows[0][:, 0].tolist() == [0, 2, 4, 6, 8, 10]
    assert list(DataFolder(data_folder).load("whole").parts) == ["all"]


def test_digest_of_the_file(data_folder):
    """The SHA-256 of every file read is known, and changes with it."""
    folder = DataFolder(data_folder)
    folder.load("tiny")
    folder.load("whole")
    assert set(folder.digests) == {"tiny", "whole"}
    assert folder.digests["tiny"] != folder.digests["whole"]
    assert all(len(digest) == 64 for digest in folder.digests.values())


def test_folder_from_the_environment(data_folder, monkeypatch):
    """DAGMAR_DATA names the folder where none is given."""
    monkeypatch.setenv("DAGMAR_DATA", str(data_folder))
    assert DataFolder().load("whole").name == "whole"


def test_what_is_missing_is_named(data_folder, tmp_path, monkeypatch):
    """No folder, no such folder, no such file, no arrays: each is told."""
    monkeypatch.delenv("DAGMAR_DATA", raising=False)
    with pytest.raises(dagmar.MissingDataError, match="--data"):
        DataFolder()
    with pytest.raises(dagmar.MissingDataError, match=r"no folder .*nowhere"):
        DataFolder(tmp_path / "nowhere")
    with pytest.raises(dagmar.MissingDataError, match=r"no letter\.npz"):
        DataFolder(data_folder).load("letter")
    np.savez(data_folder / "other.npz", features=np.zeros(3))
    with pytest.raises(dagmar.MissingDataError, match="neither arrays X and y"):
        DataFolder(data_folder).load("other")
