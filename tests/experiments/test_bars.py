"""Progress of a job of named steps."""

import sys

import pytest
from terminals import Terminal

from experiments.bars import Bar


def test_steps_are_told_in_lines(clock_at, capsys):
    """Each step is a line with the share done and the time left; what was done before says nothing of the speed."""
    with Bar("paper", total=10.0) as bar:
        bar.skip(4.0)
        bar.now("first")
        clock_at[0] += 6.0
        bar.advance(2.0, "first: 6.0 s")
        clock_at[0] += 2.0
        bar.advance(4.0, "second: 2.0 s")
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "[dagmar] paper: first: 6.0 s (60 %, 0:00:12 left)",
        "[dagmar] paper: second: 2.0 s (100 %, 0:00:00 left)",
    ]


def test_steps_have_a_bar_on_a_terminal(clock_at, monkeypatch):
    """On a terminal the step that runs stands beside a bar, finished ones stay above it, and the bar is gone in the end."""
    pytest.importorskip("rich")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with Bar("paper", total=4.0) as bar:
        shown = bar._bar
        bar.now("table1/letter")
        assert shown.tasks[0].fields["words"] == "paper: table1/letter"
        clock_at[0] += 1.0
        bar.advance(1.0, "table1/letter: 1.0 s")
        assert shown.tasks[0].percentage == 25.0
        assert shown.live.is_started
    assert not shown.live.is_started
    assert "paper: table1/letter: 1.0 s (25 %, 0:00:03 left)" in terminal.getvalue()
