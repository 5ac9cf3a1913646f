"""Training of models in shards: workers write the machines, and a stopped fit is continued."""

import shutil

import dask.array as da
import numpy as np
import pytest
from clusters import assert_same_model
from sklearn.exceptions import ConvergenceWarning

import dagmar
import dagmar.dask
from dagmar.dask import ShardedModel, sharded_training, train_sharded


def test_machines_do_not_pass_through_the_client(client, ten_classes, tmp_path, monkeypatch):
    """What comes back from a batch is only what did not converge: some bytes, whatever the batch has."""
    sizes, plain = [], sharded_training._ShardWorkshop._lot

    def watched(self, problem, tasks):
        lot, dispatcher = plain(self, problem, tasks)
        run = dispatcher.run

        def watch(lot, submit, receive):
            run(lot, submit, lambda batch, found: (sizes.append(len(found.report.iterations)), receive(batch, found)))

        return lot, type("Dispatcher", (), {"run": staticmethod(watch)})

    monkeypatch.setattr(sharded_training._ShardWorkshop, "_lot", watched)
    X, y = ten_classes
    train_sharded(dagmar.SVC(), da.from_array(X, chunks=(100, 4)), y, folder=tmp_path, client=client)
    assert len(sizes) > 1
    assert sum(sizes) == 0


@pytest.mark.parametrize(
    "parameters", [{"C": np.linspace(1, 5, 45)}, {"gamma": np.linspace(0.1, 2, 45)}, {"soft_labels": 3}]
)
def test_values_per_pair_and_soft_labels(client, ten_classes, tmp_path, parameters):
    """With weights, too; what is per pair is in the shards."""
    X, y = ten_classes
    weight = np.random.default_rng(0).uniform(0.5, 2, size=len(y))
    model = train_sharded(dagmar.SVC(**parameters), X, y, weight, folder=tmp_path, client=client)
    local = dagmar.SVC(**parameters).fit(X, y, weight)
    assert_same_model(local, model.to_svc())
    assert np.array_equal(model.predict(X), local.predict(X))


def test_a_stopped_fit_is_continued(client, ten_classes, tmp_path, monkeypatch):
    """Machines in the folder are not trained again, not even if some are there twice; other data is refused."""
    X, y = ten_classes
    svc = dagmar.SVC(C=5.0)

    plain = sharded_training._ShardWorkshop._write
    calls = []

    def once(self, *arguments):
        if calls:
            raise KeyboardInterrupt
        calls.append(len(arguments[1]))
        return plain(self, *arguments)

    monkeypatch.setattr(sharded_training._ShardWorkshop, "_write", once)
    with pytest.raises(KeyboardInterrupt):
        train_sharded(svc, X, y, folder=tmp_path, client=client)
    with pytest.raises(dagmar.ModelFileError, match="not complete"):
        ShardedModel(tmp_path)
    some = next(tmp_path.glob("machines-*.dagmar"))
    shutil.copy(some, some.with_name(some.name.replace(".dagmar", "0.dagmar")))
    trained = []
    monkeypatch.setattr(
        sharded_training._ShardWorkshop, "_write", lambda self, *a: trained.append(len(a[1])) or plain(self, *a)
    )
    model = train_sharded(svc, X, y, folder=tmp_path, client=client)
    assert 0 < calls[0] == 45 - sum(trained)
    assert_same_model(dagmar.SVC(C=5.0).fit(X, y), model.to_svc())
    with pytest.raises(dagmar.CheckpointError, match=r"has another model. What differs: C \(5\.0, now 1\.0\)"):
        train_sharded(dagmar.SVC(), X, y, folder=tmp_path, client=client)
    train_sharded(svc, X, y, folder=tmp_path, client=client)
    assert len(trained) == sum(n > 0 for n in trained)


def test_unconverged_machines_are_told_also_by_a_continued_fit(client, ten_classes, tmp_path):
    """As in a local fit."""
    for _ in range(2):
        with pytest.warns(ConvergenceWarning, match=r"max_iter=1\).*Machines not converged: 45"):
            train_sharded(dagmar.SVC(max_iter=1), *ten_classes, folder=tmp_path, client=client)


WRONG = [
    {"structure": "ddag"},
    {"probability": True},
    {"break_ties": True},
    {"kernel": "precomputed"},
    {"checkpoint": "x"},
    {"soft_labels": abs},
]


@pytest.mark.parametrize("parameters", WRONG, ids=[next(iter(w)) for w in WRONG])
def test_parameters_that_need_all_machines_are_refused(ten_classes, tmp_path, parameters):
    """The message names the parameter and the way out."""
    with pytest.raises(ValueError, match=f"cannot have {next(iter(parameters))}=.* dagmar.dask.SVC has it"):
        train_sharded(dagmar.SVC(**parameters), *ten_classes, folder=tmp_path)


def test_workers_that_do_not_see_the_folder_are_named(client, ten_classes, tmp_path, monkeypatch):
    """Before anything is trained."""
    monkeypatch.setattr(sharded_training.os.path, "exists", lambda path: False)
    with pytest.raises(dagmar.ClusterError, match=r"must be on a disk that all workers share; tcp://.* cannot see it"):
        train_sharded(dagmar.SVC(), *ten_classes, folder=tmp_path, client=client)
