"""The smallest ball in kernel space: a real ball, and as small as a general minimiser finds it."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from reference.bounds import smallest_radius
from reference.kernels import kernel_matrix

from dagmar.analysis.enclosing_ball import Images, enclosing_ball
from dagmar.problem.kernels import Kernel

KERNELS = [Kernel("linear"), Kernel("rbf", 0.5), Kernel("poly", 0.3, 1.0, 3), Kernel("poly", 1.0, 0.0, 2)]
seeds = st.integers(0, 2**32 - 1)


def points(seed, n, d, duplicates=0):
    """Random points, some of them twice."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return np.concatenate([X, X[:duplicates]])


def gram(kernel, X):
    return kernel_matrix(kernel.name, X, X, kernel.gamma, kernel.coef0, kernel.degree)


@given(seed=seeds, n=st.integers(1, 15), d=st.integers(1, 4), which=st.integers(0, 3))
def test_radius_is_the_smallest(seed, n, d, which):
    """The two bounds hold the radius that a general minimiser finds between them, a tenth of a percent apart."""
    X = points(seed, n, d, duplicates=n // 3)
    ball = enclosing_ball(X, KERNELS[which])
    exact = smallest_radius(gram(KERNELS[which], X))
    scale = np.sqrt(gram(KERNELS[which], X).diagonal().max())
    assert ball.at_least <= exact + 1e-6 * scale
    assert ball.radius >= exact - 1e-6 * scale
    assert ball.radius <= 1.001 * ball.at_least + 1e-6 * scale


@given(
    seed=seeds,
    n=st.integers(1, 60),
    d=st.integers(1, 5),
    which=st.integers(0, 3),
    tol=st.sampled_from([0.5, 0.1, 1e-3, 1e-5]),
)
def test_every_sample_is_inside(seed, n, d, which, tol):
    """However early it stops, no sample is farther from the centre than the radius, and one is as far."""
    kernel, X = KERNELS[which], points(seed, n, d)
    ball = enclosing_ball(X, kernel, tol=tol)
    K, a = gram(kernel, X), ball.centre
    assert a.min() >= 0
    assert a.sum() == pytest.approx(1.0)
    distance2 = K.diagonal() - 2 * K @ a + a @ K @ a
    scale = K.diagonal().max()
    assert distance2.max() == pytest.approx(ball.radius**2, abs=1e-9 * scale)
    assert ball.radius**2 <= (1 + tol) ** 2 * ball.at_least**2 + 1e-9 * scale


def test_known_balls():
    """Two points, a triangle with an obtuse angle, and n points that a narrow rbf kernel makes all but orthogonal."""
    assert enclosing_ball(np.array([[0.0], [3.0]]), Kernel("linear")).radius == pytest.approx(1.5, rel=1e-3)
    obtuse = np.array([[-2.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    assert enclosing_ball(obtuse, Kernel("linear")).radius == pytest.approx(2.0, rel=1e-3)
    apart = enclosing_ball(np.arange(20.0)[:, None], Kernel("rbf", 100.0), tol=1e-6)
    assert apart.radius == pytest.approx(np.sqrt(1 - 1 / 20), rel=1e-5)


def test_points_in_one_place():
    """Equal points have a ball of radius zero."""
    for kernel in KERNELS:
        ball = enclosing_ball(np.full((5, 3), 0.7), kernel)
        assert ball.radius == pytest.approx(0.0, abs=1e-6)


@given(seed=seeds)
def test_larger_gamma_larger_ball(seed):
    """The ball of the rbf kernel grows with gamma, so that the largest of several gammas serves for all."""
    X = points(seed, 20, 3)
    narrow = [enclosing_ball(X, Kernel("rbf", g), tol=1e-5) for g in (0.1, 0.5, 2.0, 10.0)]
    for one, other in pairwise(narrow):
        assert one.at_least <= other.radius
    assert narrow[-1].at_least <= 1.0


@pytest.mark.parametrize("kernel", KERNELS)
def test_sparse_rows_and_matrices_give_the_same(kernel):
    """Dense rows, sparse rows and their kernel matrix have the same ball."""
    X = points(3, 40, 4) * (np.random.default_rng(3).random((40, 4)) < 0.5)
    dense = enclosing_ball(X, kernel, tol=1e-5).radius
    assert enclosing_ball(sp.csr_matrix(X), kernel, tol=1e-5).radius == pytest.approx(dense, rel=2e-5)
    assert enclosing_ball(gram(kernel, X), Kernel("precomputed"), tol=1e-5).radius == pytest.approx(dense, rel=2e-5)
    assert enclosing_ball(X.astype(np.float32), kernel).radius == pytest.approx(dense, rel=2e-3)


@pytest.mark.parametrize("kernel", KERNELS)
def test_images_are_the_kernel_matrix(kernel):
    """Row by row, unmoved, the kernel values are those of the formulas."""
    X = points(4, 15, 3)
    for samples in (X, sp.csr_matrix(X)):
        images = Images(samples, kernel, move=False)
        K = gram(kernel, X)
        np.testing.assert_allclose(images.squares, K.diagonal(), rtol=1e-12)
        np.testing.assert_allclose([images.row(i) for i in range(15)], K, rtol=1e-10, atol=1e-12)


def test_far_from_the_origin():
    """A shift of all samples by a million leaves the ball of a linear and of an rbf kernel as it is."""
    X = points(5, 50, 3)
    for kernel in KERNELS[:2]:
        here, there = enclosing_ball(X, kernel), enclosing_ball(X + 1e6, kernel)
        assert there.radius == pytest.approx(here.radius, rel=1e-3)


def test_few_rows():
    """It can be stopped early, and what it has is still a ball."""
    X = points(6, 300, 20)
    stopped, done = (enclosing_ball(X, Kernel("rbf", 5.0), tol=1e-4, max_rows=n) for n in (10, 20000))
    assert stopped.rows == 10
    assert stopped.radius >= done.at_least
    assert done.radius <= 1.0001 * done.at_least


def test_no_space():
    """A matrix that is no kernel is refused."""
    with pytest.raises(ValueError, match="not positive semi-definite"):
        enclosing_ball(np.array([[0.0, 1.0], [1.0, 0.0]]), Kernel("precomputed"))
