"""A machine that is called converged has a gap below `tol`, computed again in double precision from its coefficients."""

import numpy as np
import pytest

import dagmar
from dagmar.machines.overrides import overridden
from fuzzing import fits, ways


def whole_numbers(seed, offset, n=4000, d=64):
    """Zeros and ones, with an offset of opposite sign in the two classes: all samples of a class round alike."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n, d)).astype(float)
    target = X @ rng.normal(size=d)
    y = (target + rng.normal(size=n) * target.std() * 0.5 > np.median(target)).astype(int)
    return X + np.where(y == 0, offset, -offset)[:, None], y


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_errors_of_one_sign_are_counted(seed):
    """In single precision the errors of a class add up: they grow with the number of samples, not with its root."""
    X, y = whole_numbers(seed, 1e-6)
    clf = dagmar.SVC(C=80.0, gamma=0.01).fit(X, y)
    assert clf.report_.choices["precision"].startswith("single")
    assert clf.report_.converged.all()
    assert fits.check_fit(clf, {"y": y, "ways": {}}, X) is None


@pytest.mark.parametrize("kernel", [{"kernel": "linear", "C": 1.0}, {"kernel": "poly", "gamma": 1 / 16, "C": 0.01}])
@pytest.mark.parametrize("offset", [0.0, 1e-6, 1e-3])
def test_large_values_in_single_precision_leave_no_gap(kernel, offset):
    """Errors are small beside kernel values far above 1, and beside `tol` in the scores that they add up to."""
    X, y = whole_numbers(1, offset, n=1000)
    clf = dagmar.SVC(**kernel).fit(X, y)
    assert clf.report_.choices["precision"].startswith("single")
    assert clf.report_.converged.all()
    assert fits.check_fit(clf, {"y": y, "ways": {}}, X) is None


def test_codes_need_samples_on_the_lattice():
    """Whole numbers with offsets by class have no codes; without offsets they do, and the gap is as small."""
    for offset, features in ((1e-6, "floats"), (0.0, "integers where possible")):
        X, y = whole_numbers(3, offset, n=2000)
        clf = dagmar.SVC(C=30.0, gamma=0.01).fit(X, y)
        assert clf.report_.converged.all()
        assert fits.check_fit(clf, {"y": y, "ways": {}}, X) is None
        if features == "floats":
            assert clf.report_.choices["features"] == features


def test_a_gap_above_tol_is_found():
    """The check fails for a machine that was stopped at a larger tolerance."""
    X, y = whole_numbers(0, 0.0, n=300, d=8)
    clf = dagmar.SVC(C=10.0, tol=0.1).fit(X, y)
    clf.tol = 1e-4
    assert fits.check_fit(clf, {"y": y, "ways": {}}, X).kind == "gap"


def test_special_cases_take_every_way():
    """Forced cases of the fuzzer reach every way, and their fits report it."""
    total = dict.fromkeys(ways.WAYS, 0)
    for number in range(60):
        case = ways.make_case(np.random.default_rng([7, number]))
        if not case["ways"]:  # of natural size
            continue
        outcome = fits.run_case(case)
        assert not outcome.failed, outcome.detail
        for way in ways.WAYS:
            total[way] += outcome.counts[f"took {way}"]
    assert min(total.values()) >= 5, total


def test_values_in_double_are_those_in_long_double(rng):
    """The quick evaluation for many samples, dense and sparse, against the careful one."""
    X, y = rng.normal(size=(80, 5)) + 100.0, np.arange(80) % 3
    for kernel, shift in (("rbf", 0.0), ("linear", 0.0), ("poly", -100.0)):
        Z = X + shift
        with overridden(rows="kept"):
            clf = dagmar.SVC(kernel=kernel, gamma=0.01, C=10.0).fit(Z, y)
        quick, careful = fits.truth.double_values_of(clf.bank_, Z), fits.truth.values_of(clf.bank_, Z)
        assert np.abs(quick.value - careful.value).max() <= 4 * quick.double_error.max()
        assert quick.double_error.max() < 1e-8
