"""Models in shards: workers write the machines, and predictions go over the files."""

import shutil

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from clusters import assert_same_model
from helpers import letter_like
from sklearn.exceptions import ConvergenceWarning

import dagmar
import dagmar.dask
from dagmar.dask import ShardedModel, sharded, train_sharded


@pytest.fixture
def data(monkeypatch):
    """Ten classes in several blocks, one of them of a single class; pairs wait in more than one lot."""
    monkeypatch.setattr(sharded, "BLOCK_BYTES", 30 * 4 * 8 * 3 + 1)
    monkeypatch.setattr(sharded, "PAIRS_AT_ONCE", 10)
    X, y = letter_like(seed=2, n_classes=10, per_class=30)
    return np.ascontiguousarray(X[:, :4]), np.array([f"label {c}" for c in "abcdefghij"])[y]


def test_the_model_has_the_bits_and_labels_of_a_local_fit(client, data, tmp_path):
    """In this process, for Dask arrays and data frames, and read into memory."""
    X, y = data
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


def test_machines_do_not_pass_through_the_client(client, data, tmp_path, monkeypatch):
    """What comes back from a batch is only what did not converge: some bytes, whatever the batch has."""
    sizes, plain = [], sharded._ShardWorkshop._lot

    def watched(self, problem, tasks):
        lot, dispatcher = plain(self, problem, tasks)
        run = dispatcher.run

        def watch(lot, submit, receive):
            run(lot, submit, lambda batch, found: (sizes.append(len(found.report.iterations)), receive(batch, found)))

        return lot, type("Dispatcher", (), {"run": staticmethod(watch)})

    monkeypatch.setattr(sharded._ShardWorkshop, "_lot", watched)
    X, y = data
    train_sharded(dagmar.SVC(), da.from_array(X, chunks=(100, 4)), y, folder=tmp_path, client=client)
    assert len(sizes) > 1
    assert sum(sizes) == 0


@pytest.mark.parametrize(
    "parameters", [{"C": np.linspace(1, 5, 45)}, {"gamma": np.linspace(0.1, 2, 45)}, {"soft_labels": 3}]
)
def test_values_per_pair_and_soft_labels(client, data, tmp_path, parameters):
    """With weights, too; what is per pair is in the shards."""
    X, y = data
    weight = np.random.default_rng(0).uniform(0.5, 2, size=len(y))
    model = train_sharded(dagmar.SVC(**parameters), X, y, weight, folder=tmp_path, client=client)
    local = dagmar.SVC(**parameters).fit(X, y, weight)
    assert_same_model(local, model.to_svc())
    assert np.array_equal(model.predict(X), local.predict(X))


def test_sparse_blocks(client, data, tmp_path):
    """Rows are sparse in the files, too."""
    X, y = data
    X = sp.csr_matrix(np.where(np.abs(X) < 0.5, 0.0, X))
    blocks = da.from_array(X.toarray(), chunks=(100, 4)).map_blocks(sp.csr_matrix)
    model = train_sharded(dagmar.SVC(), blocks, y, folder=tmp_path, client=client)
    local = dagmar.SVC().fit(X, y)
    assert_same_model(local, model.to_svc())
    assert np.array_equal(model.predict(X), local.predict(X))
    assert np.array_equal(client.compute(model.predict(blocks)).result(), local.predict(X))


def test_a_stopped_fit_is_continued(client, data, tmp_path, monkeypatch):
    """Machines in the folder are not trained again, not even if some are there twice; other data is refused."""
    X, y = data
    svc = dagmar.SVC(C=5.0)

    plain = sharded._ShardWorkshop._write
    calls = []

    def once(self, *arguments):
        if calls:
            raise KeyboardInterrupt
        calls.append(len(arguments[1]))
        return plain(self, *arguments)

    monkeypatch.setattr(sharded._ShardWorkshop, "_write", once)
    with pytest.raises(KeyboardInterrupt):
        train_sharded(svc, X, y, folder=tmp_path, client=client)
    with pytest.raises(dagmar.ModelFileError, match="not complete"):
        ShardedModel(tmp_path)
    some = next(tmp_path.glob("machines-*.dagmar"))
    shutil.copy(some, some.with_name(some.name.replace(".dagmar", "0.dagmar")))
    trained = []
    monkeypatch.setattr(sharded._ShardWorkshop, "_write", lambda self, *a: trained.append(len(a[1])) or plain(self, *a))
    model = train_sharded(svc, X, y, folder=tmp_path, client=client)
    assert 0 < calls[0] == 45 - sum(trained)
    assert_same_model(dagmar.SVC(C=5.0).fit(X, y), model.to_svc())
    with pytest.raises(dagmar.CheckpointError, match=r"has another model. What differs: C \(5\.0, now 1\.0\)"):
        train_sharded(dagmar.SVC(), X, y, folder=tmp_path, client=client)
    train_sharded(svc, X, y, folder=tmp_path, client=client)
    assert len(trained) == sum(n > 0 for n in trained)


def test_unconverged_machines_are_told_also_by_a_continued_fit(client, data, tmp_path):
    """As in a local fit."""
    for _ in range(2):
        with pytest.warns(ConvergenceWarning, match=r"max_iter=1\).*Machines not converged: 45"):
            train_sharded(dagmar.SVC(max_iter=1), *data, folder=tmp_path, client=client)


WRONG = [
    {"structure": "ddag"},
    {"probability": True},
    {"break_ties": True},
    {"kernel": "precomputed"},
    {"checkpoint": "x"},
    {"soft_labels": abs},
]


@pytest.mark.parametrize("parameters", WRONG, ids=[next(iter(w)) for w in WRONG])
def test_parameters_that_need_all_machines_are_refused(data, tmp_path, parameters):
    """The message names the parameter and the way out."""
    with pytest.raises(ValueError, match=f"cannot have {next(iter(parameters))}=.* dagmar.dask.SVC has it"):
        train_sharded(dagmar.SVC(**parameters), *data, folder=tmp_path)


def test_workers_that_do_not_see_the_folder_are_named(client, data, tmp_path, monkeypatch):
    """Before anything is trained."""
    monkeypatch.setattr(sharded.os.path, "exists", lambda path: False)
    with pytest.raises(dagmar.ClusterError, match=r"must be on a disk that all workers share; tcp://.* cannot see it"):
        train_sharded(dagmar.SVC(), *data, folder=tmp_path, client=client)
