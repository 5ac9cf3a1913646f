"""Dask collections are read in place: checked on the workers, with the sums of arrays in memory."""

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp

from dagmar.dask.reading import of_parts, read_rows
from dagmar.problem.kernels import squared_norms
from dagmar.problem.reductions import DenseRows, column_sums, variance
from dagmar.problem.samples import common_features, core_rows, most_terms


@pytest.mark.parametrize("chunks", [1000, 5000, 10**5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_have_the_bits_of_local_ones(client, X, chunks, dtype):
    """However the array is chunked, the sums over its rows are those of the array in memory."""
    X = X.astype(dtype)
    rows, columns = read_rows(client, da.from_array(X, chunks=(chunks, 2)))
    assert (rows.shape, rows.dtype, rows.size, len(rows)) == (X.shape, X.dtype, X.size, len(X))
    assert columns.n_features == 3
    mean = column_sums(X) / len(X)
    assert np.array_equal(column_sums(rows), column_sums(X))
    assert variance(rows) == variance(X)
    assert np.array_equal(squared_norms(rows, mean), squared_norms(X, mean))


def test_bad_rows_are_refused(client):
    """NaN and arrays of one dimension have their own messages."""
    with pytest.raises(ValueError, match="NaN"):
        column_sums(read_rows(client, da.from_array(np.array([[1.0], [np.nan]])))[0])
    with pytest.raises(ValueError, match="Expected 2D array, got 1D"):
        read_rows(client, da.zeros(5))


@pytest.mark.parametrize("chunks", [1000, 10**5])
def test_sums_of_sparse_blocks_have_the_bits_of_local_ones(client, X, chunks):
    """Whatever the blocks are, also float32 with long indices: samples of the core's form stay on the workers."""
    X = sp.csr_matrix(np.where(np.abs(X) < 0.8, 0.0, X).astype(np.float32))

    def as_long(block):
        out = sp.csr_array(block)
        out.indices, out.indptr = out.indices.astype(np.int64), out.indptr.astype(np.int64)
        return out

    rows, _ = read_rows(client, da.from_array(X.toarray(), chunks=(chunks, 2)).map_blocks(as_long))
    local = core_rows(X)
    assert (rows.shape, rows.dtype, rows.size, rows.nnz) == (X.shape, np.float64, X.nnz, X.nnz)
    assert variance(rows) == variance(local)
    assert np.array_equal(squared_norms(rows, None), squared_norms(local, None))
    assert most_terms(rows) == most_terms(local)
    start = np.array([0, 100, len(rows)])
    assert np.array_equal(common_features(rows, start), common_features(local, start))
    some = np.array([5000, 3, 4999, 17])
    assert (rows[some] != local[some]).nnz == 0
    assert rows[some].indices.dtype == np.int32
    dense = DenseRows(rows)
    assert np.array_equal(column_sums(dense), column_sums(local.toarray()))
    assert np.array_equal(dense[::97], local[::97].toarray())


def test_sparse_parts_beside_dense_ones_are_refused(client):
    """The message counts them."""
    parts = [client.submit(np.zeros, (3, 2), pure=False), client.submit(sp.csr_matrix, (3, 2), pure=False)]
    with pytest.raises(TypeError, match="1 of 2 blocks of the Dask array are sparse and the others dense"):
        of_parts(client, parts, np.array([0, 3, 6]))
