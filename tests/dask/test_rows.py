"""Samples on the workers: some rows are fetched, all are put together there, and they can be released."""

import dask.array as da
import numpy as np
import scipy.sparse as sp

from dagmar.dask.reading import read_rows


def test_rows_are_fetched(client, X, rng):
    """By an array of indices in any order, or by a slice."""
    rows, _ = read_rows(client, da.from_array(X, chunks=2000))
    some = rng.permutation(len(X))[:50]
    assert np.array_equal(rows[some], X[some])
    assert np.array_equal(rows[::97], X[::97])


def test_all_rows_are_put_together_on_a_worker(client, X):
    """In their order, whatever the parts are; released rows are gone."""
    for samples in (X, sp.csr_matrix(X)):
        blocks = da.from_array(X, chunks=(3000, 3)).map_blocks(type(samples) if sp.issparse(samples) else np.asarray)
        rows, _ = read_rows(client, blocks)
        whole = rows.whole.result()
        assert type(whole) is type(samples)
        assert (whole != samples).sum() == 0
        rows.release()
        assert rows.parts == []
        assert "whole" not in vars(rows)
