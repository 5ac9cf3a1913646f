"""Data is read from every format, in chunks, with the same numbers."""

import gzip
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

from dagmar.cli import reading
from dagmar.cli.errors import Failed, Misuse
from dagmar.cli.reading import Rows, Wanted, open_data


@pytest.fixture
def X(rng):
    return rng.normal(size=(100, 3)) * 10.0 ** rng.integers(-5, 6, size=(100, 3))


@pytest.fixture
def paths(tmp_path, X):
    """The same data in every format."""
    y = np.arange(100) % 4
    frame = pl.DataFrame(X, schema=["a", "b", "c"]).with_columns(y=pl.Series(y), w=pl.Series(y + 1.0))
    frame.write_csv(tmp_path / "x.csv")
    frame.write_csv(tmp_path / "x.tsv", separator="\t")
    frame.write_parquet(tmp_path / "x.parquet")
    np.savez(tmp_path / "x.npz", X=X, y=y, w=y + 1.0, other=np.zeros(3))
    dump_svmlight_file(X, y, str(tmp_path / "x.svm"), zero_based=False)
    return tmp_path


TABLE = Wanted(["a", "b", "c"], "y", "w", names=["a", "b", "c"])


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.parquet", "x.npz"])
@pytest.mark.parametrize("at_once", [7, 1000])
def test_every_format_gives_the_same_rows(paths, X, name, at_once, monkeypatch):
    """Numbers come back to the last bit, whatever the size of the chunks."""
    monkeypatch.setattr(reading, "ROWS_AT_ONCE", at_once)
    data = open_data(paths / name)
    wanted = Wanted(None, "y", "w", names=["a", "b", "c"]) if name == "x.npz" else TABLE
    chunks = list(data.rows(wanted))
    assert len(chunks) > 1 or at_once == 1000
    assert [c.first for c in chunks] == np.cumsum([0, *(c.n_rows for c in chunks)])[:-1].tolist()
    rows = data.all_rows(wanted)
    assert rows.X.columns == ["a", "b", "c"]
    np.testing.assert_array_equal(rows.X.to_numpy(), X)
    np.testing.assert_array_equal(rows.y.cast(pl.Int64).to_numpy(), np.arange(100) % 4)
    np.testing.assert_array_equal(rows.weights, np.arange(100) % 4 + 1.0)
    np.testing.assert_array_equal(data.row(wanted, 42).X.to_numpy(), X[42:43])
    with pytest.raises(Misuse, match="has no row 100: it has 100 rows"):
        data.row(wanted, 100)


def test_svmlight_is_dense_or_sparse_by_how_full_it_is(paths, X, tmp_path):
    data = open_data(paths / "x.svm")
    rows = data.all_rows(Wanted(None, "y"))
    np.testing.assert_allclose(rows.X, X, rtol=1e-12)
    assert rows.y.dtype == pl.Int64
    (tmp_path / "thin.svm").write_text("1 7:2\n-1 1:1\n")
    thin = open_data(tmp_path / "thin.svm")
    assert sp.issparse(thin.all_rows(Wanted(None, "y")).X)
    dense = thin.all_rows(Wanted(None, "y", sparse=False, n_features=9)).X
    np.testing.assert_array_equal(dense, np.eye(9)[[6, 0]] * [[2], [1]])


def test_svmlight_in_chunks_is_put_together(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "ROWS_AT_ONCE", 2)
    (tmp_path / "thin.svm").write_text("".join(f"{k} {9 - k}:1\n" for k in range(5)))
    rows = open_data(tmp_path / "thin.svm").all_rows(Wanted(None, "y"))
    assert (rows.X.shape, rows.y.to_list()) == ((5, 9), [0, 1, 2, 3, 4])


def test_format_of_another_suffix_is_named(paths):
    (paths / "x.csv").rename(paths / "x.txt")
    with pytest.raises(Misuse, match="--format"):
        open_data(paths / "x.txt")
    assert open_data(paths / "x.txt", "csv").columns == ["a", "b", "c", "y", "w"]


def test_features_without_names_are_arrays(paths, X):
    rows = open_data(paths / "x.csv").all_rows(Wanted(["a", "b", "c"]))
    assert isinstance(rows, Rows)
    np.testing.assert_array_equal(rows.X, X)


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_other_separators_are_found(paths, X, separator):
    pl.read_csv(paths / "x.csv", infer_schema=False).write_csv(paths / "other.csv", separator=separator)
    np.testing.assert_array_equal(open_data(paths / "other.csv").all_rows(TABLE).X.to_numpy(), X)


def test_compressed_files_are_read_by_their_names(paths, X):
    for name in ("x.csv", "x.tsv"):
        with gzip.open(paths / f"{name}.gz", "wb") as file:
            file.write((paths / name).read_bytes())
        np.testing.assert_array_equal(open_data(paths / f"{name}.gz").all_rows(TABLE).X.to_numpy(), X)
    (paths / "x.npz").rename(paths / "x.npz.gz")
    with pytest.raises(Misuse, match=r"\.csv\.gz"):
        open_data(paths / "x.npz.gz")


def test_a_name_that_two_columns_have_cannot_be_asked_for(tmp_path):
    (tmp_path / "x.csv").write_text("a,b,a\n1,2,3\n")
    data = open_data(tmp_path / "x.csv")
    assert data.columns == ["a", "b"]
    assert data.all_rows(Wanted(["b"])).X.tolist() == [[2.0]]
    with pytest.raises(Failed, match="more than one column 'a'"):
        data.all_rows(Wanted(["a", "b"]))


def test_missing_values_and_wrong_arrays_of_npz(tmp_path):
    path = tmp_path / "x.npz"
    np.savez(path, X=[[1.0], [np.nan]])
    data = open_data(path)
    assert (data.columns, data.default_target) == ([], None)
    with pytest.raises(Failed, match=r"missing value .NaN. in row 1"):
        data.all_rows(Wanted(None))
    np.savez(path, Z=[[1.0]])
    with pytest.raises(Failed, match="must have an array X"):
        open_data(path)
    np.savez(path, X=np.array([[object()]]))
    with pytest.raises(Failed, match="arrays of objects"):
        open_data(path)


MEMORY = """
import sys
from pathlib import Path
from dagmar.cli.reading import Wanted, open_data
names = [f"x{k}" for k in range(8)]
n = most = 0
for rows in open_data(Path(sys.argv[1])).rows(Wanted(names, names=names)):
    status = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    n, most = n + rows.n_rows, max(most, int(status["RssAnon"].split()[0]) // 1024)
print(n, most)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_memory_does_not_grow_with_the_file(tmp_path, rng, suffix):
    """Three million rows take hardly more memory than one, without pages of the file itself. As text they have 0.5 GB."""
    X = rng.normal(size=(500_000, 8))
    used = []
    for times in (2, 6):
        path = tmp_path / f"x.{suffix}"
        frame = pl.concat([pl.DataFrame(X, schema=[f"x{k}" for k in range(8)])] * times)
        frame.write_csv(path) if suffix == "csv" else frame.write_parquet(path, row_group_size=100_000)
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, path], capture_output=True, text=True, check=True, timeout=300
        )
        n, megabytes = map(int, done.stdout.split())
        assert n == 500_000 * times
        used.append(megabytes)
    assert used[1] < used[0] + 150, used
