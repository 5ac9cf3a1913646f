"""The choice of features that have integer codes, against NumPy; and the error that codes may have."""

import numpy as np
import pytest
from helpers import LEVELS, problem_of, train_bank
from reference import codes as reference
from reference.kernels import machine_values

import dagmar
from dagmar import _core
from dagmar.base.instructions import at_level, simd_level
from dagmar.machines.training import TrainSettings
from dagmar.problem.codes import codes_of
from dagmar.problem.kernels import Kernel
from dagmar.problem.samples import as_data
from dagmar.problem.tasks import all_pairs

needs_codes = pytest.mark.skipif(_core.best_level() == _core.Level.plain, reason="this processor has no use for codes")


def samples(rng, kind, shape, dtype):
    """Samples all or some of whose features are multiples of one step."""
    if kind == "bytes":
        X = rng.integers(0, 17, shape) / 16
    elif kind == "words":
        X = rng.integers(-400, 400, shape) * 0.5
    elif kind == "mostly zeros":
        X = np.where(rng.random(shape) < 0.1, rng.integers(1, 256, shape), 0) / 255
    elif kind == "mostly elsewhere":
        X = 7.0 + np.where(rng.random(shape) < 0.1, rng.integers(1, 256, shape), 0)
    elif kind == "odd features":
        X = rng.integers(0, 17, shape) / 16
        X[:, ::5] = rng.random(X[:, ::5].shape)
    elif kind == "constant":
        X = np.full(shape, 2.5)
    else:
        X = rng.integers(0, 2, shape) * 1e149
    return X.astype(dtype)


KINDS = ["bytes", "words", "mostly zeros", "mostly elsewhere", "odd features", "constant", "huge"]
SHAPES = [(1, 1), (1, 9), (2, 3), (64, 7), (100, 33), (70, 181)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_codes_are_those_of_the_reference(rng, kind, shape, dtype):
    """From a survey of all samples and a look at some, for any centre."""
    X = samples(rng, kind, shape, np.float64 if kind == "huge" else dtype)
    for step in (1.0 / 255, 1.0 / 16, 0.5, 1e149):
        anchor = reference.anchors(X, step)
        survey = _core.survey(as_data(X), anchor, step, 1, simd_level())
        for every in (1, 3, 200):
            for centre in (None, X.min(axis=0).astype(np.float64), X.mean(axis=0, dtype=np.float64)):
                found = _core.choose_codes(as_data(X), every, survey, anchor, step, centre)
                wanted = reference.choose_codes(X[::every], survey, anchor, step, centre)
                assert (found is None) == (wanted is None)
                if wanted is not None:
                    np.testing.assert_array_equal(found, wanted)


def test_what_does_not_fit_is_refused():
    """Arrays have their lengths."""
    X, ones = as_data(np.ones((4, 3))), np.ones(3)
    with pytest.raises(ValueError, match="three numbers per feature"):
        _core.choose_codes(X, 1, np.ones(3), ones, 1.0, None)
    with pytest.raises(ValueError, match="step must be positive"):
        _core.choose_codes(X, 1, np.ones(9), ones, 0.0, None)
    with pytest.raises(ValueError, match="anchor must have one number per feature"):
        _core.choose_codes(X, 1, np.ones(9), np.ones(4), 1.0, None)
    with pytest.raises(ValueError, match="centre must have one number per feature"):
        _core.choose_codes(X, 1, np.ones(9), ones, 1.0, np.ones(4))


@needs_codes
@pytest.mark.parametrize("step", [1.0, 0.25, 1 / 255, 2 / 15, 1e-3])
@pytest.mark.parametrize("low", [0.0, -1.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounded_decimals_have_codes(rng, step, low, dtype):
    """Whatever their step is in binary: rounding to float or double is not an error of codes."""
    X = (low + rng.integers(0, 101, (4000, 16)) * step).astype(dtype)
    codes = codes_of(X, Kernel("rbf", 0.1), None)
    assert codes is not None
    assert (codes.reshape(3, -1)[2] == 100).all()


@needs_codes
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_beside_the_lattice_have_no_codes(rng, dtype):
    """A millionth or the last bit of a float is not rounded away."""
    X = rng.integers(1, 17, (4000, 16)).astype(dtype)
    shift = dtype(1e-6) if dtype is np.float64 else np.spacing(X)
    assert codes_of(X, Kernel("rbf", 0.1), None) is not None
    assert codes_of((X + shift * rng.integers(-1, 2, X.shape)).astype(dtype), Kernel("rbf", 0.1), None) is None


def true_gap(K, signs, coef, cap):
    """The violation of the optimality conditions, in double."""
    score = signs - K @ coef
    lam = coef * signs
    up = np.where(signs > 0, lam < cap, lam > 0)
    low = np.where(signs > 0, lam > 0, lam < cap)
    return score[up].max() - score[low].min()


@needs_codes
@pytest.mark.parametrize("gamma", [0.001, 0.003])
def test_an_error_of_one_sign_is_not_made(gamma):
    """Whole numbers plus a millionth in one class and minus a millionth in the other: the true gap is below tol."""
    rng = np.random.default_rng(0)
    n, tol, C = 6000, 1e-3, 30.0
    signs = np.where(np.arange(n) % 2 == 1, 1.0, -1.0)
    X = np.clip(np.rint(rng.normal(8.15 + 0.15 * signs[:, None], 2.5, (n, 16))), 0, 15) + 1e-6 * signs[:, None]
    clf = dagmar.SVC(C=C, gamma=gamma, tol=tol).fit(X, signs)
    coef = np.zeros(n)
    coef[clf.support_] = clf.dual_coef_[0]
    norms = (X**2).sum(axis=1)
    K = np.exp(-gamma * np.maximum(norms[:, None] + norms - 2 * X @ X.T, 0))
    assert true_gap(K, signs, coef, C) <= tol


@pytest.mark.parametrize("prepared", LEVELS)
@pytest.mark.parametrize("trained", LEVELS)
def test_a_problem_trains_at_another_level(rng, prepared, trained):
    """Codes that one processor has chosen are no obstacle for another, whatever instructions it has."""
    X = rng.integers(0, 17, (1100, 64)) / 16.0
    y = (X[:, :8].sum(axis=1) > 4).astype(int)
    with at_level(prepared):
        problem = problem_of(X, y, gamma=0.1, precision="single")
    assert (problem.codes is None) == (prepared is _core.Level.plain)
    with at_level(trained):
        blocks = _core.survey(as_data(X[:500]), np.zeros(64), 1 / 16, 2, simd_level())  # as a worker does with its rows
        bank, report = train_bank(problem, all_pairs(2), TrainSettings(level=trained))
    assert (blocks.reshape(3, -1)[2] == 0).all()
    assert report.converged.all()
    values = machine_values(bank, X)
    at_best = train_bank(problem, all_pairs(2), TrainSettings(level=_core.best_level()))[0]
    np.testing.assert_allclose(values, machine_values(at_best, X), atol=2e-3)
