"""How large the rounding of single precision is."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs, problem_of
from sklearn.datasets import load_digits
from sklearn.svm import SVC as TheirSVC

import dagmar
from dagmar.problem.choices import centre_of
from dagmar.problem.kernels import Kernel, squared_norms
from dagmar.problem.precision import measured_error, samples_to_measure


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("gamma", [1e-4, 1e-3, 1e-2])
def test_error_of_single_precision_is_measured(gamma, sparse):
    """It is of the size of what NumPy loses in the worst row."""
    X = blobs(3, 4, 300, 12)[0]
    X = sp.csr_matrix(X) if sparse else X
    kernel = Kernel.resolve("rbf", gamma, 0.0, 3, X)
    centre = centre_of(X, kernel)
    measured = measured_error(X, kernel, centre, squared_norms(X, centre))
    dense = X.toarray() if sparse else X - centre
    low = dense.astype(np.float32)

    def values(Z):
        norms = np.einsum("ij,ij->i", Z, Z)
        return np.exp(-Z.dtype.type(gamma) * np.maximum(norms[:, None] + norms - 2 * Z @ Z.T, 0))

    errors = values(low).astype(float) - values(dense)
    np.fill_diagonal(errors, 0.0)  # to itself a sample has distance zero in the core, to the bit
    worst_row = np.sqrt((errors**2).mean(axis=1)).max()
    assert worst_row / 5 <= measured <= 5 * worst_row


@pytest.mark.parametrize("n_features", [3, 20, 300])
@pytest.mark.parametrize("shape", ["blobs", "digits", "duplicates", "a far sample"])
def test_harmless_error_is_not_below_the_measured_one(shape, n_features, rng):
    """What is not measured is assumed to be larger; what may matter next to tol is measured."""
    X, y = blobs(1, 3, 200, n_features)
    if shape == "digits":
        X, y = load_digits(return_X_y=True)
        X = X[:, :n_features] / 8.0 - 1.0
    elif shape == "duplicates":
        X = np.repeat(X[::4], 4, axis=0)
    elif shape == "a far sample":
        X[0] += 20.0 * rng.normal(size=n_features)
    X /= np.abs(X).max()
    gamma = 4.0 / n_features
    kernel = Kernel("rbf", gamma)
    centre = centre_of(X, kernel)
    measured = measured_error(X, kernel, centre, squared_norms(X, centre))
    assert problem_of(X, y, C=1.0, gamma=gamma, precision="single").kernel_error > measured
    assert problem_of(X, y, C=1e4, gamma=gamma, precision="single").kernel_error == pytest.approx(measured, rel=2.0)


def test_error_of_single_precision_looks_at_the_farthest_samples(rng):
    """A few samples far off, close to each other, make the worst rows, however many others there are."""
    X = rng.normal(size=(5000, 4))
    X[:3] = 1e3 + 0.1 * rng.normal(size=(3, 4))
    kernel = Kernel.resolve("rbf", 1.0, 0.0, 3, X)
    near = measured_error(X[3:], kernel, None, squared_norms(X[3:], None))
    assert measured_error(X, kernel, None, squared_norms(X, None)) > 100 * near


@pytest.mark.parametrize("width", [700, 5000])
def test_error_of_wide_samples_is_measured_on_fewer_of_them(rng, width):
    """Fewer columns of the kernel matrix tell nearly the same error, as those of wide samples are alike."""
    X = rng.normal(size=(1200, width))
    kernel = Kernel("rbf", 0.5 / width)
    few = measured_error(X, kernel, None, squared_norms(X, None))
    everywhere = [measured_error(part, kernel, None, squared_norms(part, None)) for part in np.split(X, 30)]
    assert 0.5 * max(everywhere) <= few <= 1.5 * max(everywhere)


def test_sparse_samples_without_a_number_have_no_error():
    """All kernel values are one, in both precisions; nothing is divided by the number of nonzeros."""
    X = sp.csr_matrix((3000, 5))
    assert measured_error(X, Kernel("rbf"), None, squared_norms(X, None)) == 0.0
    assert dagmar.SVC().fit(X, np.arange(3000) % 2).fit_status_ == 0


def test_error_is_the_worst_over_all_gammas():
    """Where pairs have gammas of their own, the error is at least that of the smallest and the largest."""
    X = blobs(3, 4, 300, 12)[0]
    norms = squared_norms(X, None)
    alone = [measured_error(X, Kernel("rbf", gamma=gamma), None, norms) for gamma in (1e-4, 1e-2)]
    together = measured_error(X, Kernel("rbf", gamma=1e-2), None, norms, np.array([1e-2, 1e-4]))
    assert together >= max(alone)


# ------------------------------------------------------------------------ range


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid"])
@pytest.mark.parametrize("exponent", [-90, -70, -40, 40, 59, 60, 83])
def test_powers_of_two_change_no_bit(kernel, sparse, exponent):
    """X times a power of two, with gamma along with it, gives the same machines to the bit, in single precision too."""
    X, y = blobs(1, 3, 40, 5)
    factor = 2.0**exponent
    given = {"kernel": kernel, "precision": "single", "coef0": 0.5}

    def fit(X, gamma):
        return dagmar.SVC(gamma=gamma, **given).fit(sp.csr_matrix(X) if sparse else X, y)

    plain, scaled = fit(X, 0.1), fit(factor * X, 0.1 / factor**2)
    for name in ("coef", "bias", "index"):
        np.testing.assert_array_equal(getattr(scaled.bank_, name), getattr(plain.bank_, name))
    A = sp.csr_matrix(X) if sparse else X
    np.testing.assert_array_equal(scaled.pair_decisions(factor * A), plain.pair_decisions(A))


@pytest.mark.parametrize("scale", [1e-25, 1e-21, 5e17, 1e18])
def test_large_and_small_samples_are_learned_as_others(scale):
    """Gamma "scale" follows the data, so digits times any number are learned as digits."""
    X, y = load_digits(return_X_y=True)
    expected = dagmar.SVC().fit(X, y).predict(X)
    clf = dagmar.SVC().fit(scale * X, y)
    assert clf.bank_.precision == "single"
    np.testing.assert_array_equal(clf.predict(scale * X), expected)


def test_values_beyond_single_precision_are_measured():
    """Where single precision has no finite value, the measured error is infinite, and double precision is chosen."""
    X, y = blobs(0, 3, 600, 20)
    X = X * 1e6
    kernel = Kernel("poly", gamma=1.0, degree=6)
    assert measured_error(X, kernel, None, squared_norms(X, None)) == np.inf
    assert problem_of(X, y, kernel="poly", gamma=1e-13, degree=6, precision="auto").precision == "double"


@pytest.mark.parametrize("gamma", [1e39, 1e300])
def test_gamma_beyond_single_precision_tells_samples_apart(gamma):
    """A gamma that float32 cannot hold makes the kernel matrix the identity, not a matrix of NaN."""
    X, y = blobs(1, 3, 20, 5)
    clf = dagmar.SVC(gamma=gamma, precision="single").fit(X, y)
    assert clf.score(X, y) == 1.0


@pytest.mark.parametrize("fill", [1e12, 1e14, 1e16])
def test_one_huge_cell_does_not_spoil_the_others(fill):
    """Distances are computed from differences where their expansion loses digits: labels are those of scikit-learn."""
    X, y = load_digits(return_X_y=True)
    X[5, 20] = fill
    clf, theirs = dagmar.SVC(gamma=0.001).fit(X, y), TheirSVC(gamma=0.001).fit(X, y)
    assert clf.bank_.kernel.by_differences
    np.testing.assert_array_equal(clf.restructure("max_wins").predict(X), theirs.predict(X))


def test_two_clusters_far_apart_are_told_apart_inside():
    """Half of the samples far from the other half: no centre helps, differences do."""
    X, y = blobs(2, 3, 40, 4, spread=0.5)
    X[::2] += 1e9
    clf, theirs = dagmar.SVC(gamma=0.5, C=10).fit(X, y), TheirSVC(gamma=0.5, C=10).fit(X, y)
    np.testing.assert_array_equal(clf.restructure("max_wins").predict(X), theirs.predict(X))
    assert clf.score(X, y) > 0.9


@pytest.mark.parametrize("offset", [1e6, 1e8])
def test_sparse_samples_far_from_the_origin(offset):
    """Sparse samples are not centred; signs are those of distances by differences all the same."""
    X, y = blobs(4, 3, 50, 4, spread=0.8)
    rows = sp.csr_matrix(X + offset)
    clf = dagmar.SVC(gamma=0.5, C=10).fit(rows, y)
    A, V = rows.toarray(), clf.support_vectors_.toarray()
    K = np.exp(-0.5 * ((A[:, None, :] - V) ** 2).sum(axis=2))
    bank = clf.bank_
    for m in range(bank.n_machines):
        here = slice(bank.begin[m], bank.begin[m + 1])
        values = K[:, bank.index[here]] @ bank.coef[here] + bank.bias[m]
        np.testing.assert_array_equal(clf.pair_decisions(rows)[:, m] >= 0, values >= 0)
    theirs = TheirSVC(gamma=0.5, C=10).fit(A, y)
    assert clf.score(rows, y) >= theirs.score(A, y) - 0.02


@pytest.mark.parametrize(("n", "n_spread"), [(1, 64), (10, 64), (100, 64), (1000, 256)])
def test_samples_to_measure_have_large_norms_and_are_spread(n, n_spread):
    """Half of the rows are samples far from the centre, one of each part of the data; the others are from everywhere."""
    norms = np.random.default_rng(n).random(n)
    samples, rows = samples_to_measure(norms, 32, n_spread)
    n_parts = min(n, 16)
    assert samples[0] == norms.argmax()
    parts = np.split(np.arange(n // n_parts * n_parts), n_parts)
    assert samples[1 : 1 + n_parts].tolist() == [part[norms[part].argmax()] for part in parts]
    assert samples[1 + n_parts :].tolist() == (np.arange(min(n, n_spread)) * n // min(n, n_spread)).tolist()
    assert rows[: 1 + n_parts].tolist() == list(range(1 + n_parts))
    assert len(np.unique(rows)) == len(rows) <= 2 * 32
    assert rows.max() < len(samples)


def test_samples_of_equal_norms_are_measured_in_order():
    """Nothing depends on how a library sorts: the first sample of each part."""
    assert samples_to_measure(np.ones(96), 32, 64)[0][:17].tolist() == [0, *range(0, 96, 6)]
