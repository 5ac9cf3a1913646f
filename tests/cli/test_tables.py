"""What the command prints."""

import io
import sys

import numpy as np
from terminals import Terminal

from dagmar.cli.evaluation import Evaluation
from dagmar.cli.tables import Ticker, facts, number, say_evaluation, say_json, size, table


def test_json_keeps_letters(capsys):
    say_json({"größe": [1, None, "ü"]})
    assert capsys.readouterr().out == '{"größe": [1, null, "ü"]}\n'


def test_tables_are_not_cut_where_there_is_no_terminal(capsys):
    """A reader gets whole lines, also of tables wider than a terminal; brackets are no markup."""
    table(["name", *(f"column {k}" for k in range(30))], [["[red]a", *["1.0"] * 30]], marked=(0, 2))
    head, line = capsys.readouterr().out.splitlines()
    assert head.split("  ")[-1].strip() == "column 29"
    assert line.split() == ["[red]a", "1.0", "1.0", "*", *["1.0"] * 28]
    assert "\x1b" not in head + line


def test_facts_leave_out_what_is_not_known(capsys):
    facts({"a": 1, "bcd": None, "ef": "x\ny"})
    assert capsys.readouterr().out == "a   1\nef  x\n    y\n"


def test_numbers_and_sizes():
    assert [number(v) for v in (None, 0.123456, 100.0)] == ["", "0.1235", "100"]
    assert [size(n) for n in (900, 2_500_000)] == ["0.9 kB", "2.5 MB"]


def test_large_confusion_matrix_is_shown_by_its_largest_entries(capsys):
    evaluation = Evaluation(np.arange(30))
    evaluation.add(np.array([5, 5, 5, 7]), np.array([9, 9, 5, 8]))
    say_evaluation(evaluation.result())
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["accuracy", "0.25", "on", "4", "rows"]
    assert lines[-3:] == [["actual", "predicted", "rows"], ["5", "9", "2"], ["7", "8", "1"]]


def test_ticker_counts_on_a_terminal_only(monkeypatch):
    for stream, words in ((Terminal(), "1234 rows"), (io.StringIO(), "")):
        monkeypatch.setattr(sys, "stderr", stream)
        with Ticker("rows") as ticker:
            ticker.advance(1000)
            ticker.advance(234)
        assert words in stream.getvalue()
        assert bool(words) == bool(stream.getvalue())
