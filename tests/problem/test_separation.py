"""How far apart classes are, against double loops and explicit means."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import problem_of
from hypothesis import given
from hypothesis import strategies as st
from reference import dbtc as paper
from reference import fisher
from reference.kernels import kernel_matrix
from tables import real_data

from dagmar.problem.separation import Moments, dbtc, dbtc_of_pairs, similarity

KERNELS = ["linear", "poly", "rbf", "sigmoid"]
NUMBERS = {"gamma": 0.3, "coef0": 0.5, "degree": 2}
seeds = st.integers(0, 2**32 - 1)


def classes(seed, sizes, n_features=3):
    """Samples of classes of these sizes, shuffled."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return rng.normal(size=(len(y), n_features)) + y[:, None], y


def dense_formula(K, y, weight=None):
    """Mean kernel value between every two classes, from the whole matrix."""
    member = (y[:, None] == np.arange(y.max() + 1)).astype(float)
    member *= np.ones((len(y), 1)) if weight is None else weight[:, None]
    member /= member.sum(axis=0)
    return member.T @ K @ member


@given(seed=seeds, sizes=st.lists(st.integers(1, 6), min_size=2, max_size=4))
def test_dbtc_is_the_double_loop(seed, sizes):
    """The distance is that of the paper's double sums, and of equation 9 with its halves."""
    X, y = classes(seed, sizes)

    def k(x, z):
        return np.exp(-0.3 * ((x - z) ** 2).sum())

    distance = dbtc(similarity(problem_of(X, y, gamma=0.3)))
    for a in range(len(sizes)):
        for b in range(len(sizes)):
            A, B = X[y == a], X[y == b]
            assert distance[a, b] == pytest.approx(paper.dbtc(k, A, B), abs=1e-12)
            assert distance[a, b] == pytest.approx(paper.by_distances(k, A, B), abs=1e-12)


@given(seed=seeds, sizes=st.lists(st.integers(1, 6), min_size=2, max_size=4))
def test_dbtc_of_pairs_has_a_gamma_for_each(seed, sizes):
    """Each distance is the one at its own gamma, where all pairs have that."""
    X, y = classes(seed, sizes)
    gamma = np.random.default_rng(seed).choice([0.1, 0.3, 2.0], (len(sizes), len(sizes)))
    gamma = np.triu(gamma, k=1) + np.triu(gamma, k=1).T
    distance = dbtc_of_pairs(problem_of(X, y), gamma)
    for a, b in zip(*np.nonzero(gamma), strict=True):
        assert distance[a, b] == pytest.approx(dbtc(similarity(problem_of(X, y, gamma=gamma[a, b])))[a, b], abs=1e-12)
    np.testing.assert_array_equal(np.diag(distance), 0.0)


@given(seed=seeds, sizes=st.lists(st.integers(1, 60), min_size=2, max_size=5))
def test_linear_dbtc_is_the_distance_of_the_means(seed, sizes):
    """With a linear kernel the distance is that of the class means themselves."""
    X, y = classes(seed, sizes)
    means = np.array([X[y == c].mean(axis=0) for c in range(len(sizes))])
    expected = ((means[:, None] - means) ** 2).sum(axis=2)
    np.testing.assert_allclose(dbtc(similarity(problem_of(X, y, kernel="linear"))), expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_blocks_are_the_dense_formula(kernel, precision):
    """Every kernel, classes larger and smaller than a block: the sums of the whole matrix."""
    X, y = classes(0, [1, 47, 48, 49, 130, 2], n_features=5)
    X = X / 3
    found = similarity(problem_of(X, y, kernel=kernel, precision=precision, **NUMBERS))
    expected = dense_formula(kernel_matrix(kernel, X, X, 0.3, 0.5, 2), y)
    np.testing.assert_allclose(found, expected, rtol=1e-11 if precision == "double" else 2e-6, atol=1e-12)
    np.testing.assert_array_equal(found, found.T)


@pytest.mark.parametrize("kernel", KERNELS)
def test_sparse_samples_give_the_dense_formula(kernel):
    """Sparse rows, empty ones too, give the sums of the whole matrix."""
    X, y = classes(1, [30, 50, 7, 1], n_features=6)
    X = np.where(np.abs(X) < 1, 0.0, X) / 3
    X[3] = 0.0
    found = similarity(problem_of(sp.csr_matrix(X), y, kernel=kernel, **NUMBERS))
    expected = dense_formula(kernel_matrix(kernel, X, X, 0.3, 0.5, 2), y)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


def test_precomputed_kernel_gives_the_dense_formula():
    """A kernel matrix is averaged as it is."""
    X, y = classes(2, [20, 60, 3])
    K = np.ascontiguousarray(kernel_matrix("rbf", X, X, 0.5))
    np.testing.assert_allclose(similarity(problem_of(K, y, kernel="precomputed")), dense_formula(K, y), rtol=1e-12)


def test_limits_of_a_gaussian_kernel():
    """As gamma goes to 0 so does the distance; as it grows, to 1/n1 + 1/n2."""
    X, y = classes(3, [5, 8, 1])
    n = np.array([5, 8, 1])
    np.testing.assert_allclose(dbtc(similarity(problem_of(X, y, gamma=1e-14))), 0.0, atol=1e-12)
    expected = np.where(np.eye(3, dtype=bool), 0.0, 1 / n[:, None] + 1 / n)
    np.testing.assert_allclose(dbtc(similarity(problem_of(X, y, gamma=1e9))), expected, atol=1e-12)


@given(seed=seeds, sizes=st.lists(st.integers(1, 30), min_size=2, max_size=5))
def test_distance_is_symmetric_and_not_negative(seed, sizes):
    """Zero on the diagonal, symmetric, never below zero; identical classes are at no distance."""
    X, y = classes(seed, sizes)
    X, y = np.vstack([X, X[y == 0]]), np.append(y, np.full(sizes[0], len(sizes)))
    distance = dbtc(similarity(problem_of(X, y, gamma=0.3)))
    assert (distance >= 0).all()
    np.testing.assert_array_equal(np.diag(distance), 0.0)
    np.testing.assert_array_equal(distance, distance.T)
    assert distance[0, len(sizes)] == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_threads_change_nothing(precision):
    """One thread or several: the same to the bit."""
    X, y = classes(4, [300, 17, 260, 120], n_features=7)
    problem = problem_of(X, y, gamma=0.1, precision=precision)
    alone = similarity(problem, n_threads=1)
    for n_threads in (2, 3, 8):
        np.testing.assert_array_equal(similarity(problem, n_threads=n_threads), alone)


def test_max_samples_uses_a_part_of_each_class():
    """With a limit, the samples used are those spread evenly over each class; a large limit changes nothing."""
    X, y = classes(5, [40, 9, 100])
    problem = problem_of(X, y, gamma=0.3)
    part = np.concatenate([problem.order[problem.sample_of_class(c, 10)] for c in range(3)])
    assert np.bincount(y[part]).tolist() == [10, 9, 10]
    assert len(set(part.tolist())) == len(part)
    np.testing.assert_allclose(similarity(problem, 10), similarity(problem_of(X[part], y[part], gamma=0.3)), rtol=1e-12)
    np.testing.assert_array_equal(similarity(problem, 100), similarity(problem))
    np.testing.assert_array_equal(similarity(problem, 10), similarity(problem, 10))


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_weights_are_repetitions(kernel):
    """Weight 3 is a sample given three times, weight 0 one not given; for moments too."""
    X, y = classes(6, [10, 20, 5])
    weight = np.random.default_rng(6).integers(0, 4, len(y))
    weight[[np.flatnonzero(y == c)[0] for c in range(3)]] = 1
    weighted = problem_of(X, y, kernel=kernel, gamma=0.3, weight=weight)
    repeated = problem_of(np.repeat(X, weight, axis=0), np.repeat(y, weight), kernel=kernel, gamma=0.3)
    np.testing.assert_allclose(similarity(weighted), similarity(repeated), rtol=1e-10)
    a, b = Moments.of(weighted), Moments.of(repeated)
    np.testing.assert_allclose(a.distance2, b.distance2, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(a.variance, b.variance, rtol=1e-9)
    np.testing.assert_allclose(a.from_centre(np.arange(3)), b.from_centre(np.arange(3)), rtol=1e-9)


# ------------------------------------------------------------------ moments


@given(seed=seeds, sizes=st.lists(st.integers(1, 10), min_size=2, max_size=5), kind=st.sampled_from("dsp"))
def test_fisher_ratio_is_the_formula(seed, sizes, kind):
    """Dense, sparse or as a linear kernel matrix: squared distance of means over summed variances."""
    X, y = classes(seed, [n + 1 for n in sizes])
    given_form = {"d": (X, "rbf"), "s": (sp.csr_matrix(X), "rbf"), "p": (np.ascontiguousarray(X @ X.T), "precomputed")}
    samples, kernel = given_form[kind]
    moments = Moments.of(problem_of(samples, y, kernel=kernel))
    ratio = moments.fisher
    np.testing.assert_allclose(ratio, fisher.matrix(X, y), rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(moments.variance, [fisher.variance(X[y == c]) for c in range(len(sizes))], rtol=1e-7)


def test_fisher_ratio_on_one_feature_is_numpys():
    """On one feature the ratio is (difference of means)^2 / (sum of variances)."""
    X, y = classes(7, [12, 30], n_features=1)
    a, b = X[y == 0, 0], X[y == 1, 0]
    expected = (a.mean() - b.mean()) ** 2 / (a.var() + b.var())
    assert Moments.of(problem_of(X, y)).fisher[0, 1] == pytest.approx(expected, rel=1e-10)


def test_classes_without_variance_are_infinitely_far_apart():
    """Single samples have no variance: the ratio is infinite where they differ and 0 where they do not."""
    X = np.array([[0.0, 1.0], [2.0, 1.0], [2.0, 1.0]])
    ratio = Moments.of(problem_of(X, np.arange(3))).fisher
    assert ratio[0, 1] == ratio[0, 2] == np.inf
    assert ratio[1, 2] == 0.0


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e3 + 0.7])
def test_equal_samples_have_no_variance(value):
    """Classes of equal samples have variance 0, whatever the number is, so distinct ones are infinitely far apart."""
    X = np.repeat([[value, 2 * value], [3 * value, -value], [value, 7 * value]], 7, axis=0)
    moments = Moments.of(problem_of(X, np.repeat(np.arange(3), 7)))
    np.testing.assert_allclose(moments.variance, 0.0, atol=1e-12 * value**2)
    ratio = moments.fisher
    assert (ratio[~np.eye(3, dtype=bool)] > 1e9).all()


@pytest.mark.parametrize("sparse", [False, True])
def test_moments_of_samples_far_from_the_origin(sparse):
    """Moving all samples by 10^5 changes neither ratios nor distances from the centre."""
    X, y = classes(8, [20, 30, 25])
    near, far = problem_of(X, y), problem_of(sp.csr_matrix(X + 1e5) if sparse else X + 1e5, y)
    np.testing.assert_allclose(Moments.of(far).fisher, Moments.of(near).fisher, rtol=1e-5, atol=1e-9)
    some = np.array([0, 2])
    np.testing.assert_allclose(Moments.of(far).from_centre(some), Moments.of(near).from_centre(some), rtol=1e-5)


@given(seed=seeds, sizes=st.lists(st.integers(1, 20), min_size=2, max_size=6))
def test_distance_from_centre_is_that_of_the_means(seed, sizes):
    """The centre is the mean of all samples of the classes asked about, large classes counting more."""
    X, y = classes(seed, sizes)
    some = np.flatnonzero(np.random.default_rng(seed).random(len(sizes)) < 0.7)
    some = some if len(some) else np.array([0])
    centre = X[np.isin(y, some)].mean(axis=0)
    expected = [((X[y == c].mean(axis=0) - centre) ** 2).sum() for c in some]
    np.testing.assert_allclose(Moments.of(problem_of(X, y)).from_centre(some), expected, rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("name", ["glass", "vowel", "segment"])
def test_real_data(name):
    """On real data, distances and ratios are those of NumPy."""
    X, y, _, parameters = real_data(name)
    problem = problem_of(X, y, gamma=parameters["gamma"])
    expected = dense_formula(kernel_matrix("rbf", X, X, parameters["gamma"]), y)
    np.testing.assert_allclose(similarity(problem), expected, rtol=1e-10)
    np.testing.assert_allclose(Moments.of(problem).fisher, fisher.matrix(X, y), rtol=1e-8)
