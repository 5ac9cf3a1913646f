"""`dagmar.dask.SVCCV` has the table of `dagmar.SVCCV`."""

import dask.array as da
import numpy as np
import pytest
from clusters import assert_same_model
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

import dagmar
import dagmar.dask
from dagmar.dask import svccv

GRID = {"Cs": [10.0, 1.0], "gammas": [0.05, "scale", 0.5], "cv": 3}


def both(client, X, y, weight=None, **parameters):
    """The local search and the one on the cluster, whose tables are compared except for times."""
    local = dagmar.SVCCV(**{**GRID, **parameters}).fit(X, y, weight)
    there = dagmar.dask.SVCCV(**{**GRID, **parameters}, client=client).fit(X, y, weight)
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
}


@pytest.mark.parametrize("parameters", VARIANTS.values(), ids=VARIANTS)
def test_the_table_is_that_of_a_local_search(client, three_blobs, parameters):
    """Scores, ranks, best cell and the fitted model are the same."""
    local, there = both(client, *three_blobs, **parameters)
    if "scaler" not in parameters:
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


def test_dask_collections_are_refused(client, three_blobs):
    """Every worker needs all samples."""
    X, y = three_blobs
    with pytest.raises(TypeError, match=r"pass X\.compute\(\) as X"):
        dagmar.dask.SVCCV(client=client).fit(da.from_array(X), y)


def test_progress_and_clone(client, three_blobs, capsys):
    """The result is printed; a clone keeps the client."""
    search = dagmar.dask.SVCCV(**GRID, client=client, verbose=1)
    assert clone(search).client is client
    search.fit(*three_blobs)
    assert "best of 6 cells" in capsys.readouterr().out
