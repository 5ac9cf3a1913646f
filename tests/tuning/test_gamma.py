"""Gamma by the distance between classes: against the whole matrix on a fine grid, and by its properties."""

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import blobs
from hypothesis import given
from hypothesis import strategies as st
from reference import tuning as slow

import dagmar
from dagmar.base.exceptions import InvalidParameterError
from dagmar.tuning.gamma import GammaChoice, dbtc

seeds = st.integers(0, 2**32 - 1)
sizes = st.lists(st.integers(2, 25), min_size=2, max_size=4)


def classes(seed, sizes, n_features=3, apart=2.0):
    """Gaussian clouds of these sizes."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return apart * rng.normal(size=(len(sizes), n_features))[y] + rng.normal(size=(len(y), n_features)), y


@pytest.mark.parametrize("per_pair", [False, True])
def test_best_of_given_gammas_is_that_of_the_whole_matrix(per_pair, seven_blobs):
    """Among given values, in any order, the choice and the whole curve are the reference's."""
    X, y = seven_blobs
    gammas = [0.3, 0.01, 3.0, 0.1, 0.03, 1.0]
    choice = dbtc(X, y, gammas, per_pair=per_pair)
    gamma, value = slow.best(X, y, gammas, per_pair)
    np.testing.assert_array_equal(choice.gamma, gamma if per_pair else gamma[0])
    np.testing.assert_allclose(choice.dbtc, value if per_pair else value[0], rtol=1e-10)
    np.testing.assert_array_equal(choice.gammas, np.sort(gammas))
    curve = np.array([slow.distances(X, y, g) for g in np.sort(gammas)]).T
    np.testing.assert_allclose(choice.curve, curve if per_pair else curve.mean(axis=0), rtol=1e-10)
    inside = (gamma > min(gammas)) & (gamma < max(gammas))
    np.testing.assert_array_equal(choice.interior, inside if per_pair else inside[0])


@pytest.mark.parametrize("per_pair", [False, True])
@given(seed=seeds, sizes=st.lists(st.integers(5, 15), min_size=2, max_size=3))
def test_nothing_on_a_fine_grid_is_better(seed, sizes, per_pair):
    """The maximum found is that of a grid fifteen times as fine, and its value is the true one.

    Classes of two samples may have a second, narrower maximum between two values of the coarse grid: it is not found.
    """
    X, y = classes(seed, sizes, apart=4.0)
    choice = dbtc(X, y, per_pair=per_pair)
    fine = np.geomspace(choice.gammas[0], choice.gammas[-1], 15 * (len(choice.gammas) - 1) + 1)
    _, value = slow.best(X, y, fine, per_pair)
    found = np.atleast_1d(choice.dbtc)
    assert (found >= value * (1 - 1e-6)).all()
    for m, gamma in enumerate(np.atleast_1d(choice.gamma)):
        at = slow.distances(X, y, gamma)
        assert found[m] == pytest.approx(at[m] if per_pair else at.mean(), rel=1e-9)


@given(seed=seeds, sizes=st.lists(st.integers(1, 12), min_size=2, max_size=4), apart=st.floats(0, 100))
def test_distances_are_between_zero_and_two(seed, sizes, apart):
    """Squared distances of means of unit vectors whose products are not negative."""
    choice = dbtc(*classes(seed, sizes, apart=apart), per_pair=True)
    for values in (choice.dbtc, choice.curve):
        assert (values >= 0).all()
        assert (values <= 2 + 1e-12).all()


@pytest.mark.parametrize("per_pair", [False, True])
@given(seed=seeds, sizes=sizes, power=st.integers(-20, 20))
def test_scaling_the_samples_scales_gamma(seed, sizes, power, per_pair):
    """Samples times s: gamma over s squared, the same distances. By powers of two there is no rounding to speak of."""
    X, y = classes(seed, sizes)
    one, scaled = dbtc(X, y, per_pair=per_pair), dbtc(2.0**power * X, y, per_pair=per_pair)
    np.testing.assert_allclose(scaled.gamma, np.asarray(one.gamma) / 4.0**power, rtol=1e-6)
    np.testing.assert_allclose(scaled.dbtc, one.dbtc, rtol=1e-9)
    np.testing.assert_array_equal(scaled.interior, one.interior)


def test_scaling_by_any_number(seven_blobs):
    """Nor does another factor change the choice beyond what it is found to."""
    X, y = seven_blobs
    one, scaled = dbtc(X, y), dbtc(0.37 * X, y)
    assert scaled.gamma == pytest.approx(one.gamma / 0.37**2, rel=2e-3)
    assert scaled.dbtc == pytest.approx(one.dbtc, rel=1e-6)


def test_moving_the_samples_changes_nothing(seven_blobs):
    """Only differences count."""
    X, y = seven_blobs
    assert dbtc(X + 100.0, y).gamma == pytest.approx(dbtc(X, y).gamma, rel=2e-3)


def test_weights_are_repeats(seven_blobs):
    """A sample of weight 2 is two samples, one of weight 0 none."""
    X, y = seven_blobs
    times = np.random.default_rng(0).integers(0, 3, len(y))
    weighted, repeated = dbtc(X, y, sample_weight=times), dbtc(X.repeat(times, axis=0), y.repeat(times))
    np.testing.assert_allclose(weighted.curve, repeated.curve, rtol=1e-9)
    assert weighted.gamma == pytest.approx(repeated.gamma, rel=1e-6)
    np.testing.assert_allclose(slow.distances(X, y, weighted.gamma, times).mean(), weighted.dbtc, rtol=1e-9)


def test_sparse_samples_have_the_same_choice(seven_blobs):
    """Sparse or dense, the distances are the same."""
    X, y = seven_blobs
    X = np.where(np.abs(X) < 1, 0.0, X)
    dense, sparse = dbtc(X, y, per_pair=True), dbtc(sp.csr_matrix(X), y, per_pair=True)
    np.testing.assert_allclose(sparse.curve, dense.curve, rtol=1e-9)
    np.testing.assert_allclose(sparse.gamma, dense.gamma, rtol=1e-6)


def test_threads_change_nothing(seven_blobs):
    """The same bits for any number of threads."""
    one, many = (dbtc(*seven_blobs, per_pair=True, n_jobs=n) for n in (1, 3))
    np.testing.assert_array_equal(one.gamma, many.gamma)
    np.testing.assert_array_equal(one.dbtc, many.dbtc)


def test_some_samples_are_an_estimate(letters):
    """With fewer samples of a class the choice is near; with more than there are it is the same."""
    X, y = letters
    whole = dbtc(X, y)
    assert dbtc(X, y, max_samples=50).gamma == pytest.approx(whole.gamma, rel=0.2)
    assert dbtc(X, y, max_samples=10_000).gamma == whole.gamma


def test_a_pair_alone_is_the_pair_among_others(seven_blobs):
    """What a pair chooses depends on its own two classes."""
    X, y = seven_blobs
    each = dbtc(X, y, per_pair=True)
    pair = np.isin(y, [1, 4])
    alone = dbtc(X[pair], y[pair])
    m = 1 * 7 - 1 + (4 - 1 - 1)  # of (1, 4) among (0, 1) ... (5, 6)
    assert each.gamma[m] == pytest.approx(alone.gamma, rel=5e-3)
    assert each.dbtc[m] == pytest.approx(alone.dbtc, rel=1e-5)


def test_classes_that_cannot_be_told_apart_have_no_maximum():
    """Samples in a row, of two classes in turn: the distance grows all the way, and the choice says so."""
    choice = dbtc(np.arange(60.0)[:, None], np.arange(60) % 2)
    assert not choice.interior
    assert choice.dbtc == pytest.approx(2 / 30, rel=1e-6)  # every sample alone
    assert "not interior" in repr(choice)


def test_one_sample_per_class_has_no_maximum(rng):
    """Two samples are the farther apart the larger gamma; the choice is the least gamma at which they are as far as can be."""
    choice = dbtc(rng.normal(size=(3, 2)), [0, 1, 2], per_pair=True)
    assert not choice.interior.any()
    np.testing.assert_allclose(choice.dbtc, 2.0, rtol=1e-8)
    assert (choice.gamma < choice.gammas[-1]).all()
    assert "3 not interior" in repr(choice)


def test_samples_that_are_all_the_same():
    """Where no distance is anything but zero, so is the choice's, and it is not interior."""
    choice = dbtc(np.ones((6, 2)), [0, 0, 0, 1, 1, 1])
    assert choice.dbtc == pytest.approx(0.0, abs=1e-15)
    assert not choice.interior


def test_ends_of_a_given_list_are_not_interior(seven_blobs):
    """`interior` is False for a list that ends before the maximum."""
    best = dbtc(*seven_blobs).gamma
    assert not dbtc(*seven_blobs, [best / 9, best / 3]).interior
    assert not dbtc(*seven_blobs, [best]).interior
    assert dbtc(*seven_blobs, [best / 3, best, 3 * best]).interior


def test_choice_goes_into_an_estimator():
    """One gamma or one per pair: both fit, and adaptive DDAG orders by the distances that were maximised."""
    X, y = blobs(9, 5, 40, 4, spread=1.5)
    names = np.array(list("edcba"))[y]
    for per_pair in (False, True):
        choice = dagmar.tuning.dbtc(X, names, per_pair=per_pair)
        clf = dagmar.SVC(gamma=choice.gamma, C=10, structure="adaptive_ddag").fit(X, names)
        assert clf.score(X, names) > 0.9
    i, j = clf.bank_.pairs[choice.dbtc.argmax()]
    assert clf.plan_.order[0] == i
    assert clf.plan_.rivals[i][0] == j


def test_repr_is_short(seven_blobs):
    """A line that can be read."""
    assert repr(dbtc(*seven_blobs)).startswith("GammaChoice(gamma=0.")
    assert repr(dbtc(*seven_blobs, per_pair=True)).startswith("GammaChoice(21 pairs, gamma 0.")
    one = GammaChoice(0.5, 1.25, True, np.array([0.5]), np.array([1.25]))
    assert repr(one) == "GammaChoice(gamma=0.5, dbtc=1.25)"


def test_arrays_are_frozen(seven_blobs):
    """The result is finished."""
    choice = dbtc(*seven_blobs, per_pair=True)
    for array in (choice.gamma, choice.dbtc, choice.interior, choice.gammas, choice.curve):
        assert not array.flags.writeable


@pytest.mark.parametrize("gammas", [[], [0.1, 0.0], [-1.0], [np.nan], [np.inf], [[0.1]], 0.1, "scale", ["0.1"]])
def test_bad_gammas_are_refused(three_blobs, gammas):
    """Only a list of positive numbers will do."""
    with pytest.raises(InvalidParameterError, match=r"'gammas' parameter of dbtc must be an array of positive numbers"):
        dbtc(*three_blobs, gammas)


@pytest.mark.parametrize(("name", "value"), [("max_samples", 0), ("per_pair", "yes"), ("n_jobs", 1.5)])
def test_bad_options_are_refused(three_blobs, name, value):
    """Each option has what it may be."""
    with pytest.raises(InvalidParameterError, match=rf"^The '{name}' parameter of dbtc must be "):
        dbtc(*three_blobs, **{name: value})


def test_class_without_weight_is_an_error(three_blobs):
    """It has no mean to be distant from."""
    X, y = three_blobs
    with pytest.raises(ValueError, match="no sample of class 1 has a positive weight"):
        dbtc(X, y, sample_weight=(y != 1).astype(float))
