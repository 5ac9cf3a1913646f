"""Errors of the command."""

from dagmar.cli.errors import Failed, Misuse, listed


def test_exit_codes():
    assert (Failed("x").exit_code, Misuse("x").exit_code) == (1, 2)


def test_long_lists_are_cut():
    assert listed([1, 2]) == "1, 2"
    assert listed(range(25)) == ", ".join(map(str, range(20))) + ", ... (25 in all)"
