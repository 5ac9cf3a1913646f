"""Models in shards: workers write the machines, and predictions go over the files."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import scipy.sparse as sp
from clusters import assert_same_model

import dagmar
import dagmar.dask
from dagmar.dask import ShardedModel, train_sharded


def test_the_model_has_the_bits_and_labels_of_a_local_fit(client, ten_classes, tmp_path):
    """In this process, for Dask arrays and data frames, and read into memory."""
    X, y = ten_classes
    local = dagmar.SVC(C=5.0).fit(X, y)
    model = train_sharded(dagmar.SVC(C=5.0), X, y, folder=tmp_path / "model", client=client)
    assert model.n_blocks == 4
    assert len(list((tmp_path / "model").glob("machines-*.dagmar"))) >= 10 - 1  # nothing within the block of one class
    assert_same_model(local, model.to_svc())
    rng = np.random.default_rng(3)
    new = rng.normal(size=(500, 4)) * X.std(axis=0) * 2 + X.mean(axis=0)
    expected = local.predict(new)
    assert np.array_equal(model.predict(new), expected)
    assert (model.votes(new).sum(axis=1) == 45).all()
    found = client.compute(model.predict(da.from_array(new, chunks=(170, 2)))).result()
    assert np.array_equal(found, expected)
    frame = pd.DataFrame(new, index=rng.permutation(500))
    lazily = ShardedModel(tmp_path / "model").predict(dd.from_pandas(frame, npartitions=3, sort=False))
    found = client.compute(lazily).result()
    assert np.array_equal(found, expected)
    assert found.index.equals(frame.index)


def test_sparse_blocks(client, ten_classes, tmp_path):
    """Rows are sparse in the files, too."""
    X, y = ten_classes
    X = sp.csr_matrix(np.where(np.abs(X) < 0.5, 0.0, X))
    blocks = da.from_array(X.toarray(), chunks=(100, 4)).map_blocks(sp.csr_matrix)
    model = train_sharded(dagmar.SVC(), blocks, y, folder=tmp_path, client=client)
    local = dagmar.SVC().fit(X, y)
    assert_same_model(local, model.to_svc())
    assert np.array_equal(model.predict(X), local.predict(X))
    assert np.array_equal(client.compute(model.predict(blocks)).result(), local.predict(X))
