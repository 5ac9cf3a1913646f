"""`dagmar.dask.SVC` is `dagmar.SVC`, trained elsewhere."""

import pickle
import time
from concurrent.futures import ThreadPoolExecutor

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from clusters import assert_same_model
from distributed import Client
from helpers import letter_like, problem_of
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
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


@pytest.mark.parametrize("chunks", [None, 500])
def test_features_on_a_grid(client, chunks):
    """Which features are multiples of one step is found once for all rows, in memory or on the workers."""
    rng = np.random.default_rng(6)
    X, y = rng.integers(0, 18, size=(1600, 96)) / 17.0, np.arange(1600) % 4
    X[:, 90:] = np.where(rng.random((1600, 6)) < 0.1, rng.random((1600, 6)), 0.0)
    X[y == 3, :8] *= 0.9  # on the grid in some classes only
    local = dagmar.SVC(precision="single").fit(X, y)
    elsewhere = dagmar.dask.SVC(precision="single", client=client)
    there = elsewhere.fit(X, y) if chunks is None else elsewhere.fit(*(da.from_array(a, chunks=chunks) for a in (X, y)))
    assert_same_model(local, there)
    problem = problem_of(X, y, gamma=0.1, precision="single")
    assert np.flatnonzero(problem.codes.reshape(3, -1)[2] < 0).tolist() == [*range(8), *range(90, 96)]


@pytest.mark.parametrize("chunks", [None, 500])
def test_fingerprints(client, chunks):
    """Dense samples of a Tanimoto kernel that are mostly zero are trained as sparse ones; negative values are refused."""
    rng = np.random.default_rng(7)
    X, y = (rng.random((1600, 200)) < 0.03) * rng.random((1600, 200)), np.arange(1600) % 4
    X[:, 0] = rng.random(1600)  # a common feature
    local = dagmar.SVC(kernel="tanimoto", precision="single").fit(X, y)
    assert local.report_.choices["samples"] == "dense, trained as sparse"
    elsewhere = dagmar.dask.SVC(kernel="tanimoto", precision="single", client=client)

    def there(X):
        return (
            elsewhere.fit(X, y) if chunks is None else elsewhere.fit(*(da.from_array(a, chunks=chunks) for a in (X, y)))
        )

    assert_same_model(local, there(X))
    with pytest.raises(ValueError, match="needs samples without negative values"):
        there(np.where(X > 0.999, -X, X))


PARAMETERS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "coef0": 1.0},
    "laplacian": {"kernel": "laplacian"},
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


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
def test_sparse_samples(client, kind):
    """Sparse rows stay sparse on the workers. Some features are common in all samples, but rare in a batch."""
    X, y = words(seed=4, n_classes=5, per_class=60)
    local, there = both(client, kind(X), y)
    assert_same_model(local, there)
    assert type(local.bank_.vectors) is type(there.bank_.vectors) is kind


def words(seed, n_classes, per_class, n_words=120):
    """Rows with few words, of which each class prefers others."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_classes), per_class)
    share = rng.dirichlet(np.full(n_words, 0.1), size=n_classes)
    X = np.array([rng.multinomial(12, share[c]) for c in y]) * rng.uniform(0.5, 1.5, size=(len(y), n_words))
    order = rng.permutation(len(y))
    return X[order], y[order]


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


PROBABLE = {
    "pairs": {},
    "tree": {"structure": "fisher_tree"},
    "rest": {"structure": "one_vs_rest"},
    "soft labels": {"soft_labels": 3},
    "callable": {"soft_labels": lambda X, rows, sign: 0.9 * sign},
    "weights": {"class_weight": {0: 0.0, 1: 2.0}},
}


@pytest.mark.parametrize("parameters", PROBABLE.values(), ids=PROBABLE)
def test_probabilities(client, three_blobs, parameters):
    """The machines of the folds are trained on the workers; the sigmoids are those of a local fit."""
    X, y = three_blobs
    local, there = both(client, X, y, probability=True, **parameters)
    assert np.array_equal(local.probA_, there.probA_)
    assert np.array_equal(local.predict_proba(X), there.predict_proba(X))


def test_probabilities_of_dask_arrays(client, three_blobs):
    """Without the samples in this process, too; a class may have a single sample."""
    X, y = np.vstack([three_blobs[0], [[9.0, 9.0]]]), np.append(three_blobs[1], 7)
    local = dagmar.SVC(probability=True).fit(X, y)
    there = dagmar.dask.SVC(probability=True, client=client).fit(*as_arrays(X, y))
    assert np.array_equal(local.predict_proba(X), there.predict_proba(X))
    other = there.restructure("one_vs_rest", *as_arrays(X, y))
    assert np.array_equal(local.restructure("one_vs_rest", X, y).predict_proba(X), other.predict_proba(X))


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
    before = keys_of(client)
    dagmar.dask.SVC(client=client).fit(*seven_blobs)
    dagmar.dask.SVC(client=client).fit(*as_arrays(*seven_blobs))
    assert_forgotten(client, before)


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


# ----------------------------------------------------------- Dask collections


def as_arrays(X, y):
    return da.from_array(X, chunks=(97, 2)), da.from_array(y, chunks=50)


def as_frames(X, y):
    frame = pd.DataFrame(X, columns=[f"f{k}" for k in range(X.shape[1])]).assign(label=y)
    frame = dd.from_pandas(frame, npartitions=3)
    return frame.drop(columns="label"), frame["label"]


@pytest.mark.parametrize(
    ("make", "structure"),
    [
        (as_frames, "max_wins"),
        *((as_arrays, name) for name in STRUCTURES if name not in ("ddag", "bracket", "and_gate")),
    ],
)
def test_dask_collections_have_the_bits_of_a_local_fit(client, seven_blobs, make, structure):
    """The samples stay on the workers, and the model is the same: gamma, centre, precision and facts about classes."""
    X, y = seven_blobs
    local = dagmar.SVC(structure=structure).fit(X, y)
    there = dagmar.dask.SVC(structure=structure, client=client).fit(*make(X, y))
    assert_same_model(local, there)
    assert there.shape_fit_ == X.shape


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("structure", ["max_wins", "fisher_tree", "adaptive_ddag"])
def test_dask_arrays_with_sparse_blocks(client, kind, structure, tmp_path):
    """The blocks stay sparse, and the model and the checkpoint are those of a local fit; so are answers for such arrays."""
    X, y = words(seed=8, n_classes=4, per_class=1100 if structure == "max_wins" else 50)
    blocks = da.from_array(X, chunks=(len(X) // 3, 50)).map_blocks(kind)
    parameters = {"structure": structure, "checkpoint": tmp_path / "machines", "C": 0.1}
    local = dagmar.SVC(**parameters).fit(kind(X), y)
    there = dagmar.dask.SVC(**parameters, client=client).fit(blocks, da.from_array(y, chunks=77))
    assert_same_model(local, there)
    assert type(local.bank_.vectors) is type(there.bank_.vectors)
    there = dagmar.dask.SVC(structure=structure, C=0.1, client=client).fit(blocks, y)
    assert_same_model(local, there)
    for method in ("predict", "decision_function"):
        found = client.compute(getattr(there, method)(blocks)).result()
        assert np.array_equal(found, getattr(local, method)(kind(X)))


def test_soft_labels_and_probabilities_of_sparse_blocks(client):
    """Neighbours are found and folds are trained on the workers."""
    X, y = words(seed=9, n_classes=3, per_class=40)
    blocks = da.from_array(X, chunks=(50, 120)).map_blocks(sp.csr_matrix)
    parameters = {"soft_labels": 3, "probability": True}
    local = dagmar.SVC(**parameters).fit(sp.csr_matrix(X), y)
    there = dagmar.dask.SVC(**parameters, client=client).fit(blocks, y)
    assert_same_model(local, there)
    found = client.compute(there.predict_proba(blocks)).result()
    assert np.array_equal(found, local.predict_proba(sp.csr_matrix(X)))


def test_large_dask_arrays(client):
    """With several blocks of a reduction and kernel values in single precision, the bits are the same."""
    X, y = letter_like(seed=7, n_classes=4, per_class=1250)
    X = np.round(8 * X) / 8 + 100.0
    with pytest.warns(ConvergenceWarning):
        local = dagmar.SVC(C=0.1, max_iter=200).fit(X, y)
    with pytest.warns(ConvergenceWarning):
        there = dagmar.dask.SVC(C=0.1, max_iter=200, client=client).fit(da.from_array(X, chunks=(1500, 8)), y)
    assert local.bank_.centre is not None
    assert_same_model(local, there)


def test_names_of_columns_and_target_are_kept(client, three_blobs):
    """Data frames tell the names of features and labels."""
    there = dagmar.dask.SVC(client=client).fit(*as_frames(*three_blobs))
    assert there.feature_names_in_.tolist() == ["f0", "f1"]
    assert there.target_name_ == "label"


def test_weights_soft_labels_and_checkpoint_of_dask_collections(client, seven_blobs, rng, tmp_path):
    """A checkpoint of a local fit serves the same data as a Dask array."""
    X, y = seven_blobs
    weight = rng.uniform(0.5, 2, size=len(y))
    parameters = {"soft_labels": 3, "class_weight": "balanced", "checkpoint": tmp_path / "machines"}
    local = dagmar.SVC(**parameters).fit(X, y, weight)
    there = dagmar.dask.SVC(**parameters, client=client)
    there.fit(*as_arrays(X, y), da.from_array(weight, chunks=100))
    assert_same_model(local, there)
    assert np.array_equal(local.report_.seconds, there.report_.seconds)


@pytest.mark.parametrize("kernel", ["precomputed", rbf_kernel])
def test_kernels_that_need_all_samples_are_refused_for_dask_collections(client, three_blobs, kernel):
    """The message says why, and what to pass."""
    for refused in (dagmar.dask.SVC(kernel=kernel, client=client), dagmar.dask.SVCCV(kernel=kernel, client=client)):
        with pytest.raises(TypeError, match=r"pass a NumPy array: X\.compute\(\)"):
            refused.fit(*as_arrays(*three_blobs))
    with pytest.raises(ValueError, match="soft_labels must not be a callable"):
        dagmar.dask.SVC(soft_labels=lambda X, rows, sign: sign, client=client).fit(*as_arrays(*three_blobs))


def test_labels_may_be_a_dask_array_beside_samples_in_memory(client, three_blobs):
    """X is NumPy, y is not."""
    X, y = three_blobs
    there = dagmar.dask.SVC(client=client).fit(X, da.from_array(y, chunks=20))
    assert_same_model(dagmar.SVC().fit(X, y), there)


def test_parquet_files_with_filters_and_labels_of_other_types(client, seven_blobs, tmp_path):
    """Dask joins small files when it reads them; lengths are those of what was read. Labels are texts and categories."""
    X, y = seven_blobs
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(label=np.array([f"class {c}" for c in range(7)])[y])
    for k in range(3):
        frame.iloc[k * 100 : (k + 1) * 100 if k < 2 else None].to_parquet(tmp_path / f"part-{k}.parquet")
    local = dagmar.SVC().fit(frame[["a", "b"]], frame["label"])
    read = dd.read_parquet(str(tmp_path))
    for labels in (read["label"], read["label"].astype("category")):
        assert_same_model(local, dagmar.dask.SVC(client=client).fit(read[["a", "b"]], labels))
    some = frame[frame["a"] > 0]
    there = dagmar.dask.SVC(client=client).fit(read[read["a"] > 0][["a", "b"]], read[read["a"] > 0]["label"])
    assert_same_model(dagmar.SVC().fit(some[["a", "b"]], some["label"]), there)
    assert there.score(read[["a", "b"]], read["label"]) == there.score(frame[["a", "b"]], frame["label"])


CALLS = []


def counted(block):
    CALLS.append(len(block))  # the workers are in this process
    return block


def test_a_source_is_computed_once(client, three_blobs):
    """It may be slow, or give other rows the next time."""
    X, y = three_blobs
    CALLS.clear()
    blocks = da.from_array(X, chunks=(40, 2)).map_blocks(counted, dtype=float, meta=np.zeros((0, 0)))
    blocks._chunks = ((np.nan,) * len(blocks.chunks[0]), blocks.chunks[1])
    assert_same_model(dagmar.SVC().fit(X, y), dagmar.dask.SVC(client=client).fit(blocks, y))
    assert sum(CALLS) == len(X)


def as_partitions(frame, *parts):
    """A Dask data frame with these rows in each partition."""
    return dd.concat([dd.from_pandas(frame.iloc[part], npartitions=1, sort=False) for part in parts])


def test_partitions_that_are_empty_or_have_one_class(client, seven_blobs):
    """A partition without rows at the beginning, in the midst and at the end; a class that only one of them has."""
    frame = pd.DataFrame(seven_blobs[0][:, :2], columns=["a", "b"]).assign(label=seven_blobs[1]).sort_values("label")
    nothing, half = slice(0, 0), len(frame) // 2
    parts = as_partitions(frame, nothing, slice(0, half), nothing, slice(half, None), nothing)
    there = dagmar.dask.SVC(client=client).fit(parts[["a", "b"]], parts["label"])
    assert_same_model(dagmar.SVC().fit(frame[["a", "b"]], frame["label"]), there)


def broken(block):
    raise RuntimeError("the disk broke")


def lists(X):
    return da.from_array(X, chunks=200).map_blocks(list, meta=np.zeros((0, 0)))


WRONG = {
    "missing value": (
        lambda X, y: (da.from_array(np.append(X[:-1], [[0, np.nan]], axis=0), chunks=40), y),
        "contains NaN",
    ),
    "missing label": (
        lambda X, y: (da.from_array(X), pd.Series(["a", "b", None, "a"] * 22)),
        "y contains 22 missing values",
    ),
    "no labels": (lambda X, y: (da.from_array(X), None), "requires y to be passed"),
    "source": (lambda X, y: (da.from_array(X).map_blocks(broken, dtype=float, meta=np.zeros((0, 0))), y), "disk broke"),
    "labels": (
        lambda X, y: (da.from_array(X), da.from_array(y).map_blocks(broken, dtype=int, meta=y[:0])),
        "disk broke",
    ),
    "complex": (lambda X, y: (da.from_array(X.astype(complex)), y), "Complex data not supported"),
    "delayed": (lambda X, y: (dask.delayed(X), y), "must be a Dask array or data frame, not a Dask Delayed"),
    "lists": (lambda X, y: (lists(X), y), "must be a NumPy array or a sparse matrix"),
    "one feature": (lambda X, y: (da.from_array(X[:, 0]), y), "Expected 2D array, got 1D"),
    "lengths": (lambda X, y: (da.from_array(X), da.from_array(y[1:])), "inconsistent numbers of samples"),
}


@pytest.mark.parametrize(("make", "words"), WRONG.values(), ids=WRONG)
def test_wrong_collections_are_told_and_nothing_is_left(client, three_blobs, make, words):
    """Not even while somebody looks at the error, whose traceback knows what was computed."""
    X, y = (part[:88] for part in three_blobs)
    before = keys_of(client)
    with pytest.raises((ValueError, TypeError, RuntimeError), match=words) as error:
        dagmar.dask.SVC(client=client).fit(*make(X, y))
    assert_forgotten(client, before)
    assert error.traceback


def keys_of(client):
    return set(client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks)))


def assert_forgotten(client, before):
    """What was computed since is released, which takes a moment."""
    for _ in range(100):
        if keys_of(client) <= before:
            return
        time.sleep(0.05)
    raise AssertionError(f"left: {keys_of(client) - before}")


def test_two_fits_at_once(client, three_blobs, seven_blobs):
    """Two threads share a client."""
    with ThreadPoolExecutor(2) as threads:
        given = [(as_arrays(*three_blobs), "max_wins"), (seven_blobs, "fisher_tree")]
        fits = [
            threads.submit(dagmar.dask.SVC(structure=structure, client=client).fit, *data) for data, structure in given
        ]
        first, second = (fit.result(timeout=60) for fit in fits)
    assert_same_model(dagmar.SVC().fit(*three_blobs), first)
    assert_same_model(dagmar.SVC(structure="fisher_tree").fit(*seven_blobs), second)


def test_a_client_that_is_closed_meanwhile_is_told(client, seven_blobs, monkeypatch):
    """Whatever fails then fails because of that."""
    other = Client(client.scheduler.address, set_as_default=False)
    monkeypatch.setattr(dagmar.dask.workshop.ClusterWorkshop, "_publish", lambda *_: other.close() or 1 / 0)
    with pytest.raises(dagmar.ClusterError, match="the client was closed"):
        dagmar.dask.SVC(client=other).fit(*seven_blobs)
