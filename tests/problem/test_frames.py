"""Tables of other libraries: read if they have numbers here, refused by name if not."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import dagmar
from dagmar.problem.frames import as_row, frame_values, refuse_unusable


def test_dask_collections_are_not_gathered(three_blobs):
    """A Dask array or frame is refused by fit and predict, and the message names what takes it."""
    X, y = three_blobs
    fitted = dagmar.SVC().fit(X, y)
    frame = dd.from_pandas(pd.DataFrame(X), npartitions=2)
    for lazy in (da.from_array(X), frame):
        with pytest.raises(TypeError, match=r"X is a Dask .*dagmar\.dask\.SVC trains"):
            dagmar.SVC().fit(lazy, y)
        with pytest.raises(TypeError, match=r"dagmar\.dask\.predict predicts there"):
            fitted.predict(lazy)
    with pytest.raises(TypeError, match="y is a Dask Array"):
        dagmar.SVCCV(Cs=[1], gammas=[1]).fit(X, da.from_array(y))


@pytest.mark.parametrize("library", [pd, pl])
def test_numbers_of_a_frame_are_read_if_its_columns_are_known(library):
    """Floats keep their type, whole numbers become doubles; other names, words and other kinds of tables are left alone."""
    names = np.array(["a", "b"], dtype=object)
    for dtype, expected in ((np.float32, np.float32), (np.int8, np.float64)):
        values = np.arange(4).reshape(2, 2).astype(dtype)
        read = frame_values(library.DataFrame({"a": values[:, 0], "b": values[:, 1]}), names)
        assert read.dtype == expected
        assert read.flags.c_contiguous
        np.testing.assert_array_equal(read, values)
    for other in (library.DataFrame({"b": [1.0], "a": [2.0]}), library.DataFrame({"a": ["x"], "b": ["y"]}), [[1, 2]]):
        assert frame_values(other, names) is None


def test_one_sample_becomes_a_row():
    """A Series keeps its names; arrays and sparse rows that are tables already stay as they are."""
    assert as_row(pd.Series([1.0, 2.0], index=["a", "b"])).columns.tolist() == ["a", "b"]
    assert as_row([1.0, 2.0]).shape == (1, 2)
    for row in (np.zeros((1, 2)), sp.csr_matrix((1, 2))):
        assert as_row(row) is row


def test_tables_without_values_are_refused():
    """A LazyFrame always; a Series unless one sample is expected. The error says what to write."""
    with pytest.raises(TypeError, match=r"pass X\.collect\(\)"):
        refuse_unusable(pl.DataFrame({"a": [1.0]}).lazy())
    series = pd.Series([1.0])
    refuse_unusable(series, series=False)
    with pytest.raises(ValueError, match=r"Expected 2D array.*series\.to_frame\(\)"):
        refuse_unusable(series)
