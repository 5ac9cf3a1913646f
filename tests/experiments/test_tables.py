"""Tables of text."""

from experiments.tables import Table


def test_table_in_markdown():
    """Head, rule and rows, numbers to the right."""
    lines = Table("T", ["", "n"], [["a", "1"], ["b", "2"]]).markdown().splitlines()
    assert lines == ["**T**", "", "|  | n |", "| --- | ---: |", "| a | 1 |", "| b | 2 |"]


def test_table_on_the_terminal():
    """The same cells, numbers to the right."""
    table = Table("T", ["", "n"], [["a", "1"]]).rich()
    assert [column.justify for column in table.columns] == ["left", "right"]
    assert table.row_count == 1


def test_table_below_a_heading_needs_no_title():
    """Without a title there is no empty line of bold nothing."""
    assert Table("", ["set", "%"], [["letter", "2.2"]]).markdown() == "| set | % |\n| --- | ---: |\n| letter | 2.2 |"
