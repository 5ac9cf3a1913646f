"""`dagmar.dask.SVCCV` has the table of `dagmar.SVCCV`."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from clusters import assert_same_model
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import StandardScaler

import dagmar
import dagmar.dask
from dagmar.dask import svccv

GRID = {"Cs": [10.0, 1.0], "gammas": [0.05, "scale", 0.5], "cv": 3}


def both(client, X, y, weight=None, given=None, **parameters):
    """The local search and the one on the cluster, whose tables are compared except for times.

    `given` is what the cluster gets, if it is not the same.
    """
    local = dagmar.SVCCV(**{**GRID, **parameters}).fit(X, y, weight)
    given = [X, y, weight] if given is None else given
    there = dagmar.dask.SVCCV(**{**GRID, **parameters}, client=client).fit(*given)
    assert list(local.cv_results_) == list(there.cv_results_)
    for name, column in local.cv_results_.items():
        if "time" not in name:
            assert np.array_equal(np.asarray(column), np.asarray(there.cv_results_[name])), name
    assert str(local.best_params_) == str(there.best_params_)
    return local, there


VARIANTS = {
    "plain": {},
    "tree": {"structure": "fisher_tree"},
    "scaler": {"scaler": StandardScaler()},
    "soft labels": {"soft_labels": 3},
    "pairs": {"per_pair": True},
    "several scores": {"scoring": ["accuracy", "f1_macro"], "refit": "f1_macro"},
    "adaptive": {"search": "adaptive", "Cs": np.geomspace(0.1, 100, 7), "gammas": np.geomspace(0.01, 1, 5).tolist()},
    "linear": {"kernel": "linear", "gammas": "scale-grid"},
    "kernels": {"kernels": ["linear", "laplacian"], "scaler": ["standard", "ranks"], "feature_weights": "learned"},
    "auto": {"search": "auto", "Cs": [1.0, 10.0], "gammas": [0.05, 0.5]},
}


@pytest.mark.parametrize("parameters", VARIANTS.values(), ids=VARIANTS)
def test_the_table_is_that_of_a_local_search(client, three_blobs, parameters):
    """Scores, ranks, best cell and the fitted model are the same."""
    local, there = both(client, *three_blobs, **parameters)
    if isinstance(local.best_estimator_, dagmar.SVC):
        assert_same_model(local.best_estimator_, there.best_estimator_)
        assert isinstance(there.best_estimator_, dagmar.dask.SVC)
    assert np.array_equal(local.predict(three_blobs[0]), there.predict(three_blobs[0]))


def test_weights_and_folds_without_a_class(client, three_blobs, rng):
    """Weights count, and a fold that lacks a class is fitted separately."""
    X, y = three_blobs
    local, there = both(client, X, y, rng.uniform(0.1, 2, size=len(y)))
    assert local.best_params_ == there.best_params_
    folds = [(np.flatnonzero(y != 2), np.flatnonzero(y == 2)), (np.arange(60), np.arange(60, 90))]
    local, there = both(client, X, y, cv=folds)
    assert local.best_params_ == there.best_params_


def test_folds_are_spread_if_memory_asks_for_it(client, three_blobs, monkeypatch):
    """With workers too small for the caps of all folds, each fold is a task; the table stays the same."""
    units = []

    def one_by_one(cluster, trials, cells):
        found = [(g, [f]) for g in range(3) for f in range(3)]
        units.extend(found)
        return found

    monkeypatch.setattr(svccv, "divide", one_by_one)
    both(client, *three_blobs)
    assert len(units) == 9


@pytest.mark.parametrize("structure", ["max_wins"])
def test_units_follow_from_the_memory_of_the_workers(cluster, three_blobs, structure):
    """All folds together, or one by one, or an error with the figure."""
    X, y = three_blobs
    search = dagmar.SVCCV(**GRID)
    samples, _ = search._samples(X, y, None, None)
    trials = svccv.Trials.__new__(dagmar.tuning.trials.StructureTrials)
    trials.samples = samples
    cells = np.ones((2, 3), dtype=bool)
    rows, caps = 2.0 * X.nbytes + svccv.LEAST_ROWS, 8.0 * len(X) * 2

    def units(memory):
        facts = [type("Facts", (), {"memory": memory, "n_threads": 1})]
        return svccv.divide(type("Cluster", (), {"workers": dict(enumerate(facts))}), trials, cells)

    assert units(rows + 3 * caps) == [(g, [0, 1, 2]) for g in range(3)]
    assert len(units(rows + caps)) == 9
    with pytest.raises(dagmar.ClusterError, match=r"a search needs 16 MB .* has 0 MB"):
        units(1.0)


COLLECTIONS = {
    **{name: VARIANTS[name] for name in ("plain", "scaler", "kernels", "pairs", "several scores")},
    "product": {"scaler": PCA(2)},
    "dbtc": {"gammas": "dbtc", "structure": "adaptive_ddag"},
}


@pytest.mark.parametrize("parameters", COLLECTIONS.values(), ids=COLLECTIONS)
def test_dask_arrays_have_the_table_of_a_local_search(client, three_blobs, rng, parameters):
    """The samples stay on the workers: grid, scalers, scores and the fitted model are the same."""
    X, y = three_blobs
    weight = rng.uniform(0.5, 2, size=len(y))
    given = [da.from_array(X, chunks=(40, 1)), da.from_array(y, chunks=33), da.from_array(weight, chunks=50)]
    local, there = both(client, X, y, weight, given=given, **parameters)
    assert np.array_equal(local.predict(X), there.predict(X))
    one, other = (search.best_estimator_ for search in (local, there))
    assert_same_model(*([one[-1], other[-1]] if "scaler" in parameters else [one, other]))


def test_sparse_blocks_and_groups(client, three_blobs):
    """Groups may be a Dask array as well."""
    X, y = three_blobs
    groups = np.arange(len(y)) % 7
    parameters = {"Cs": [1.0], "gammas": [0.1, 1.0], "cv": GroupKFold(3)}
    local = dagmar.SVCCV(**parameters).fit(sp.csr_matrix(X), y, groups=groups)
    blocks = da.from_array(X, chunks=(40, 2)).map_blocks(sp.csr_matrix)
    there = dagmar.dask.SVCCV(**parameters, client=client).fit(blocks, y, groups=da.from_array(groups, chunks=20))
    assert np.array_equal(local.cv_results_["mean_test_score"], there.cv_results_["mean_test_score"])
    assert_same_model(local.best_estimator_, there.best_estimator_)


def test_data_frames_and_names(client, three_blobs):
    """Names of features and target are kept, by a scaler as well; answers have the index of the samples."""
    frame = pd.DataFrame(three_blobs[0], columns=["a", "b"]).assign(kind=np.array(["x", "y", "z"])[three_blobs[1]])
    parts = dd.from_pandas(frame, npartitions=3)
    search = dagmar.dask.SVCCV(**GRID, scaler=StandardScaler(), client=client)
    search.fit(parts[["a", "b"]], parts["kind"])
    local = dagmar.SVCCV(**GRID, scaler=StandardScaler()).fit(frame[["a", "b"]], frame["kind"])
    assert search.feature_names_in_.tolist() == ["a", "b"]
    assert search.best_estimator_[0].feature_names_in_.tolist() == ["a", "b"]
    assert search.target_name_ == "kind"
    found = client.compute(search.predict(parts[["a", "b"]])).result()
    assert np.array_equal(found, local.predict(frame[["a", "b"]]))
    assert found.index.equals(frame.index)


@pytest.mark.parametrize("kernel", ["precomputed", rbf_kernel])
def test_kernel_matrices_in_memory(client, three_blobs, kernel):
    """A kernel matrix, or a function that makes one here, is sent to the workers."""
    X, y = three_blobs
    local, there = both(client, rbf_kernel(X) if kernel == "precomputed" else X, y, kernel=kernel)
    assert_same_model(local.best_estimator_, there.best_estimator_)


def test_progress_and_clone(client, three_blobs, capsys):
    """The result is printed; a clone keeps the client."""
    search = dagmar.dask.SVCCV(**GRID, client=client, verbose=1)
    assert clone(search).client is client
    search.fit(*three_blobs)
    assert "best of 6 cells" in capsys.readouterr().out


def test_warnings_name_the_caller(client, seven_blobs):
    """As those of a local search do."""
    with pytest.warns(dagmar.GridEdgeWarning, match="on the edge of the grid") as told:
        dagmar.dask.SVCCV([0.1, 1.0, 10.0], [1e-4, 2e-4], 3, client=client).fit(*seven_blobs)
    assert told[0].filename == __file__
