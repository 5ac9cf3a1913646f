"""Kernels as exact values, and the estimate of their error in single precision."""

import numpy as np
import pytest
import scipy.sparse as sp
from reference.kernels import kernel_matrix
from sklearn.svm import SVC as TheirSVC

from dagmar.problem.kernels import Kernel, largest_norm2

NAMES = ["linear", "poly", "rbf", "sigmoid"]


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.7])
@pytest.mark.parametrize("sparse", [False, True])
def test_gamma_is_scikit_learns(three_blobs, gamma, sparse):
    """The names "scale" and "auto" mean what they mean in scikit-learn, for dense and sparse samples."""
    X, y = three_blobs
    X = sp.csr_matrix(X) if sparse else X
    ours = Kernel.resolve("rbf", gamma, 0.0, 3, X).gamma
    assert ours == pytest.approx(TheirSVC(gamma=gamma).fit(X, y)._gamma, rel=1e-12)


def test_gamma_scale_of_constant_samples_is_one():
    """Without variance, "scale" is 1, as in scikit-learn."""
    assert Kernel.resolve("rbf", "scale", 0.0, 3, np.full((4, 2), 3.0)).gamma == 1.0


def test_gamma_scale_does_not_depend_on_the_float_type(rng):
    """Samples in single precision have the gamma of their values."""
    X = (1000 + rng.normal(size=(5000, 3))).astype(np.float32)
    single = Kernel.resolve("rbf", "scale", 0.0, 3, X).gamma
    assert single == pytest.approx(Kernel.resolve("rbf", "scale", 0.0, 3, X.astype(float)).gamma, rel=1e-9)


def test_precomputed_and_callable_kernels_need_no_numbers():
    """Their matrix is all there is to know."""
    X = np.eye(3)
    assert Kernel.resolve("precomputed", "scale", 0.0, 3, X) == Kernel("precomputed")
    made = Kernel.resolve(np.dot, "scale", 0.0, 3, X)
    assert made.name == "precomputed"
    assert made == Kernel("precomputed", by_function=True)


RBF = Kernel("rbf")


def test_largest_norm_is_that_of_the_centred_samples(rng):
    """Blocks do not hide a sample; sparse samples are measured as they are."""
    X = rng.normal(size=(9000, 3))
    X[8999] = 50.0
    centre = X.mean(axis=0)
    assert largest_norm2(X, RBF, centre) == pytest.approx(((X - centre) ** 2).sum(axis=1).max())
    assert largest_norm2(X, RBF, None) == pytest.approx((X**2).sum(axis=1).max())
    assert largest_norm2(sp.csr_matrix(X), RBF, None) == pytest.approx((X**2).sum(axis=1).max())


def single_kernel(kernel, X):
    """The kernel with every operation in single precision, features added one after the other."""
    F = X.astype(np.float32)
    dots = np.zeros((len(F), len(F)), dtype=np.float32)
    for column in F.T:
        dots += np.outer(column, column)
    g, c = np.float32(kernel.gamma), np.float32(kernel.coef0)
    if kernel.name == "linear":
        return dots
    if kernel.name == "poly":
        return (g * dots + c) ** kernel.degree
    if kernel.name == "sigmoid":
        return np.tanh(g * dots + c)
    norms = np.diag(dots)
    return np.exp(-g * np.maximum(norms[:, None] + norms - 2 * dots, 0))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_features", [4, 60])
def test_error_estimate_is_of_the_size_of_the_error(name, n_features, rng):
    """The root mean square of the errors in the worst row is at most the estimate, which is not a hundredfold."""
    X = rng.normal(size=(200, n_features))
    kernel = Kernel(name, gamma=1.0 / n_features, coef0=0.5, degree=3)
    exact = kernel_matrix(name, X, X, kernel.gamma, kernel.coef0, kernel.degree)
    error = np.sqrt(((single_kernel(kernel, X) - exact) ** 2).mean(axis=1)).max()
    estimate = kernel.error(largest_norm2(X, kernel, None), n_features)
    assert error <= estimate
    assert estimate <= 100 * error


@pytest.mark.parametrize("name", NAMES)
def test_error_estimate_grows_with_the_samples(name):
    """Larger samples and more features have larger errors."""
    kernel = Kernel(name, gamma=0.5)
    assert kernel.error(4.0, 10) > kernel.error(1.0, 10) > 0
    assert kernel.error(1.0, 100) > kernel.error(1.0, 10)


def test_native_form_has_the_same_name():
    """Every kernel has its form in the core."""
    for name in [*NAMES, "precomputed"]:
        assert Kernel(name).native() is not None
