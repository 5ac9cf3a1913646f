"""How training is chosen: centre, scale, precision, dense or sparse."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs, problem_of
from sklearn.datasets import load_iris

import dagmar
from dagmar import _core
from dagmar.problem.choices import centre_of, harmless_error, scale_of, single_serves, training_rows
from dagmar.problem.kernels import Kernel
from dagmar.problem.making import ProblemParameters, make_problem


def test_only_gaussian_and_linear_kernels_are_centred():
    """Centring changes no machine of these; sparse samples are not centred."""
    X = np.arange(6.0).reshape(3, 2)
    for name in ("rbf", "linear"):
        np.testing.assert_array_equal(centre_of(X, Kernel(name)), [2.0, 3.0])
        assert centre_of(sp.csr_matrix(X), Kernel(name)) is None
    for name in ("poly", "sigmoid"):
        assert centre_of(X, Kernel(name)) is None


RBF = Kernel("rbf")


def test_features_of_one_usual_value_are_centred_on_it(rng):
    """Most zeros stay zeros, wherever the origin is; features without such a value are centred on their mean."""
    X = np.where(rng.random((300, 40)) < 0.1, rng.normal(size=(300, 40)), 0.0)
    assert centre_of(X, RBF) is None
    X[:, :4] = rng.normal(3.0, 0.1, size=(300, 4))
    expected = np.r_[X[:, :4].mean(axis=0), np.zeros(36)]
    np.testing.assert_array_equal(centre_of(X, RBF), expected)
    X[:, 10] += 1.0
    expected[10] = 1.0
    np.testing.assert_array_equal(centre_of(X, RBF), expected)
    np.testing.assert_array_equal(centre_of(-X, RBF), -expected)


def test_usual_values_far_from_the_mean_are_no_centre(rng):
    """A cloud far away loses digits at a centre elsewhere, even if many samples are there."""
    X = np.zeros((400, 40))
    X[:, :2] = np.where(rng.random((400, 2)) < 0.7, rng.normal(1e3, 1.0, size=(400, 2)), 0.0)
    np.testing.assert_array_equal(centre_of(X, RBF), X.mean(axis=0))


def test_few_features_are_centred_on_zeros_only(rng):
    """Other usual values of short rows are not looked for."""
    X = np.where(rng.random((300, 8)) < 0.1, rng.normal(size=(300, 8)), 0.0)
    assert centre_of(X, RBF) is None
    np.testing.assert_allclose(centre_of(X + 1.0, RBF), X.mean(axis=0) + 1.0, rtol=1e-12)


def test_error_is_harmless_only_of_values_in_range_and_below_tol():
    """Not with large caps, a small tol, other kernels, or samples that are scaled or subtracted."""
    for caps in (np.ones(100), 1.0):
        assert harmless_error(Kernel("rbf", 0.1), 1e-7, caps, 100, 1e-3) == pytest.approx(4e-7)
        assert harmless_error(Kernel("rbf", 0.1), 1e-7, 1e3 * caps, 100, 1e-3) is None
        assert harmless_error(Kernel("rbf", 0.1), 1e-7, np.inf * caps, 100, 1e-3) is None
        assert harmless_error(Kernel("rbf", 0.1), 1e-7, 1e308 * caps, 100, 1e-3) is None
        assert harmless_error(Kernel("rbf", 0.1), 1e-7, caps, 100, 1e-6) is None
        assert harmless_error(Kernel("linear"), 1e-7, caps, 100, 1e-3) is None
        assert harmless_error(Kernel("rbf", 0.1, scale=2.0), 1e-7, caps, 100, 1e-3) is None
        assert harmless_error(Kernel("rbf", 0.1, by_differences=True), 1e-7, caps, 100, 1e-3) is None


def test_single_serves_where_it_is_asked_for_or_safe_and_worth_it():
    """A word of the user's decides; "auto" asks for many samples and a small error."""
    large, small = (10000, 10), (100, 10)
    assert single_serves("single", 1.0, small, 1e-3)
    assert not single_serves("double", 0.0, large, 1e-3)
    assert single_serves("auto", 1e-6, large, 1e-3)
    assert not single_serves("auto", 1e-6, small, 1e-3)
    assert not single_serves("auto", 1e-4, large, 1e-3)


@pytest.mark.parametrize("exponent", [-500, -200, -70, -31, -29, 0, 29, 31, 70, 200, 500])
def test_scale_brings_large_and_small_samples_into_range(exponent):
    """Ordinary samples are not scaled; others are scaled by a power of two that brings the largest norm to [1, 2)."""
    norm = 1.5 * 2.0**exponent
    scale = scale_of(norm**2)
    assert np.frexp(scale)[0] == 0.5
    if abs(exponent) < 30:
        assert scale == 1.0
    else:
        assert 1.0 <= norm * scale < 2.0


@pytest.mark.parametrize("norm2", [0.0, np.inf, np.nan])
def test_samples_without_a_size_are_not_scaled(norm2):
    """Zeros, and norms that overflow, leave the scale at 1."""
    assert scale_of(norm2) == 1.0


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
    problem = problem_of(scale * X, y, gamma=0.01, precision=precision)
    assert problem.precision == chosen
    assert problem.kernel_error > 0


def test_tight_tol_asks_for_double_precision():
    """What is safe for a coarse tol is not for a fine one."""
    X, y = blobs(0, 3, 600, 20)
    assert problem_of(X, y, gamma=0.01, precision="auto", tol=1e-3).precision == "single"
    assert problem_of(X, y, gamma=0.01, precision="auto", tol=1e-6).precision == "double"


def test_distance_from_the_origin_does_not_matter():
    """Samples are centred for Gaussian and linear kernels, so that those far away are as safe as near ones; not for others."""
    X, y = blobs(0, 3, 600, 20)
    for kernel, chosen in {"rbf": "single", "linear": "single", "poly": "double"}.items():
        assert problem_of(X + 1e4, y, kernel=kernel, gamma=0.01, precision="auto").precision == chosen


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_errors_are_judged_by_the_size_of_kernel_values(kernel):
    """Multiplying samples by a number changes nothing; if a few are much larger than the others, the error is theirs."""
    X, y = blobs(0, 3, 600, 20)
    X = X - X.mean(axis=0)
    for scale in (1.0, 1e3):
        problem = problem_of(scale * X, y, kernel=kernel, gamma=0.05 / scale**2, precision="auto")
        assert problem.precision == "single"
    X[::600] *= 1e3
    assert problem_of(X, y, kernel=kernel, gamma=0.05, precision="auto").precision == "double"


@pytest.mark.parametrize("kernel", [{"kernel": "linear"}, {"kernel": "poly", "gamma": 0.02, "coef0": 1.0}])
def test_large_values_in_single_precision_reach_the_same_optimum(kernel):
    """Values far above 1 are trained in single precision, and machines end as close to the optimum as in double precision."""
    X, y = blobs(0, 3, 300, 40, spread=8.0)
    single, double = (dagmar.SVC(C=10, **kernel, precision=precision).fit(X, y) for precision in ("auto", "double"))
    assert single.report_.choices["precision"].startswith("single")
    assert single.report_.converged.all()
    np.testing.assert_allclose(single.report_.objective, double.report_.objective, rtol=1e-4)
    np.testing.assert_allclose(single.decision_function(X), double.decision_function(X), atol=1e-2)


# --------------------------------------------------------------- dense or sparse


def some(n, d, share):
    return sp.random(n, d, share, format="csr", random_state=0)


@pytest.mark.parametrize(
    ("n", "d", "share", "dense"),
    [
        (100, 20, 0.1, True),  # small
        (131, 2000, 0.01, True),
        (132, 2000, 0.01, False),  # a text
        (1000, 1000, 0.49, False),
        (1000, 1000, 0.5, True),  # nearly dense
    ],
)
def test_sparse_samples_are_trained_as_dense_ones_if_small_or_nearly_dense(n, d, share, dense):
    """By the number of all numbers, and by the share that is stored."""
    X = some(n, d, share)
    rows = training_rows(X, "rbf")
    assert (rows is X) == (not dense)
    if dense:
        np.testing.assert_array_equal(rows, X.toarray())


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("gamma", ["scale", 0.3])
def test_the_container_changes_no_machine(kernel, gamma):
    """The same numbers give the same coefficients to the bit; support vectors stay in their container."""
    X, y = load_iris(return_X_y=True)
    ours, same = (dagmar.SVC(kernel=kernel, gamma=gamma).fit(rows, y) for rows in (sp.csr_matrix(X), X))
    np.testing.assert_array_equal(ours.dual_coef_.toarray(), same.dual_coef_)
    np.testing.assert_array_equal(ours.support_vectors_.toarray(), same.support_vectors_)
    np.testing.assert_allclose(ours.intercept_, same.intercept_, rtol=1e-12, atol=1e-12)
    for rows in (X, sp.csr_matrix(X)):
        np.testing.assert_array_equal(ours.predict(rows), same.predict(X))
    np.testing.assert_allclose(
        ours.decision_function(sp.csr_matrix(X)), same.decision_function(X), rtol=1e-9, atol=1e-9
    )
    assert ours.bank_.centre is None


def test_sparse_samples_far_from_the_origin_decide_in_double():
    """They are centred for training, but not for decisions, which would lose digits in single precision."""
    X, y = blobs(0, 3, 600, 20)
    near, far = (dagmar.SVC(gamma=0.01).fit(sp.csr_matrix(rows), y) for rows in (X, X + 1e4))
    assert (near.bank_.precision, far.bank_.precision) == ("single", "double")
    assert far.report_.choices["precision"].startswith("single")
    dense = dagmar.SVC(gamma=0.01).fit(X + 1e4, y)
    np.testing.assert_array_equal(far.dual_coef_.toarray(), dense.dual_coef_)
    np.testing.assert_array_equal(far.predict(X + 1e4), dense.predict(X + 1e4))
    np.testing.assert_allclose(far.pair_decisions(X + 1e4), dense.pair_decisions(X + 1e4), atol=1e-4)


# ------------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("X", "parameters", "words"),
    [
        (np.eye(4), {"kernel": "poly"}, {"samples": "dense", "centre": "none", "features": "floats"}),
        (sp.eye(4, format="csr"), {}, {"samples": "sparse, trained as dense", "distances": "from products"}),
        (some(600, 600, 0.01), {"precision": "single"}, {"samples": "sparse", "precision": "single, as asked"}),
        (np.arange(8.0).reshape(4, 2), {}, {"centre": "mean or usual values of the features"}),
        (1e9 + np.arange(8.0).reshape(4, 2), {"gamma": 1e3, "tol": 1e-9}, {"distances": "from differences"}),
        (
            np.eye(4),
            {"kernel": "precomputed"},
            {"precision": "double: there are too few samples for single precision to save time"},
        ),
        (np.eye(4), {}, {"precision": "double: there are too few samples for single precision to save time"}),
    ],
)
def test_choices_are_told_in_words(X, parameters, words):
    """The report of a fit says how it was trained."""
    problem, _ = make_problem(ProblemParameters(**{"gamma": 1.0, **parameters}), X, np.arange(X.shape[0]) % 2)
    assert {name: problem.words[name] for name in words} == words


def test_the_solver_and_the_choices_allow_for_the_same_errors():
    """There is one number, that of the solver."""
    assert _core.ALLOWED_ERRORS == 6.0


def test_levels_are_obeyed_by_all_calls_of_the_core(monkeypatch):
    """With DAGMAR_SIMD, no call asks for a higher instruction set."""
    monkeypatch.setenv("DAGMAR_SIMD", "plain")
    asked = []

    class Spy:
        def __getattr__(self, name):
            found = getattr(_core, name)
            if not callable(found) or isinstance(found, type):
                return found

            def call(*arguments, **named):
                asked.extend(a for a in (*arguments, *named.values()) if isinstance(a, _core.Level))
                return found(*arguments, **named)

            return call

    for module in ("choices", "kernels", "codes", "precision", "reductions"):
        monkeypatch.setattr(f"dagmar.problem.{module}._core", Spy())
    X, y = blobs(0, 3, 300, 40)
    make_problem(ProblemParameters(C=1e6, gamma=0.01), X, y)
    assert asked
    assert set(asked) == {_core.Level.plain}


def test_kernel_matrix_is_not_copied(rng):
    """A fit to a kernel matrix takes little memory beside it, and gives the machines of the linear kernel."""
    X = rng.normal(size=(1200, 3))
    y, K = (X[:, 0] > 0).astype(int), X @ X.T
    dagmar.SVC(kernel="precomputed").fit(K[:10, :10].copy(), [0, 1] * 5)  # what the first fit imports
    tracemalloc.start()
    by_matrix = dagmar.SVC(kernel="precomputed", C=0.01).fit(K, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.1 * K.nbytes
    linear = dagmar.SVC(kernel="linear", C=0.01, precision="double").fit(X, y)
    np.testing.assert_allclose(by_matrix.report_.objective, linear.report_.objective, rtol=1e-6)
    np.testing.assert_array_equal(by_matrix.predict(K), linear.predict(X))
