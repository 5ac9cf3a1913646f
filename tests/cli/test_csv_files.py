"""CSV files as other programs write them are opened with the right columns."""

import gzip
import os
import subprocess
import sys

import polars as pl
import pytest

from dagmar.cli.csv_files import open_csv
from dagmar.cli.errors import Failed

TEXT = 'a,"b, c",kind\n1,2,"x, y"\n3,4,z\n'
FILES = {
    "plain": TEXT.encode(),
    "byte order mark": TEXT.encode("utf-8-sig"),
    "Windows": TEXT.replace("\n", "\r\n").encode(),
    "gzip": gzip.compress(TEXT.encode()),
    "no end of line": TEXT.rstrip().encode(),
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_names_and_values(tmp_path, content):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    opened = open_csv(path)
    assert (opened.columns, opened.repeated) == (["a", "b, c", "kind"], frozenset())
    assert opened.scan.collect().rows() == [("1", "2", "x, y"), ("3", "4", "z")]


def test_semicolons_tabs_and_bars_separate_where_there_is_no_comma(tmp_path):
    path = tmp_path / "x.csv"
    for separator in ";\t|":
        path.write_text(f"a{separator}b\n1,5{separator}2\n")
        assert open_csv(path).scan.collect().rows() == [("1,5", "2")]
    path.write_text("only;one\n1;2\n")
    assert open_csv(path, ",").columns == ["only;one"]


def test_names_that_are_repeated_or_empty(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(",a,a,b\n0,1,2,3\n")
    opened = open_csv(path)
    assert (opened.columns, opened.repeated) == (["", "a", "b"], {"a"})
    assert opened.scan.select("", "b").collect().rows() == [("0", "3")]


@pytest.mark.parametrize("content", [TEXT.encode("utf-16"), bytes(range(256))])
def test_what_is_no_text_is_refused(tmp_path, content):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(Failed, match="not a text in UTF-8"):
        open_csv(path)


CODE = """
import sys
from pathlib import Path
from dagmar.cli.csv_files import open_csv
for frame in open_csv(Path(sys.argv[1])).scan.collect_batches(chunk_size=100, lazy=True):
    print(frame.height, frame[-1, 0], frame[-1, -1])
"""


def test_rows_may_be_longer_than_a_block(tmp_path):
    """A block of polars is made so small that each row, and a line end in quotes, is on a border."""
    path = tmp_path / "x.csv"
    frame = pl.DataFrame({"a": [f"{k}\n{k}" for k in range(300)], **{f"x{k}": ["1" * 9] * 300 for k in range(150)}})
    frame.write_csv(path)
    known = {**os.environ, "POLARS_CSV_CHUNK_SIZE": "1000"}
    done = subprocess.run([sys.executable, "-c", CODE, path], env=known, capture_output=True, text=True, check=True)
    assert done.stdout == "".join(f"100 {k}\n{k} 111111111\n" for k in (99, 199, 299))
