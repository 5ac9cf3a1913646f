"""Pairs in the layout of LIBSVM, against a loop over pairs and vectors."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import values_of
from hypothesis import given
from hypothesis import strategies as st
from reference.kernels import kernel_matrix
from sklearn.datasets import load_digits
from sklearn.svm import SVC as TheirSVC

import dagmar
from dagmar.interop.foreign_pairs import ForeignPairs, in_form_of
from dagmar.problem.kernels import Kernel

seeds = st.integers(0, 2**32 - 1)


def random_pairs(seed, n_classes):
    """Random machines, some coefficients zero, the vectors of a class in any order of the training data."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 5, n_classes)
    n = int(sizes.sum())
    dual_coef = rng.normal(size=(n_classes - 1, n)) * (rng.random((n_classes - 1, n)) < 0.7)
    return ForeignPairs(
        class_start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        dual_coef=dual_coef,
        intercept=rng.normal(size=n_classes * (n_classes - 1) // 2),
        vectors=rng.normal(size=(n, 3)),
        support=rng.permutation(n).astype(np.int64),
        kernel=Kernel("rbf", gamma=0.3),
    )


def slow_value(pairs, m, i, j, x):
    """The value of a pair as LIBSVM adds it up, positive for the earlier class."""
    value = pairs.intercept[m]
    k = kernel_matrix("rbf", pairs.vectors, x[None], 0.3)[:, 0] if len(pairs.vectors) else []
    for v in range(len(pairs.vectors)):
        own = int(np.searchsorted(pairs.class_start, v, side="right")) - 1
        if own == i:
            value += pairs.dual_coef[j - 1, v] * k[v]
        elif own == j:
            value += pairs.dual_coef[i, v] * k[v]
    return value


@given(seed=seeds, n_classes=st.integers(2, 6))
def test_bank_has_the_values_of_libsvms_sum(seed, n_classes):
    """Every pair has LIBSVM's value with the sign turned, and coefficients of zero are left out of the lists."""
    pairs = random_pairs(seed, n_classes)
    bank = pairs.bank("double", 100, 1e-3)
    assert bank.all_pairs
    assert (bank.coef != 0).all()
    assert len(bank.coef) == np.count_nonzero(pairs.dual_coef)
    X = np.random.default_rng(seed).normal(size=(4, 3))
    expected = [
        [-slow_value(pairs, m, i, j, x) for m, (i, j) in enumerate(combinations(range(n_classes), 2))] for x in X
    ]
    np.testing.assert_allclose(values_of(bank, X), expected, rtol=1e-9, atol=1e-9)


@given(seed=seeds, n_classes=st.integers(2, 6))
def test_vectors_of_a_class_are_put_in_the_order_of_the_data(seed, n_classes):
    """Within a class the places in the training data ascend, and each vector keeps its coefficients."""
    pairs = random_pairs(seed, n_classes)
    ordered = pairs.in_order()
    np.testing.assert_array_equal(ordered.class_start, pairs.class_start)
    for b, e in zip(pairs.class_start[:-1], pairs.class_start[1:], strict=True):
        assert ordered.support[b:e].tolist() == sorted(pairs.support[b:e].tolist())
    place = {s: v for v, s in enumerate(pairs.support.tolist())}
    back = [place[s] for s in ordered.support.tolist()]
    np.testing.assert_array_equal(ordered.dual_coef, pairs.dual_coef[:, back])
    np.testing.assert_array_equal(ordered.vectors, pairs.vectors[back])


def test_samples_take_the_form_of_the_vectors():
    """Samples become dense or sparse as the support vectors are, whatever they were."""
    X = np.eye(3)
    for form in (X, sp.csr_matrix(X)):
        assert not sp.issparse(in_form_of(X, form))
        assert sp.issparse(in_form_of(sp.csr_matrix(X), form))


@pytest.mark.parametrize("scale", [1e-25, 1e-10, 1e18])
def test_models_of_very_small_or_large_samples_keep_their_labels(scale):
    """A converted model is as right at any scale as at the usual one, also in single precision."""
    X, y = load_digits(return_X_y=True)
    theirs = TheirSVC().fit(scale * X, y)
    ours = dagmar.from_sklearn(theirs, "max_wins", precision="single")
    assert (ours.bank_.kernel.scale != 1.0) == (scale != 1e-10)
    np.testing.assert_array_equal(ours.predict(scale * X), theirs.predict(scale * X))


@given(seed=seeds, n_classes=st.integers(2, 5))
def test_pairs_of_a_bank_are_those_that_made_it(seed, n_classes):
    """From pairs to a bank and back: the same coefficients, constants and sigmoids, with LIBSVM's signs."""
    rng = np.random.default_rng(seed)
    pairs = random_pairs(seed, n_classes).in_order()
    pairs = replace(pairs, probA=rng.normal(size=len(pairs.intercept)), probB=rng.normal(size=len(pairs.intercept)))
    back = ForeignPairs.of(pairs.bank("double", 100, 1e-3), pairs.sigmoids)
    for name in ("class_start", "dual_coef", "intercept", "vectors", "support", "probA", "probB"):
        np.testing.assert_array_equal(getattr(back, name), getattr(pairs, name), err_msg=name)
