"""The training problem: samples in class order, with caps and a precision."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs, pose, train_bank, values_of

from dagmar.machines.training import TrainSettings
from dagmar.problem.kernels import Kernel, centre_of, squared_norms
from dagmar.problem.precision import measured_error
from dagmar.problem.samples import as_data
from dagmar.problem.tasks import all_pairs


def test_samples_are_sorted_by_class_and_keep_their_order(rng):
    """Within a class, samples stand in the order in which they were given."""
    y = rng.integers(0, 4, 50)
    problem = pose(rng.normal(size=(50, 2)), y)
    for c in range(4):
        own = problem.order[problem.class_start[c] : problem.class_start[c + 1]]
        np.testing.assert_array_equal(own, np.flatnonzero(y == c))
    assert problem.n_classes == 4
    assert problem.class_start[-1] == 50


def test_caps_follow_the_samples(rng):
    """Each cap stands where its sample stands."""
    y, weight = rng.integers(0, 3, 30), rng.random(30)
    problem = pose(rng.normal(size=(30, 2)), y, C=2.0, weight=weight)
    np.testing.assert_allclose(problem.cap, 2.0 * weight[problem.order])


def test_empty_class_has_an_empty_place(rng):
    """A class without samples begins where it ends."""
    y = np.array([0, 2, 0, 2])
    problem = pose(rng.normal(size=(4, 2)), y)
    np.testing.assert_array_equal(problem.class_start, [0, 2, 2, 4])


@pytest.mark.parametrize(
    ("precision", "per_class", "scale", "chosen"),
    [
        ("double", 600, 1.0, "double"),
        ("single", 5, 1.0, "single"),
        ("auto", 5, 1.0, "double"),  # nothing to gain
        ("auto", 600, 1.0, "single"),
        ("auto", 600, 1e4, "double"),  # not safe
    ],
)
def test_precision_is_chosen_by_size_and_error(precision, per_class, scale, chosen):
    """Precision "auto" is single where the problem is large and the error of a kernel value far below tol."""
    X, y = blobs(0, 3, per_class, 20)
    problem = pose(scale * X, y, gamma=0.01, precision=precision)
    assert problem.precision == chosen
    assert problem.kernel_error > 0


def test_tight_tol_asks_for_double_precision():
    """What is safe for a coarse tol is not for a fine one."""
    X, y = blobs(0, 3, 600, 20)
    assert pose(X, y, gamma=0.01, precision="auto", tol=1e-3).precision == "single"
    assert pose(X, y, gamma=0.01, precision="auto", tol=1e-6).precision == "double"


def test_distance_from_the_origin_does_not_matter():
    """Gaussian kernels are centred, so that samples far away are as safe as near ones; linear ones are not."""
    X, y = blobs(0, 3, 600, 20)
    assert pose(X + 1e4, y, gamma=0.01, precision="auto").precision == "single"
    assert pose(X + 1e4, y, kernel="linear", precision="auto").precision == "double"


def test_precomputed_matrices_are_not_centred(rng):
    """There are no samples to centre, and the error is that of storing the largest value."""
    K = 3.0 * np.eye(6)
    problem = pose(K, np.arange(6) % 2, kernel="precomputed")
    assert problem.centre is None
    assert problem.kernel_error == 3.0 * 2.0**-24


def test_data_is_dense_or_sparse():
    """The core reads doubles, floats and sparse doubles, and nothing else."""
    X = np.eye(3)
    for samples in (X, X.astype(np.float32), sp.csr_matrix(X)):
        assert as_data(samples) is not None
    for samples in (X.astype(int), np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.zeros(3)):
        with pytest.raises(TypeError):
            as_data(samples)


def test_part_is_the_problem_of_its_samples(rng):
    """Training a part gives the machines of its samples alone, named by their places in all of X."""
    X, y = blobs(1, 3, 30, 2, spread=1.5)
    rows = np.sort(rng.permutation(90)[:60])
    whole = pose(X, y, gamma=0.5)
    inside = np.isin(whole.order, rows)
    part = whole.part(inside, 2 * whole.weight, 3 * whole.cap)
    alone = pose(X[rows], y[rows], C=3.0, gamma=0.5)
    np.testing.assert_array_equal(part.order, rows[alone.order])
    np.testing.assert_array_equal(part.class_start, alone.class_start)
    np.testing.assert_array_equal(part.cap, alone.cap)
    assert (part.weight == 2).all()
    banks = [train_bank(problem, all_pairs(3), TrainSettings(tol=1e-10))[0] for problem in (part, alone)]
    np.testing.assert_array_equal(banks[0].vectors, banks[1].vectors)
    np.testing.assert_allclose(values_of(banks[0], X), values_of(banks[1], X), atol=1e-8)


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


def test_error_of_single_precision_looks_at_the_farthest_samples(rng):
    """A few samples far off, close to each other, make the worst rows, however many others there are."""
    X = rng.normal(size=(5000, 4))
    X[:3] = 1e3 + 0.1 * rng.normal(size=(3, 4))
    kernel = Kernel.resolve("rbf", 1.0, 0.0, 3, X)
    near = measured_error(X[3:], kernel, None, squared_norms(X[3:], None))
    assert measured_error(X, kernel, None, squared_norms(X, None)) > 100 * near
