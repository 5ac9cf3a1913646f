"""Deciding: how samples are batched, ordered and threaded changes nothing, and single precision keeps every sign."""

import time
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from children import SLOWER
from helpers import as_double, as_single, decide, random_bank, trace, values_of
from hypothesis import assume, given
from hypothesis import strategies as st
from reference.kernels import kernel_matrix, machine_values
from sklearn.datasets import load_digits

import dagmar
from dagmar.problem.kernels import Kernel
from dagmar.problem.samples import as_data
from dagmar.structures import as_structure

STRUCTURES = ["ddag", "max_wins", "one_vs_rest"]
PRECISIONS = ["single", "double"]
KERNELS = {
    "rbf": Kernel("rbf", gamma=0.3),
    "linear": Kernel("linear"),
    "poly": Kernel("poly", gamma=0.3, coef0=0.5, degree=3),
    "sigmoid": Kernel("sigmoid", gamma=0.2, coef0=0.1),
}


@pytest.fixture(scope="module")
def fitted(seven_blobs):
    """A model for each structure and precision, and samples to decide, many of them in doubt."""
    X, y = seven_blobs
    rng = np.random.default_rng(5)
    probes = np.vstack([X, rng.uniform(X.min(), X.max(), size=(200, 5))])
    models = {
        (s, p): dagmar.SVC(C=3.0, gamma=0.1, structure=s, precision=p).fit(X, y) for s in STRUCTURES for p in PRECISIONS
    }
    return models, probes


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_slicing_changes_nothing(fitted, structure, precision):
    """Labels and decision values are the same to the bit however the samples are cut into batches."""
    models, X = fitted
    clf = models[structure, precision]
    labels, values = clf.predict(X), clf.decision_function(X)
    for size in (1, 2, 3, 7, 16, 24, 25, 63, 64, 65, 200):
        cuts = range(0, len(X) if size > 6 else 60, size)
        np.testing.assert_array_equal(
            np.concatenate([clf.predict(X[i : i + size]) for i in cuts]), labels[: cuts[-1] + size]
        )
        parts = np.concatenate([clf.decision_function(X[i : i + size]) for i in cuts])
        np.testing.assert_array_equal(parts, values[: cuts[-1] + size])


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_order_of_rows_changes_nothing(fitted, structure, precision, rng):
    """Each sample has its label and values wherever it stands."""
    models, X = fitted
    clf = models[structure, precision]
    p = rng.permutation(len(X))
    np.testing.assert_array_equal(clf.predict(X[p]), clf.predict(X)[p])
    np.testing.assert_array_equal(clf.decision_function(X[p]), clf.decision_function(X)[p])


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_threads_change_nothing(fitted, structure, precision):
    """Labels, values and paths are the same to the bit for any number of threads."""
    models, X = fitted
    clf = models[structure, precision]
    plan = clf.plan_
    for n_threads in (2, 3, 8):
        np.testing.assert_array_equal(decide(clf.bank_, plan, X, n_threads), decide(clf.bank_, plan, X))
        np.testing.assert_array_equal(values_of(clf.bank_, X, n_threads), values_of(clf.bank_, X))
        assert trace(clf.bank_, plan, X, n_threads)[1] == trace(clf.bank_, plan, X)[1]


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_path_ends_at_the_prediction(fitted, structure, precision):
    """decision_path and predict have the same answer for every sample."""
    models, X = fitted
    clf = models[structure, precision]
    np.testing.assert_array_equal(clf.classes_[clf.decision_path(X).answers], clf.predict(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", KERNELS)
def test_values_are_those_of_the_formula(kernel, dtype, rng):
    """In double precision, values agree with NumPy's to rounding, also for samples of single precision."""
    bank = random_bank(0, 5, kernel=KERNELS[kernel])
    X = rng.normal(size=(70, 6)).astype(dtype)
    np.testing.assert_allclose(values_of(bank, X), machine_values(bank, X), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_labels_in_single_precision_are_those_of_double(fitted, structure):
    """The same machines give the same labels whatever precision they decide in."""
    models, X = fitted
    clf = models[structure, "double"]
    bank = clf.bank_
    single = as_single(bank)
    np.testing.assert_array_equal(decide(single, clf.plan_, X), decide(bank, clf.plan_, X))


def test_fits_in_single_and_double_precision_agree(fitted):
    """Models fitted in either precision have the same labels wherever values are not within tol of zero."""
    models, X = fitted
    for structure in STRUCTURES:
        single, double = models[structure, "single"], models[structure, "double"]
        values = double.pair_decisions(X)
        sure = np.abs(values).min(axis=1) > 5e-3
        if structure == "one_vs_rest":
            ranked = np.sort(values, axis=1)
            sure = ranked[:, -1] - ranked[:, -2] > 5e-3
        assert sure.sum() > 100
        np.testing.assert_array_equal(single.predict(X)[sure], double.predict(X)[sure])
        np.testing.assert_allclose(single.pair_decisions(X), values, atol=5e-3)


def boundary_samples(bank, rng, n=60, n_steps=60, scale=1.0):
    """Samples so near a machine's zero that single precision cannot tell the side: found by bisection in double."""
    d, K = bank.vectors.shape[1], bank.n_machines
    a, b = scale * rng.normal(size=(2, 40 * n, d))
    m = rng.integers(0, K, 40 * n)

    def value(X):
        return values_of(bank, X)[np.arange(len(X)), m[: len(X)]]

    apart = np.sign(value(a)) != np.sign(value(b))
    a, b, m = a[apart][:n], b[apart][:n], m[apart][:n]
    sign = np.sign(value(a))
    for _ in range(n_steps):
        middle = (a + b) / 2
        same = (np.sign(value(middle)) == sign)[:, None]
        a, b = np.where(same, middle, a), np.where(same, b, middle)
    return np.vstack([a, b, *(a + scale * size * rng.normal(size=a.shape) for size in (1e-10, 1e-9, 1e-8, 1e-7))])


@pytest.mark.parametrize("kernel", KERNELS)
def test_signs_in_single_precision_are_those_of_double(kernel, rng):
    """The same machines give the same signs in both precisions, even next to the boundary."""
    bank = random_bank(1, 5, kernel=KERNELS[kernel])
    X = np.vstack([rng.normal(size=(300, 6)), boundary_samples(bank, rng)])
    exact = machine_values(bank, X)
    known = np.abs(exact) > 1e-12 * np.abs(exact).max()  # nearer than that, double precision itself is at a loss
    assert (np.abs(exact)[known] < 1e-7).sum() > 50
    single = values_of(as_single(bank), X)
    np.testing.assert_array_equal((single >= 0)[known], (exact >= 0)[known])


@pytest.mark.parametrize(("gamma", "width"), [(1e-5, 4e-5), (1e-3, 4e-5), (0.02, 4e-6), (0.1, 4e-8), (0.5, 4e-14)])
def test_long_sums_in_single_precision_keep_their_sign(gamma, width, rng):
    """Hundreds of kernel values add up far from zero, one side first; the rounding of that is reckoned with.

    So is that of values far below one, whose sums are small.
    """
    bank = random_bank(6, 2, per_class=400, n_features=40, kernel=Kernel("rbf", gamma=gamma))
    earlier = bank.index < bank.class_start[1]
    bank = replace(bank, coef=np.where(earlier, -1.0, 1.0) * np.abs(bank.coef))
    X = rng.normal(size=(500, 40))
    values = machine_values(bank, X)
    for offset in np.linspace(-width, width, 9):  # nearer to zero than single precision can tell
        shift = offset - np.median(values)
        moved, exact = replace(bank, bias=bank.bias + shift), values + shift
        known = np.abs(exact) > max(1e-15, 1e-13 * np.abs(values).max())
        np.testing.assert_array_equal((values_of(as_single(moved), X) >= 0)[known], (exact >= 0)[known])


@pytest.mark.parametrize("per_class", [511, 512, 513, 1300])
def test_classes_of_many_vectors_are_summed_in_pieces(per_class, rng):
    """Values are those of the formula, and labels in lanes those of samples alone, wherever a piece ends."""
    bank = random_bank(9, 3, per_class=per_class)
    own = (bank.index < bank.class_start[2]) == (bank.index < bank.class_start[1])
    bank = replace(bank, coef=np.where(own, 1.0, -1.0) * np.abs(bank.coef))
    X = rng.normal(size=(200, 6))
    exact = machine_values(bank, X)
    for b, digits in ((bank, 1e-12), (as_single(bank), 1e-5)):
        np.testing.assert_allclose(values_of(b, X), exact, atol=digits * np.abs(exact).max())
        for structure in ("ddag", "max_wins", "bracket"):
            plan = as_structure(structure).plan(b)
            np.testing.assert_array_equal(decide(b, plan, X), trace(b, plan, X)[0])


@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 6), structure=st.sampled_from(["ddag", "max_wins"]))
def test_one_row_has_the_label_it_has_among_many(seed, n_classes, structure):
    """A sample alone and in a batch has one label, next to the boundary too."""
    bank = random_bank(seed, n_classes, per_class=6, n_features=3)
    X = boundary_samples(bank, np.random.default_rng(seed), n=20)
    assume(len(X) > 0)
    plan = as_structure(structure).plan(bank)
    for b in (bank, as_single(bank)):
        alone = np.concatenate([decide(b, plan, X[i : i + 1]) for i in range(len(X))])
        np.testing.assert_array_equal(alone, decide(b, plan, X))


@pytest.mark.parametrize("structure", ["ddag", "max_wins"])
def test_a_value_of_zero_is_for_the_later_class_of_a_guess(structure, rng):
    """A machine that is zero everywhere is for its later class, also where guessed classes are checked."""
    X, y = load_digits(return_X_y=True)  # of which guesses are checked
    y = np.where((y == 0) & (rng.uniform(size=len(y)) < 0.5), 0, y + 1)  # the first two classes are alike
    bank = dagmar.SVC(gamma=0.001).fit(X, y).bank_
    coef, bias, vectors, last = bank.coef.copy(), bank.bias.copy(), bank.vectors.copy(), bank.begin[1] - 1
    coef[: last + 1] = bias[0] = 0.0  # but for two equal vectors, so that rounding leaves the sign open
    coef[0], coef[last], vectors[bank.index[last]] = -1.0, 1.0, vectors[bank.index[0]]
    plan = as_structure(structure).plan(bank)
    for precision in PRECISIONS:
        b = replace(bank, coef=coef, bias=bias, vectors=vectors, precision=precision)
        found = decide(b, plan, X)
        assert (found[y <= 1] == 1).mean() > 0.9
        np.testing.assert_array_equal(found, trace(b, plan, X)[0])


@pytest.mark.parametrize("structure", ["ddag", "max_wins", "bracket"])
@pytest.mark.parametrize("n_classes", [5, 40])
def test_walks_in_lanes_end_where_walks_alone_do(n_classes, structure):
    """Few classes sum all machines in lanes, many only those that a walk asks; both find what a sample alone finds."""
    bank = random_bank(7, n_classes, per_class=4, n_features=3)
    X = np.random.default_rng(8).normal(size=(300, 3))
    plan = as_structure(structure).plan(bank)
    for b in (bank, as_single(bank)):
        alone, _ = trace(b, plan, X)
        for n_threads in (1, 3):
            np.testing.assert_array_equal(decide(b, plan, X, n_threads), alone)


@pytest.fixture
def mirrored(rng):
    """A bank of one machine that is zero, but for rounding, wherever the first feature is, and such samples."""
    half = rng.normal(size=(20, 3))
    vectors = np.vstack([half, half * [-1, 1, 1]])
    coef = rng.uniform(0.1, 1.0, 20)
    bank = random_bank(0, 2, per_class=20, n_features=3, kernel=Kernel("rbf", gamma=0.7))
    bank = replace(
        bank,
        vectors=vectors,
        begin=np.array([0, 40], dtype=np.int64),
        index=np.arange(40, dtype=np.int32),
        coef=np.concatenate([-coef, coef]),
        bias=np.zeros(1),
    )
    return bank, rng.normal(size=(300, 3)) * [0, 1, 1]


@pytest.mark.parametrize("structure", ["ddag", "max_wins"])
@pytest.mark.parametrize("precision", PRECISIONS)
def test_samples_on_the_boundary_have_one_label(mirrored, precision, structure):
    """Where a value is zero but for rounding, alone, in a batch, by path and by value give the same label."""
    bank, X = mirrored
    bank = as_single(bank) if precision == "single" else bank
    plan = as_structure(structure).plan(bank)
    labels = decide(bank, plan, X)
    np.testing.assert_array_equal((values_of(bank, X)[:, 0] >= 0).astype(int), labels)
    np.testing.assert_array_equal(trace(bank, plan, X)[0], labels)
    np.testing.assert_array_equal(np.concatenate([decide(bank, plan, row[None]) for row in X]), labels)


def test_single_precision_far_from_the_training_data(fitted):
    """Samples far from the training data, where no error was estimated, have the labels of double precision."""
    models, X = fitted
    double = models["ddag", "double"].bank_
    plan = models["ddag", "double"].plan_
    far = np.vstack([X * 30, X + 500, X * 1e5])
    single = as_single(double)
    np.testing.assert_array_equal(decide(single, plan, far), decide(double, plan, far))


def test_single_precision_far_from_the_training_data_linear(seven_blobs):
    """A linear machine in single precision has the signs of double precision on large samples, too."""
    X, y = seven_blobs
    clf = dagmar.SVC(kernel="linear", precision="single").fit(X, y)
    rng = np.random.default_rng(8)
    far = boundary_samples(as_double(clf.bank_), rng, scale=1e4)
    single, double = values_of(as_single(clf.bank_), far), values_of(as_double(clf.bank_), far)
    clear = np.abs(double) > 1e-11 * np.abs(double).max()
    np.testing.assert_array_equal((single >= 0)[clear], (double >= 0)[clear])


@pytest.mark.parametrize("structure", STRUCTURES)
def test_sparse_dense_and_precomputed_agree(seven_blobs, structure):
    """One problem, given in three ways, has one answer."""
    X, y = seven_blobs
    dense = dagmar.SVC(gamma=0.1, structure=structure, precision="double").fit(X, y)
    sparse = dagmar.SVC(gamma=0.1, structure=structure).fit(sp.csr_matrix(X), y)
    K = kernel_matrix("rbf", X, X, gamma=0.1)
    given = dagmar.SVC(kernel="precomputed", structure=structure).fit(K, y)
    expected = dense.pair_decisions(X)
    np.testing.assert_allclose(sparse.pair_decisions(sp.csr_matrix(X)), expected, atol=5e-3)
    np.testing.assert_allclose(sparse.pair_decisions(X), expected, atol=5e-3)
    np.testing.assert_allclose(given.pair_decisions(K), expected, atol=5e-3)
    for size in (1, 50):
        np.testing.assert_array_equal(sparse.predict(sp.csr_matrix(X[:size])), sparse.predict(X)[:size])
        np.testing.assert_array_equal(given.predict(K[:size]), given.predict(K)[:size])


def test_model_serves_many_threads(fitted):
    """One model used from several Python threads at once gives the answers it gives alone."""
    from concurrent.futures import ThreadPoolExecutor

    models, X = fitted
    clf = dagmar.SVC(C=3.0, gamma=0.1).fit(*_training_part(models))
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: clf.predict(X), range(8)))
    for labels in answers:
        np.testing.assert_array_equal(labels, clf.predict(X))


def _training_part(models):
    bank = models["ddag", "double"].bank_
    y = np.repeat(np.arange(bank.n_classes), np.diff(bank.class_start))
    return np.asarray(bank.vectors), y


# ---------------------------------------------------------------- beyond the range of float


@pytest.mark.parametrize("size", [1e3, 1e5, 1e12, 1e25])
@pytest.mark.parametrize("name", KERNELS)
def test_samples_beyond_the_range_of_float_are_decided_exactly(name, size, rng):
    """A bank in single precision answers samples of any size as double precision does, alone and in lanes."""
    bank = random_bank(3, 4, kernel=KERNELS[name], precision="single")
    X = size * rng.normal(size=(200, 6))
    plan = as_structure("max_wins").plan(bank)
    expected = decide(as_double(bank), plan, X)
    np.testing.assert_array_equal(decide(bank, plan, X), expected)
    np.testing.assert_array_equal(np.concatenate([decide(bank, plan, X[i : i + 1]) for i in range(30)]), expected[:30])
    assert np.isfinite(values_of(bank, X)).all()


@pytest.mark.parametrize("precision", PRECISIONS)
def test_values_that_are_not_numbers_are_an_error(precision, rng):
    """Kernel values that exceed double precision leave no sign: the error says so, whatever is asked."""
    bank = random_bank(3, 4, kernel=Kernel("poly", gamma=1.0, degree=9), precision=precision)
    X = 1e60 * rng.normal(size=(40, 6))
    plan = as_structure("ddag").plan(bank)
    for ask in (lambda: values_of(bank, X), lambda: decide(bank, plan, X), lambda: trace(bank, plan, X[:1])):
        with pytest.raises(ValueError, match=r"not a number.*exceed the range of double"):
            ask()


@pytest.mark.parametrize("scale", [3.0, 0.0, np.nan, np.inf, -2.0])
def test_scale_of_a_kernel_is_a_power_of_two(scale):
    """Another scale would round, so it is refused."""
    with pytest.raises(ValueError, match="power of two"):
        replace(KERNELS["rbf"], scale=scale).native()


def test_sparse_samples_cost_their_nonzeros():
    """Features that no vector has cost nothing: a sample of a hundred million features is decided at once."""
    narrow = random_bank(0, 4, n_features=8)
    wide, at = 2**27, np.sort(np.random.default_rng(0).choice(2**27, 8, replace=False))

    def spread(X):
        return sp.csr_matrix(
            (X.ravel(), np.tile(at, len(X)).astype(np.int32), 8 * np.arange(len(X) + 1)), (len(X), wide)
        )

    X = np.random.default_rng(1).normal(size=(20, 8))
    expected = replace(narrow, vectors=sp.csr_matrix(narrow.vectors)).values(sp.csr_matrix(X))
    bank = replace(narrow, vectors=spread(narrow.vectors))
    bank.native  # noqa: B018 - made on first use
    begun = time.perf_counter()
    np.testing.assert_array_equal(bank.values(spread(X)), expected)
    assert time.perf_counter() - begun < 0.2 * SLOWER
    elsewhere = sp.csr_matrix((np.ones(1), ints32(at[0] + 1), [0, 1]), (1, wide))
    assert np.isfinite(bank.values(elsewhere)).all()


def ints32(*values):
    return np.array(values, dtype=np.int32)


@pytest.mark.parametrize("per_class", [2, 40])
@pytest.mark.parametrize("centred", [False, True])
def test_linear_machines_are_weights_where_that_is_less(per_class, centred, rng):
    """With fewer machines than vectors each machine is one weight vector; with more it is not; the values are the same."""
    bank = random_bank(3, 12, per_class=per_class, kernel=Kernel("linear"))
    if centred:
        bank = replace(bank, centre=rng.normal(100.0, 1.0, size=6))
    X = rng.normal(size=(150, 6)) + (100.0 if centred else 0.0)
    expected = machine_values(bank, X)
    for precision in PRECISIONS:
        got = values_of(replace(bank, precision=precision), X)
        rounding = 1e-4 if precision == "single" and per_class == 2 else 1e-12
        np.testing.assert_allclose(got, expected, atol=rounding * np.abs(expected).max())
        np.testing.assert_array_equal(got >= 0, expected >= 0)


def test_samples_walk_a_tree_together(rng):
    """In lanes, each sample finds the class that it finds alone."""
    X = rng.normal(size=(900, 4))
    y = (X[:, 0] > 0) * 1 + (X[:, 1] > 0) * 2 + (X[:, 2] > 0) * 4 + (X[:, 3] > 0) * 8
    X += 0.3 * rng.normal(size=X.shape)
    clf = dagmar.SVC(gamma=1.0, structure="divide_and_conquer").fit(X, y)
    alone = np.concatenate([clf.predict(X[i : i + 1]) for i in range(300)])
    for n in (25, 60, 300):
        np.testing.assert_array_equal(clf.predict(X[:n]), alone[:n])
    np.testing.assert_array_equal(clf.predict(X)[:300], alone)


def test_answers_need_a_place_each():
    """An array of another length, type or order is refused before anything is decided."""
    bank = random_bank(0, 3)
    plan, X = as_structure("ddag").plan(bank), as_data(np.zeros((2, 6)))
    with pytest.raises(ValueError, match="out must have a place for each sample"):
        bank.native.decide(X, plan.native, np.empty(3, dtype=np.int64), 1)
    for out in (np.empty(2, dtype=np.int32), np.empty(4, dtype=np.int64)[::2], np.empty((2, 1), dtype=np.int64)):
        with pytest.raises(TypeError):
            bank.native.decide(X, plan.native, out, 1)
