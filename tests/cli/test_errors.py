"""Errors of the command."""

from pathlib import Path

import pytest

from dagmar.cli.errors import Failed, Misuse, check_folder, listed


def test_exit_codes():
    assert (Failed("x").exit_code, Misuse("x").exit_code) == (1, 2)


def test_long_lists_are_cut():
    assert listed([1, 2]) == "1, 2"
    assert listed(range(25)) == ", ".join(map(str, range(20))) + ", ... (25 in all)"


def test_a_missing_folder_is_named(tmp_path, monkeypatch):
    check_folder(tmp_path / "a.csv")
    with pytest.raises(Misuse, match=r"there is no folder .*nowhere"):
        check_folder(tmp_path / "nowhere" / "a.csv")
    monkeypatch.chdir(tmp_path)
    check_folder(Path("a.csv"))
