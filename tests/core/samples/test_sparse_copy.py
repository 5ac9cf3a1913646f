"""The nonzeros of dense samples, and when samples are mostly zeros."""

import numpy as np
import pytest
import scipy.sparse as sp

import dagmar
from dagmar import _core
from dagmar.problem.reductions import nonzeros_of


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("shape", [(3000, 101), (5, 1), (4, 16), (2, 33)])
def test_nonzeros_are_those_of_scipy(rng, shape, n_threads, dtype):
    """For any number of threads and width; rows may be empty, and a negative zero is a zero."""
    X = (rng.random(shape) * (rng.random(shape) < 0.1)).astype(dtype)
    X[1] = -0.0
    found, expected = nonzeros_of(X, n_threads), sp.csr_matrix(X.astype(np.float64))
    assert found.shape == expected.shape
    for name in ("data", "indices", "indptr"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


TANIMOTO = _core.KernelType.tanimoto


def test_one_sixteenth_is_mostly_zeros():
    """Of every so many samples; one nonzero more is too many."""
    X = np.zeros((64, 64))
    X[:, :4] = 1.0
    assert _core.mostly_zeros(_core.Data(X), 1, TANIMOTO)
    X[6, 9] = 1.0
    assert not _core.mostly_zeros(_core.Data(X), 1, TANIMOTO)
    assert _core.mostly_zeros(_core.Data(X), 4, TANIMOTO)  # without that sample
    assert not _core.mostly_zeros(_core.Data(X), 4, _core.KernelType.laplacian)  # codes are faster than nonzeros


@pytest.fixture(scope="module")
def fingerprints():
    """Training samples and labels, and other samples, of which one is zero and one has a feature that no other has."""
    rng = np.random.default_rng(3)
    y = rng.integers(4, size=700)
    likely = rng.random((4, 1023)) < 0.06
    # Not whole numbers: another order of additions gives other bits.
    X = (rng.random((700, 1023)) < np.where(likely[y], 0.15, 0.02)) * rng.random((700, 1023))
    X[:500, 1000] = 0.0
    X[510, 1000] = 3.0
    X[511] = 0.0
    return X[:500], y[:500], X[500:]


@pytest.mark.parametrize("kernel", ["tanimoto", "laplacian", "chi2"])
@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("form", [np.asarray, np.float32], ids=["float64", "float32"])
def test_dense_fingerprints_are_decided_as_sparse_ones(fingerprints, form, precision, kernel):
    """Machines, values and labels have the bits of those of a CSR matrix, in tiles and one by one."""
    X, y, T = fingerprints
    if kernel == "laplacian":
        X, T = X * (X > 0.75), T * (T > 0.75)
    X, T = X.astype(np.float32).astype(float), T.astype(np.float32).astype(float)
    parameters = {"kernel": kernel, "gamma": 0.05, "C": 5.0, "precision": precision}
    dense = dagmar.SVC(**parameters).fit(form(X), y)
    sparse = dagmar.SVC(**parameters).fit(sp.csr_matrix(X), y)
    assert dense.support_vectors_.size > _core.DENSE_NUMBERS  # fewer numbers are decided as dense ones
    assert dense.bank_.coef.tobytes() == sparse.bank_.coef.tobytes()
    assert isinstance(dense.support_vectors_, np.ndarray)
    values = sparse.decision_function(sp.csr_matrix(T))
    assert dense.decision_function(form(T)).tobytes() == values.tobytes()
    labels = dense.predict(form(T))
    assert (labels == sparse.predict(sp.csr_matrix(T))).all()
    assert [dense.predict(form(T[i : i + 1]))[0] for i in range(20)] == labels[:20].tolist()
    assert (dense.set_params(n_jobs=2).predict(form(T)) == labels).all()
