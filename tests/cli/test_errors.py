"""Errors of the command."""

import os
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


def test_a_closed_folder_is_noticed_before_the_work(tmp_path, monkeypatch):
    """But a device is no file in its folder."""
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(Failed, match=r"a\.csv: Permission denied"):
        check_folder(tmp_path / "a.csv")
    check_folder(Path("/dev/null"))
