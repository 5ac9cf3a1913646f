"""`dagmar.dask.SVC` is `dagmar.SVC`, trained elsewhere."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from clusters import assert_same_model
from distributed import Client
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

import dagmar
import dagmar.dask
from dagmar.base.instructions import at_level, simd_level
from dagmar.structures import STRUCTURES


def both(client, X, y, weight=None, **parameters):
    """A local fit and one on the cluster."""
    local = dagmar.SVC(**parameters).fit(X, y, weight)
    return local, dagmar.dask.SVC(**parameters, client=client).fit(X, y, weight)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_every_structure_has_the_bits_of_a_local_fit(client, seven_blobs, structure):
    """Machines, costs and plan are the same, also for trees, which ask for machines level by level."""
    X, y = seven_blobs
    local, there = both(client, X, y, structure=structure, C=3.0)
    assert_same_model(local, there)
    assert np.array_equal(local.predict(X), there.predict(X))


@pytest.mark.parametrize("structure", ["max_wins", "one_vs_rest", "centered_tree"])
@pytest.mark.parametrize(
    "soft", [5, lambda X, rows, sign: sign * (0.5 + (rows % 2) / 2)], ids=["neighbours", "callable"]
)
def test_soft_labels(client, seven_blobs, structure, soft):
    """Soft labels are the same: neighbours are found on the workers, a user's function is called here."""
    X, y = seven_blobs
    assert_same_model(*both(client, X, y, structure=structure, soft_labels=soft))


def test_ties_between_neighbours_go_to_the_first_row(client):
    """Whole numbers have many equal distances; which neighbour counts depends on the order of the training data."""
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 3, size=(90, 3)).astype(float), rng.integers(0, 3, size=90)
    assert_same_model(*both(client, X, y, soft_labels=4))


PARAMETERS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "coef0": 1.0},
    "class weights": {"class_weight": "balanced"},
    "C per pair": {"C": np.linspace(1, 5, 21)},
    "gamma per pair": {"gamma": np.linspace(0.1, 2, 21)},
    "single": {"precision": "single"},
    "few steps": {"max_iter": 1000, "C": 100.0},
}


@pytest.mark.parametrize("parameters", PARAMETERS.values(), ids=PARAMETERS)
def test_parameters(client, seven_blobs, parameters):
    """Kernels, weights, values per pair and precision give the same bits."""
    assert_same_model(*both(client, *seven_blobs, **parameters))


def test_sample_weights(client, seven_blobs, rng):
    """Weights, some of them zero, give the same bits."""
    X, y = seven_blobs
    assert_same_model(*both(client, X, y, rng.integers(0, 3, size=len(y)), structure="divide_and_conquer"))


def test_sparse_samples(client, seven_blobs):
    """Sparse rows stay sparse on the workers."""
    X, y = seven_blobs
    assert_same_model(*both(client, sp.csr_matrix(np.where(np.abs(X) < 2, 0.0, X)), y))


@pytest.mark.parametrize("soft", [None, 3])
def test_precomputed_and_callable_kernels(client, seven_blobs, soft):
    """A worker gets the rows of the kernel matrix of its classes, and uses the columns of its samples."""
    X, y = seven_blobs
    assert_same_model(*both(client, rbf_kernel(X, gamma=0.1), y, kernel="precomputed", soft_labels=soft))
    assert_same_model(*both(client, X, y, kernel=rbf_kernel))


def test_texts_as_labels_and_single_precision(client, letters):
    """Labels are texts, and the samples are float32."""
    X, y = letters
    names = np.array([f"letter {c}" for c in "abcdefgh"])
    assert_same_model(*both(client, X.astype(np.float32), names[y]))


def test_all_use_the_lowest_instruction_set(client, seven_blobs, monkeypatch):
    """With workers of an older kind, the fit has the bits of a local fit at their level."""
    from dagmar.dask import cluster

    monkeypatch.setattr(cluster, "simd_level", lambda: type(simd_level()).plain)
    X, y = seven_blobs
    there = dagmar.dask.SVC(C=3.0, client=client).fit(X, y)
    monkeypatch.undo()
    with at_level(type(simd_level()).plain):
        local = dagmar.SVC(C=3.0).fit(X, y)
    assert_same_model(local, there)


def test_probabilities(client, three_blobs):
    """Probabilities are those of a local fit."""
    X, y = three_blobs
    local, there = both(client, X, y, probability=True)
    assert np.array_equal(local.predict_proba(X), there.predict_proba(X))


def test_restructure_trains_missing_machines_on_the_cluster(client, seven_blobs):
    """The machines of a tree are turned into those of all pairs, with the bits of a local fit."""
    X, y = seven_blobs
    local, there = both(client, X, y, structure="fisher_tree")
    assert_same_model(local.restructure("ddag", X, y), there.restructure("ddag", X, y))
    assert isinstance(there.restructure("ddag", X, y).restructure("max_wins"), dagmar.dask.SVC)


def test_clone_keeps_the_client_and_a_pickle_drops_it(client, three_blobs):
    """A client cannot be copied: clones share it, and a pickle is read without one."""
    X, y = three_blobs
    clf = dagmar.dask.SVC(C=7, client=client)
    other = clone(clf)
    assert (other.client, other.C) == (client, 7)
    assert repr(dagmar.dask.SVC(C=7)) == "SVC(C=7)"
    read = pickle.loads(pickle.dumps(clf.fit(X, y)))
    assert read.client is None
    assert np.array_equal(read.predict(X), clf.predict(X))
    assert isinstance(clf, dagmar.SVC)


def test_a_checkpoint_serves_local_and_distributed_fits(client, seven_blobs, tmp_path):
    """Machines that a cluster kept are taken up by a local fit, and the other way round: nothing is trained again."""
    X, y = seven_blobs
    for first, second in [
        (dagmar.dask.SVC(client=client), dagmar.SVC()),
        (dagmar.SVC(), dagmar.dask.SVC(client=client)),
    ]:
        folder = tmp_path / type(first).__module__
        one = first.set_params(checkpoint=folder).fit(X, y)
        n_files = len(list(folder.iterdir()))
        other = second.set_params(checkpoint=folder).fit(X, y)
        assert np.array_equal(one.report_.seconds, other.report_.seconds)
        assert len(list(folder.iterdir())) == n_files


def test_progress_is_shown(client, seven_blobs, capsys):
    """The cost is printed at the end, as in a local fit."""
    dagmar.dask.SVC(client=client, verbose=1).fit(*seven_blobs)
    assert "21 machines" in capsys.readouterr().out


def test_errors_of_a_fit_come_from_the_workers(client, three_blobs):
    """Kernel values that overflow are refused as in a local fit, and the estimator is unchanged."""
    X, y = three_blobs
    clf = dagmar.dask.SVC(kernel="poly", degree=40, gamma=1e9, client=client)
    with pytest.raises(ValueError, match="preprocessed"):
        clf.fit(X, y)
    assert not hasattr(clf, "_model")


def test_blocks_and_batches_are_forgotten_after_a_fit(client, seven_blobs):
    """A fit leaves nothing on the workers."""
    dagmar.dask.SVC(client=client).fit(*seven_blobs)
    client.run_on_scheduler(wait_until_empty)


async def wait_until_empty(dask_scheduler):
    """Wait until the scheduler has forgotten all tasks; releasing them takes a moment."""
    import asyncio

    def left():
        return [key for key in dask_scheduler.tasks if str(key).startswith(("pairs", "groups", "class-block"))]

    for _ in range(100):
        if not left():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"left: {left()}")


def test_address_of_a_scheduler_is_a_client(client, three_blobs):
    """A connection that the fit opened is closed at its end."""
    clf = dagmar.dask.SVC(client=client.scheduler.address).fit(*three_blobs)
    assert_same_model(dagmar.SVC().fit(*three_blobs), clf)


def test_the_client_opened_last_is_the_default(client, three_blobs):
    """Without client=, the default client of the process is used; without any, an error says what to do."""
    with pytest.raises(dagmar.ClusterError, match="there is no Dask cluster"):
        dagmar.dask.SVC().fit(*three_blobs)
    with Client(client.scheduler.address):
        assert_same_model(dagmar.SVC().fit(*three_blobs), dagmar.dask.SVC().fit(*three_blobs))
