"""Sparse samples with very many columns: memory and time follow the nonzeros, and nothing else changes."""

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from children import LEAVE_MEMORY, output_of
from helpers import problem_of, train_bank

import dagmar
from dagmar.analysis.enclosing_ball import enclosing_ball
from dagmar.machines.training import TrainSettings
from dagmar.problem.kernels import Kernel
from dagmar.problem.tasks import all_pairs
from dagmar.structures import STRUCTURES

N_COLUMNS = 2**27


def narrow_rows(seed, n=200, n_columns=400, n_nonzeros=50):
    """Rows of random entries, and their four classes."""
    rng = np.random.default_rng(seed)
    columns = np.array([np.sort(rng.choice(n_columns, n_nonzeros, replace=False)) for _ in range(n)])
    y = np.arange(n) % 4
    data = rng.normal(size=columns.shape) + 0.5 * (columns % 4 == y[:, None])
    return sp.csr_matrix((data.ravel(), columns.ravel(), n_nonzeros * np.arange(n + 1)), shape=(n, n_columns)), y


def spread(X, n_columns=N_COLUMNS):
    """The same samples with their columns far apart, in the same order."""
    places = np.sort(np.random.default_rng(0).choice(n_columns, X.shape[1], replace=False)).astype(np.int32)
    return sp.csr_matrix((X.data, places[X.indices], X.indptr), shape=(X.shape[0], n_columns)), places


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_empty_columns_change_no_bit(kernel, precision):
    """Columns that never occur between those that do: the same machines and values, to the bit."""
    X, y = narrow_rows(1)
    wide, places = spread(X)
    numbers = {"C": 1.0, "kernel": kernel, "gamma": 0.02, "coef0": 0.5, "precision": precision}
    problems = [problem_of(samples, y, **numbers) for samples in (X, wide)]
    a, b = (train_bank(problem, all_pairs(4), TrainSettings())[0] for problem in problems)
    for name in ("begin", "index", "coef", "bias", "support"):
        assert getattr(a, name).tobytes() == getattr(b, name).tobytes()
    np.testing.assert_array_equal(a.values(X), b.values(wide))
    # A column that no vector has adds to the norm of a sample, and to nothing else.
    norms = np.abs(np.random.default_rng(4).normal(size=(X.shape[0], 1)))
    extra = sp.hstack([X, norms], format="csr")
    columns = np.append(places, N_COLUMNS).astype(np.int32)
    far = sp.csr_matrix((extra.data, columns[extra.indices], extra.indptr), (X.shape[0], N_COLUMNS + 1))
    near_bank, far_bank = (
        replace(bank, vectors=sp.csr_matrix((v.data, v.indices, v.indptr), (v.shape[0], v.shape[1] + 1)))
        for bank, v in ((a, a.vectors), (b, b.vectors))
    )
    np.testing.assert_array_equal(far_bank.values(far), near_bank.values(extra))


@pytest.mark.usefixtures("stay_sparse")
def test_attributes_and_analysis_do_not_see_empty_columns():
    """The weights of a linear kernel, class means and the enclosing ball are those of the columns that occur."""
    X, y = narrow_rows(2)
    wide, places = spread(X, 2**20)
    a, b = (dagmar.SVC(kernel="linear").fit(samples, y) for samples in (X, wide))
    assert b.coef_.shape == (6, 2**20)
    np.testing.assert_array_equal(b.coef_[:, places].toarray(), a.coef_.toarray())
    for structure in ("fisher_tree", "centered_tree"):
        trees = [clf.restructure(structure, s, y) for clf, s in ((a, X), (b, wide))]
        np.testing.assert_array_equal(trees[1].plan_.machine, trees[0].plan_.machine)
    balls = [enclosing_ball(samples, Kernel("rbf", gamma=0.02)).radius for samples in (X, wide)]
    assert balls[0] == balls[1]


LITTLE_MEMORY = (
    LEAVE_MEMORY
    + """
import json, sys, time
from robustness.test_wide import narrow_rows, spread
import numpy as np
import dagmar

X, y = narrow_rows(3)
wide, _ = spread(X)

def run(structure, samples):
    begin = time.process_time()
    clf = dagmar.SVC(kernel="linear", structure=structure).fit(samples, y)
    fitted = time.process_time()
    clf.predict(samples)
    predicted = time.process_time()
    clf.decision_function(samples)
    assert clf.coef_.shape[1] == samples.shape[1]
    return fitted - begin, predicted - fitted

for structure in sys.argv[1:]:
    run(structure, X)
leave_memory(48 * 2**20)
print(json.dumps({s: [min(seconds) for seconds in zip(*(run(s, wide) for _ in range(5)))] for s in sys.argv[1:]}))
"""
)


def test_many_columns_take_little_memory_and_time():
    """200 rows of 2^27 columns, 50 nonzeros each: 48 MB are enough, where one array of all columns would take 1 GB.

    A fit takes some 10 to 35 ms; the bound leaves room for slow and busy machines.
    """
    seconds = json.loads(output_of(LITTLE_MEMORY, *STRUCTURES))
    print({name: f"fit {1e3 * fit:.1f} ms, predict {1e3 * predict:.1f} ms" for name, (fit, predict) in seconds.items()})
    assert max(max(both) for both in seconds.values()) < 0.5
