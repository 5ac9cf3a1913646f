"""The pair solver, against the reference, an exact oracle, and the conditions any optimum meets."""

import time

import numpy as np
import pytest
from children import SLOWER, run_forked
from helpers import LEVELS, problem_of, solve
from hypothesis import given
from hypothesis import strategies as st
from reference import qp, smo, working_set
from reference.kernels import kernel_matrix

import dagmar
from dagmar import _core
from dagmar.problem import separation

seeds = st.integers(0, 2**32 - 1)


def random_problem(seed, n, *, soft=True, scale=1.0):
    """A kernel matrix, signs with both kinds in them, targets and caps; the samples come from one cloud."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    K = kernel_matrix("rbf", X, X, gamma=0.5)
    s = np.where(rng.permutation(n) < max(1, n // 3), 1.0, -1.0)
    t = rng.uniform(0.1, 1.0, n) if soft else np.ones(n)
    U = scale * rng.uniform(0.2, 3.0, n)
    return K, s, t, U


def assert_optimal(K, s, t, found, tol):
    """The KKT conditions within tol, the box, the equality, and the duality gap, all from scratch."""
    lam, U = found.lam, found.U
    G = smo.gradient(K, s, t, lam)
    top, bottom = smo.extremes(s, U, lam, G)
    assert (lam >= 0).all()
    assert (lam <= U).all()
    assert abs(s @ lam) <= 1e-11 * max(1.0, lam.sum())
    assert top - bottom < tol * (1 + 1e-6) + 1e-9
    if np.isfinite(U).all():
        duality_gap = smo.primal_value(s, t, U, lam, G, found.bias) + smo.dual_value(t, lam, G)
        assert -1e-9 <= duality_gap <= tol * U.sum() + 1e-9


@given(seed=seeds, n=st.integers(2, 60), tol=st.sampled_from([1e-2, 1e-3, 1e-6]), scale=st.sampled_from([0.01, 1, 100]))
def test_answer_meets_the_kkt_conditions(seed, n, tol, scale):
    """Whatever the signs, targets and caps, the answer is within tol of optimal."""
    K, s, t, U = random_problem(seed, n, scale=scale)
    assert_optimal(K, s, t, solve(K, s, t, U, tol=tol), tol)


@given(seed=seeds, n=st.integers(2, 40))
def test_reported_numbers_are_those_of_the_answer(seed, n):
    """Gap, objective and squared norm in the report are those recomputed from lambda."""
    K, s, t, U = random_problem(seed, n)
    found = solve(K, s, t, U)
    G = smo.gradient(K, s, t, found.lam)
    top, bottom = smo.extremes(s, found.U, found.lam, G)
    assert found.gap == pytest.approx(max(0.0, top - bottom), abs=1e-9)
    assert found.objective == pytest.approx(smo.dual_value(t, found.lam, G), abs=1e-9)
    assert found.norm2 == pytest.approx((s * found.lam) @ K @ (s * found.lam), abs=1e-9)
    assert found.bias == pytest.approx(smo.bias_of(s, found.U, found.lam, G), abs=1e-9)


@given(seed=seeds, n=st.integers(2, 40), tol=st.sampled_from([1e-3, 1e-6]))
def test_agrees_with_the_reference_solver(seed, n, tol):
    """Core and reference find the same optimum."""
    K, s, t, U = random_problem(seed, n)
    found, slow = solve(K, s, t, U, tol=tol), smo.solve(K, s, t, U, tol=tol)
    assert found.objective == pytest.approx(slow.objective, abs=tol * U.sum())
    if tol == 1e-6:
        np.testing.assert_allclose(K @ (s * found.lam), K @ (s * slow.lam), atol=1e-3)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [2, 31, 100, 300])
def test_takes_the_steps_of_the_reference(n, level, seed):
    """In double precision the core takes the steps of the algorithm on paper.

    With caps so small that most steps end at one: a step that ends between them leaves two samples of equal score, and
    rounding would choose between them.
    """
    K, s, t, U = random_problem(seed, n, scale=0.03)
    order = np.concatenate([np.arange(0, n, 2), np.arange(1, n, 2)])  # as the core is given them
    found = solve(K, s, t, U, tol=0.1, level=level)
    slow = working_set.solve(
        K[np.ix_(order, order)], s[order], t[order], found.U[order], [(n + 1) // 2, n // 2], tol=0.1
    )
    assert found.iterations == slow.iterations
    np.testing.assert_allclose(found.lam[order], slow.lam, atol=1e-12)
    assert found.gap == pytest.approx(slow.gap, abs=1e-12)


@pytest.mark.parametrize("scale", [0.03, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("n", [2, 31, 100, 300])
def test_rounded_scores_lead_to_the_optimum(n, scale, seed):
    """Steps over rows in single precision round scores, too. The answer is still within tol, also where that is too coarse.

    The kernel values are such that single precision holds them. The width of the registers changes nothing.
    """
    K, s, t, U = random_problem(seed, n, scale=scale)
    K = K.astype(np.float32).astype(float)
    for tol in (1e-3, 1e-6):
        found = [solve(K, s, t, U, tol=tol, level=level, precision=_core.Precision.single) for level in LEVELS]
        for one in found:
            assert one.status == int(_core.Status.converged)
            assert_optimal(K, s, t, one, tol)
        for one in found[2:]:  # without fused operations, the plain level rounds otherwise
            np.testing.assert_array_equal(one.lam, found[1].lam)


@given(seed=seeds, n=st.integers(2, 60))
def test_the_two_references_find_the_same_optimum(seed, n):
    """Whether one pair at a time or a working set: within tol it is the same answer."""
    K, s, t, U = random_problem(seed, n)
    pairs, sets = smo.solve(K, s, t, U, tol=1e-6), working_set.solve(K, s, t, U, [n // 2, n - n // 2], tol=1e-6)
    assert sets.gap < 1e-6
    assert sets.objective == pytest.approx(pairs.objective, abs=1e-6 * U.sum())


@given(seed=seeds, n=st.integers(2, 6), scale=st.sampled_from([0.05, 1, 50]))
def test_agrees_with_the_exact_oracle(seed, n, scale):
    """On tiny problems with unequal targets and caps the objective is the exact minimum."""
    K, s, t, U = random_problem(seed, n, scale=scale)
    best, _ = qp.solve(K, s, t, U)
    found = solve(K, s, t, U, tol=1e-9)
    assert found.objective == pytest.approx(best, abs=1e-7 * max(1.0, U.sum()))
    assert found.objective >= best - 1e-7 * max(1.0, U.sum())


@given(seed=seeds)
def test_agrees_with_the_exact_oracle_without_caps(seed):
    """A hard margin on separable images of samples is the exact minimum, too."""
    K, s, t, _ = random_problem(seed, 5, soft=False)
    U = np.full(5, np.inf)
    best, _ = qp.solve(K, s, t, U)
    found = solve(K, s, t, U, tol=1e-9)
    assert found.objective == pytest.approx(best, rel=1e-6)


def test_reference_agrees_with_the_exact_oracle(seed):
    """The two slow versions find the same minimum."""
    for n in range(2, 7):
        K, s, t, U = random_problem(seed + n, n)
        assert smo.solve(K, s, t, U, tol=1e-10).objective == pytest.approx(qp.solve(K, s, t, U)[0], abs=1e-8)


@pytest.mark.parametrize(("first", "second"), [(0.3, 5.0), (5.0, 0.4), (50.0, 80.0)])
def test_two_samples_have_a_closed_form(first, second):
    """Both multipliers are the least of the caps and 2 / distance squared."""
    X = np.array([[0.0, 1.0], [1.0, 0.5]])
    K = kernel_matrix("rbf", X, X, gamma=0.7)
    expected = min(first, second, 2 / (K[0, 0] + K[1, 1] - 2 * K[0, 1]))
    found = solve(K, [1, -1], [1, 1], [first, second])
    np.testing.assert_allclose(found.lam, expected, rtol=1e-12)
    if expected < min(first, second):
        assert found.bias == pytest.approx(0.0, abs=1e-12)


@given(seed=seeds, n=st.integers(4, 30))
def test_absent_samples_change_nothing(seed, n):
    """A sample of cap zero, or of soft label zero, is as good as absent."""
    K, s, t, U = random_problem(seed, n)
    away = np.random.default_rng(seed).random(n) < 0.3
    here = ~away
    without = solve(K[np.ix_(here, here)], s[here], t[here], U[here], tol=1e-8)
    no_cap = solve(K, s, t, np.where(away, 0.0, U), tol=1e-8)
    no_label = solve(K, s, np.where(away, 0.0, t), U, tol=1e-8)
    for found in (no_cap, no_label):
        assert (found.lam[away] == 0).all()
        assert found.objective == pytest.approx(without.objective, abs=1e-7)
        assert found.bias == pytest.approx(without.bias, abs=1e-5)


def test_problem_of_one_sign_has_the_zero_answer():
    """With samples of one sign only, no multiplier can move, and the value is for their side."""
    K = np.eye(3)
    for sign in (1.0, -1.0):
        found = solve(K, np.full(3, sign), np.ones(3), np.ones(3))
        assert (found.lam == 0).all()
        assert found.bias == sign


def test_tiny_caps_leave_no_sample_free(seed):
    """With caps so small that every sample is at its own, the bias is the middle of what is allowed."""
    K, s, _, _ = random_problem(seed, 20)
    s = np.where(np.arange(20) < 10, 1.0, -1.0)
    t, U = np.ones(20), np.full(20, 1e-4)
    found = solve(K, s, t, U)
    np.testing.assert_array_equal(found.lam, U)
    assert_optimal(K, s, t, found, 1e-3)
    top, bottom = smo.extremes(s, U, found.lam, smo.gradient(K, s, t, found.lam))
    assert found.bias == pytest.approx((top + bottom) / 2)


def test_identical_samples_with_opposite_signs(seed):
    """Two equal samples that disagree are both at their caps, and the solver ends."""
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(6, 2)), 2, axis=0)
    K = kernel_matrix("rbf", X, X)
    s, t, U = np.tile([1.0, -1.0], 6), np.ones(12), np.full(12, 2.0)
    found = solve(K, s, t, U)
    np.testing.assert_array_equal(found.lam, U)
    assert_optimal(K, s, t, found, 1e-3)


def test_max_iter_is_a_limit():
    """The solver takes no more steps than it may, and says that it did not converge."""
    K, s, t, U = random_problem(0, 50, scale=100)
    found = solve(K, s, t, U, max_iter=7)
    assert found.iterations == 7
    assert found.status != 0
    assert found.gap > 1e-3


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_every_kernel_meets_the_kkt_conditions(two_moons, kernel):
    """Machines of each kernel are within tol of optimal, by a kernel matrix that NumPy computed."""
    X, y = two_moons
    clf = dagmar.SVC(kernel=kernel, C=2.0, gamma=0.4, coef0=0.3, degree=2).fit(X, y)
    K = kernel_matrix(kernel, X, X, 0.4, 0.3, 2)
    s = np.where(y == 1, 1.0, -1.0)
    lam = np.zeros(len(y))
    lam[clf.bank_.support[clf.bank_.index]] = np.abs(clf.bank_.coef)
    top, bottom = smo.extremes(s, np.full(len(y), 2.0), lam, smo.gradient(K, s, np.ones(len(y)), lam))
    assert top - bottom < 1e-3 * (1 + 1e-6)


# ----------------------------------------------------------- metamorphic, through SVC


def values(X, y, at, *, C=2.0, gamma=0.5, sample_weight=None):
    clf = dagmar.SVC(C=C, gamma=gamma, tol=1e-8, kernel="rbf").fit(X, y, sample_weight)
    return clf.decision_function(at)


@pytest.fixture
def moons_and_probes(two_moons, rng):
    return (*two_moons, rng.uniform(-1, 2, size=(40, 2)))


def test_duplicating_samples_and_halving_c_changes_nothing(moons_and_probes):
    """Every sample twice at half the price is the same problem."""
    X, y, at = moons_and_probes
    twice = values(np.vstack([X, X]), np.append(y, y), at, C=1.0)
    np.testing.assert_allclose(twice, values(X, y, at), atol=1e-5)


def test_order_of_samples_changes_nothing(moons_and_probes, rng):
    """Samples in another order give the same values within tol."""
    X, y, at = moons_and_probes
    p = rng.permutation(len(y))
    np.testing.assert_allclose(values(X[p], y[p], at), values(X, y, at), atol=1e-5)


def test_swapping_the_classes_changes_the_sign(moons_and_probes):
    """With the labels swapped, values change sign."""
    X, y, at = moons_and_probes
    np.testing.assert_allclose(values(X, 1 - y, at), -values(X, y, at), atol=1e-5)


def test_moving_all_samples_changes_nothing(moons_and_probes):
    """A Gaussian kernel sees differences only."""
    X, y, at = moons_and_probes
    move = np.array([100.0, -40.0])
    np.testing.assert_allclose(values(X + move, y, at + move), values(X, y, at), atol=1e-5)


def test_scaling_samples_and_gamma_changes_nothing(moons_and_probes):
    """Samples times a with gamma over a squared are the same problem."""
    X, y, at = moons_and_probes
    np.testing.assert_allclose(values(7 * X, y, 7 * at, gamma=0.5 / 49), values(X, y, at), atol=1e-5)


def test_weight_two_is_the_sample_twice(moons_and_probes):
    """Doubling a weight is the same as repeating the sample."""
    X, y, at = moons_and_probes
    heavy = np.arange(len(y)) % 3 == 0
    weighted = values(X, y, at, sample_weight=np.where(heavy, 2.0, 1.0))
    repeated = values(np.vstack([X, X[heavy]]), np.append(y, y[heavy]), at)
    np.testing.assert_allclose(weighted, repeated, atol=1e-5)


def test_weight_zero_is_the_sample_absent(moons_and_probes):
    """A sample of weight zero does not exist."""
    X, y, at = moons_and_probes
    here = np.arange(len(y)) % 3 != 0
    weighted = values(X, y, at, sample_weight=here.astype(float))
    np.testing.assert_allclose(weighted, values(X[here], y[here], at), atol=1e-5)


def test_class_of_weight_zero_never_wins(three_blobs):
    """A class whose samples all have weight zero is absent."""
    X, y = three_blobs
    for structure in ("ddag", "max_wins"):
        clf = dagmar.SVC(structure=structure).fit(X, y, sample_weight=(y != 1).astype(float))
        assert set(clf.predict(X)) == {0, 2}


# ------------------------------------------------------------------- corner cases


def test_one_sample_per_class(rng):
    """One sample of each class is enough to tell them apart."""
    X = 3 * rng.normal(size=(5, 3))
    for structure in ("ddag", "max_wins", "one_vs_rest"):
        clf = dagmar.SVC(C=10, structure=structure).fit(X, np.arange(5))
        np.testing.assert_array_equal(clf.predict(X), np.arange(5))


def test_classes_of_identical_samples(rng):
    """Two classes with the same samples train and answer; the machine has nothing to say."""
    X = rng.normal(size=(10, 2))
    clf = dagmar.SVC().fit(np.vstack([X, X]), np.repeat([0, 1], 10))
    np.testing.assert_allclose(clf.decision_function(X), 0.0, atol=1e-9)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_constant_features(precision):
    """Samples that are all the same train and answer, with gamma "scale" too."""
    X, y = np.full((12, 3), 7.0), np.repeat([0, 1, 2], 4)
    clf = dagmar.SVC(precision=precision).fit(X, y)
    assert np.isfinite(clf.pair_decisions(X)).all()
    assert len(set(clf.predict(X))) == 1


def test_infinite_c_on_separable_data_is_the_hard_margin(rng):
    """Every sample is on or outside the margin, and the margin is 1 / |w|."""
    X = rng.normal(size=(40, 2)) + np.where(np.arange(40) % 2, 5.0, -5.0)[:, None]
    y = np.arange(40) % 2
    clf = dagmar.SVC(C=np.inf, kernel="linear", tol=1e-6).fit(X, y)
    margins = clf.decision_function(X) * (2 * y - 1)
    assert margins.min() == pytest.approx(1.0, abs=1e-5)
    assert clf.report_.norm2[0] == pytest.approx((clf.coef_**2).sum(), rel=1e-6)


def test_infinite_c_on_inseparable_data_names_the_classes(rng):
    """A hard margin that does not exist is an error that names the classes, within seconds."""
    X = rng.normal(size=(60, 2))
    y = np.array(["ant", "bee", "cat"])[np.arange(60) % 3]
    X[y == "cat"] += 50
    begun = time.process_time()
    with pytest.raises(ValueError, match=r"cannot be separated: \(ant, bee\)$"):
        dagmar.SVC(C=np.inf, kernel="linear").fit(X, y)
    assert time.process_time() - begun < 5 * SLOWER


def test_infinite_c_on_equal_samples_of_two_classes_is_an_error():
    """One sample in two classes cannot be separated by anything."""
    X = np.array([[0.0], [1.0], [1.0], [2.0]])
    begun = time.perf_counter()
    with pytest.raises(ValueError, match="cannot be separated"):
        dagmar.SVC(C=np.inf, gamma=1.0).fit(X, [0, 0, 1, 1])
    assert time.perf_counter() - begun < 5 * SLOWER


def test_unscaled_data_is_still_solved(two_moons):
    """Features of a million, uncentred, give the same machine as the same samples near the origin."""
    X, y = two_moons
    near = dagmar.SVC(C=5, gamma=1.0, tol=1e-6).fit(X, y)
    for precision in ("auto", "single", "double"):
        far = dagmar.SVC(C=5, gamma=1.0, tol=1e-6, precision=precision).fit(X + 1e6, y)
        np.testing.assert_allclose(far.decision_function(X + 1e6), near.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_precomputed_kernel_meets_the_kkt_conditions_in_any_precision(two_moons, precision):
    """Asking for single precision does not cost a precomputed kernel its accuracy."""
    X, y = two_moons
    K = 1e4 + kernel_matrix("linear", X, X)
    clf = dagmar.SVC(kernel="precomputed", C=10.0, precision=precision).fit(K, y)
    s, lam = np.where(y == 1, 1.0, -1.0), np.zeros(len(y))
    lam[clf.bank_.support[clf.bank_.index]] = np.abs(clf.bank_.coef)
    top, bottom = smo.extremes(s, np.full(len(y), 10.0), lam, smo.gradient(K, s, np.ones(len(y)), lam))
    assert top - bottom < 1e-3 * (1 + 1e-6) + 1e-9


# ------------------------------------------- numbers that overflow, and no progress

BEGIN = """
import numpy as np
from numpy import inf, nan
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from dagmar import SVC
import warnings
X, y = load_digits(return_X_y=True)
iris = load_iris(return_X_y=True)
rng = np.random.default_rng(0)
indefinite = rng.normal(size=(100, 100))
indefinite += indefinite.T
thirds = np.arange(100) % 3
"""
ERRORS = {
    # Kernels that are not positive semi-definite, and classes that cannot be separated.
    "SVC(kernel='sigmoid', C=inf).fit([[0.], [1.], [2.], [3.]], [0, 1, 0, 1])": "not positive semi-definite",
    "SVC(kernel='precomputed', C=inf).fit([[0., 1.], [1., 0.]], [0, 1])": "not positive semi-definite",
    "SVC(kernel='precomputed', C=inf).fit(indefinite, thirds)": "not positive semi-definite",
    "SVC(kernel='precomputed', C=inf).fit(-np.eye(4), [0, 1, 0, 1])": "not positive semi-definite",
    "SVC(kernel='precomputed', C=inf).fit(np.zeros((4, 4)), [0, 1, 0, 1])": "cannot be separated",
    "SVC(kernel='linear', C=inf).fit(X[:, :3], y)": "cannot be separated",
    # Kernel values that overflow.
    "SVC(kernel='poly', degree=3, gamma=1., precision='double').fit(X * 1e55, y)": "not finite",
    "SVC(kernel='precomputed').fit([[1e308, -1e308], [-1e308, 1e308]], [0, 1])": "not finite",
    "SVC(kernel='linear').fit(X * 1e160, y)": "not finite",
    "SVC(kernel='poly', degree=10**6).fit(X[:200], y[:200])": "not finite",
    # Weights.
    "SVC(class_weight={0: inf}).fit(X, y)": "class_weight contains NaN or infinity",
    "SVC(class_weight={0: -inf}).fit(X, y)": "class_weight contains NaN or infinity",
    "SVC(class_weight={0: nan}).fit(X, y)": "class_weight contains NaN or infinity",
}
SCORES = {
    # Double precision takes over where single precision overflows.
    "SVC(kernel='poly').fit(X * 1e-22, y).score(X * 1e-22, y) > 0.99": None,
    "SVC(kernel='linear', precision='single').fit(X * 1e25, y).score(X * 1e25, y) > 0.99": None,
    # A power by squaring.
    "SVC(kernel='poly', degree=10**6, gamma=1e-9, coef0=1.).fit(X, y).score(X, y) > 0.95": None,
    "SVC(kernel='poly', degree=2**31 - 1, gamma=1e-4).fit(X[:200], y[:200]) is not None": None,
    # Curvatures far below 1e-12, and multipliers far above 1.
    "SVC(kernel='linear', C=1e20).fit(X * 1e-10, y).score(X * 1e-10, y) > 0.99": None,
    "SVC(kernel='linear', C=1e300).fit(X * 1e-150, y).score(X * 1e-150, y) > 0.99": None,
    "SVC(kernel='linear', C=1e10).fit(*iris).score(*iris) > 0.97": None,
    # A tol that rounding does not allow.
    "SVC(tol=1e-300).fit(X[:500], y[:500]).score(X, y) > 0.9": "no further progress",
    "SVC(kernel='linear', C=1e3, tol=1e-15).fit(*iris).score(*iris) > 0.97": "no further progress",
    "SVC(kernel='precomputed', C=1e300).fit(indefinite, thirds).fit_status_ == 1": "not positive semi-definite",
    "SVC(kernel='linear', precision='single').fit(indefinite[:20, :3] * 1e25, thirds[:20]).fit_status_ == 1": "progress",
}


def run(code):
    """Run code in a process of its own, in which nothing may crash or hang; returns what it prints."""
    return run_forked(BEGIN + code)


@pytest.mark.parametrize("call", ERRORS)
def test_problem_without_a_finite_answer_is_an_error_that_names_the_cause(call):
    """Overflow and unbounded problems end in a ValueError, at once."""
    told = run(f"""
try:
    {call}
except ValueError as error:
    print(error)
""")
    assert ERRORS[call] in told


@pytest.mark.parametrize("call", SCORES)
def test_extreme_problem_ends_with_a_model(call):
    """Extreme scales, degrees, C and tol end soon, with a model as good as can be; what did not converge is reported."""
    told = run(f"""
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert {call}
assert {{c.category for c in caught}} <= {{ConvergenceWarning}}
print(*(c.message for c in caught))
""")
    assert (SCORES[call] or "") in told
    assert (told.strip() == "") == (SCORES[call] is None)
    assert "max_iter" not in told


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["diagonal", "some", "all"])
def test_kernel_values_that_are_not_finite_are_noticed(level, bad, where, seed):
    """One such value in a row that the solver needs is enough, on every instruction set; no number goes on from there."""
    K, s, t, U = random_problem(seed, 40)
    if where == "diagonal":
        K[3, 3] = bad
    elif where == "some":
        K[:, ::7] = K[::7] = bad
    else:
        K[:] = bad
    found = solve(K, s, t, U, level=level)
    assert found.status == int(_core.Status.not_finite)
    assert (found.lam == 0).all()


def test_tol_below_rounding_ends_as_stalled(seed):
    """A gap that cannot be reached ends the solver soon, with the gap as small as rounding allows."""
    K, s, t, U = random_problem(seed, 200, scale=100)
    found = solve(K, s, t, U, tol=1e-300)
    assert found.status == int(_core.Status.stalled)
    assert found.gap < 1e-10
    assert found.iterations < 2_000_000


@pytest.mark.parametrize("cap", [300.0, 315.6225223461721])
def test_rounding_of_a_million_equal_steps_is_seen(cap):
    """Steps that are all alike round lambda the same way each time; the gap of a converged machine is true all the same."""
    x = np.array([192.0, -64.0, 192.0] + 7 * [0.0])
    s = np.array([1.0, 1.0, -1.0] + 4 * [-1.0] + 3 * [1.0])
    order = [0, 7, 1, 8, 9, 3, 4, 2, 5, 6]
    K, s, t, U = np.outer(x, x)[np.ix_(order, order)], s[order], np.ones(10), np.full(10, cap)
    found = solve(K, s, t, U, tol=6.6e-5)
    assert found.status == 0
    assert found.iterations > 100_000
    assert_optimal(K, s, t, found, 6.6e-5)


@pytest.mark.parametrize("seed", [1, 6, 7])
def test_coefficients_add_up_to_zero_after_far_larger_ones(seed):
    """In single precision, multipliers of these samples grow to 1e36, of which the optimum in double precision has none."""
    rng = np.random.default_rng(seed)
    X, y = 1e-10 * rng.normal(size=(24, 20)), rng.integers(0, 3, 24)
    X[8, 0] = 1.7e-5
    clf = dagmar.SVC(kernel="linear", C=5e35, soft_labels=5, precision="single").fit(X, y)
    assert clf.report_.converged.all()
    for coef in np.split(clf.bank_.coef, clf.bank_.begin[1:-1]):
        assert abs(coef.sum()) <= 1e-9 * np.abs(coef).sum()


def test_overlapping_classes_with_a_huge_cap_reach_the_optimum(rng):
    """Multipliers that must grow to 1e9 get there in few steps, and the answer is optimal."""
    X = rng.normal(size=(60, 2))
    s = np.where(np.arange(60) % 2, 1.0, -1.0)
    X[:, 0] += s
    t, U = np.ones(60), np.full(60, 1e9)
    found = solve(X @ X.T, s, t, U, tol=1e-2)
    assert found.status == int(_core.Status.converged)
    assert_optimal(X @ X.T, s, t, found, 1e-1)
    assert found.iterations < 20_000_000


@pytest.mark.parametrize("scale", [2.0**-300, 2.0**-60, 2.0**60, 2.0**300])
def test_scaling_the_kernel_and_the_caps_changes_nothing(scale, seed):
    """K times a with caps over a is the same problem, also where all curvatures are below 1e-12."""
    K, s, t, U = random_problem(seed, 50)
    plain, scaled = solve(K, s, t, U), solve(K * scale, s, t, U / scale)
    assert scaled.status == 0
    np.testing.assert_allclose(scaled.lam * scale, plain.lam, rtol=1e-6)


def test_asymmetric_kernel_matrix_ends(rng):
    """Steps over a matrix that is not symmetric may go round in circles; the solver ends all the same."""
    K = rng.normal(size=(80, 80))
    begun = time.process_time()
    solve(K, np.where(np.arange(80) % 2, 1.0, -1.0), np.ones(80), np.full(80, 10.0))
    assert time.process_time() - begun < 5 * SLOWER


@pytest.mark.parametrize("degree", [0, 1, 2, 3, 5, 9, 16, 17, 18, 1001, 10**6])
def test_power_of_any_degree(degree, rng):
    """A power is a chain of products up to degree 16, to the bit; beyond, it is close to that and has its sign."""
    X = rng.uniform(0.999, 1.0, size=(20, 1))
    problem = problem_of(X, np.arange(20), kernel="poly", gamma=-1.0, degree=degree)
    found = separation.similarity(problem, None, 1)  # of classes of one sample
    power, base = np.ones((20, 20)), -(X @ X.T)
    for _ in range(min(degree, 1001)):
        power = power * base
    if degree <= 16:
        np.testing.assert_array_equal(found, power)
    else:
        np.testing.assert_allclose(found, base**degree, rtol=1e-9)
        if degree == 1001:
            np.testing.assert_allclose(found, power, rtol=1e-9)


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_active_samples_are_visited_alone(scale):
    """A problem of many samples, few of which are free in the end: the answer is optimal, after visits to those alone."""
    n = 2300
    rng = np.random.default_rng(12)
    X = rng.normal(size=(n, 3))
    s = np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)
    K = kernel_matrix("rbf", X, X, gamma=0.5)
    t, U = np.ones(n), np.full(n, scale)
    found = solve(K, s, t, U)
    assert found.status == 0
    free = (found.lam > 0) & (found.lam < found.U)
    assert 2 < free.sum() < n // 4
    assert_optimal(K, s, t, found, 1e-3)
