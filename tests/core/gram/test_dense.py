"""Kernel values of dense samples: as floats and as integer codes, against double precision."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import LEVELS, problem_of

from dagmar import _core
from dagmar.problem.codes import codes_of

KINDS = ["bytes", "words", "mostly zeros", "odd features"]


def samples(rng, kind, n, d):
    """Multiples of one step, in all features or in most."""
    X = rng.integers(0, 17, (n, d)) / 16
    if kind == "words":
        X = rng.integers(-400, 400, (n, d)) / 64
    if kind == "mostly zeros":
        X *= np.repeat(rng.random((n, d // 4)) < 0.15, 4, axis=1)  # side by side, as in pictures
    if kind == "odd features":
        X[:, 3::8] = np.where(rng.random((n, len(X[0, 3::8]))) < 0.2, rng.random((n, len(X[0, 3::8]))), 0)
    return X


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_in_codes_are_as_precise_as_in_float(rng, kind, level, dtype):
    """Also of features without codes, which are computed beside them, and of words that are skipped."""
    X = samples(rng, kind, 1100, 64).astype(dtype)
    problem = problem_of(X, np.zeros(len(X), dtype=int), gamma=0.05, precision="single")
    codes = codes_of(X, problem.kernel, problem.centre)
    if _core.best_level() is not _core.Level.plain:
        assert codes is not None
        assert (codes.reshape(3, -1)[2].min() < 0) == (kind == "odd features")
    rows = np.arange(0, len(X), 7, dtype=np.int32)
    for found in (None, codes):
        native = replace(problem, codes=found).native()
        assert _core.single_error(native, rows, 2, level) < 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_codes_have_the_same_bits_at_every_level(rng, kind):
    """Distances are integers, and the exponential is the same."""
    X = samples(rng, kind, 1100, 64)
    y = np.arange(len(X)) % 3
    problem = problem_of(X, y, gamma=0.05, precision="single").native()
    levels = [level for level in LEVELS if level is not _core.Level.plain]
    sums = [_core.class_similarity(problem, np.ones(len(X)), 1, level) for level in levels]
    for other in sums[1:]:
        np.testing.assert_array_equal(other, sums[0])
