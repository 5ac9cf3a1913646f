"""Predictions for Dask collections are those of the model, with the index kept."""

import threading

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client
from distributed.comm import CommClosedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dagmar
import dagmar.dask
from dagmar.dask import futures

METHODS = ["predict", "predict_proba", "decision_function"]


@pytest.fixture(scope="module")
def frame(seven_blobs):
    X, y = seven_blobs
    names = np.array(["ant", "bee", "cat", "dog", "elk", "fox", "gnu"])
    return pd.DataFrame(X, columns=list("abcde"), index=np.arange(len(X))[::-1]).assign(animal=names[y])


@pytest.fixture(scope="module")
def model(frame):
    """A model that knows the names of its features, with probabilities."""
    return dagmar.SVC(probability=True).fit(frame.drop(columns="animal"), frame["animal"])


@pytest.mark.parametrize("method", METHODS)
def test_arrays(client, seven_blobs, method):
    """Blocks of rows and of columns; the result has the chunks of the rows."""
    X, y = seven_blobs
    model = dagmar.SVC(probability=True).fit(X, y)
    found = getattr(dagmar.dask, method)(model, da.from_array(X, chunks=(100, 3)), client=client)
    wanted = getattr(model, method)(X)
    assert isinstance(found, da.Array)
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    assert found.chunks[0] == (100, 100, 80)
    assert np.array_equal(client.compute(found).result(), wanted)


@pytest.mark.parametrize("method", METHODS)
def test_data_frames_keep_their_index(client, frame, model, method):
    """The result is a series or a data frame with the index of the samples and the labels as columns."""
    X = frame.drop(columns="animal")
    found = getattr(dagmar.dask, method)(model, dd.from_pandas(X, npartitions=3, sort=False), client=client)
    wanted = getattr(model, method)(X)
    computed = client.compute(found).result()
    assert np.array_equal(computed.index, X.index)
    assert np.array_equal(computed.to_numpy(), wanted)
    if wanted.ndim == 2:
        assert list(found.columns) == list(computed.columns) == model.classes_.tolist()
    else:
        assert found.name == computed.name == "prediction"


def test_parquet_folders_are_read_by_the_workers(client, frame, model, tmp_path):
    """Of the columns of the folder, those of the model are read; the model is mapped from its file."""
    (tmp_path / "data").mkdir()
    for k in range(4):
        frame.iloc[70 * k : 70 * (k + 1)].to_parquet(tmp_path / "data" / f"part-{k}.parquet")
    dagmar.save(model, tmp_path / "model.dagmar")
    found = dagmar.dask.predict(tmp_path / "model.dagmar", str(tmp_path / "data"), client=client)
    computed = client.compute(found).result()
    assert computed.index.tolist() == frame.index.tolist()
    assert np.array_equal(computed, model.predict(frame.drop(columns="animal")))


def test_pairs_and_two_classes(client, frame):
    """Values of pairs have a column per pair; two classes have one value per sample."""
    X, y = frame.drop(columns="animal"), frame["animal"]
    pairs = dagmar.SVC(decision_function_shape="ovo").fit(X, y)
    found = dagmar.dask.decision_function(pairs, dd.from_pandas(X, npartitions=2, sort=False), client=client)
    assert found.columns[:2].tolist() == ["ant against bee", "ant against cat"]
    two = dagmar.SVC().fit(X, y == "bee")
    found = dagmar.dask.decision_function(two, dd.from_pandas(X, npartitions=2, sort=False), client=client)
    assert found.name == "decision"
    assert np.array_equal(client.compute(found).result(), two.decision_function(X))


def test_the_estimator_answers_lazily(client, seven_blobs):
    """`dagmar.dask.SVC` answers a Dask array with one, and a NumPy array as ever."""
    X, y = seven_blobs
    clf = dagmar.dask.SVC(probability=True, client=client).fit(X, y)
    for method in METHODS:
        found = getattr(clf, method)(da.from_array(X, chunks=100))
        assert isinstance(found, da.Array)
        assert np.array_equal(client.compute(found).result(), getattr(clf, method)(X))
    assert not hasattr(dagmar.dask.SVC(), "predict_proba")


def test_pipelines_and_empty_partitions_without_a_cluster(frame):
    """Any fitted classifier, any scheduler of Dask; a partition without rows has no answers."""
    X, y = frame.drop(columns="animal"), frame["animal"]
    model = make_pipeline(StandardScaler(), dagmar.SVC()).fit(X, y)
    parts = dd.from_pandas(X, npartitions=3, sort=False)
    some = parts[parts["a"] > X["a"].iloc[:100].max()]
    found = dagmar.dask.predict(model, some).compute(scheduler="sync")
    wanted = X[X["a"] > X["a"].iloc[:100].max()]
    assert np.array_equal(found, model.predict(wanted))
    assert found.index.tolist() == wanted.index.tolist()


def test_a_file_that_is_replaced_is_read_anew(client, seven_blobs, tmp_path):
    """Workers keep a mapped file only as long as it is the same."""
    X, y = seven_blobs
    for structure in ("ddag", "one_vs_rest"):
        model = dagmar.SVC(structure=structure).fit(X, y)
        dagmar.save(model, tmp_path / "model.dagmar")
        found = dagmar.dask.decision_function(
            str(tmp_path / "model.dagmar"), da.from_array(X, chunks=100), client=client
        )
        assert np.array_equal(client.compute(found).result(), model.decision_function(X))


def test_other_samples_are_refused(model, seven_blobs):
    """The message says what may be passed."""
    with pytest.raises(TypeError, match="Dask array or data frame, or the path of Parquet data, not ndarray"):
        dagmar.dask.predict(model, seven_blobs[0])


def test_a_model_trained_on_a_cluster_is_saved_without_it(client, seven_blobs, tmp_path):
    """The file is that of a local model."""
    X, y = seven_blobs
    clf = dagmar.dask.SVC(client=client).fit(X, y)
    dagmar.save(clf, tmp_path / "model.dagmar")
    read = dagmar.load(tmp_path / "model.dagmar")
    assert type(read) is dagmar.SVC
    assert np.array_equal(read.predict(X), clf.predict(X))


def test_a_worker_that_just_ended(client, seven_blobs, monkeypatch):
    """The model is sent again if Dask still counts on a worker that is gone; if that does not help, it is a ClusterError."""
    X, y = seven_blobs
    model, rows = dagmar.SVC().fit(X, y), da.from_array(X, chunks=(100, 5))
    monkeypatch.setattr(futures, "FIRST_WAIT", 0.0)
    scatter, failures = Client.scatter, [CommClosedError("in <TCP> Worker: Stream is closed")]

    def failing(self, *arguments, **options):
        if failures:
            raise failures.pop()
        return scatter(self, *arguments, **options)

    monkeypatch.setattr(Client, "scatter", failing)
    found = client.compute(dagmar.dask.predict(model, rows, client=client)).result()
    assert not failures
    assert np.array_equal(found, model.predict(X))
    failures.extend([CommClosedError("gone")] * 100)
    with pytest.raises(dagmar.ClusterError, match="the workers of the Dask cluster cannot be reached: gone"):
        dagmar.dask.predict(model, rows, client=client)


def test_callable_kernels(client, three_blobs):
    """The function goes to the workers with the model; one that cannot be pickled raises an error."""
    X, y = three_blobs
    clf = dagmar.dask.SVC(kernel=lambda a, b: a @ b.T, client=client).fit(X, y)
    found = client.compute(clf.predict(da.from_array(X, chunks=(50, 2)))).result()
    assert np.array_equal(found, clf.predict(X))
    lock = threading.Lock()
    clf = dagmar.SVC(kernel=lambda a, b: a @ b.T if lock else None).fit(X, y)
    with pytest.raises(TypeError, match="cannot be sent to the workers: a part of it, such as a callable kernel"):
        dagmar.dask.predict(clf, da.from_array(X, chunks=(50, 2)), client=client)
