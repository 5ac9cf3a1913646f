"""The machines of LIBSVM and ours are equally good on every pair, and answer alike."""

import numpy as np
import pytest

from . import data
from .comparison import assert_agreement
from .peers import libsvm, ours

pytest.importorskip("libsvm")

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "poly"},
    {"kernel": "poly", "coef0": 1.0, "degree": 2},
    {"kernel": "rbf"},
    {"kernel": "sigmoid", "gamma": 0.02},
]


@pytest.mark.parametrize("load", [data.iris, data.wine])
def test_small_sets_get_the_same_labels(load):
    """On Iris and Wine no label differs."""
    task = load()
    assert_agreement(task, ours(task), libsvm(task), alike=1.0)


@pytest.mark.parametrize("load", [data.digits, data.glass, data.vowel])
def test_sets_with_more_classes(load):
    """On Digits, Glass and Vowel every pair is as good, and labels agree."""
    task = load()
    assert_agreement(task, ours(task), libsvm(task))


@pytest.mark.slow
@pytest.mark.parametrize("load", [data.letter, data.pendigits, data.usps])
def test_sets_of_thousands(load):
    """On Letter, Pendigits and USPS, solved in single precision, every pair is as good, and labels agree."""
    task = load()
    mine = ours(task)
    assert mine.bank_.precision == "single"
    assert_agreement(task, mine, libsvm(task))


@pytest.mark.parametrize("parameters", KERNELS)
@pytest.mark.parametrize("load", [data.iris, data.wine])
def test_every_kernel(load, parameters):
    """Every kernel that LIBSVM has gives the same machines and labels once tol leaves no room."""
    task = load(**parameters, tol=1e-6)
    assert_agreement(task, ours(task), libsvm(task), alike=1.0)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_either_precision(precision):
    """Whatever precision is asked for, every pair is solved to tol."""
    task = data.digits()
    mine = ours(task, precision=precision)
    assert np.all(mine.report_.converged)
    assert_agreement(task, mine, libsvm(task))
