"""Samples in levels, whose distances are computed in integers: no label differs from that of double precision."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import LEVELS, as_double, as_single, blobs, decide, decide_one_by_one, letter_like, values_of
from reference.kernels import machine_values

import dagmar

STRUCTURES = ["ddag", "max_wins", "one_vs_rest"]


def rounded(X, step):
    """The nearest multiples of a step."""
    return np.round(X / step) * step


def letters(n_features=16):
    """Sixteen levels, as the letters have: bytes where the processor multiplies them."""
    X, y = letter_like(3, 5, 60)
    return X[:, :n_features], y


def pixels():
    """All 256 levels of a byte, most of them zero, and pixels that are zero in most samples."""
    X, y = blobs(4, 5, 60, 50)
    X = np.clip(np.round(25 * X + 40), 0, 255)
    X[0], X[:, 7] = 255, 0
    X[3, 7] = 255
    return X / 255, y


def rare_outliers():
    """Sixteen levels in most samples, and far more in a few: a grid with room for most has none for all."""
    X, y = letters()
    step = np.diff(np.unique(X)).min()
    X[7::50, ::3] += 400 * step
    return X, y


def decimals():
    """Three decimals, of both signs: 16 bits."""
    X, y = blobs(5, 5, 60, 33)
    return rounded(np.clip(X / 8, -1, 1), 1e-3), y


def decimals_in_float():
    """The same, rounded to float: close to the grid but not on it."""
    X, y = decimals()
    return X.astype(np.float32).astype(np.float64), y


def shifted():
    """Features that share a step, but neither an origin nor a range."""
    X, y = blobs(6, 5, 60, 9)
    return rounded(X, 0.25) * np.array([1, 2, 3, 1, 1, 1, 0, 1, 4]) + 1000 * np.linspace(-1, 1, 9), y


def two_levels():
    """Yes or no."""
    X, y = blobs(7, 4, 60, 21)
    return np.where(X > 0, 1.0, -1.0), y


def almost():
    """One value that is on no grid."""
    X, y = letters()
    X[11, 4] += 1e-3
    return X, y


def too_fine():
    """More levels than distances in 32 bits could hold."""
    X, y = blobs(8, 5, 60, 40)
    return rounded(X, 1e-6), y


def scaled():
    """Readings on no grid, each scaled to [-1, 1]: rounded to bytes."""
    X, y = blobs(9, 5, 60, 40)
    return 2 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1, y


def overlapping():
    """The same of classes that overlap: bytes would leave too many signs open."""
    X, y = blobs(10, 5, 60, 48)
    X = X + 12 * np.random.default_rng(1).normal(size=X.shape)
    return 2 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1, y


def rarely_used():
    """Pixels of which some are zero in nearly all samples, each scaled to [0, 1], so that other samples are far outside."""
    X, y = blobs(11, 5, 60, 64)
    X = np.clip(np.round(25 * X + 40), 0, 255)
    X[:, ::9] = 0
    X[::40, ::9] = 3
    return X / np.maximum(1, X.max(axis=0)), y


ON_GRIDS = [letters, pixels, rare_outliers, decimals, decimals_in_float, shifted, two_levels]
ON_NONE = [almost, too_fine, scaled, overlapping, rarely_used]


@pytest.fixture(scope="module", params=[*ON_GRIDS, *ON_NONE], ids=lambda make: make.__name__)
def model(request):
    """A model of each set, whose machines have zeros at samples of the set, or so close that float cannot tell."""
    return model_of(*request.param(), closest=-9, farthest=-5)


def model_of(X, y, closest, farthest):
    """A model of the set, and its machines moved so that each has one sample this close to zero, in powers of ten."""
    rng = np.random.default_rng(0)
    models = {}
    for structure in STRUCTURES:
        clf = dagmar.SVC(C=10.0, gamma=4 / X.shape[1] / X.var(), structure=structure).fit(X, y)
        values = machine_values(clf.bank_, X)
        i = rng.integers(0, len(X), len(clf.bank_.bias))
        off = rng.choice([-1.0, 1.0], len(i)) * 10.0 ** rng.uniform(closest, farthest, len(i))
        bias = clf.bank_.bias - values[i, np.arange(len(i))] + off
        models[structure] = (clf.plan_, replace(clf.bank_, bias=bias))
    return X, models


def probes(X, rng):
    """Samples of the set; between them some off the grid, some far away, and some beyond the range of its integers."""
    X = np.vstack([X, X[::-1]])
    X[5] += 0.123456789 * X.std()
    X[70] = rng.normal(size=X.shape[1])
    X[140, 0] = 1e6
    X[141] = -(2.0**31)
    X[142] = 1e18
    X[143, -1] = 1e30
    return X


@pytest.mark.parametrize("structure", STRUCTURES)
def test_labels_are_those_of_double(model, structure, rng):
    """On the grid and off it, with every instruction set."""
    X, models = model
    plan, bank = models[structure]
    for samples in (X, probes(X, rng)):
        expected = decide(as_double(bank), plan, samples)
        for level in LEVELS:
            for way in (decide, decide_one_by_one):
                np.testing.assert_array_equal(way(as_single(bank), plan, samples, level=level), expected)


@pytest.mark.parametrize("make", ON_NONE)
@pytest.mark.parametrize("structure", ["ddag", "max_wins"])
def test_labels_near_the_bound_are_those_of_double(make, structure, rng):
    """Values about as far from zero as rounding to levels may move them: none has a sign that it could have changed."""
    X, y = make()
    for farthest in (-3, -2, -1):
        _, models = model_of(X, y, farthest - 1, farthest)
        plan, bank = models[structure]
        samples = np.vstack([X, X + 1e-3 * rng.normal(size=X.shape)])
        expected = decide(as_double(bank), plan, samples)
        for level in LEVELS:
            for way in (decide, decide_one_by_one):
                np.testing.assert_array_equal(way(as_single(bank), plan, samples, level=level), expected)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_labels_do_not_depend_on_the_batch(model, structure, rng):
    """A sample has its label beside any others, of which some are not on the grid, and with any number of threads."""
    X, models = model
    plan, bank = models[structure]
    bank, X = as_single(bank), probes(X, rng)
    labels = decide(bank, plan, X)
    for size in (1, 7, 25, 40, 130):
        parts = [decide(bank, plan, X[at : at + size]) for at in range(0, 280, size)]
        np.testing.assert_array_equal(np.concatenate(parts)[:280], labels[:280])
    np.testing.assert_array_equal(decide(bank, plan, X[::-1])[::-1], labels)
    np.testing.assert_array_equal(decide(bank, plan, X, 3), labels)
    np.testing.assert_array_equal(
        decide(bank, plan, X.astype(np.float32).astype(float)),
        decide(as_double(bank), plan, X.astype(np.float32).astype(float)),
    )


def test_values_do_not_depend_on_the_batch(model, rng):
    """Values are the same to the bit whether or not the samples beside them are on the grid."""
    X, models = model
    bank, X = as_single(models["ddag"][1]), probes(X, rng)
    values = values_of(bank, X)
    parts = [values_of(bank, X[at : at + 40]) for at in range(0, len(X), 40)]
    np.testing.assert_array_equal(np.concatenate(parts), values)


def test_samples_in_single_precision(model):
    """Samples of float32 have the labels of the same numbers in float64."""
    X, models = model
    plan, bank = models["max_wins"]
    single = X.astype(np.float32)
    bank = as_single(bank)
    np.testing.assert_array_equal(decide(bank, plan, single), decide(bank, plan, single.astype(np.float64)))


def test_samples_that_are_not_finite_are_on_no_grid(rng):
    """They are an error, or decided in double, as on any other data; never a wrong label of their neighbours."""
    X, y = letters()
    clf = dagmar.SVC(gamma=0.5).fit(X, y)
    labels = decide(clf.bank_, clf.plan_, X)
    for bad in (1e308, -1e308):
        samples = X.copy()
        samples[17, 3] = bad
        found = decide(clf.bank_, clf.plan_, samples)
        np.testing.assert_array_equal(np.delete(found, 17), np.delete(labels, 17))
